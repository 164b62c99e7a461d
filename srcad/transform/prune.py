"""Removing what nothing reads from a block that was just built, and replacing values in it.

A region is pruned before its saved values are chosen, so that nothing is saved for a dead op:

    t = 1 - y * y                        y_bar = scale * z_bar
    y_bar = scale * z_bar        ->      yield y_bar
    yield y_bar
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srcad.ir.nodes import Block, Closure, For, If, Op, Stmt, Value, While
from srcad.ir.regions import Attempt
from srcad.ir.walk import blocks, outputs, reads, statements, substitute, values_in


def prune(block: Block) -> None:
    """Drop dead statements, and dead results of the statements inside, in place."""
    live = set(values_in(block.results))
    kept: list[Stmt] = []
    for stmt in reversed(block.body):
        if not (has_effect(stmt) or any(v in live for v in outputs(stmt))):
            continue
        _shrink(stmt, live)
        live.update(reads(stmt))
        kept.append(stmt)
    block.body[:] = reversed(kept)


def has_effect(stmt: Stmt) -> bool:
    """Whether running the statement does more than bind its values."""
    if isinstance(stmt, Op):
        return stmt.effect
    if isinstance(stmt, Closure):
        return False
    return any(isinstance(s, Op) and s.effect for block in blocks(stmt) for s in statements(block))


def _shrink(stmt: Stmt, live: set[Value]) -> None:
    match stmt:
        case If():
            tells = isinstance(stmt.cond, Attempt)  # by its first result
            keep = [out in live or (tells and k == 0) for k, out in enumerate(stmt.outs)]
            stmt.outs = tuple(_keep(stmt.outs, keep))
            for block in (stmt.then, stmt.orelse):
                block.results = _keep(block.results, keep)
                if not (tells and block is stmt.then):  # what may raise there is not dead
                    prune(block)
        case For():
            shrink_loop(stmt, live)


def _keep(items: Any, keep: list[bool]) -> list[Any]:
    return [item for item, kept in zip(items, keep, strict=True) if kept]


def shrink_loop(stmt: For, live: set[Value]) -> None:
    """Keep the carried values that an out, a sequence or another kept value depends on."""
    carried, elements = stmt.carried, stmt.elements
    keep_seq = [seq in live for seq in stmt.seqs]
    keep = [out in live for out in stmt.outs]
    while True:
        results = [*_keep(stmt.turned, keep), *_keep(stmt.written, keep_seq), *stmt.leaves]
        read = _reads_of(stmt.body, results)
        wider = [k or c in read for k, c in zip(keep, carried, strict=True)]
        if wider == keep:
            break
        keep = wider
    keep_in = [e in read for e in elements]
    stmt.body.results = results
    params = [stmt.index, *_keep(carried, keep), *_keep(elements, keep_in)]
    stmt.init, stmt.ins = _keep(stmt.init, keep), _keep(stmt.ins, keep_in)
    stmt.outs, stmt.seqs = tuple(_keep(stmt.outs, keep)), tuple(_keep(stmt.seqs, keep_seq))
    stmt.count = stmt.count if stmt.count in live else None
    stmt.body.params = params
    prune(stmt.body)


def _reads_of(block: Block, results: list[Any]) -> set[Value]:
    """The values that the statements needed for `results` read."""
    live = set(values_in(results))
    for stmt in reversed(block.body):
        if has_effect(stmt) or any(v in live for v in outputs(stmt)):
            live.update(reads(stmt))
    return live


def replace_in(block: Block, env: Mapping[Value, Any]) -> None:
    """Replace what `block` and the blocks inside read, in place."""
    for stmt in block.body:
        match stmt:
            case Op():
                stmt.args, stmt.kwargs = substitute((stmt.args, stmt.kwargs), env)
            case If():
                stmt.cond = substitute(stmt.cond, env)
            case For():
                bounds = (stmt.start, stmt.stop, stmt.step)
                stmt.start, stmt.stop, stmt.step = substitute(bounds, env)
                stmt.init, stmt.ins = substitute((stmt.init, stmt.ins), env)
            case While():
                stmt.init = substitute(stmt.init, env)
        for inner in blocks(stmt):
            replace_in(inner, env)
    block.results = substitute(block.results, env)
