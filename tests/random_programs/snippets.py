"""Pieces of programs as people write them, by family; `Snippets` puts them into random programs.

    == best so far
    best_ = None
    for e_ in $v:
        if best_ is None or e_ > best_:
            best_ = e_
    # -> best_ s | type(best_)

Names that end in `_` become fresh ones. `$s`, `$v`, `$p` and kin become random expressions of a
shape, `$c` a condition, `$block` random statements. What stands before a line `--` belongs to the
module. The last line lists the values that the rest of the program may use, with their shapes, and
after `|` those that are only returned. A title that ends in `(refused)` marks a program that srcad
refuses; it is drawn rarely.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from random_programs.expressions import Shape
from random_programs.tree import Node
from random_programs.writes import nested

if TYPE_CHECKING:
    from random_programs.generator import Generator

FOLDER = Path(__file__).with_name("snippets")
FAMILIES = tuple(sorted(path.stem for path in FOLDER.glob("*.txt")))
SHAPES: dict[str, Shape] = {
    "s": (), "v": ("n",), "w": ("m",), "p": ("n", "m"), "pt": ("m", "n"), "q": ("n", "n"),
    "q3": ("3", "3"), "t": ("3",),
}  # fmt: skip
NAME = re.compile(r"(?<![\w.])([A-Za-z][a-zA-Z]*)_(?!\w)")
HOLE = re.compile(r"\$(q3|pt|block|[svwpqtc])(?!\w)")


@dataclass(frozen=True)
class Snippet:
    """The text of a piece: for the module, for the function, and what it gives."""

    title: str
    module: str
    body: str
    gives: tuple[tuple[str, str], ...]
    shows: str


@functools.cache
def family(name: str) -> tuple[Snippet, ...]:
    """The snippets of a family."""
    text = (FOLDER / f"{name}.txt").read_text()
    return tuple(map(_parsed, re.split(r"^== ", text, flags=re.M)[1:]))


def _parsed(entry: str) -> Snippet:
    title, _, code = entry.partition("\n")
    code, _, last = code.rpartition("# ->")
    module, is_split, body = code.rpartition("--\n")
    given, _, shows = last.partition("|")
    pairs = re.findall(r"(?:^|, ?)(\S.*?) (q3|pt|[svwpqt])(?=,|\s*$)", given.strip())
    return Snippet(title, module if is_split else "", body, tuple(pairs), shows.strip())


def insert(g: Generator, snippet: Snippet, nesting: int) -> tuple[list[Node], list[Node], str]:
    """The statements for the module, those for the function, and what they show."""
    g.fresh += 1
    number = g.fresh

    def fresh(text: str) -> str:
        return NAME.sub(lambda found: f"{found[1]}{number}z", text)

    def filled(text: str) -> str:
        def hole(found: re.Match[str]) -> str:
            if found[1] == "c":
                return f"({g.condition()})"
            return f"({g.write.of(SHAPES[found[1]], g.rng.choice([0, 0, 1, 1, 2]))})"

        return HOLE.sub(hole, text)

    module = nested([line for line in fresh(snippet.module).splitlines() if line.strip()])
    body = _with_blocks(g, nested(fresh(snippet.body).splitlines()), nesting, filled)
    shows = filled(fresh(snippet.shows))
    for k, (value, kind) in enumerate(snippet.gives):
        name = fresh(value)
        if not name.isidentifier():
            name = f"y{number}z{k}"
            body.append(Node(f"{name} = {fresh(value)}"))
        g.write.names[name] = SHAPES[kind]
    return module, body, shows


def _with_blocks(g, nodes, nesting, filled):  # type: ignore[no-untyped-def]
    made = []
    for node in nodes:
        if node.line == "$block":
            made += g.scoped(1, max(nesting - 1, 0))
        else:
            made.append(Node(filled(node.line), _with_blocks(g, node.body, nesting, filled)))
    return made
