"""Random programs: Python source of a function `f` with its helpers, globals and closures."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from random_programs import flow, writes
from random_programs.expressions import NUMBER, Expressions, Shape
from random_programs.recurrences import recurrence
from random_programs.tree import Node, text

PARAMETERS: tuple[tuple[str, Shape], ...] = (
    ("a", ()), ("b", ()), ("x", ("n",)), ("y", ("m",)), ("p", ("n", "m")), ("q", ("m", "n")),
    ("r", ("n", "1")), ("t", ("1", "m")), ("o", ("1",)),
)  # fmt: skip


@dataclass(frozen=True)
class Program:
    """Statements of a module that defines `f`, and the parameters of `f`."""

    nodes: list[Node]
    parameters: tuple[tuple[str, Shape], ...]
    smooth: bool
    general: bool = False  # one specialisation serves all extents

    @property
    def source(self) -> str:
        return text(self.nodes)

    def arguments(self, seed: int, n: int, m: int) -> tuple[Any, ...]:
        """Arguments of these extents: the varied ones, then `n`, `m`, the indices and the flag."""
        rng = np.random.default_rng(seed)
        sizes = {"n": n, "m": m, "1": 1}
        values = [
            rng.uniform(-1, 1, [sizes[e] for e in shape]) if shape else float(rng.uniform(-1, 1))
            for _, shape in self.parameters
        ]
        gathers = rng.integers(0, 2, n), rng.integers(-2, 2, m)
        return (*values, n, m, *gathers, bool(rng.random() < 0.5))


def globals_of_program() -> list[Node]:
    """What each program begins with."""
    return [
        Node("import numpy as np"),
        Node("SCALE = 0.7"),
        Node("TABLE = np.array([0.2, -0.4, 1.1])"),
    ]


class Generator:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.smooth = rng.random() < 0.5
        self.write = Expressions(rng, kinks=not self.smooth)
        chosen = rng.sample(PARAMETERS, rng.randint(1, 4))
        chosen += [rng.choice(PARAMETERS[:2]), rng.choice(PARAMETERS[2:5])]
        self.parameters = tuple(p for p in PARAMETERS if p in chosen)
        self.fresh = 0
        self.frozen: set[str] = set()
        self.targets: list[str] = []
        self.style = rng.choice(["plain", "writes", "flow", "all", "recurrences"])

    def program(self) -> Program:
        """The program of this seed."""
        head = globals_of_program()
        head += [self.helper(k) for k in range(self.rng.randint(0, 2))]
        names = self.begin()
        body = self.block(self.rng.randint(3, 7), 2)
        body.append(Node(f"return {self.total()}"))
        said = text(body)
        head += [node for node in writes.helpers() + flow.classes() if node_name(node) in said]
        head.append(Node(f"def f({names}, n, m, i_n, i_m, flag):", body))
        return Program(head, self.parameters, self.smooth, self.style == "plain")

    def begin(self) -> str:
        """Know the parameters and globals; returns the parameters as they are written."""
        w = self.write
        w.names = dict(self.parameters)
        w.indices = {"i_n": ("n",), "i_m": ("m",)}
        w.names["SCALE"], w.names["TABLE"] = NUMBER, ("3",)
        self.frozen = {"SCALE", "TABLE"}
        self.targets = [name for name, shape in self.parameters if shape and "1" not in shape]
        return ", ".join(name for name, _ in self.parameters)

    def helper(self, k: int) -> Node:
        """A function of one array of any shape."""
        body = [Node("h_ = np.tanh(z) * 0.8")]
        choice = self.rng.randrange(4)
        if choice == 0:
            body.append(Node("if np.sum(h_) > 0.3:", [Node("return h_ * h_")]))
        elif choice == 1:
            body.append(Node("for k_ in range(3):", [Node("h_ = np.sin(h_ + k_ * z)")]))
        elif choice == 2:
            body.append(Node("h_, z = z * SCALE, h_ + scale"))
            body.append(Node("h_ = h_ * z"))
        body.append(Node("return h_ + scale * z"))
        self.write.helpers.append(f"helper_{k}")
        return Node(f"def helper_{k}(z, scale=0.5):", body)

    def total(self) -> str:
        """A number that depends on all names."""
        terms = []
        for name, shape in self.write.names.items():
            if name not in self.frozen:
                terms.append(f"{self.write.number()} * " + (f"np.sum({name})" if shape else name))
        return " + ".join(terms) or "0.0"

    def name(self, stem: str = "h") -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def shape(self) -> Shape:
        e = self.write.extent
        return self.rng.choice(
            [(), (), (e(),), (e(),), (e(), e()), (e(), e()), (e(), "1"), ("1", e())]
        )

    def block(self, count: int, nesting: int) -> list[Node]:
        """Statements; names bound in it stay in scope."""
        nodes: list[Node] = []
        for _ in range(count):
            if self.style in ("recurrences", "all") and self.rng.random() < 0.3:
                nodes += recurrence(self)
                continue
            if self.style in ("writes", "all") and self.rng.random() < 0.5:
                nodes += self.rng.choice(writes.MAKERS)(self)
                continue
            if nesting and self.style in ("flow", "all") and self.rng.random() < 0.5:
                nodes += self.rng.choice(flow.MAKERS)(self, nesting - 1)
                continue
            makers: list[Callable[[int], list[Node]]] = [
                self.assign, self.assign, self.augment, self.container,
            ]  # fmt: skip
            if nesting:
                makers += [
                    self.branch, self.loop, self.loop, self.early_return, self.rolling,
                    self.while_loop, self.closure,
                ]  # fmt: skip
            nodes += self.rng.choice(makers)(nesting - 1)
        return nodes

    def value(self, shape: Shape) -> str:
        """A small expression of this shape."""
        return self.write.of(shape, self.rng.choice([0, 1, 1, 2]))

    def assign(self, nesting: int) -> list[Node]:
        varied = [n for n in self.write.names if n not in self.frozen]
        if varied and self.rng.random() < 0.4:
            name = self.rng.choice(varied)
            shape = self.write.names[name]
        else:
            name, shape = self.name(), self.shape()
        expression = self.write.of(shape, self.rng.randint(1, 3))
        self.write.names[name] = shape
        if name in self.targets:  # what is written must be an array of its own
            expression = f"({expression}) + 0.0"
        return [Node(f"{name} = {expression}")]

    def augment(self, nesting: int) -> list[Node]:
        varied = [n for n, s in self.write.names.items() if s == NUMBER and n not in self.frozen]
        if not varied:
            return self.assign(nesting)
        name, op = self.rng.choice(varied), self.rng.choice(["+=", "-=", "*="])
        return [Node(f"{name} {op} {self.write.of(NUMBER, 2)}")]

    def container(self, nesting: int) -> list[Node]:
        name, out, shape = self.name("c"), self.name(), self.shape()
        one, two = self.write.of(shape, 2), self.write.of(shape, 2)
        form = self.rng.randrange(5)
        made = [
            (f"{name} = ({one}, {two})", f"{out} = {name}[0] - {name}[-1]"),
            (f"{name} = [{one}, {two}]", f"{out} = sum({name})"),
            (
                f"{name} = {{'one': {one}, 'two': {two}}}",
                f"{out} = {name}['two'] * 0.5 + {name}['one']",
            ),
            (
                f"{name} = {{'k': [{one}, {two}]}}",
                f"{out} = sum([np.sin(v_) for v_ in {name}['k']])",
            ),
            (f"{out}, {name} = {one}, {two}", f"{out} = {out} * {name}"),
        ][form]
        self.write.names[out] = shape
        return [Node(line) for line in made]

    def condition(self) -> str:
        return self.rng.choice(
            [f"{self.write.of(NUMBER, 1)} > {self.write.number()}", "flag", "n > m", "not flag",
             f"np.sum({self.write.of(self.shape() or ('n',), 1)}) < 0.4 and flag",
             f"{self.write.of(NUMBER, 1)} < 0.3 or {self.write.of(NUMBER, 1)} > 0.6"]
        )  # fmt: skip

    def scoped(self, count: int, nesting: int) -> list[Node]:
        """A block whose own names are out of scope after it."""
        before = dict(self.write.names)
        nodes = self.block(count, nesting)
        self.write.names = before
        return nodes

    def branch(self, nesting: int) -> list[Node]:
        count = self.rng.randint(1, 3)
        nodes = [Node(f"if {self.condition()}:", self.scoped(count, nesting))]
        if self.rng.random() < 0.3:
            nodes.append(Node(f"elif {self.condition()}:", self.scoped(count, nesting)))
        if self.rng.random() < 0.6:
            nodes.append(Node("else:", self.scoped(count, nesting)))
        if self.rng.random() < 0.4:
            name, shape = self.name(), self.shape()
            for node in nodes:
                node.body.append(Node(f"{name} = {self.write.of(shape, 2)}"))
            if len(nodes) > 1 and nodes[-1].line == "else:":
                self.write.names[name] = shape
        return nodes

    def loop(self, nesting: int) -> list[Node]:
        before, ints = dict(self.write.names), list(self.write.ints)
        i = self.name("i")
        vectors = [n for n, s in before.items() if len(s) == 1 and n != "TABLE"]
        matrices = [n for n, s in before.items() if len(s) == 2]
        form = self.rng.randrange(7)
        element = self.name("e")
        stops = ["3", "n", "m", "2", "n - 1", "n - 2", "1, m", "n, 0, -1"]
        line = f"for {i} in range({self.rng.choice(stops)}):"
        if form == 1 and vectors:
            line = f"for {element} in {self.rng.choice(vectors)}:"
            self.write.names[element] = NUMBER
        elif form == 2 and matrices:
            source = self.rng.choice(matrices)
            line = f"for {i}, {element} in enumerate({source}):"
            self.write.names[element] = before[source][1:]
        elif form == 3 and len(vectors) > 1:
            other = self.name("e")
            line = f"for {element}, {other} in zip({vectors[0]}, {vectors[-1]}):"
            self.write.names[element] = self.write.names[other] = NUMBER
        elif form == 4 and vectors:
            line = f"for {i}, {element} in enumerate({self.rng.choice(vectors)}):"
            self.write.names[element] = NUMBER
        elif form == 5:
            line = f"for {i} in range(2):"
            self.write.ints += [i, f"-{i}", f"{i} - 1"] * 2
        # What is iterated over is not bound to another array as well as written: E117.
        iterated = {name for name in before if name in line.split(" in ")[1]} - self.frozen
        self.frozen |= iterated
        body = self.block(self.rng.randint(1, 3), nesting)
        body += self.damp(before)
        self.frozen -= iterated
        self.write.names, self.write.ints = before, ints
        return [Node(line, body)]

    def damp(self, names: dict[str, Shape]) -> list[Node]:
        """Statements that keep carried values small and make one of them carry."""
        varied = [n for n in names if n not in self.frozen]
        if not varied:
            return []
        name = self.rng.choice(varied)
        return [Node(f"{name} = np.tanh({name} + {self.write.of(names[name], 1)})")]

    def while_loop(self, nesting: int) -> list[Node]:
        k, before = self.name("k"), dict(self.write.names)
        test = self.rng.choice(
            [f"{k} < 3", f"{k} < n", f"{k} < 4 and {self.write.of(NUMBER, 1)} < 0.8"]
        )
        body = self.block(self.rng.randint(1, 2), nesting) + self.damp(before)
        self.write.names = before
        return [Node(f"{k} = 0"), Node(f"while {test}:", [*body, Node(f"{k} += 1")])]

    def rolling(self, nesting: int) -> list[Node]:
        """A recurrence with two carried values that swap."""
        u, v, shape = self.name("u"), self.name("v"), self.shape()
        nodes = [Node(f"{u} = {self.write.of(shape, 1)}"), Node(f"{v} = {self.write.of(shape, 1)}")]
        self.write.names[u] = self.write.names[v] = shape
        step = self.write.of(shape, 2)
        return [
            *nodes,
            Node(
                f"for _ in range({self.rng.choice(['n', '3'])}):",
                [Node(f"{u}, {v} = np.sin({v}), 0.5 * {u} + {step}")],
            ),
        ]

    def closure(self, nesting: int) -> list[Node]:
        name, z = self.name("g"), self.name("z")
        shape, out = self.shape(), self.name()
        before = dict(self.write.names)
        argument = self.write.of(shape, 1)
        self.write.names[z] = shape
        inner = Node(
            f"def {name}({z}):", [*self.block(1, 0), Node(f"return {self.write.of(shape, 2)}")]
        )
        if any(line.line.split(" ")[0] in before and "=" in line.line for line in inner.body[:-1]):
            inner.body = inner.body[-1:]
        self.write.names = before
        inner.body[-1] = Node(f"return {z} * {self.write.of(shape, 2)}")
        self.write.names[out] = shape
        return [inner, Node(f"{out} = {name}({argument})")]

    def early_return(self, nesting: int) -> list[Node]:
        if nesting < 1 or self.rng.random() < 0.5:
            return self.assign(nesting)
        body = self.scoped(1, 0)
        return [Node(f"if {self.condition()}:", [*body, Node(f"return {self.total()}")])]


def node_name(node: Node) -> str:
    """The name that a `def` or `class` binds."""
    return node.line.split(" ", 1)[1].split("(")[0].rstrip(":")


def generate(seed: int) -> Program:
    """The program of a seed."""
    return Generator(seed).program()
