"""Statements with fewer results: branches and loops without those that are not kept.

    (s, t) = for i in ... carrying (a, b) = (0.0, x):       (s) = for i in ... carrying (a) = (0.0):
        c = add(a, 1.0)                                         c = add(a, 1.0)
        yield c, b                                              yield c

Each list of flags says what is kept; a statement that keeps all is returned itself. The caller sees
to what still reads the rest: it is dead, or another value stands for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from srcad.ir.nodes import Atom, Block, For, If, While

Item = TypeVar("Item")


def picked(items: Iterable[Item], keep: Sequence[bool]) -> list[Item]:
    """The items that are kept."""
    return [item for item, wanted in zip(items, keep, strict=True) if wanted]


def narrow_branch(stmt: If, keep: Sequence[bool]) -> If:
    """A branch without some of its results."""
    if all(keep):
        return stmt
    then, orelse = (
        Block(block.params, block.body, picked(block.results, keep))
        for block in (stmt.then, stmt.orelse)
    )
    return If(stmt.cond, then, orelse, tuple(picked(stmt.outs, keep)), stmt.loc)


def narrow_loop(
    stmt: For, carry: Sequence[bool], read: Sequence[bool], write: Sequence[bool]
) -> For:
    """A `for` without some of the values that it carries, the elements that it reads, the sequences
    that it collects.
    """
    if all((*carry, *read, *write)):
        return stmt
    params = picked(stmt.body.params, [True, *carry, *read])
    return replace(
        stmt,
        init=picked(stmt.init, carry),
        ins=picked(stmt.ins, read),
        body=Block(params, stmt.body.body, _results(stmt, carry, write)),
        outs=tuple(picked(stmt.outs, carry)),
        seqs=tuple(picked(stmt.seqs, write)),
    )


def narrow_while(stmt: While, carry: Sequence[bool], write: Sequence[bool]) -> While:
    """A `while` without some of the values that it carries and the sequences that it collects."""
    if all((*carry, *write)):
        return stmt
    test, body = stmt.test, stmt.body
    return replace(
        stmt,
        test=Block(picked(test.params, carry), test.body, test.results),
        init=picked(stmt.init, carry),
        body=Block(picked(body.params, carry), body.body, _results(stmt, carry, write)),
        outs=tuple(picked(stmt.outs, carry)),
        seqs=tuple(picked(stmt.seqs, write)),
    )


def _results(stmt: For | While, carry: Sequence[bool], write: Sequence[bool]) -> list[Atom]:
    """What the body of a loop yields, less what is not kept."""
    return [*picked(stmt.yielded, carry), *picked(stmt.written, write), *stmt.leaves]


__all__ = ["narrow_branch", "narrow_loop", "narrow_while", "picked"]
