"""Loops and their tapes.

For(0, n, 1, init=[h], seqs=[h_tape])           h_tape = [None] * n
    -> h = tanh(h), element h                   for i in range(n):
                                                    h_tape[i] = h
                                                    h = np.tanh(h)

For(0, n, 1, reverse=True, ins=[h_tape])        for i in reversed(range(n)):
                                                    h = h_tape[i]

A `while` does not know its number of iterations, nor does a loop that exits: they append to their
tapes.
"""

from __future__ import annotations

import ast
from typing import Any

from srcad.emit.exits import write_exit
from srcad.emit.references import LOAD, STORE, name
from srcad.emit.writer import Store, Stores, Writer, negated
from srcad.ir import UNDEFINED, Block, For, Value, While
from srcad.ir.walk import outputs


def write_for(writer: Writer, stmt: For) -> list[ast.stmt]:
    """Initial values, empty tapes, the loop."""
    names = writer.names
    written = writer.copies(zip(stmt.outs, stmt.init, strict=True))
    written += [_assign(names[seq], _empty_tape(writer, stmt)) for seq in stmt.seqs]
    body = _counted(writer, stmt, written) if stmt.exits else []
    for source, element in zip(stmt.ins, stmt.elements, strict=True):
        if writer.nesting.uses[element]:
            entry = ast.Subscript(writer.expressions.tree(source), _position(writer, stmt), LOAD)
            body.append(_assign(names[element], entry))
    stores: Stores = {}
    bound = _bound_in(stmt.body) if stmt.seqs else set()
    for seq, element in zip(stmt.seqs, stmt.written, strict=True):
        if stmt.exits:
            _add_store(writer, stores, bound, element, _append(writer, seq))
        elif element is not UNDEFINED:
            _add_store(writer, stores, bound, element, _store(writer, stmt, seq))
    body += _iteration(writer, stmt, stores)
    target = ast.Name(names[stmt.index], STORE)
    whole = ast.For(target, _range(writer, stmt), writer.suite(stmt, body), [], lineno=0)
    return [*written, whole]


def write_while(writer: Writer, stmt: While) -> list[ast.stmt]:
    """`while test:` if the test is one expression, else `while True:` with a `break`."""
    names = writer.names
    written = writer.copies(zip(stmt.outs, stmt.init, strict=True))
    written += [_assign(names[seq], ast.List([], LOAD)) for seq in stmt.seqs]
    stores: Stores = {}
    bound = _bound_in(stmt.body) if stmt.seqs else set()
    for seq, element in zip(stmt.seqs, stmt.written, strict=True):
        _add_store(writer, stores, bound, element, _append(writer, seq))
    test: ast.expr = ast.Constant(True)
    body: list[ast.stmt] = []
    if stmt in writer.nesting.inline_tests:
        test = writer.expressions.tree(stmt.test.results[0])
    else:
        body = writer.block(stmt.test)
        cond = writer.expressions.tree(stmt.test.results[0])
        body.append(ast.If(negated(cond), [ast.Break()], []))
    counted = _counted(writer, stmt, written)
    iteration = _iteration(writer, stmt, stores)
    body += [*counted, *iteration] if stmt.exits else [*iteration, *counted]
    return [*written, ast.While(test, writer.suite(stmt, body), [])]


def _iteration(writer: Writer, stmt: For | While, stores: Stores) -> list[ast.stmt]:
    """The body, and what it yields moved to the variables carried."""

    def moves() -> list[ast.stmt]:
        made = writer.copies(zip(stmt.outs, stmt.yielded, strict=True))
        writer.at(stmt, made)
        return made

    if stmt.exits:
        return write_exit(writer, stmt.body, stmt.leaves[0], moves, stores)
    return [*writer.block(stmt.body, stores), *moves()]


def _counted(writer: Writer, stmt: For | While, written: list[ast.stmt]) -> list[ast.stmt]:
    """`count += 1`, if the iterations are counted; `written` gets the start."""
    if stmt.count is None:
        return []
    count = writer.names[stmt.count]
    written.append(_assign(count, ast.Constant(0)))
    one: list[ast.stmt] = [ast.AugAssign(ast.Name(count, STORE), ast.Add(), ast.Constant(1))]
    writer.at(stmt, one)
    return one


def _assign(target: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(target, STORE)], value, lineno=0)


def _bound_in(body: Block) -> set[Value]:
    """What is bound in the body of a loop, the blocks inside aside."""
    return {*body.params, *(out for stmt in body.body for out in outputs(stmt))}


def _add_store(
    writer: Writer, stores: Stores, bound: set[Value], element: Any, store: Store
) -> None:
    """Store an element as soon as it is bound, so that its variable may go on."""
    if isinstance(element, Value) and element in bound:
        stores.setdefault(element, []).append(store)
    else:
        value = writer.expressions.tree(element)
        stores.setdefault(None, []).append(lambda _: store(value))


def _store(writer: Writer, stmt: For, seq: Value) -> Store:
    def store(value: ast.expr) -> ast.stmt:
        entry = ast.Subscript(name(writer.names[seq]), _position(writer, stmt), STORE)
        return ast.Assign([entry], value, lineno=0)

    return store


def _append(writer: Writer, seq: Value) -> Store:
    append = ast.Attribute(name(writer.names[seq]), "append", LOAD)
    return lambda value: ast.Expr(ast.Call(append, [value], []))


def _empty_tape(writer: Writer, stmt: For) -> ast.expr:
    if stmt.exits:
        return ast.List([], LOAD)
    nothing = ast.List([ast.Constant(None)], LOAD)
    if _is(stmt.start, 0) and _is(stmt.step, 1):
        length = writer.expressions.tree(stmt.stop)
    else:
        length = ast.Call(writer.expressions.references.to(len), [_plain_range(writer, stmt)], [])
    return ast.BinOp(nothing, ast.Mult(), length)


def _is(atom: Any, number: int) -> bool:
    return type(atom) is int and atom == number


def _plain_range(writer: Writer, stmt: For) -> ast.expr:
    bounds = [stmt.start, stmt.stop, stmt.step]
    if _is(stmt.step, 1):
        bounds = bounds[1:2] if _is(stmt.start, 0) else bounds[:2]
    items = [writer.expressions.tree(bound) for bound in bounds]
    return ast.Call(writer.expressions.references.to(range), items, [])


def _range(writer: Writer, stmt: For) -> ast.expr:
    plain = _plain_range(writer, stmt)
    if not stmt.reverse:
        return plain
    return ast.Call(writer.expressions.references.to(reversed), [plain], [])


def _position(writer: Writer, stmt: For) -> ast.expr:
    """Where in a tape the entry of the current index sits."""
    position: ast.expr = name(writer.names[stmt.index])
    if not _is(stmt.start, 0):
        position = ast.BinOp(position, ast.Sub(), writer.expressions.tree(stmt.start))
    if not _is(stmt.step, 1):
        position = ast.BinOp(position, ast.FloorDiv(), writer.expressions.tree(stmt.step))
    return position
