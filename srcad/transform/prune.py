"""Dead-code elimination in a block that was just built, and replacement of values in it.

A region is pruned before its saved values are chosen, so that nothing is saved for a dead op:

    t = 1 - y * y                        y_bar = scale * z_bar
    y_bar = scale * z_bar        ->      yield y_bar
    yield y_bar

What a region holds was pruned when it was built itself. Of a branch that was, it is kept what it
reads, as long as nothing in it changes: a branch in a thousand others is not gone through a
thousand times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcad.ir.narrowing import picked
from srcad.ir.nodes import Block, Closure, For, If, Op, Stmt, Value, While
from srcad.ir.regions import Attempt
from srcad.ir.walk import (
    blocks,
    inputs,
    outputs,
    reads,
    statements,
    substitute,
    values_in,
)

# What pruned branches read, in the order of the first use.
Settled = dict[Stmt, tuple[Value, ...]]


def prune(block: Block, settled: Settled) -> set[Value]:
    """Drop dead statements, and dead results of the statements inside, in place.

    Returns the values that are read of those bound outside.
    """
    live = set(values_in(block.results))
    kept: list[Stmt] = []
    for stmt in reversed(block.body):
        if not (any(v in live for v in outputs(stmt)) or must_run(stmt)):
            continue
        read = _shrink(stmt, live, settled)
        live.difference_update(outputs(stmt))
        live |= read
        kept.append(stmt)
    block.body[:] = reversed(kept)
    return live.difference(block.params)


def must_run(stmt: Stmt) -> bool:
    """Whether running the statement does more than bind its values, or raises."""
    if isinstance(stmt, Op):
        return stmt.effect or stmt.raises
    if isinstance(stmt, Closure):
        return False
    inside = (s for block in blocks(stmt) for s in statements(block))
    return any(isinstance(s, Op) and (s.effect or s.raises) for s in inside)


def free_in(block: Block, settled: Settled) -> dict[Value, None]:
    """The values that a block reads of those around it, in order: `free_values` of `srcad.ir.walk`,
    without going through branches that are settled.
    """
    bound = set(block.params)
    free: dict[Value, None] = {}
    for stmt in block.body:
        free.update((v, None) for v in _reads(stmt, settled) if v not in bound)
        bound.update(outputs(stmt))
    free.update((v, None) for v in values_in(block.results) if v not in bound)
    return free


def _reads(stmt: Stmt, settled: Settled) -> Sequence[Value]:
    known = settled.get(stmt)
    if known is not None:
        return known
    inside = [v for block in blocks(stmt) for v in free_in(block, settled)]
    return [*values_in(inputs(stmt)), *inside]


def _shrink(stmt: Stmt, live: set[Value], settled: Settled) -> set[Value]:
    """Drop what is dead inside a statement; returns what it reads."""
    match stmt:
        case If():
            tells = isinstance(stmt.cond, Attempt)  # by its first result
            keep = [out in live or (tells and k == 0) for k, out in enumerate(stmt.outs)]
            if all(keep) and stmt in settled:
                return set(settled[stmt])
            settled.pop(stmt, None)
            stmt.outs = tuple(picked(stmt.outs, keep))
            for block in (stmt.then, stmt.orelse):
                block.results = picked(block.results, keep)
                if not (tells and block is stmt.then):  # what may raise there is not dead
                    prune(block, settled)
            settled[stmt] = tuple(dict.fromkeys(_reads(stmt, settled)))
            return set(settled[stmt])
        case For():
            read = shrink_loop(stmt, live, settled)
            return read.union(values_in(inputs(stmt)))
        case _:
            return set(reads(stmt))


def shrink_loop(stmt: For, live: set[Value], settled: Settled) -> set[Value]:
    """Keep the carried values that an out, a sequence or another kept value depends on.

    Returns what the body reads of the values around the loop.
    """
    carried, elements = stmt.carried, stmt.elements
    keep_seq = [seq in live for seq in stmt.seqs]
    keep = [out in live for out in stmt.outs]
    while True:
        results = [*picked(stmt.yielded, keep), *picked(stmt.written, keep_seq), *stmt.leaves]
        read = _reads_of(stmt.body, results, settled)
        wider = [k or c in read for k, c in zip(keep, carried, strict=True)]
        if wider == keep:
            break
        keep = wider
    keep_in = [e in read for e in elements]
    stmt.body.results = results
    params = [stmt.index, *picked(carried, keep), *picked(elements, keep_in)]
    stmt.init, stmt.ins = picked(stmt.init, keep), picked(stmt.ins, keep_in)
    stmt.outs, stmt.seqs = tuple(picked(stmt.outs, keep)), tuple(picked(stmt.seqs, keep_seq))
    stmt.count = stmt.count if stmt.count in live else None
    stmt.body.params = params
    return prune(stmt.body, settled)


def _reads_of(block: Block, results: list[Any], settled: Settled) -> set[Value]:
    """The values that the statements needed for `results` read."""
    live = set(values_in(results))
    for stmt in reversed(block.body):
        if any(v in live for v in outputs(stmt)) or must_run(stmt):
            live.update(_reads(stmt, settled))
    return live


def replace_in(block: Block, env: Mapping[Value, Any], settled: Settled) -> None:
    """Replace what `block` and the blocks inside read, in place."""
    if not env:
        return
    for stmt in block.body:
        match stmt:
            case Op():
                stmt.args, stmt.kwargs = substitute((stmt.args, stmt.kwargs), env)
            case If():
                known = settled.get(stmt)
                if known is not None and env.keys().isdisjoint(known):
                    continue
                settled.pop(stmt, None)
                stmt.cond = substitute(stmt.cond, env)
            case For():
                bounds = (stmt.start, stmt.stop, stmt.step)
                stmt.start, stmt.stop, stmt.step = substitute(bounds, env)
                stmt.init, stmt.ins = substitute((stmt.init, stmt.ins), env)
            case While():
                stmt.init = substitute(stmt.init, env)
        for inner in blocks(stmt):
            replace_in(inner, env, settled)
    block.results = substitute(block.results, env)
