"""Array versions: where and when a loop nest stores into an array that it carries.

    for i carrying L:                      versions   L, L_2, L_3, L_4, each with its time
        for j carrying L_2:                stores     L_3: at (i, j), in the loops i and j
            L_3 = index_update(L_2, (i, j), v)
        -> L_4

Times count the statements as they stand; a version is made when its statement is done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcad.ir.affine import Affine
from srcad.ir.forms import Forms
from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Block, For, If, Op, Stmt, Value
from srcad.ir.walk import blocks, outputs
from srcad.ops import row_of
from srcad.rules.arrays.distinct import is_basic_index

Loops = tuple[For, ...]


@dataclass(frozen=True, slots=True)
class Store:
    """`op` stores, in these loops, the outermost first."""

    op: Op
    loops: Loops
    time: int


@dataclass(frozen=True, slots=True)
class Version:
    """The array as it is at a time of an iteration of these loops."""

    loops: Loops
    time: int


@dataclass
class StoredArray:
    """An array that a nest carries: where it is stored to, its versions, and what is left."""

    end: Value
    stores: list[Store] = field(default_factory=list)
    versions: dict[Value, Version] = field(default_factory=dict)


def stored_arrays(nest: For) -> list[StoredArray]:
    """The arrays that a nest carries and changes by stores to basic indices alone."""
    return _Versions(nest).run()


class _Versions:
    """Finds the arrays that a nest carries, with the stores that lead from version to version."""

    def __init__(self, nest: For) -> None:
        self.nest = nest
        self.made: dict[Value, Stmt] = {}
        self.time: dict[Stmt, int] = {}
        self.start: dict[Stmt, int] = {}
        self.clock = 0
        self.count(nest.body)

    def count(self, block: Block) -> None:
        for stmt in block.body:
            self.clock += 1
            self.start[stmt] = self.clock
            for inner in blocks(stmt):
                self.count(inner)
            self.clock += 1
            self.time[stmt] = self.clock
            self.made.update(dict.fromkeys(outputs(stmt), stmt))

    def run(self) -> list[StoredArray]:
        """One for each carried array that qualifies."""
        found = []
        nest = self.nest
        for param, result, out in zip(nest.carried, nest.yielded, nest.outs, strict=True):
            array = StoredArray(out)
            array.versions[param] = Version((nest,), 0)
            if self.follow(result, nest.body, (nest,), array) is param and array.stores:
                found.append(array)
        return found

    def follow(self, value: Any, block: Block, loops: Loops, array: StoredArray) -> Value | None:
        """Go back from a version to the first that is not made in `block`."""
        here = {out for stmt in block.body for out in outputs(stmt)}
        while isinstance(value, Value) and value in here:
            stmt = self.made[value]
            array.versions[value] = Version(loops, self.time[stmt])
            match stmt:
                case Op() if row_of(stmt.fn).store and is_basic_index(stmt.args[1]):
                    array.stores.append(Store(stmt, loops, self.time[stmt]))
                    value = stmt.args[0]
                case For() if value in stmt.outs:
                    value = self.through_loop(stmt, stmt.outs.index(value), loops, array)
                case If() if stmt.is_branch:
                    k = stmt.outs.index(value)
                    ends = {
                        self.follow(b.results[k], b, loops, array) for b in (stmt.then, stmt.orelse)
                    }
                    value = ends.pop() if len(ends) == 1 else None
                case _:
                    return None
        return value if isinstance(value, Value) else None

    def through_loop(self, stmt: For, k: int, loops: Loops, array: StoredArray) -> Value | None:
        param = stmt.carried[k]
        array.versions[param] = Version((*loops, stmt), self.start[stmt])
        end = self.follow(stmt.yielded[k], stmt.body, (*loops, stmt), array)
        start = stmt.init[k]
        return start if end is param and isinstance(start, Value) else None


def positions(index: Any) -> tuple[Any, ...]:
    """The parts of a basic index, as far as each takes one axis."""
    parts = index_parts(index)
    for k, part in enumerate(parts):
        if part is None or part is Ellipsis:
            return tuple(parts[:k])
    return tuple(parts)


def mapped(index: Any, change: Any, forms: Forms | None) -> Any:
    """An index with its integers as forms that `change` makes something of; None if it cannot."""
    parts = index_parts(index)
    made = [_mapped_part(part, change, forms) for part in parts]
    if any(part is _FAILED for part in made):
        return None
    return tuple(made) if isinstance(index, tuple) else made[0]


_FAILED = object()


def _mapped_part(part: Any, change: Any, forms: Forms | None) -> Any:
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        if part.step not in (None, 1):
            return _FAILED
        ends = [
            None if e is None else _mapped_part(e, change, forms) for e in (part.start, part.stop)
        ]
        return _FAILED if any(end is _FAILED for end in ends) else slice(*ends)
    form = part if forms is None or isinstance(part, Affine) else forms.of(part)
    changed = None if form is None else change(form)
    return _FAILED if changed is None else changed
