"""Running IR without compiling it: the meaning of every node, in one page.

Slow and plain. Tests compare with it what passes and printed programs compute.

    >>> evaluate(fn, 2.0)          # fn: def f(x: float): y: float = mul(x, x); return y
    [4.0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.walk import map_tree

Env = dict[Value, Any]


def evaluate(fn: Function, *args: Any) -> list[Any]:
    """The flat results of `fn` for its flat arguments."""
    return _run(fn.body, args, {})


def _run(block: Block, args: Sequence[Any], outer: Env) -> list[Any]:
    env = dict(outer)
    env.update(zip(block.params, args, strict=True))
    for stmt in block.body:
        _step(stmt, env)
    return [_read(atom, env) for atom in block.results]


def _read(tree: Any, env: Env) -> Any:
    return map_tree(lambda a: env[a] if isinstance(a, Value) else a, tree)


def _step(stmt: Stmt, env: Env) -> None:
    match stmt:
        case Op():
            _call(stmt, env)
        case If():
            taken = stmt.then if _read(stmt.cond, env) else stmt.orelse
            env.update(zip(stmt.outs, _run(taken, (), env), strict=True))
        case For():
            _loop(stmt, env)
        case While():
            _while(stmt, env)
        case Closure():
            env[stmt.out] = _closure(stmt.function, dict(env))


def _call(op: Op, env: Env) -> None:
    args, kwargs = _read(op.args, env), _read(op.kwargs, env)
    if isinstance(op.fn, Function):
        results = evaluate(op.fn, *args)
    else:
        result = op.fn(*args, **kwargs)
        results = [result] if len(op.outs) == 1 else list(result) if op.outs else []
    env.update(zip(op.outs, results, strict=True))


def _loop(stmt: For, env: Env) -> None:
    indices = range(*(_read(a, env) for a in (stmt.start, stmt.stop, stmt.step)))
    carried = [_read(a, env) for a in stmt.init]
    ins = [_read(a, env) for a in stmt.ins]
    seqs: list[list[Any]] = [[None] * len(indices) for _ in stmt.seqs]
    turns = list(enumerate(indices))
    for k, index in reversed(turns) if stmt.reverse else turns:
        results = _run(stmt.body, (index, *carried, *(seq[k] for seq in ins)), env)
        carried, elements = results[: len(carried)], results[len(carried) :]
        for seq, element in zip(seqs, elements, strict=True):
            seq[k] = element
    env.update(zip(stmt.outs, carried, strict=True))
    env.update(zip(stmt.seqs, seqs, strict=True))


def _while(stmt: While, env: Env) -> None:
    carried = [_read(a, env) for a in stmt.init]
    seqs: list[list[Any]] = [[] for _ in stmt.seqs]
    count = 0
    while _run(stmt.test, carried, env)[0]:
        results = _run(stmt.body, carried, env)
        carried, elements = results[: len(carried)], results[len(carried) :]
        for seq, element in zip(seqs, elements, strict=True):
            seq.append(element)
        count += 1
    env.update(zip(stmt.outs, carried, strict=True))
    env.update(zip(stmt.seqs, seqs, strict=True))
    if stmt.count is not None:
        env[stmt.count] = count


def _closure(fn: Function, env: Env) -> Callable[..., list[Any]]:
    """The function as a callable from flat arguments to the list of its flat results."""
    return lambda *args: _run(fn.body, args, env)
