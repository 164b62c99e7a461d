"""Random programs of snippets: what people write around their arithmetic.

`f` is differentiated; `whole` returns what else the program has computed too, of any type.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from random_programs import flow, writes
from random_programs.generator import Generator, Program, generate, globals_of_program, node_name
from random_programs.snippets import FAMILIES, Snippet, family, insert
from random_programs.tree import Node, text

MORE = ("mode", "opt", "labels", "names", "items", "conf", "box")
RARE = 0.04
CLASSIC = "classic"
MIXED = "mixed"
# Half of the programs are made as before.
TURN = (CLASSIC,) * (len(FAMILIES) + 2) + FAMILIES + (MIXED, MIXED)
PACKED = (
    ("{{{}}}", "'{0}': {0}", "z['{0}']"),
    ("[{}]", "{0}", "z[{1}]"),
    ("({},)", "{0}", "z[{1}]"),
    ("{{'net': [{{{}}}], 'more': ()}}", "'{0}': {0}", "z['net'][0]['{0}']"),
    ("Packed({})", "{0}={0}", "z.{0}"),
    ("Named({})", "{0}={0}", "z.{0}"),
)


class Box:
    """An object that the programs take, and may change."""

    def __init__(self, weight: Any) -> None:
        self.weight = weight
        self.count = 1
        self.scale = 0.5
        self.log: list[Any] = []
        self.state = None

    def add(self, z: Any) -> None:
        """Note `z`, and count."""
        self.log.append(z)
        self.count += 1

    def total(self) -> Any:
        """The sum of what was noted."""
        return sum(self.log)


@dataclass(frozen=True)
class WideProgram(Program):
    """A program that also takes words, None, lists, dicts and arrays of integers."""

    def arguments(self, seed: int, n: int, m: int) -> tuple[Any, ...]:
        rng = np.random.default_rng([seed, 1])
        more: tuple[Any, ...] = (
            ("mean", "sum", "max")[rng.integers(3)],
            None if rng.random() < 0.5 else 0.3,
            rng.integers(0, 3, n),
            np.array(["a", "b", "c"])[rng.integers(0, 3, n)],
            [0.5, float(rng.uniform(-1, 1)), 1.0],
            {"lr": 0.1, "name": "sgd", "sizes": [3, 2]},
            Box(rng.uniform(-1, 1, 3)),
        )
        return (*super().arguments(seed, n, m), *more)


class People(Generator):
    """Writes one program of a family."""

    def __init__(self, seed: int, name: str) -> None:
        super().__init__(seed)
        self.rng = self.write.rng = random.Random(f"{seed} {name}")
        self.style = self.rng.choice(["plain", "plain", "all"])
        self.snippets = [
            s for each in (FAMILIES if name == MIXED else (name,)) for s in family(each)
        ]
        self.weights = [RARE if s.title.endswith("(refused)") else 1.0 for s in self.snippets]
        self.module: list[Node] = []
        self.shows: list[str] = []
        self.is_inside = False

    def program(self) -> Program:
        varied = self.begin()
        rest = ", ".join(("n", "m", "i_n", "i_m", "flag", *MORE))
        body = self.block(self.rng.randint(2, 4), 2)
        # What is returned early has the structure of what is returned at the end.
        shows = [] if ", [])" in text(body) else self.shows
        body.append(Node(f"return {super().total()}, [{', '.join(shows)}]"))
        said = text(body)
        written = writes.helpers() + flow.classes()
        head = globals_of_program()
        head += [node for node in written if node_name(node) in said] + self.module
        head += [
            Node(f"def whole({varied}, {rest}):", body),
            Node(f"def f({varied}, {rest}):", [Node(f"return whole({varied}, {rest})[0]")]),
            *self.packed(rest),
        ]
        return WideProgram(head, self.parameters, self.smooth)

    def packed(self, rest: str) -> list[Node]:
        """The function of a structure of parameters, and what makes the structure."""
        outer, item, read = self.rng.choice(PACKED)
        names = [name for name, _ in self.parameters]
        order = self.rng.sample(names, len(names)) if "{1}" not in read else names
        made = outer.format(", ".join(item.format(name) for name in order))
        given = ", ".join(read.format(name, k) for k, name in enumerate(names))
        attributes = [Node(f"self.{name} = {name}") for name in order]
        return [
            Node("from collections import namedtuple"),
            Node(f"Named = namedtuple('Named', {order!r})"),
            Node("class Packed:", [Node(f"def __init__(self, {', '.join(order)}):", attributes)]),
            Node(f"def pack({', '.join(names)}):", [Node(f"return {made}")]),
            Node(f"def packed(z, {rest}):", [Node(f"return whole({given}, {rest})[0]")]),
        ]

    def chosen(self) -> Snippet:
        """A snippet; seldom one that is known to be refused, which hides what is around it."""
        return self.rng.choices(self.snippets, self.weights)[0]

    def total(self) -> str:
        return f"({super().total()}, [])"

    def block(self, count: int, nesting: int) -> list[Node]:
        nodes: list[Node] = []
        outermost, self.is_inside = not self.is_inside, True
        for _ in range(count):
            if self.rng.random() < (0.75 if outermost else 0.4):
                module, body, shows = insert(self, self.chosen(), nesting)
                self.module += module
                nodes += body
                if outermost and shows:
                    self.shows.append(f"({shows},)")
            else:
                nodes += super().block(1, nesting)
        self.is_inside = not outermost
        return nodes


def family_of(seed: int) -> str:
    """The family of a seed in a campaign."""
    return TURN[seed % len(TURN)]


def program_of(seed: int, name: str | None = None) -> Program:
    """The program of a seed and a family: by default the one whose turn it is."""
    name = name or family_of(seed)
    return generate(seed) if name == CLASSIC else People(seed, name).program()
