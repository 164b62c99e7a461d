"""Check before commit: nothing may raise once a function has begun to write the caller's arrays.

    commit()                                    commit()
    x_2 = step_1(x, t)     checks first   ->    x_2 = step_1(x, t)     before anything is written
    y_2 = step_2(y, t)     has a check          y_2 = isub(y, t)       stays NumPy

A compiled function that refuses its arguments leaves the call to NumPy, which runs the program from
its beginning: by then no array may be changed. NumPy's own operations after the border do not
raise (`srcad.optimize.memory.commit`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

from srcad.ir import ArrayType, Block, Function, NumberType, Op, Stmt, Value
from srcad.ir.effects import destroys
from srcad.ir.walk import statements
from srcad.native.helpers import check_inverse, finite, finite_product, nonzero
from srcad.native.python_semantics import COMPILED_AS, float_power, int_power
from srcad.native.scalarize.scalars.weak_scalars import GUARDED
from srcad.runtime.effects import check_passed, commit


def is_safe(fn: Function) -> bool:
    """Whether no compiled function that `fn` calls can refuse when something is written."""
    written = False
    for stmt in _committed(fn.body.body):
        parts = _called(stmt)
        for part in parts:
            writes = any(destroys(each) for each in _inside(part))
            if any(_checks(each) for each in _inside(part)) and (written or writes):
                return False
            written = written or writes
    return True


def raise_before_commit(fn: Function) -> Function:
    """The program with a check, ahead of the border, of what compiled code may not take after it:
    read-only arrays, which are a type of their own to it, and integers of more than 64 bits.
    """
    body = list(fn.body.body)
    behind = _committed(body)
    if not any(_called(stmt) != [stmt] for stmt in behind):
        return fn
    at = len(body) - len(behind) - 1
    given = tuple(param for param in fn.params if _is_checked(param))
    body.insert(at, Op(check_passed, given, {}, (), effect=True))
    return Function(fn.name, Block(fn.params, body, fn.body.results), fn.interface)


def _is_checked(value: Value) -> bool:
    t = value.type
    if isinstance(t, NumberType):
        return t.kind is int
    return isinstance(t, ArrayType) and not t.scalar


def kept(fn: Function) -> Function:
    """The program with what stands after the border marked to stay NumPy."""
    body, behind = list(fn.body.body), _committed(fn.body.body)
    for k in range(len(body) - len(behind), len(body)):
        op = body[k]
        assert isinstance(op, Op)
        body[k] = Op(op.fn, op.args, op.kwargs, op.outs, op.loc, effect=True)
    return Function(fn.name, Block(fn.params, body, fn.body.results), fn.interface)


def _committed(body: list[Stmt]) -> list[Stmt]:
    """The statements after the border."""
    for k, stmt in enumerate(body):
        if isinstance(stmt, Op) and stmt.fn is commit:
            return body[k + 1 :]
    return []


def _called(stmt: Stmt) -> list[Stmt]:
    """The statements of the compiled function that is called; a statement itself otherwise."""
    if isinstance(stmt, Op) and isinstance(stmt.fn, Function) and stmt.fn.native:
        return stmt.fn.body.body
    return [stmt]


def _inside(stmt: Stmt) -> Iterable[Op]:
    return (each for each in statements(Block([], [stmt], [])) if isinstance(each, Op))


def _checks(op: Op) -> bool:
    """Whether an operation refuses some values: integers that are floats (`integer_guards`), what
    Python's numbers raise (`weak_scalars`).
    """
    guards = (check_inverse, finite, finite_product, nonzero, *GUARDED)
    twins = (float_power, int_power, *COMPILED_AS.values())
    if op.fn is operator.index or op.fn in guards or op.fn in twins:
        return True
    return op.effect and not destroys(op)
