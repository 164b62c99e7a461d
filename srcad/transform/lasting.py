"""Values of a loop that its result still has when it has run, so that no tape is needed.

    for i in range(1, n) carrying u:             for i in reversed(range(1, n)):
        t = getitem(u, i - 1)                        t = getitem(u_end, i - 1)      # not: tape[i]
        v = tanh(t)                                  v = getitem(u_end, i)
        u = index_update(u, i, v)                    ...
    -> u_end

What is read or stored at an entry is what the array has there in the end, if no store follows: the
loop stores at `i + c` only, going upwards, and the entry is below that of every store to come (or,
going downwards, above). Indices that might be negative count from the end, and so decide nothing.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir.nodes import For, Op, Stmt, Value
from srcad.ir.walk import defined_in
from srcad.rules.distinct import is_basic_index
from srcad.rules.infer import infer

_STORES = (runtime.index_update, runtime.index_add)


def lasting_values(stmt: For) -> dict[Value, Op]:
    """For values of the body the operations that read them from the loop's results."""
    low = stmt.start if _is_int(stmt.step) and stmt.step > 0 else stmt.stop
    if not _is_int(stmt.step) or not _is_int(low):
        return {}
    finder = _Finder(stmt, low if stmt.step > 0 else low + 1)
    for param, result, out in zip(stmt.carried, stmt.turned, stmt.outs, strict=True):
        finder.array(param, result, out)
    return finder.found


def _is_int(x: Any) -> bool:
    return type(x) is int


@dataclass(frozen=True, slots=True)
class _Store:
    op: Op
    offset: int  # it stores at `index + offset` along the axis that tells


class _Finder:
    """`low` is the smallest index; `upwards` the way that the loop goes."""

    def __init__(self, stmt: For, low: int) -> None:
        self.stmt = stmt
        self.low = low
        self.upwards = (stmt.step > 0) is not stmt.reverse
        self.local: dict[Value, Stmt | None] = defined_in(stmt.body)
        self.found: dict[Value, Op] = {}

    def array(self, param: Value, result: Any, out: Value) -> None:
        """Find what lasts of one carried array, if the body makes it by stores alone."""
        ops: list[Op] = []
        value = result
        while value is not param:
            op = self.local.get(value) if isinstance(value, Value) else None
            if not isinstance(op, Op) or op.fn not in _STORES or not is_basic_index(op.args[1]):
                return
            ops.append(op)
            value = op.args[0]
        ops.reverse()
        for axis in range(min((len(_parts(op.args[1])) for op in ops), default=0)):
            offsets = [self.entry(op.args[1], axis) for op in ops]
            if all(offset is not None for offset in offsets):
                stores = [
                    _Store(op, c) for op, c in zip(ops, offsets, strict=True) if c is not None
                ]
                self.along(axis, [param, *(op.out for op in ops)], stores, out)
                return

    def along(self, axis: int, versions: list[Value], stores: list[_Store], out: Value) -> None:
        for stmt in self.stmt.body.body:
            if not isinstance(stmt, Op) or stmt.fn is not operator.getitem:
                continue
            array, index = stmt.args
            if array in versions and array.type == out.type and is_basic_index(index):
                nearest = self.nearest(index, axis)
                if nearest is not None and self.lasts(nearest, versions.index(array), stores):
                    self.note(stmt.out, out, stmt)
        for done, store in enumerate(stores, 1):
            value = store.op.args[2]
            made = self.local.get(value) if isinstance(value, Value) else None
            is_made = isinstance(made, Op) and made.fn is not operator.getitem
            is_stored = is_made and store.op.fn is runtime.index_update
            is_whole = is_stored and _is_entry(value, out, store.op.args[1])
            if is_whole and self.lasts(store.offset, done, stores):
                self.note(value, out, store.op)

    def note(self, value: Value, out: Value, op: Op) -> None:
        """Enter the entry that `op` reads or stores."""
        read = (out, op.args[1])
        self.found[value] = Op(operator.getitem, read, {}, (value,), op.loc)

    def lasts(self, nearest: int, done: int, stores: list[_Store]) -> bool:
        """Whether no store follows to entries up to `nearest`, after `done` stores of a turn."""
        for k, store in enumerate(stores):
            ahead = store.offset - nearest if self.upwards else nearest - store.offset
            if ahead < (0 if k < done else 1):
                return False
        return True

    def nearest(self, index: Any, axis: int) -> int | None:
        """The entry read that the stores come to last, less the loop's index."""
        parts = _parts(index)
        if axis >= len(parts) or not _is_plain(parts[:axis]):
            return None
        part = parts[axis]
        if not isinstance(part, slice):
            return self.offset(part)
        if part.step not in (None, 1):
            return None
        if self.upwards:
            stop = self.offset(part.stop)
            return None if stop is None else stop - 1
        return self.offset(part.start)

    def entry(self, index: Any, axis: int) -> int | None:
        """Where a store writes along `axis`, less the loop's index."""
        parts = _parts(index)
        return self.offset(parts[axis]) if _is_plain(parts[:axis]) else None

    def offset(self, x: Any) -> int | None:
        """The constant c where `x` is the loop's index + c and never negative."""
        c: int | None = None
        if x is self.stmt.index:
            c = 0
        op = self.local.get(x) if isinstance(x, Value) else None
        if isinstance(op, Op) and op.fn in (operator.add, operator.sub) and len(op.args) == 2:
            a, b = op.args
            if a is self.stmt.index and _is_int(b):
                c = b if op.fn is operator.add else -b
            elif b is self.stmt.index and _is_int(a) and op.fn is operator.add:
                c = a
        return c if c is not None and self.low + c >= 0 else None


def _is_entry(value: Value, out: Value, index: Any) -> bool:
    """Whether `value` is stored at `index` of `out` as it is, neither broadcast nor cast."""
    try:
        return bool(infer(operator.getitem, (out, index), {}) == value.type)
    except SrcadError:
        return False


def _parts(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _is_plain(parts: tuple[Any, ...]) -> bool:
    """Whether each part takes one axis of the array."""
    return not any(part is None or part is Ellipsis for part in parts)
