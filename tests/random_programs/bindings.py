"""Random programs of names that are bound on some paths only, to values of several kinds.

    python -m random_programs.bindings 0 1000       # from tests/; seeds 0 to 999
    python -m random_programs.bindings reduce 123   # the fault of a seed, made small

Branches, loops, `try`, `del` and early returns decide which of a few names are bound where they are
read, and to what: a number, a text, a list, a tuple, a dict, None, an array. Python raises
NameError where a name is unbound; many reads catch it.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from random_programs.checks import Fault, load
from random_programs.conformance import conforms
from random_programs.tree import Node, shrink, text

import srcad
from srcad.errors import InternalError, SrcadError

NAMES = ("p", "q", "r")
VALUES = {
    "number": ("x[0] * 1.5", "t * 0.5", "np.sum(x)", "2.0", "-0.5"),
    "int": ("2", "n", "len(x)"),
    "text": ("'one'", "'two'", "'one' if flag else 'two'"),
    "list": ("[x[1], 2.0]", "[t]", "[1.5]", "[x[0], x[1], 3.0]"),
    "tuple": ("(x[2], 1.0)", "(t, t)", "(2.0, 3.0)"),
    "dict": ("{'k': x[0]}", "{'k': 2.0, 'l': t}"),
    "none": ("None",),
    "array": ("x * 2.0", "np.array([t, 1.0, 2.0])", "x[:2]", "x"),
}
# What each program begins with: how a value of any kind is read.
READ = """
import numpy as np

def read(z):
    if z is None:
        return 0.25
    if isinstance(z, str):
        return 0.5 if z == "one" else 0.75
    if isinstance(z, (list, tuple)):
        return z[0] * len(z)
    if isinstance(z, dict):
        return z["k"] * 1.25
    if isinstance(z, np.ndarray):
        return np.sum(z) * 0.5
    return z * 1.75
"""
# How a value is read where its kind is believed to be known.
USES = {
    "number": "{0} * 0.5", "int": "{0} * x[0]", "text": "(0.5 if {0} == 'one' else x[1])",
    "list": "{0}[0]", "tuple": "{0}[1]", "dict": "{0}['k']", "array": "{0}[0]",
    "none": "(1.0 if {0} is None else x[2])",
}  # fmt: skip
CALLS = [(n, flag, scale) for n in (0, 1, 3) for flag in (False, True) for scale in (0.4, -0.7)]
BUDGET = 400  # programs tried to make a fault small
STEP = 1e-6
Write = Callable[[int], str]  # the program of a seed


class Bindings:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(f"bindings {seed}")
        self.fresh = 0
        self.loops: list[str] = []
        # Most names have one kind: what has several is mostly refused where it may be unbound.
        self.kinds = {
            name: rng.sample(sorted(VALUES), 1 if rng.random() < 0.8 else 2) for name in NAMES
        }

    def source(self) -> str:
        """The program of this seed."""
        body = [Node("t = x[0]")]
        for name in NAMES:  # a name that is bound nowhere would be a global
            maybe = [Node(f"{name} = {self.value(name)}")]
            body.append(Node(f"if {self.condition()}:", maybe))
        body += [*self.block(self.rng.randint(2, 4), self.rng.randint(1, 3))]
        for name in NAMES:
            body += self.guarded(name)
        return READ + text([Node("def f(x, n, flag):", [*body, Node("return t")])])

    def block(self, count: int, nesting: int) -> list[Node]:
        """Statements."""
        nodes: list[Node] = []
        for _ in range(count):
            compound = nesting and self.rng.random() < 0.5
            makers = [self.branch, self.branch, self.loop, self.loop, self.tried, self.counted,
                      self.closure] if compound else [self.bind, self.bind, self.bind, self.copy,
                      self.delete, self.read, self.guard]  # fmt: skip
            nodes += self.rng.choice(makers)(nesting - 1)
        return nodes

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def value(self, name: str) -> str:
        return self.rng.choice(VALUES[self.rng.choice(self.kinds[name])])

    def condition(self) -> str:
        rng = self.rng
        made = ["flag", "not flag", "n > 1", "x[0] > 0.0", "x[1] < 0.1", "t > 0.5"]
        made += [f"{i} == {rng.randrange(3)}" for i in self.loops] * 2
        return rng.choice(made)

    def used(self, name: str) -> str:
        """An expression that reads a name."""
        if self.rng.random() < 0.4:
            return f"read({name})"
        return USES[self.rng.choice(self.kinds[name])].format(name)

    def bind(self, nesting: int) -> list[Node]:
        name = self.name()
        return [Node(f"{name} = {self.value(name)}")]

    def copy(self, nesting: int) -> list[Node]:
        """One name bound to what another is bound to."""
        name, other = self.rng.sample(NAMES, 2)
        if set(self.kinds[name]) != set(self.kinds[other]) and self.rng.random() < 0.7:
            return self.bind(nesting)
        return [Node(f"{name} = {other}")]

    def delete(self, nesting: int) -> list[Node]:
        name = self.name()
        if self.rng.random() < 0.5:
            return [Node(f"del {name}")]
        return [
            Node("try:", [Node(f"del {name}")]),
            Node("except NameError:", [Node("t = t + 1.0")]),
        ]

    def read(self, nesting: int) -> list[Node]:
        if self.rng.random() < 0.7:
            return self.guarded(self.name())
        return [Node(f"t = t + {self.used(self.name())}")]

    def guard(self, nesting: int) -> list[Node]:
        return self.guarded(self.name())

    def guarded(self, name: str) -> list[Node]:
        """A read of a name that may be unbound."""
        caught = self.rng.choice(["NameError", "UnboundLocalError"])
        return [
            Node("try:", [Node(f"t = t + {self.used(name)}")]),
            Node(f"except {caught}:", [Node(f"t = t + {self.rng.randint(3, 9)}.0")]),
        ]

    def insert(self, body: list[Node], node: Node) -> None:
        """Put a statement into a block."""
        clauses = ("else", "except", "finally")
        places = [k for k, each in enumerate(body) if not each.line.startswith(clauses)]
        body.insert(self.rng.choice([*places, len(body)]), node)

    def branch(self, nesting: int) -> list[Node]:
        nodes = [Node(f"if {self.condition()}:", self.block(self.rng.randint(1, 2), nesting))]
        if self.rng.random() < 0.4:
            nodes.append(Node("else:", self.block(self.rng.randint(1, 2), nesting)))
        elif self.rng.random() < 0.1:
            nodes[0].body.append(Node("return t * 2.0"))
        return nodes

    def loop(self, nesting: int) -> list[Node]:
        self.fresh += 1
        i = f"i{self.fresh}"
        if self.rng.random() < 0.2:
            name = self.name()  # a loop's own target may stay unbound
            values = ", ".join(self.value(name) for _ in range(2))
            return [Node(f"for {name} in [{values}][:n]:", self.block(1, nesting))]
        line = self.rng.choice([f"for {i} in range(n):", f"for {i} in range(n):",
                                f"for {i} in range(3):"])  # fmt: skip
        self.loops.append(i)
        body = self.block(self.rng.randint(1, 3), nesting)
        if self.rng.random() < 0.35:
            way = self.rng.choice(["break", "continue"])
            self.insert(body, Node(f"if {self.condition()}:", [Node(way)]))
        self.loops.pop()
        nodes = [Node(line, body)]
        if self.rng.random() < 0.15:
            nodes.append(Node("else:", self.block(1, nesting)))
        return nodes

    def counted(self, nesting: int) -> list[Node]:
        """A `while` loop."""
        self.fresh += 1
        i = f"i{self.fresh}"
        self.loops.append(i)
        body = [Node(f"{i} = {i} + 1"), *self.block(self.rng.randint(1, 2), nesting)]
        self.loops.pop()
        return [Node(f"{i} = 0"), Node(f"while {i} < n:", body)]

    def tried(self, nesting: int) -> list[Node]:
        body = self.block(self.rng.randint(1, 2), nesting)
        raised = Node(f"if {self.condition()}:", [Node("raise ValueError")])
        self.insert(body, raised)
        nodes = [
            Node("try:", body),
            Node("except ValueError:", self.block(1, nesting)),
        ]
        if self.rng.random() < 0.2:
            nodes.append(Node("else:", self.block(1, nesting)))
        elif self.rng.random() < 0.2:
            nodes.append(Node("finally:", self.block(1, 0)))
        return nodes

    def closure(self, nesting: int) -> list[Node]:
        """A nested function that reads a name where it is called."""
        self.fresh += 1
        g, name = f"g{self.fresh}", self.name()
        body = [Node(f"def {g}():", [Node(f"return {self.used(name)}")])]
        body += self.block(1, nesting)
        call = [
            Node("try:", [Node(f"t = t + {g}()")]),
            Node("except NameError:", [Node("t = t + 2.0")]),
        ]
        return body + call


def arguments(n: int, flag: bool, scale: float) -> tuple[Any, ...]:
    """Arguments of a program."""
    return np.array([0.9, -0.3, 0.6]) * scale, n, flag


def examine(source: str) -> str:
    """`right` or `refused`. Raises `Fault` where values, exceptions or slopes differ."""
    f = load(source)
    try:
        conforms(f, [arguments(*call) for call in CALLS])
        gradient = srcad.value_and_grad(f, cache=False)
        for call in CALLS:
            _compare(f, gradient, arguments(*call))
    except SrcadError as refusal:
        if isinstance(refusal, InternalError):
            raise Fault(str(refusal)) from refusal
        return "refused"
    return "right"


def _compare(f: Any, gradient: Any, args: tuple[Any, ...]) -> None:
    """Require the value of the gradient's call, and slopes where the function is smooth."""
    wanted, made = _outcome(f, args), _outcome(gradient, args)
    if isinstance(wanted, Exception):
        if type(made) is not type(wanted):
            raise Fault(f"what the gradient raises: {made!r} is not {wanted!r}")
        return
    if isinstance(made, Exception):
        raise Fault(f"the gradient raises: {made!r}")
    value, slope = made
    if value != wanted and not np.isclose(value, wanted, rtol=1e-12, atol=0):
        raise Fault(f"the value: {value!r} is not {wanted!r}")
    for k, each in enumerate(slope):
        sides = [_outcome(f, (_moved(args[0], k, step), *args[1:])) for step in (STEP, -STEP)]
        if any(isinstance(side, Exception) for side in sides):
            continue
        rises = [(sides[0] - wanted) / STEP, (wanted - sides[1]) / STEP]
        if not np.isclose(*rises, rtol=1e-3, atol=1e-3):
            continue  # a branch lies here
        if not np.isclose(each, np.mean(rises), rtol=1e-4, atol=1e-4):
            raise Fault(f"the slope {k}: {each!r} is not {np.mean(rises)!r}")


def _moved(x: Any, k: int, step: float) -> Any:
    x = x.copy()
    x[k] += step
    return x


def _outcome(call: Any, args: tuple[Any, ...]) -> Any:
    try:
        return call(args[0].copy(), *args[1:])
    except SrcadError:
        raise
    except Exception as problem:
        return problem


def fault_of(source: str) -> str:
    """The fault of a program, or nothing."""
    try:
        examine(source)
    except Fault as fault:
        return str(fault)
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def campaign(write: Write, seeds: range) -> tuple[Counter[str], dict[int, str]]:
    """How many programs are right and refused, and the faults by seed."""
    counts: Counter[str] = Counter()
    faults: dict[int, str] = {}
    for seed in seeds:
        try:
            counts[examine(write(seed))] += 1
        except Exception as problem:
            counts["faults"] += 1
            faults[seed] = f"seed {seed}: {type(problem).__name__}: {problem}"[:400]
            print(faults[seed], flush=True)
    return counts, faults


def reduced(write: Write, seed: int) -> str:
    """A small program with the same kind of fault."""
    source = write(seed)
    kind = fault_of(source).split(":")[0]
    return shrink(source, lambda each: fault_of(each).split(":")[0] == kind, BUDGET)


def run(write: Write, words: list[str]) -> None:
    """What the command line asks for."""
    if words[0] == "reduce":
        small = reduced(write, int(words[1]))
        print(small, fault_of(small), sep="\n")
    else:
        first, count = map(int, words)
        print(campaign(write, range(first, first + count))[0])


def written(seed: int) -> str:
    """The program of a seed."""
    return Bindings(seed).source()


if __name__ == "__main__":
    run(written, sys.argv[1:])
