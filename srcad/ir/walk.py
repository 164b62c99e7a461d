"""Walking, substituting and copying IR: what every pass needs and none should write again."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.regions import Context

Replacement = Mapping[Value, Any]
_PLAIN = frozenset((int, float, bool, str, type(None)))
_CONTAINERS = (dict, tuple, list)


def values_in(tree: Any) -> list[Value]:
    """Every `Value` in an argument tree, left to right, with repetitions."""
    found: list[Value] = []
    _find_values(tree, found)
    return found


def _find_values(tree: Any, found: list[Value]) -> None:
    # By exact class and without generators: most of a compilation's time would go here.
    kind = tree.__class__
    if kind is Value:
        found.append(tree)
    elif kind is tuple or kind is list:
        for item in tree:
            if item.__class__ is Value:
                found.append(item)
            elif item.__class__ not in _PLAIN:
                _find_values(item, found)
    elif kind in _PLAIN:
        return
    elif kind is slice:
        _find_values((tree.start, tree.stop, tree.step), found)
    elif kind is Context:
        _find_values((tree.args, tree.kwargs), found)
    elif isinstance(tree, _CONTAINERS):  # a namedtuple, a shape
        _find_values(tuple(tree.values() if isinstance(tree, dict) else tree), found)


def map_tree(fn: Callable[[Any], Any], tree: Any) -> Any:
    """`tree` with `fn` applied to every leaf (values and constants)."""
    kind = tree.__class__
    if kind is Value or kind in _PLAIN:
        return fn(tree)
    if kind is tuple:
        return tuple([
            fn(item) if item.__class__ is Value or item.__class__ in _PLAIN else map_tree(fn, item)
            for item in tree
        ])  # fmt: skip
    if kind is list:
        return [map_tree(fn, item) for item in tree]
    if kind is slice:
        return slice(map_tree(fn, tree.start), map_tree(fn, tree.stop), map_tree(fn, tree.step))
    if isinstance(tree, dict):
        return {key: map_tree(fn, item) for key, item in tree.items()}
    if kind is Context:
        return Context(tree.manager, map_tree(fn, tree.args), map_tree(fn, tree.kwargs))
    return fn(tree)


def map_values(fn: Callable[[Value], Any], tree: Any) -> Any:
    """`tree` with `fn` applied to every value."""
    kind = tree.__class__
    if kind is Value:
        return fn(tree)
    if kind in _PLAIN:
        return tree
    if kind is tuple:
        return tuple([map_values(fn, item) for item in tree])
    return map_tree(lambda leaf: fn(leaf) if leaf.__class__ is Value else leaf, tree)


def substitute(tree: Any, replacement: Replacement) -> Any:
    """`tree` with values replaced by what `replacement` says (applied once)."""
    return map_values(lambda value: replacement.get(value, value), tree)


def inputs(stmt: Stmt) -> Any:
    """The tree of atoms that a statement itself reads (not what its blocks read)."""
    match stmt:
        case Op():
            return (stmt.args, stmt.kwargs) if stmt.kwargs else stmt.args
        case If():
            return stmt.cond
        case For():
            return (stmt.start, stmt.stop, stmt.step, stmt.init, stmt.ins)
        case While():
            return stmt.init
        case Closure():
            return ()


def outputs(stmt: Stmt) -> tuple[Value, ...]:
    """The values that a statement binds in its block."""
    match stmt:
        case Op() | If():
            return stmt.outs
        case For() | While():
            return (*stmt.outs, *stmt.seqs, *((stmt.count,) if stmt.count is not None else ()))
        case Closure():
            return (stmt.out,)


def blocks(stmt: Stmt) -> tuple[Block, ...]:
    """The blocks directly inside a statement."""
    match stmt:
        case Op():
            return ()
        case If():
            return (stmt.then, stmt.orelse)
        case For():
            return (stmt.body,)
        case While():
            return (stmt.test, stmt.body)
        case Closure():
            return (stmt.function.body,)


def with_blocks(stmt: Stmt, change: Callable[[Block], Block]) -> Stmt:
    """A loop or branch with other blocks; a statement itself where nothing changes."""
    new: dict[str, Any]
    match stmt:
        case If():
            new = {"then": change(stmt.then), "orelse": change(stmt.orelse)}
        case For():
            new = {"body": change(stmt.body)}
        case While():
            new = {"test": change(stmt.test), "body": change(stmt.body)}
        case _:
            return stmt
    return stmt if all(map(operator.is_, new.values(), blocks(stmt))) else replace(stmt, **new)


def with_body(block: Block, body: list[Stmt]) -> Block:
    """The block with other statements, itself where they are the same."""
    is_same = len(body) == len(block.body) and all(map(operator.is_, body, block.body))
    return block if is_same else Block(block.params, body, block.results)


def with_program(fn: Function, body: Block) -> Function:
    """The function with another body, itself where it is the same."""
    return fn if body is fn.body else replace(fn, body=body)


def statements(block: Block) -> Iterator[Stmt]:
    """Every statement in `block` and the blocks inside, in program order (outer before inner)."""
    stack = [iter(block.body)]
    while stack:
        for stmt in stack[-1]:
            yield stmt
            if stmt.__class__ is not Op and (inner := blocks(stmt)):
                stack += [iter(each.body) for each in reversed(inner)]
                break
        else:
            stack.pop()


def reads(stmt: Stmt) -> list[Value]:
    """Every value from outside that a statement reads, its blocks included, with repetitions."""
    found = values_in(inputs(stmt))
    for block in blocks(stmt):
        found += free_values(block)
    return found


def free_values(block: Block) -> dict[Value, None]:
    """The values that `block` reads and does not bind, in order of first use (an ordered set)."""
    bound = set(block.params)
    free: dict[Value, None] = {}
    for stmt in block.body:
        free.update([(v, None) for v in reads(stmt) if v not in bound])
        bound.update(outputs(stmt))
    free.update([(v, None) for v in values_in(block.results) if v not in bound])
    return free


def bound_in(block: Block) -> set[Value]:
    """All that a block binds, and the blocks inside."""
    bound = set(block.params)
    for stmt in statements(block):
        bound.update(outputs(stmt))
        for inner in blocks(stmt):
            bound.update(inner.params)
    return bound


def reached(values: Iterable[Value], behind: Callable[[Value], Iterable[Any]]) -> dict[Value, None]:
    """Values and those behind them, however far, in the order in which they are found."""
    found = dict.fromkeys(values)
    waiting = list(found)
    for value in waiting:
        new = [v for v in behind(value) if isinstance(v, Value) and v not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return found


def defined_in(block: Block) -> dict[Value, Stmt | None]:
    """The values bound directly in `block`, with the binding statement (None: a parameter)."""
    made: dict[Value, Stmt | None] = dict.fromkeys(block.params)
    for stmt in block.body:
        made.update(dict.fromkeys(outputs(stmt), stmt))
    return made


def all_reads(block: Block) -> list[Value]:
    """Every value that is read in `block` and those inside, by statements and as a result, with
    repetitions."""
    found = values_in(block.results)
    for stmt in statements(block):
        _find_values(inputs(stmt), found)
        for inner in blocks(stmt):
            _find_values(inner.results, found)
    return found


def count_reads(fn: Function) -> Counter[Value]:
    """How often each value of `fn` is read."""
    return Counter(all_reads(fn.body))


def settled(found: set[Value], step: Callable[[], None]) -> set[Value]:
    """`found` when `step`, which adds to it, has nothing more to add."""
    before = -1
    while len(found) > before:
        before = len(found)
        step()
    return found


def fresh_like(value: Value, name: str | None = None) -> Value:
    """A new value with the same type (and name, unless another is given)."""
    return Value(value.name if name is None else name, value.type, value.partial)


def copy_block(block: Block, replacement: Replacement | None = None) -> Block:
    """A deep copy that binds fresh values; free values are replaced as told, else kept."""
    env: dict[Value, Any] = dict(replacement or {})
    return _copy_block(block, env)


def copy_statements(body: list[Stmt], env: dict[Value, Any]) -> list[Stmt]:
    """Deep copies that bind fresh values; `env` (old value -> new atom) is read and extended."""
    return [_copy_stmt(stmt, env) for stmt in body]


def _copy_block(block: Block, outer: dict[Value, Any]) -> Block:
    env = dict(outer)
    params = _rebind(block.params, env)
    body = copy_statements(block.body, env)
    return Block(list(params), body, substitute(block.results, env))


def _rebind(values: Iterable[Value], env: dict[Value, Any]) -> tuple[Value, ...]:
    fresh: list[Value] = []
    for value in values:
        env[value] = made = fresh_like(value)
        fresh.append(made)
    return tuple(fresh)


def _rebind_loop(
    stmt: For | While, env: dict[Value, Any]
) -> tuple[tuple[Value, ...], tuple[Value, ...], Value | None]:
    outs, seqs = _rebind(stmt.outs, env), _rebind(stmt.seqs, env)
    return outs, seqs, None if stmt.count is None else _rebind((stmt.count,), env)[0]


def _copy_stmt(stmt: Stmt, env: dict[Value, Any]) -> Stmt:
    def sub(tree: Any) -> Any:
        return substitute(tree, env)

    match stmt:
        case Op():
            args, kwargs = sub(stmt.args), sub(stmt.kwargs) if stmt.kwargs else {}
            outs = _rebind(stmt.outs, env)
            return Op(stmt.fn, args, kwargs, outs, stmt.loc, stmt.effect, stmt.raises)
        case If():
            cond = sub(stmt.cond)
            then, orelse = _copy_block(stmt.then, env), _copy_block(stmt.orelse, env)
            return If(cond, then, orelse, _rebind(stmt.outs, env), stmt.loc)
        case For():
            start, stop, step, init, ins = sub(inputs(stmt))
            body = _copy_block(stmt.body, env)
            made = _rebind_loop(stmt, env)
            bounds = (start, stop, step, stmt.reverse)
            how = stmt.checkpointing
            return For(*bounds, init, ins, body, *made[:2], stmt.loc, stmt.exits, made[2], how)
        case While():
            init = sub(stmt.init)
            test, body = _copy_block(stmt.test, env), _copy_block(stmt.body, env)
            made = _rebind_loop(stmt, env)
            return While(test, init, body, *made, stmt.loc, stmt.exits, stmt.checkpointing)
        case Closure():
            inner = stmt.function
            function = Function(inner.name, _copy_block(inner.body, env), inner.interface)
            return Closure(function, _rebind((stmt.out,), env)[0], stmt.loc)
