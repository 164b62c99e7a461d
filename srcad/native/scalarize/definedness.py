"""Values that are bound on some paths only: they are read under the condition of those paths, and
cannot be passed.

    if c: t = sin(x)                t: perhaps unbound
    else: yield UNDEFINED

What is passed is read whatever the conditions around the call say, and a tape may hold what is not
bound: so more values are meant than where it is asked what a path reads (`optimize.unbound`).
"""

from __future__ import annotations

from typing import Any

from srcad.ir import UNDEFINED, Block, Function, Value
from srcad.ir.nodes import For, If, While
from srcad.ir.walk import blocks, settled


def find_unbound(fn: Function) -> set[Value]:
    """The values of `fn` that some path leaves unbound."""
    found: set[Value] = set()
    return settled(found, lambda: _walk(fn.body, found))


def _walk(block: Block, found: set[Value]) -> None:
    for stmt in block.body:
        for inner in blocks(stmt):
            found.update(param for param in inner.params if param.partial)
            _walk(inner, found)
        match stmt:
            case If():
                for out, *ends in zip(
                    stmt.outs, stmt.then.results, stmt.orelse.results, strict=True
                ):
                    _note(out, ends, found)
            case For() | While():
                _note_tapes(stmt, found)
                params = stmt.carried if isinstance(stmt, For) else stmt.body.params
                for k, out in enumerate(stmt.outs):
                    ends = [stmt.init[k], stmt.turned[k]]
                    _note(out, ends, found)
                    _note(params[k], ends, found)
                    if isinstance(stmt, While):
                        _note(stmt.test.params[k], ends, found)


def _note_tapes(stmt: For | While, found: set[Value]) -> None:
    for seq, element in zip(stmt.seqs, stmt.written, strict=True):
        _note(seq, [element], found)
    if isinstance(stmt, For):
        for element, source in zip(stmt.elements, stmt.ins, strict=True):
            _note(element, [source], found)


def _note(value: Value, ends: list[Any], found: set[Value]) -> None:
    if any(end is UNDEFINED or (isinstance(end, Value) and end in found) for end in ends):
        found.add(value)
