"""Values that are read on every path: where they are unbound, their variables must be `None`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from srcad.ir import UNDEFINED, Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.walk import blocks, inputs, outputs, reached, statements, values_in
from srcad.ops.raising import raises_by_value
from srcad.runtime.checkpoints.states import Checkpoints
from srcad.runtime.effects import ensure_bound
from srcad.runtime.saved import pack


def find_demanded(fn: Function, names: dict[Value, str]) -> set[Value]:
    """The values that are read on every path, so that where they are unbound they must be `None`.

    An operation reads a partial value only under its condition; a copy, a store to a tape, saving
    and the result of the function do so always. So does a question, unless one of the next
    statements reads what it asks for and none before that can raise: there Python raises, if it is
    a name that some path assigns.
    """
    demanded = {*values_in(fn.body.results), *_not_read_next(fn.body)}
    demanded.update(_never_assigned(fn, names))
    flows: dict[Value, list[Value]] = defaultdict(list)  # these are demanded if the first is
    for stmt in statements(fn.body):
        if isinstance(stmt, Op) and stmt.fn in (pack, Checkpoints.record):
            demanded.update(values_in(stmt.args))
        if isinstance(stmt, If):
            demanded.update(_dropped(stmt, names))
        if isinstance(stmt, Closure):
            demanded.update(values_in(stmt.function.body.results))
        if isinstance(stmt, For | While):
            demanded.update(values_in([stmt.written, stmt.leaves]))
        for out, param, source in _moves(stmt):
            flows[param].append(out)
            if not isinstance(source, Value):
                continue
            flows[source] += (out, param)
            if names.get(source) == names.get(out):
                flows[out].append(source)
                flows[param].append(source)
            else:
                demanded.add(source)
    return set(reached(demanded, lambda value: flows.get(value, ())))


def _dropped(stmt: If, names: dict[Value, str]) -> Iterator[Value]:
    """What one path unbinds, `del y`: its variable has the old value."""
    inside = None
    for out, *ends in zip(stmt.outs, stmt.then.results, stmt.orelse.results, strict=True):
        held = [end for end in ends if end is not UNDEFINED]
        first = held[0] if len(held) == 1 else None
        if isinstance(first, Value) and names.get(first) == names.get(out):
            inside = inside or {v for b in blocks(stmt) for s in statements(b) for v in outputs(s)}
            if first not in inside:
                yield out


def _not_read_next(block: Block) -> Iterator[Value]:
    """What is asked for ahead of something else than what reads it, and what cannot raise."""
    waiting: list[Value] = []
    for stmt in block.body:
        if isinstance(stmt, Op) and stmt.fn is ensure_bound:
            waiting.append(stmt.args[0])
            if len(stmt.args) > 1:  # another exception than Python raises of a name
                yield stmt.args[0]
            continue
        read = values_in(inputs(stmt)) if isinstance(stmt, Op) else []
        waiting = [value for value in waiting if value not in read]
        if isinstance(stmt, Op) and _only_computes(stmt):
            continue
        yield from waiting
        waiting = []
        for inner in blocks(stmt):
            yield from _not_read_next(inner)
    yield from waiting


def _only_computes(op: Op) -> bool:
    return not (op.effect or isinstance(op.fn, Function) or raises_by_value(op))


def _never_assigned(fn: Function, names: dict[Value, str]) -> list[Value]:
    """What is asked for though no path assigns it, and its name would be looked for elsewhere; or
    though something else has had its name.
    """
    body = list(statements(fn.body))
    asked = [s.args[0] for s in body if isinstance(s, Op) and s.fn is ensure_bound]
    if not asked:
        return []
    sources: dict[Value, list[Any]] = defaultdict(list)
    for stmt in body:
        for out, param, source in _moves(stmt):
            sources[out].append(source)
            sources[param].append(source)
    empty = set(sources)
    while True:
        left = {
            value
            for value in empty
            if all(s is UNDEFINED or (isinstance(s, Value) and s in empty) for s in sources[value])
        }
        if left == empty:
            break
        empty = left
    held = [*fn.params, *(v for stmt in body for v in outputs(stmt))]
    return [v for v in asked if v in empty or _had_another(v, held, sources, names)]


def _had_another(
    value: Value,
    held: list[Value],
    sources: dict[Value, list[Any]],
    names: dict[Value, str],
) -> bool:
    """Whether something else than what a value is made of has its name."""
    made_of = reached([value], sources.__getitem__)
    return any(v not in made_of and names.get(v) == names.get(value) for v in held)


def _moves(stmt: Stmt) -> Iterable[tuple[Value, Value, Any]]:
    match stmt:
        case For() | While():
            for sources in (stmt.init, stmt.yielded):
                yield from zip(stmt.outs, stmt.carried, sources, strict=True)
        case If():
            for block in blocks(stmt):
                yield from zip(stmt.outs, stmt.outs, block.results, strict=True)
        case _:
            pass
