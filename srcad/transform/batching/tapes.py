"""What one sample has of the tapes that a loop of all samples wrote.

    for ts in tape:                        for ts in tape:          # in a loop over the samples i
        xs_bar = solve(xs_bar, ts)    ->       t = ts[i]
                                               x_bar = solve(x_bar, t)

A tape has an element for each iteration, and each element of it has the axis of the samples. A loop
that runs for each sample reads the same tape, and of each element its own part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcad.ir.nodes import Block, For, Stmt, Value
from srcad.ir.types import SeqType, Type
from srcad.ir.walk import blocks, copy_statements, inputs, statements, substitute, values_in
from srcad.rules.core.staged import Builder

Item = Callable[[Builder, Value, Value], Any]


def is_read_by_loops(stmt: Stmt, tape: Value) -> bool:
    """Whether all that a statement does with a tape is to read one element in each iteration."""
    tapes = {tape}
    for each in statements(Block([], [stmt], [])):
        read = inputs(each)
        if isinstance(each, For):
            read = (each.start, each.stop, each.step, each.init)
            elements = [e for e, seq in zip(each.elements, each.ins, strict=True) if seq in tapes]
            if any(element.partial for element in elements):
                return False  # it is bound in some iterations only
            tapes.update(element for element in elements if isinstance(element.type, SeqType))
        given = (read, *(block.results for block in blocks(each)))
        if not tapes.isdisjoint(values_in(given)):
            return False
    return True


def read_items(
    body: Sequence[Stmt], tapes: set[Value], with_axis: Callable[[Type], Type], item: Item
) -> None:
    """Let the loops among statements, which are fresh copies, read the tapes of all samples.

    Args:
        tapes: those with the axis, which stand for one sample's own in `body`.
        with_axis: the type with the axis.
        item: emits one sample's part of the first value, which stands for the second.
    """
    for stmt in body:
        inner = tapes
        if isinstance(stmt, For) and not tapes.isdisjoint(values_in(stmt.ins)):
            inner = tapes | _read_items_of(stmt, tapes, with_axis, item)
        for block in blocks(stmt):
            read_items(block.body, inner, with_axis, item)


def _read_items_of(
    loop: For, tapes: set[Value], with_axis: Callable[[Type], Type], item: Item
) -> set[Value]:
    """Change one loop; the result has the tapes that are elements of its tapes."""
    builder = Builder([], loop.loc)
    env: dict[Value, Any] = {}
    elements, inner = loop.elements, set()
    for k, (element, seq) in enumerate(zip(loop.elements, loop.ins, strict=True)):
        if seq in tapes:
            elements[k] = made = Value(element.name, with_axis(element.type))
            is_tape = isinstance(element.type, SeqType)
            env[element] = made if is_tape else item(builder, made, element)
            inner.update([made] if is_tape else [])
    params = [loop.index, *loop.carried, *elements]
    body = [*builder.body, *copy_statements(loop.body.body, env)]
    loop.body = Block(params, body, substitute(loop.body.results, env))
    return inner


__all__ = ["is_read_by_loops", "read_items"]
