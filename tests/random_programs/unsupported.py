"""Random programs with one construct planted that cannot be differentiated.

    def f(x, n, ...):                    def f(x, n, ...):
        h1 = np.sin(x)                       extra_ = 0.0 * np.sum(x)
        return np.sum(h1)         ->         h1 = np.sin(x)
                                             for _ in range(2):
                                                 TABLE[0] = np.sum(x)              # planted
                                             return np.sum(h1) + extra_

`find_fault` asks for a refusal that names the planted line and a way out, and leaves arguments and
globals as they were. Some constructs may be refused or differentiated, as long as that is right.
"""

from __future__ import annotations

import copy
import random
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from random_programs.checks import Unfit, load, same
from random_programs.generator import Program, generate
from random_programs.tree import Node, text

import srcad
from srcad.errors import MissingRule, NotDifferentiable, SrcadError, UnsupportedSyntax

MARK = "# planted"
REFUSALS = (UnsupportedSyntax, MissingRule, NotDifferentiable)


@dataclass(frozen=True)
class Plant:
    """Lines to plant; `{x}` stands for a varied number or array, what ends in `# planted` may be
    named by the refusal.

    `head`: lines of the module before the functions. `refused`: it must be; else it may be
    differentiated, if that is right.
    """

    lines: str
    head: str = ""
    refused: bool = True


def _one(line: str, head: str = "", *, refused: bool = True) -> Plant:
    return Plant(f"{line}  {MARK}", head, refused)


W = "w_ = np.ones(3) * np.sum({x})"
ADD = "extra_ = extra_ + np.sum(w_)"
RECORD = "class Record:\n    weight = 1.0\nRECORD = Record()\n"

PLANTS: dict[str, Plant] = {
    "generator": _one("yield np.sum({x})"),
    "generator of a part": _one("yield from [np.sum({x})]"),
    "coroutine": Plant(f"async def task_(): {MARK}\n    return np.sum({{x}})"),
    "set": Plant(f"for s_ in {{{{1.0, 2.0}}}}: {MARK}\n    extra_ = extra_ + s_ * np.sum({{x}})"),
    "set comprehension": _one("s_ = {{e_ for e_ in (1.0, 2.0)}}; extra_ = extra_ + sum(s_)"),
    "global": _one("global COUNT_; COUNT_ = np.sum({x})"),
    "write to a global array": _one("TABLE[0] = np.sum({x})"),
    "sum into a global array": _one("TABLE[1:] += np.sum({x})"),
    "global array augmented": _one("t_ = TABLE; t_ *= 2.0"),
    "view of a global array": _one("t_ = TABLE[1:]; t_[:] = np.sum({x})"),
    "sorted global array": _one("TABLE.sort()"),
    "filled global array": _one("TABLE.fill(np.sum({x}))"),
    "out= of a global array": _one("np.multiply(TABLE, np.sum({x}), out=TABLE)"),
    "np.copyto a global array": _one("np.copyto(TABLE, np.sum({x}))"),
    "np.add.at a global array": _one("np.add.at(TABLE, [0], np.sum({x}))"),
    "appended global list": _one("HISTORY.append(np.sum({x}))", "HISTORY = []\n"),
    "item of a global dict": _one("CACHE['k'] = np.sum({x})", "CACHE = {}\n"),
    "attribute of a global object": _one("RECORD.weight = np.sum({x})", RECORD),
    "setattr": _one("setattr(RECORD, 'weight', np.sum({x}))", RECORD),
    "attribute of a class": _one("Record.weight = np.sum({x})", RECORD),
    "write to a broadcast view": Plant(
        f"{W}\nb_ = np.broadcast_to(w_, (2, 3))\nb_[0] = 1.0  {MARK}\n{ADD}"
    ),
    "resize": Plant(f"{W}\nw_.resize(2)  {MARK}\n{ADD}"),
    "resize without check": Plant(f"{W}\nw_.resize((4,), refcheck=False)  {MARK}\n{ADD}"),
    "eval": _one("extra_ = extra_ + eval('np.sum({x})')"),
    "eval of a constant": _one("extra_ = extra_ + eval('2.0') * np.sum({x})", refused=False),
    "eval of a global": _one("extra_ = extra_ + eval('SCALE') * np.sum({x})", refused=False),
    "eval with names": _one("extra_ = extra_ + eval('z', {{'z': np.sum({x})}})"),
    "local names": _one("extra_ = extra_ + np.sum(locals()['{x}'])"),
    "variables": _one("extra_ = extra_ + np.sum(vars()['{x}'])"),
    "frames": _one("extra_ = extra_ + np.sum(sys._getframe().f_locals['{x}'])", "import sys\n"),
    "exec": _one("exec('pass')"),
    "open": _one("open('/dev/null').close()"),
    "input": _one("globals()['COUNT_'] = 1"),
    "locals": _one("locals()['extra_'] = 1.0"),
    "function in C": _one("extra_ = extra_ + math.gamma(np.sum({x}) ** 2 + 1)", "import math\n", refused=False),
    "exact sum": _one("extra_ = extra_ + math.fsum([np.sum({x}), 1.0])", "import math\n", refused=False),
    "library in Python": _one("extra_ = extra_ + statistics.mean([float(np.sum({x})), 1.0])", "import statistics\n", refused=False),
    "ratio": _one("p_, q_ = float(np.sum({x})).as_integer_ratio(); extra_ = extra_ + p_ / q_"),
    "hex": _one("extra_ = extra_ + float.fromhex(float(np.sum({x})).hex())"),
    "copied deeply": _one("extra_ = extra_ + np.sum(copy.deepcopy({x}))", "import copy\n", refused=False),
    "listed": _one("extra_ = extra_ + np.sum(np.asarray({x}).tolist())", refused=False),
    "item": _one("extra_ = extra_ + np.sum({x}).item()", refused=False),
    "joined text": _one("extra_ = extra_ + float(np.array2string(np.sum({x})))"),
    "vectorize": _one("extra_ = extra_ + np.vectorize(np.sin)(np.sum({x}))", refused=False),
    "frompyfunc": _one("extra_ = extra_ + np.frompyfunc(np.sin, 1, 1)(np.sum({x}))"),
    "apply along an axis": _one("extra_ = extra_ + np.sum(np.apply_along_axis(np.sin, 0, np.atleast_1d({x})))", refused=False),
    "fromiter": _one("extra_ = extra_ + np.sum(np.fromiter([np.sum({x})], float))", refused=False),
    "cached": _one("extra_ = extra_ + cached(float(np.sum({x})))", "import functools\n@functools.lru_cache\ndef cached(z):\n    return z * z\n", refused=False),
    "counted calls": _one("extra_ = extra_ + counted(np.sum({x}))", f"def counted(z):\n    counted.calls = z  {MARK}\n    return z * z\n"),
    "object array": _one("o_ = np.array([np.sum({x}), None]); extra_ = extra_ + o_[0]"),
    "object dtype": _one("extra_ = extra_ + np.sum(np.asarray([np.sum({x})], object))"),
    "cast to objects": Plant(f"{W}\nextra_ = extra_ + np.sum(w_.astype(object))  {MARK}"),
    "zeros of objects": Plant(f"{W}\no_ = np.zeros(3, dtype=object); o_[:] = w_; extra_ = extra_ + np.sum(o_)  {MARK}"),
    "dtype object": _one("extra_ = extra_ + np.sum(np.array([np.sum({x})], dtype=object))"),
    "masked array": _one("extra_ = extra_ + np.ma.masked_less([np.sum({x})], 0.0).sum()"),
    "matrix": _one("extra_ = extra_ + np.sum(np.matrix([[1.0, 2.0]]) * np.sum({x}))"),
    "no rule": _one("extra_ = extra_ + np.i0(np.sum({x}))"),
    "no rule in a helper": Plant(
        f"extra_ = extra_ + bessel_({{x}})", f"def bessel_(z):\n    return np.sum(np.i0(z))  {MARK}\n"
    ),
    "list of unknown identity": Plant(
        "one_, two_ = [np.sum({x})], [1.0]\n"
        "either_ = one_ if np.sum({x}) > 0.1 else two_\n"
        f"either_.append(2.0)  {MARK}\nextra_ = extra_ + one_[-1]  {MARK}"
    ),
    "list that grows in while": Plant(
        f"grown_ = []\nk_ = 0\nwhile k_ < 3.0 + np.sum({{x}}): {MARK}\n"
        f"    grown_.append(np.sum({{x}}) * k_)  {MARK}\n    k_ += 1\n"
        f"extra_ = extra_ + sum(grown_)  {MARK}"
    ),
    "identity of arrays": _one("extra_ = extra_ + (1.0 if {x} is TABLE else np.sum({x}))", refused=False),
    "number from text": _one("extra_ = extra_ + float(str(np.sum({x})))"),
    "number from a formatted text": _one("extra_ = extra_ + float(f'{{np.sum({x})}}')"),
    "number from bytes": _one("extra_ = extra_ + np.frombuffer(np.sum({x}).tobytes())[0]"),
    "pickled": _one("extra_ = extra_ + pickle.loads(pickle.dumps(np.sum({x})))", "import pickle\n"),
    "bits": Plant(f"{W}\nextra_ = extra_ + np.sum(w_.view(np.int64) * 1e-20)  {MARK}", refused=False),
    "real parts of a view": Plant(f"{W}\nextra_ = extra_ + np.sum(w_.view(np.float32))  {MARK}"),
    "hash": _one("extra_ = extra_ + hash(float(np.sum({x}))) * 1e-20", refused=False),
    "strides": Plant(
        f"{W}\nv_ = np.lib.stride_tricks.as_strided(w_, (2,), (8,))\nextra_ = extra_ + v_[1]".replace(
            "(8,))", f"(8,))  {MARK}"
        )
    ),
    "memoryview": Plant(f"{W}\nmemoryview(w_)[0] = 1.0  {MARK}\n{ADD}"),
    "nditer": Plant(
        f"{W}\nfor e_ in np.nditer(w_, op_flags=['readwrite']): {MARK}\n    e_[...] = 2.0 * e_\n{ADD}"
    ),
    "operator.setitem": Plant(
        f"{W}\noperator.setitem(w_, 0, 1.0)  {MARK}\n{ADD}", "import operator\n", refused=False
    ),
    "__setitem__": Plant(f"{W}\nw_.__setitem__(0, 1.0)  {MARK}\n{ADD}", refused=False),
    "np.put": Plant(f"{W}\nnp.put(w_, [0], 1.0)  {MARK}\n{ADD}", refused=False),
    "np.place": Plant(f"{W}\nnp.place(w_, w_ > 0, 1.0)  {MARK}\n{ADD}", refused=False),
    "np.putmask": Plant(f"{W}\nnp.putmask(w_, w_ > 0, 1.0)  {MARK}\n{ADD}", refused=False),
    "flat": Plant(f"{W}\nw_.flat[0] = 1.0  {MARK}\n{ADD}", refused=False),
    "shape assigned": Plant(f"{W}\nw_.shape = (3, 1)  {MARK}\n{ADD}", refused=False),
    "dtype assigned": Plant(f"{W}\nw_.dtype = np.int64  {MARK}\n{ADD}"),
    "byteswap": Plant(f"{W}\nw_.byteswap(True)  {MARK}\n{ADD}"),
    "partition": Plant(f"{W}\nw_.partition(1)  {MARK}\n{ADD}", refused=False),
    "frozen flags": Plant(f"{W}\nw_.flags.writeable = False  {MARK}\n{ADD}", refused=False),
    "shuffled": Plant(f"{W}\nnp.random.default_rng(0).shuffle(w_)  {MARK}\n{ADD}"),
    "random": _one("extra_ = extra_ + np.random.rand() * np.sum({x})"),
    "random generator": _one("extra_ = extra_ + RNG.normal() * np.sum({x})", "RNG = np.random.default_rng(0)\n"),
    "next": _one("extra_ = extra_ + next(iter([np.sum({x})]))", refused=False),
    "generator kept": _one("g_ = (np.sum({x}) for _ in range(2)); extra_ = extra_ + next(g_) - sum(g_)", refused=False),
    "iterator shared": _one(
        "i_ = iter([np.sum({x}), 2.0]); extra_ = extra_ + sum([a_ * b_ for a_, b_ in zip(i_, i_)])",
        refused=False,
    ),
    "deleted": Plant(f"{W}\ndel w_[0]  {MARK}\n{ADD}"),
    "except*": Plant(
        f"try: {MARK}\n    extra_ = extra_ + np.sum({{x}})\nexcept* ValueError: {MARK}\n    pass"
    ),
    "with open": Plant(f"with open('/dev/null'): {MARK}\n    extra_ = extra_ + np.sum({{x}})"),
    "own context": Plant(
        f"with Quiet(): {MARK}\n    extra_ = extra_ + np.sum({{x}})",
        "class Quiet:\n    def __enter__(self):\n        TABLE[0] = 3.0\n"
        "    def __exit__(self, *_):\n        return True\n",
    ),
    "raised object": Plant(
        f"if np.sum({{x}}) > 1e9:\n    raise PROBLEM  {MARK}", "PROBLEM = ValueError('big')\n"
    ),
    "metaclass": Plant(f"class Local_(metaclass=Meta): {MARK}\n    pass", "class Meta(type): pass\n"),
    "subclass of array": Plant(
        f"{W}\nextra_ = extra_ + np.sum(w_.view(Doubled))  {MARK}",
        "class Doubled(np.ndarray):\n    def sum(self, *a, **k):\n        return 2 * np.asarray(self).sum()\n",
    ),
    "decimal": _one("extra_ = extra_ + float(Decimal(float(np.sum({x}))))", "from decimal import Decimal\n"),
    "thread": _one(
        "threading.Thread(target=HISTORY.append, args=(np.sum({x}),)).start()",
        "import threading\nHISTORY = []\n",
    ),
}  # fmt: skip


class Odd(np.ndarray):
    """An array with its own arithmetic."""

    def __mul__(self, other: Any) -> Any:
        return 2 * np.asarray(self) * other


ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "masked array": np.ma.masked_array,
    "matrix": lambda x: np.atleast_2d(x).view(np.matrix),
    "subclass": lambda x: np.asarray(x).view(Odd),
    "object array": lambda x: np.asarray(x, dtype=object),
    "text": str,
    "record array": lambda x: np.zeros(2, dtype=[("a", float)]),
    "integers": lambda x: np.asarray(x).astype(int),
    "set": lambda x: {1.0, 2.0},
    "iterator": lambda x: iter([1.0]),
}


@dataclass(frozen=True)
class Planted:
    """A program with a construct planted: its text, and the lines that a refusal may name."""

    kind: str
    program: Program
    source: str
    lines: tuple[int, ...]

    @property
    def plant(self) -> Plant:
        return PLANTS[self.kind]


def plant(seed: int, kind: str | None = None) -> Planted:
    """The program of a seed with a construct, of this kind, planted at a random place."""
    rng = random.Random(seed)
    kind = kind or rng.choice(list(PLANTS))
    program = generate(seed)
    chosen = PLANTS[kind]
    nodes = copy.deepcopy(program.nodes)
    function = nodes[-1]
    x = program.parameters[0][0]
    wrapped = _wrapped(rng, chosen, x, kind)
    at = rng.randrange(len(function.body))
    function.body[at:at] = wrapped
    function.body.insert(0, Node(f"extra_ = 0.0 * np.sum({x})"))
    function.body[-1] = Node(f"{function.body[-1].line} + extra_")
    source = chosen.head + text(nodes)
    if chosen.head:
        source = f"import numpy as np\n{source}"
    lines = source.splitlines()
    found = tuple(k for k, line in enumerate(lines, 1) if line.rstrip().endswith(MARK))
    return Planted(kind, program, source, found)


def _wrapped(rng: random.Random, chosen: Plant, x: str, kind: str) -> list[Node]:
    body = [Node(line) for line in chosen.lines.format(x=x).splitlines()]
    form = rng.choice(["plain", "for", "range", "if", "else", "helper"])
    if kind in ("generator", "generator of a part", "global", "locals") and form == "helper":
        form = "plain"
    match form:
        case "for":
            return [Node("for _ in range(2):", body)]
        case "range":
            return [Node("for _ in range(n):", body)]
        case "if":
            return [Node(f"if np.sum({x}) > -0.5:", body)]
        case "else":
            return [Node(f"if np.sum({x}) > 0.5:", [Node("pass")]), Node("else:", body)]
        case "helper":
            inner = [Node(line) for line in chosen.lines.format(x="z_").splitlines()]
            inner = [Node("extra_ = 0.0 * np.sum(z_)"), *inner, Node("return extra_")]
            return [Node("def inner_(z_):", inner), Node(f"extra_ = extra_ + inner_({x})")]
    return body


def find_fault(planted: Planted, seed: int = 0) -> str | None:
    """What is wrong with how the program is met; None where nothing is.

    Raises `Unfit` where the program says nothing: it cannot be differentiated without the plant
    either, or Python cannot run it.
    """
    args = planted.program.arguments(seed, 4, 3)
    wrt = tuple(range(len(planted.program.parameters)))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            srcad.grad(load(planted.program.source), wrt, cache=False)(*args)
        except Exception as problem:
            raise Unfit(repr(problem)) from problem
        f = load(planted.source)
        table, before = f.__globals__["TABLE"].copy(), copy.deepcopy(args)
        try:
            gradient = srcad.grad(f, wrt, cache=False)(*args)
        except SrcadError as refusal:
            fault = fault_of(refusal, f.__code__.co_filename, planted.lines)
        except Exception as problem:
            _require_primal(planted, args)
            return f"{type(problem).__name__}: {problem}"
        else:
            fault = _fault_of_gradient(planted, args, wrt, gradient)
    if not all(map(same, args, before)):
        return "the arguments have changed"
    if not same(f.__globals__["TABLE"], table):
        return "a captured array has changed"
    return fault


def _require_primal(planted: Planted, args: tuple[Any, ...]) -> None:
    """Raises `Unfit` where Python cannot run the program."""
    try:
        load(planted.source)(*copy.deepcopy(args))
    except Exception as problem:
        raise Unfit(repr(problem)) from problem


def fault_of(refusal: SrcadError, file: str, lines: tuple[int, ...]) -> str | None:
    """What is wrong with a refusal of something on these lines."""
    if not isinstance(refusal, REFUSALS):
        return f"refused as {type(refusal).__name__}: {refusal}"
    place = refusal.location
    # In a library written in Python the place is there, and the calls lead to it.
    places = [p for p in (place, *refusal.called_from) if p is not None and p.file == file]
    if not places:
        return f"no place in the user's file: {refusal}"
    if places[0].line not in lines:
        return f"the place is line {places[0].line}, not in {lines}: {refusal}"
    if not refusal.fix.strip():
        return f"no way out: {refusal}"
    if "Error:" in refusal.title:
        return f"an exception of the compiler's own: {refusal}"
    return None


def _fault_of_gradient(
    planted: Planted, args: tuple[Any, ...], wrt: tuple[int, ...], gradient: Any
) -> str | None:
    """Differentiated: wrong where that must be refused or differs from differences."""
    rng = np.random.default_rng(1)
    direction = [rng.standard_normal(np.shape(args[k])) for k in wrt]

    def at(step: float) -> float:
        moved = [x + step * d for x, d in zip(args, direction, strict=False)]
        # A fresh module for each call: it may change its globals.
        value = load(planted.source)(*moved, *copy.deepcopy(args[len(wrt) :]))
        return float(value)

    try:
        slopes = [(at(h) - at(-h)) / (2 * h) for h in (1e-5, 1e-6)]
    except Exception as problem:
        raise Unfit(repr(problem)) from problem
    if planted.plant.refused and _is_run(planted, args):
        return "was not refused"
    got = sum(float(np.sum(g * d)) for g, d in zip(gradient, direction, strict=True))
    scale = max(1.0, abs(slopes[0]))
    if abs(slopes[0] - slopes[1]) < 1e-4 * scale and abs(got - slopes[0]) > 1e-3 * scale:
        return f"the gradient is wrong: {got}, differences say {slopes[0]}"
    return None


def _is_run(planted: Planted, args: tuple[Any, ...]) -> bool:
    """Whether Python comes to the planted lines."""
    hits: list[int] = []

    def trace(frame: Any, event: str, _: Any) -> Any:
        if event == "line" and frame.f_lineno in planted.lines:
            hits.append(frame.f_lineno)
        return trace

    f = load(planted.source)
    old = sys.gettrace()
    sys.settrace(lambda frame, event, _: trace if frame.f_globals is f.__globals__ else None)
    try:
        f(*copy.deepcopy(args))
    finally:
        sys.settrace(old)
    return bool(hits)


def fault_of_argument(seed: int, kind: str) -> str | None:
    """As `find_fault`, of a program called with an argument that cannot be differentiated."""
    program = generate(seed)
    args = list(program.arguments(seed, 4, 3))
    args[0] = ARGUMENTS[kind](args[0])
    before = copy.deepcopy(args) if kind != "iterator" else None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            srcad.grad(load(program.source), 0, cache=False)(*args)
        except REFUSALS as refusal:
            if not refusal.fix.strip():
                return f"no way out: {refusal}"
        except Exception as problem:
            return f"{type(problem).__name__}: {problem}"
        else:
            return "was not refused"
    if before is not None and not all(
        type(a) is type(b) and bool(np.all(np.asarray(a == b)))
        for a, b in zip(args, before, strict=True)
    ):
        return "the arguments have changed"
    return None
