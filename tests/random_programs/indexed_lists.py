"""Random programs with lists of known numbers, and tables of them, that loops index.

    python -m random_programs.indexed_lists 0 1000       # from tests/; seeds 0 to 999
    python -m random_programs.indexed_lists reduce 123   # the fault of a seed, made small

Such lists stand in arrays where loops read or write them. Other names, copies, appended items,
numbers of several kinds and helpers that write are mixed in.
"""

from __future__ import annotations

import random
import sys

from random_programs.bindings import run
from random_programs.tree import Node, text

PUT = """
import numpy as np

def put(v, k, a):
    v[k] = a

def at(v, k):
    return v[k] * 2
"""


class IndexedLists:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"indexed lists {seed}")
        self.size = self.rng.choice([9, 13, 14, 16, 17, 20, 24])
        self.lists: list[str] = []
        self.tables: dict[str, int] = {}
        self.made = 0

    def source(self) -> str:
        """The program of this seed."""
        rng = self.rng
        body = [Node("s = 0.0"), self.new_list()]
        if rng.random() < 0.6:
            body.append(self.new_list())
        if rng.random() < 0.35:
            body.append(self.new_table())
        for _ in range(rng.choice([1, 2, 2, 3])):
            if rng.random() < 0.5:
                body.append(self.between())
            body += self.loop()
        if rng.random() < 0.5:
            body.append(self.between())
        ends = [f"0.3 * {self.one()}[3]", f"np.sum(np.array({self.one()}))", "x[1]"]
        body.append(Node(f"return 1.0 * s + x[0] + {rng.choice(ends)}"))
        return PUT + text([Node("def f(x, n, flag):", body)])

    def name(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}{self.made}"

    def one(self) -> str:
        return self.rng.choice(self.lists)

    def new_list(self) -> Node:
        rng, n = self.rng, self.size
        own = (
            rng.choice(["x[0]", "0", "1"]) if rng.random() < 0.1 else f"{k / 10}" for k in range(n)
        )
        made = [
            f"[{rng.choice(['0.0', '1.0', '0', 'x[0]', 'x[1] * 0.1'])}] * {n}",
            f"[{self.number('j')} for j in range({n})]",
            f"[{', '.join(own)}]",
            f"[{', '.join(str(rng.randrange(n)) for _ in range(n))}]",
            f"list(range({n}))",
        ]
        self.lists.append(self.name("v"))
        return Node(f"{self.lists[-1]} = {rng.choice(made)}")

    def new_table(self) -> Node:
        m = self.rng.choice([3, 4, 5])
        made = [
            f"[[0.0] * {m} for _ in range({m})]",
            f"[[x[0] * i + j for j in range({m})] for i in range({m})]",
            f"[[0] * {m} for i in range({m})]",
        ]
        name = self.name("t")
        self.tables[name] = m
        return Node(f"{name} = {self.rng.choice(made)}")

    def number(self, i: str = "") -> str:
        made = ["x[0]", "x[1]", "1.0", "0.5", "2", "x[0] * x[1]", "float(x[1])", "0"]
        made += [f"x[0] * {i}", f"{i} * 0.1", i, f"np.cos(x[1] * {i})", f"0.5 ** {i}"] if i else []
        return self.rng.choice(made)

    def index(self, i: str) -> str:
        last = self.size - 1
        made = [i, i, f"{i} - 1", f"{last} - {i}", f"-{i}", f"{i} % 5", f"({i} * 3) % {last}"]
        return self.rng.choice(made)

    def value(self, i: str, depth: int = 0) -> str:
        rng = self.rng
        if depth > 2 or rng.random() < 0.25:
            return self.number(i)

        def part() -> str:
            return self.value(i, depth + 1)

        item = f"{self.one()}[{self.index(i)}]"
        made = [  # none of which grows from iteration to iteration
            *[
                item,
                item,
                f"({item} % 7 + 1)",
                f"(0.5 * {part()} {rng.choice('+-')} 0.4 * {part()})",
            ],
            rng.choice(["np.sin({})", "abs({})", "max({}, 0.5)", "min({}, 2.0)"]).format(part()),
        ]
        return rng.choice(made)

    def loop(self) -> list[Node]:
        rng, n, i = self.rng, self.size, self.name("i")
        body = self.body(i, 1)
        spans = [f"{n}", f"{n - 1}", f"1, {n}", f"{n - 1}, -1, -1", f"0, {n}, 2", "7"]
        loop = Node(f"for {i} in range({rng.choice(spans)}):", body)
        return rng.choice([
            [loop], [loop],
            [Node(f"for {i}, a{i} in enumerate({self.one()}):", body)],
            [Node(f"{i} = 0"), Node(f"while {i} < {n - 1}:", [Node(f"{i} += 1"), *body])],
            [Node(f"for {i} in range(len({self.one()})):", body)],
            [Node(f"for _ in range({rng.choice(['3', 'n'])}):", [loop])],
        ])  # fmt: skip

    def body(self, i: str, depth: int) -> list[Node]:
        rng, nodes = self.rng, []
        for _ in range(rng.choice([1, 1, 2, 3])):
            kind = rng.random()
            if kind < 0.12:
                ways = [self.statement(i), "break", "continue"]
                test = f"{self.value(i)} > {rng.choice(['0.5', 'x[0]'])}"
                nodes.append(Node(f"if {test}:", [Node(rng.choice(ways))]))
            elif kind < 0.24 and depth:
                j = self.name("j")
                span = rng.choice([i, "3", "5", f"{i} + 1"])
                nodes.append(Node(f"for {j} in range({span}):", self.body(j, depth - 1)))
            else:
                nodes.append(Node(self.statement(i)))
        return nodes

    def statement(self, i: str) -> str:
        v, at, other = self.one(), self.index(i), self.index(i)
        made = [
            f"{v}[{at}] = {self.value(i)}",
            f"{v}[{at}] = {self.value(i)}",
            f"{v}[{at}] += np.sin({self.value(i)})",
            f"s += {self.value(i)}",
            f"{v}[{at}], {v}[{other}] = {v}[{other}], {v}[{at}]",
        ]
        for t, m in self.tables.items():
            made += [f"{t}[{i} % {m}][{i} % 2] = {self.value(i)}", f"s += {t}[{i} % {m}][1]"]
        return self.rng.choice(made)

    def between(self) -> Node:
        v, k, name = self.one(), self.rng.randrange(5), self.name("v")
        made = [
            f"{v}.append({self.number()})",
            f"s += {self.rng.choice(['sum', 'max', 'len', 'min'])}({v})",
            f"{v}[{k}] = {self.number()}",
            f"put({v}, {k}, {self.number()})",
            f"s += at({v}, {k})",
            f"{v}.reverse()",
            f"{v}[2:4] = [{self.number()}, {self.number()}]",
        ]
        copies = [v, v, f"list({v})", f"{v}[:]", f"[a for a in {v}]", f"{v} + [{self.number()}]"]
        made += [f"{name} = {copy}" for copy in copies]
        chosen = self.rng.choice(made)
        if chosen.startswith(f"{name} = "):
            self.lists.append(name)
        return Node(chosen)


def written(seed: int) -> str:
    """The program of a seed."""
    return IndexedLists(seed).source()


if __name__ == "__main__":
    run(written, sys.argv[1:])
