"""Parallel loop nests: loops whose iterations are independent, in whatever order they run.

    for i in range(n - 2):
        for j in range(m):            iterations (i, j); x_bar is written at (i + 2, j) alone
            x_bar[i + 2, j] += a[i, j] * a[i + 1, j]

Each array that such a nest writes is touched at one place per iteration, a different one in each
iteration.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass

from srcad.analysis.operations import has_axes
from srcad.ir import For, If, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.effects import destroys
from srcad.ir.forms import Forms, Place
from srcad.ir.walk import blocks, outputs

Range = tuple[Affine, Affine]


@dataclass(frozen=True, eq=False, slots=True)
class Nest:
    """A nest of loops: the indices and ranges from outermost to innermost, what an iteration does,
    and at which places it touches arrays.
    """

    stmt: For
    indices: tuple[Value, ...]
    ranges: tuple[Range, ...]
    body: tuple[Stmt, ...]
    places: dict[Value, frozenset[Place]]
    written: frozenset[Value]


def find_nest(stmt: Stmt, forms: Forms) -> Nest | None:
    """The nest that a statement is, if it is one."""
    indices: list[Value] = []
    ranges: list[Range] = []
    body: list[Stmt] = []
    inner: Stmt | None = stmt
    while inner is not None:
        if not isinstance(inner, For) or not _is_plain(inner):
            return None
        start, stop = forms.of(inner.start), forms.of(inner.stop)
        if start is None or stop is None:
            return None
        indices.append(inner.index)
        ranges.append((start, stop))
        rest = [each for each in inner.body.body if isinstance(each, For)]
        other = [each for each in inner.body.body if not isinstance(each, For)]
        if len(rest) > 1 or (rest and not all(_is_whole(each, forms) for each in other)):
            return None
        body += other
        inner = rest[0] if rest else None
    assert isinstance(stmt, For)
    return _checked(stmt, tuple(indices), tuple(ranges), tuple(body), forms)


def _is_whole(stmt: Stmt, forms: Forms) -> bool:
    """Whether a statement adds up integers."""
    return isinstance(stmt, Op) and len(stmt.outs) == 1 and stmt.out in forms.ops


def _is_plain(loop: For) -> bool:
    """Whether a loop counts up by ones and carries nothing."""
    carries = loop.init or loop.ins or loop.seqs or loop.exits or loop.count is not None
    return loop.step == 1 and not loop.reverse and not carries


def _checked(
    stmt: For,
    indices: tuple[Value, ...],
    ranges: tuple[Range, ...],
    body: tuple[Stmt, ...],
    forms: Forms,
) -> Nest | None:
    """The nest, if its iterations have nothing to do with one another."""
    bound = {*indices, *(out for each in body for out in outputs(each))}
    if any(value in bound for pair in ranges for end in pair for value, _ in end.terms):
        return None
    touched = _touched(body, forms)
    if touched is None:
        return None
    places, written = touched
    inside = bound.difference(indices)
    if not written or not all(_is_own(places[memory], indices, inside) for memory in written):
        return None
    frozen = {memory: frozenset(found) for memory, found in places.items()}
    return Nest(stmt, indices, ranges, body, frozen, frozenset(written))


def _touched(
    body: tuple[Stmt, ...], forms: Forms
) -> tuple[dict[Value, set[Place]], set[Value]] | None:
    """At which places an iteration touches arrays, and which it writes; None for what is not
    known.
    """
    places: dict[Value, set[Place]] = {}
    written: set[Value] = set()
    for stmt in body:
        if not isinstance(stmt, Op):
            if not _is_choice(stmt):
                return None
            continue
        rest = [*stmt.args]
        if destroys(stmt) or (stmt.fn is operator.getitem and has_axes(stmt.args[0])):
            memory, index, *rest = stmt.args
            places.setdefault(memory, set()).add(forms.place(index))
        if destroys(stmt):
            written.add(memory)
        elif stmt.effect:
            return None
        if any(map(has_axes, rest)):
            return None
    return places, written


def _is_choice(stmt: Stmt) -> bool:
    """Whether a statement is one number or another, and touches no arrays."""
    if not isinstance(stmt, If) or not stmt.is_branch:
        return False
    inner = [each for block in blocks(stmt) for each in block.body]
    return all(
        isinstance(op, Op) and not op.effect and not any(map(has_axes, op.args)) for op in inner
    )


def _is_own(places: set[Place], indices: tuple[Value, ...], inside: set[Value]) -> bool:
    """Whether the places are one, and another one in each iteration."""
    (place, *others) = places
    if others:
        return False
    found: set[Value] = set()
    for form in place:
        if form is None or any(value in inside for value, _ in form.terms):
            return False
        by = [value for value, _ in form.terms if value in indices]
        found.update(by if len(by) == 1 else ())
    return found.issuperset(indices)
