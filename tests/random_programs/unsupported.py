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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
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
    """A construct of constructs.txt: lines to plant, and what stands in the module.

    `refused`: it must be; else it may be differentiated, if that is right.
    """

    lines: str
    head: str
    refused: bool


def read_plants(path: Path) -> dict[str, Plant]:
    """The constructs by name."""
    plants = {}
    for part in path.read_text().split("\n== ")[1:]:
        title, _, body = part.partition("\n")
        head, _, lines = body.rpartition("--\n")
        name = title.removesuffix(" (or right)")
        plants[name] = Plant(lines.strip("\n"), head, name == title)
    return plants


PLANTS = read_plants(Path(__file__).with_name("constructs.txt"))


ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "masked array": np.ma.masked_array,
    "matrix": lambda x: np.atleast_2d(x).view(np.matrix),
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
    follow = ("el", "except", "finally")  # these go on with the statement before
    places = [k for k, node in enumerate(function.body) if not node.line.startswith(follow)]
    at = rng.choice(places)
    function.body[at:at] = wrapped
    function.body.insert(0, Node(f"extra_ = 0.0 * np.sum({x})"))
    for node in _returns(function.body):
        node.line += " + extra_"
    source = chosen.head + text(nodes)
    if chosen.head:
        source = f"import numpy as np\n{source}"
    lines = source.splitlines()
    found = tuple(k for k, line in enumerate(lines, 1) if line.rstrip().endswith(MARK))
    return Planted(kind, program, source, found)


def _returns(body: list[Node]) -> Iterator[Node]:
    """The statements that return from the function itself: a result without the plant needs none
    of it, and is differentiated rightly."""
    for node in body:
        if node.line.startswith("return "):
            yield node
        elif not node.line.startswith(("def ", "class ")):
            yield from _returns(node.body)


def _wrapped(rng: random.Random, chosen: Plant, x: str, kind: str) -> list[Node]:
    body = [Node(line) for line in chosen.lines.replace("X_", x).splitlines()]
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
            inner = [Node(line) for line in chosen.lines.replace("X_", "z_").splitlines()]
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
        fault = _fault(planted, args, wrt)
        if fault is not None:
            try:
                srcad.grad(load(planted.program.source), wrt, cache=False)(*args)
            except Exception as problem:
                raise Unfit(repr(problem)) from problem
    return fault


def _fault(planted: Planted, args: tuple[Any, ...], wrt: tuple[int, ...]) -> str | None:
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
