"""Random programs in which several names, attributes and items stand for one array that is written.

    python -m random_programs.aliases 0 1000       # from tests/; seeds 0 to 999
    python -m random_programs.aliases reduce 123   # the fault of a seed, made small

Branches and loops decide which of a few arrays a name stands for: the argument, a copy, a view of
another, what an iteration has made. Later writes change what the others read.
"""

from __future__ import annotations

import random
import sys

from random_programs.bindings import run
from random_programs.tree import Node, text

PUT = """
import numpy as np

class Holder:
    pass

def put(y, v):
    y[2] = v * 2.0
    return y
"""
SIZE = 3  # entries of each array


class Aliases:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(f"aliases {seed}")
        self.names = ["a", "b", rng.choice(["c", "c", "held.c"])]
        self.has_list = rng.random() < 0.3
        self.has_matrix = rng.random() < 0.4
        self.loops = 0
        self.indices: list[str] = []

    def source(self) -> str:
        """The program of this seed."""
        rng = self.rng
        firsts = ("x", "x", "x * 1.0", "x[::-1]", "np.ones(3)", "x.copy()")
        body = [Node("t = 0.0"), Node("held = Holder()")]
        if self.has_list:
            body.append(Node("kept = [x * 2.0]"))
        if self.has_matrix:
            body.append(Node("m = np.outer(x, np.cos(x))"))
        body += [Node(f"{name} = {rng.choice(firsts)}") for name in self.names]
        body += [*self.loop(1), *self.block(rng.randint(1, 3), 1, in_loop=False)]
        ends = rng.sample([*self.names, "x", *["kept[-1]"] * self.has_list], rng.randint(2, 4) - 1)
        ends += ["m"] * self.has_matrix
        made = " + ".join(f"{0.3 + 0.2 * k} * np.sum({end} ** 2)" for k, end in enumerate(ends))
        return PUT + text([Node("def f(x, n, flag):", [*body, Node(f"return t + {made}")])])

    def block(self, count: int, nesting: int, in_loop: bool) -> list[Node]:
        """Statements."""
        nodes: list[Node] = []
        for _ in range(count):
            kind = self.rng.random()
            if kind < 0.2:
                nodes += self.branch(nesting, in_loop)
            elif kind < 0.28 and nesting:
                nodes += self.loop(nesting - 1)
            elif kind < 0.34 and in_loop:
                way = self.rng.choice(["break", "continue"])
                nodes.append(Node(f"if {self.condition()}:", [Node(way)]))
            else:
                nodes.append(Node(self.statement()))
        return nodes

    def statement(self) -> str:
        rng, name = self.rng, self.name()
        entry = f"{name}[{rng.randrange(SIZE)}]"
        made = [
            f"{name} = {self.array()}",
            f"{name} = {self.array()}",
            f"{name} = {self.array()}",
            f"{entry} {rng.choice(['=', '+=', '*='])} {rng.choice(['0.5', 'x[2]', '1.5'])}",
            f"{entry} = {self.name()}[1]",
            f"{name}[:2] = {rng.choice(['0.25', self.name() + '[1:]'])}",
            f"{name} {rng.choice(['+=', '*='])} {rng.choice(['0.5', 'x[0]'])}",
            "{0}, {1} = {1}, {0}".format(*rng.sample(self.names, 2)),
            f"put({name}, x[1])",
            f"t = t + np.sum({name})",
        ]
        if self.has_list:
            made += [f"kept.append({name})", "kept[0][1] = 0.3"]
        return rng.choice(made)

    def name(self) -> str:
        return self.rng.choice(self.names)

    def array(self) -> str:
        """What gives an array: one that there is, a view of one, or a new one."""
        name, other = self.name(), self.name()
        if self.has_matrix and self.rng.random() < 0.25:
            index = self.rng.choice([*self.indices, "0", "1"])
            return f"m[{index} % 3]" if index in self.indices else f"m[{index}]"
        return self.rng.choice([
            name, name, f"{name} * {self.rng.choice(['0.5', 'x[1]', '0.9'])}",
            f"{name} + 0.1 * {other}", f"{name}.copy()", f"{name}[::-1]", f"np.sin({name})", "x",
            f"({name} if {self.condition()} else {other})",
            f"({name} if {self.condition()} else {other} * 2.0)",
        ])  # fmt: skip

    def condition(self) -> str:
        name = self.name()
        made = [f"{name}[{self.rng.randrange(SIZE)}] > {bound}" for bound in (0.0, 0.3)]
        made += [f"np.sum({name}) > {self.name()}[0]", "flag", "n > 1", "x[1] > 0.2"]
        return self.rng.choice(made)

    def branch(self, nesting: int, in_loop: bool) -> list[Node]:
        def inside() -> list[Node]:
            return self.block(self.rng.randint(1, 2), nesting, in_loop)

        nodes = [Node(f"if {self.condition()}:", inside())]
        if self.rng.random() < 0.4:
            nodes.append(Node("else:", inside()))
        return nodes

    def loop(self, nesting: int) -> list[Node]:
        self.loops += 1
        i = f"i{self.loops}"
        self.indices.append(i)
        body = self.block(self.rng.randint(2, 4), nesting, in_loop=True)
        self.indices.pop()
        if self.rng.random() < 0.7:
            return [Node(f"for {i} in range({self.rng.choice(['3', '2', 'n'])}):", body)]
        counted = Node(f"{i} = {i} + 1")
        return [Node(f"{i} = 0"), Node(f"while {i} < 3:", [counted, *body])]


def written(seed: int) -> str:
    """The program of a seed."""
    return Aliases(seed).source()


if __name__ == "__main__":
    run(written, sys.argv[1:])
