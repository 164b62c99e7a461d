"""Running IR without compiling it: the meaning of every node, in one page.

Slow and plain. Tests compare with it what passes and printed programs compute.

    >>> evaluate(fn, 2.0)          # fn: def f(x: float): y: float = mul(x, x); return y
    [4.0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.regions import Attempt, Context
from srcad.ir.types import ObjectType
from srcad.ir.walk import map_tree, values_in

Env = dict[Value, Any]
Watch = Callable[[Op, list[Any], list[Any]], None]

# What watches stands in the environment of each block, under this name.
_WATCH = Value("watch", ObjectType("function"))


def evaluate(fn: Function, *args: Any, watch: Watch | None = None) -> list[Any]:
    """The flat results of `fn` for its flat arguments.

    Args:
        watch: is told each operation that has run, with the values that it read, each once, and
            made.
    """
    return _run(fn.body, args, {} if watch is None else {_WATCH: watch})


def _run(block: Block, args: Sequence[Any], outer: Env) -> list[Any]:
    env = dict(outer)
    env.update(zip(block.params, args, strict=True))
    for stmt in block.body:
        _step(stmt, env)
    return [_read(atom, env) for atom in block.results]


def _read(tree: Any, env: Env) -> Any:
    def leaf(atom: Any) -> Any:
        if isinstance(atom, Function):
            return lambda *args: evaluate(atom, *args)[0]
        return env[atom] if isinstance(atom, Value) else atom

    return map_tree(leaf, tree)


def _step(stmt: Stmt, env: Env) -> None:
    match stmt:
        case Op():
            _call(stmt, env)
        case If():
            env.update(zip(stmt.outs, _branch(stmt, env), strict=True))
        case For():
            _loop(stmt, env)
        case While():
            _while(stmt, env)
        case Closure():
            env[stmt.out] = _closure(stmt.function, dict(env))


def _branch(stmt: If, env: Env) -> list[Any]:
    cond = stmt.cond
    if isinstance(cond, Attempt):
        try:
            return _run(stmt.then, (), env)
        except cond.exceptions:
            return _run(stmt.orelse, (), env)
    if isinstance(cond, Context):
        with cond.manager(*_read(cond.args, env), **_read(cond.kwargs, env)):
            return _run(stmt.then, (), env)
    return _run(stmt.then if _read(cond, env) else stmt.orelse, (), env)


def _call(op: Op, env: Env) -> None:
    args, kwargs = _read(op.args, env), _read(op.kwargs, env)
    if isinstance(op.fn, Function):
        results = evaluate(op.fn, *args, watch=env.get(_WATCH))
    else:
        result = op.fn(*args, **kwargs)
        results = [result] if len(op.outs) == 1 else list(result) if op.outs else []
    if (watch := env.get(_WATCH)) is not None and not isinstance(op.fn, Function):
        read = dict.fromkeys(values_in((op.args, op.kwargs)))
        watch(op, [env[value] for value in read], results)
    env.update(zip(op.outs, results, strict=True))


def _loop(stmt: For, env: Env) -> None:
    indices = range(*(_read(a, env) for a in (stmt.start, stmt.stop, stmt.step)))
    carried = [_read(a, env) for a in stmt.init]
    ins = [_read(a, env) for a in stmt.ins]
    iterations = enumerate(indices)  # perhaps without end, in a loop that is left
    written: list[list[Any]] = []
    for k, index in reversed(list(iterations)) if stmt.reverse else iterations:
        results = _run(stmt.body, (index, *carried, *(seq[k] for seq in ins)), env)
        carried, leave = _iteration(stmt, results, written)
        if leave:
            break
    _leave(stmt, carried, written[::-1] if stmt.reverse else written, env)


def _while(stmt: While, env: Env) -> None:
    carried = [_read(a, env) for a in stmt.init]
    written: list[list[Any]] = []
    leave = False
    while not leave and _run(stmt.test, carried, env)[0]:
        carried, leave = _iteration(stmt, _run(stmt.body, carried, env), written)
    _leave(stmt, carried, written, env)


def _iteration(
    stmt: For | While, results: list[Any], written: list[list[Any]]
) -> tuple[list[Any], bool]:
    """The values carried on, and whether to leave; this iteration writes to `written`."""
    n, m = len(stmt.init), len(stmt.seqs)
    written.append(results[n : n + m])
    return results[:n], stmt.exits and results[-1]


def _leave(stmt: For | While, carried: list[Any], written: list[list[Any]], env: Env) -> None:
    env.update(zip(stmt.outs, carried, strict=True))
    env.update((seq, [elements[j] for elements in written]) for j, seq in enumerate(stmt.seqs))
    if stmt.count is not None:
        env[stmt.count] = len(written)


def _closure(fn: Function, env: Env) -> Callable[..., list[Any]]:
    """The function as a callable from flat arguments to the list of its flat results."""
    return lambda *args: _run(fn.body, args, env)
