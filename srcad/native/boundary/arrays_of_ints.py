"""Arrays of ints and NumPy's floats are arrays of floats to compiled code. Where all are ints,
NumPy makes an array of ints, and the call is left to it.

    y = array(rows)          ->      y = array(rows)
                                     ensure(any(y != 0))       of items that may be the int 0
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from srcad import runtime
from srcad.analysis.alias import Aliases
from srcad.ir.definedness import Unbound
from srcad.ir.kinds import holds_truths
from srcad.ir.nodes import UNDEFINED, For, Function, Op, Stmt, Value, While
from srcad.ir.types import SeqType, dtype_of
from srcad.ir.walk import statements, with_blocks
from srcad.native.scalarize.written_arrays import written_in
from srcad.rules.core.infer import infer
from srcad.rules.core.joined_kinds import JoinedKinds, as_dtype, is_choice, joined_kinds
from srcad.runtime.effects import ensure

_MADE = (np.array, np.asarray, runtime.stacked)
_FLOATS = tuple(map(np.dtype, (np.float64, np.float32)))
Ints = Mapping[Value, frozenset[int] | None]


def arrays_of_ints(fn: Function, program: Function, facts: Aliases) -> Ints:
    """The arrays of floats that NumPy makes arrays of ints where all items are, and those of which
    items are added (`listed_ints`); the ints that may be among the items, where these are known.
    A derivative asks for the dtype only where it stores.
    """
    ops = [s for s in statements(fn.body) if isinstance(s, Op)]
    summed = [op for op in ops if op.fn is runtime.item_as_float]
    made = [op.out for op in ops if op.fn in _MADE and _is_list(op.args[0])]
    made = [array for array in made if dtype_of(array.type) in _FLOATS]
    if made and (program.interface is None or not program.interface.is_primal):
        stored = facts.of([x for stmt in fn.body.body for x in written_in(stmt)])
        made = [array for array in made if not stored.isdisjoint(facts.of(array))]
    if not made and not summed:
        return {}
    makers = {out: op for op in ops for out in op.outs}
    added = [makers[op.args[0]].args[0] for op in summed]
    kinds = joined_kinds(fn)
    items = _Items(fn, kinds, makers)
    made = [array for array in made if _may_be_of_ints(kinds, array)]
    found = {array: items.ints_of(array) for array in (*made, *added)}
    return {array: ints for array, ints in found.items() if ints != frozenset()}


def _is_list(x: Any) -> bool:
    return isinstance(x.type, SeqType) if isinstance(x, Value) else isinstance(x, list | tuple)


def _may_be_of_ints(kinds: JoinedKinds, array: Value) -> bool:
    several = kinds.of(array)
    return several is None or not _are_floats(several)


def _are_floats(kinds: frozenset[Any]) -> bool:
    dtypes = map(as_dtype, kinds)
    return all(dtype is not None and dtype.kind == "f" for dtype in dtypes)


class _Items:
    """What stands in lists."""

    def __init__(self, fn: Function, kinds: JoinedKinds, makers: Mapping[Value, Op]) -> None:
        self.kinds, self.makers = kinds, makers
        self.ends: dict[Value, Sequence[Any]] = dict(Unbound(fn).ends)
        for stmt in statements(fn.body):
            if isinstance(stmt, For | While):
                written = zip(stmt.seqs, stmt.written, strict=True)
                self.ends.update({seq: (x,) for seq, x in written})
            elif isinstance(stmt, Op) and is_choice(stmt):
                self.ends[stmt.out] = stmt.args

    def ints_of(self, array: Value) -> frozenset[int] | None:
        """The ints that may be in the list of an array; None where they are not known."""
        op = self.makers.get(array)
        if op is not None and op.fn in _MADE and _is_list(op.args[0]):
            return self.ints(op.args[0])
        if op is not None and op.fn is operator.getitem and holds_truths(op.args[1]):
            return self.ints_of(op.args[0])
        if op is not None and op.fn is np.concatenate and len(op.args) == 1:
            parts = [self.ints_of(x) for x in op.args[0]]
            known = [ints for ints in parts if ints is not None]
            return frozenset().union(*known) if len(known) == len(parts) else None
        return None

    def ints(self, items: Any) -> frozenset[int] | None:
        """The ints that may be in a list; None where they are not known."""
        waiting = list(items) if isinstance(items, list | tuple) else [items]
        seen = {x for x in waiting if isinstance(x, Value)}
        found: set[int] = set()
        for x in waiting:
            if isinstance(x, Value) and x in self.ends:
                ends = [end for end in self.ends[x] if end is not UNDEFINED]
                waiting += [end for end in ends if not isinstance(end, Value) or end not in seen]
                seen.update(end for end in ends if isinstance(end, Value))
            elif isinstance(x, int):
                found.add(x)
            elif not isinstance(x, float) and self.may_be_int(x):
                return None
        return frozenset(found)

    def may_be_int(self, x: Any) -> bool:
        """Whether what was computed may be an int of Python's."""
        kinds = self.kinds.of(x)
        return kinds is None or not _are_floats(kinds)


def checked_arrays(run: Sequence[Stmt], arrays: Ints) -> Sequence[Stmt]:
    """The statements with checks that leave to NumPy where one of these arrays is of ints."""
    return [made for stmt in run for made in _checked(stmt, arrays)] if arrays else run


def _checked(stmt: Stmt, arrays: Ints) -> list[Stmt]:
    if not isinstance(stmt, Op):
        return [with_blocks(stmt, lambda x: replace(x, body=list(checked_arrays(x.body, arrays))))]
    if arrays.keys().isdisjoint(stmt.outs):
        return [stmt]
    made: list[Stmt] = [stmt]

    def emit(fn: Any, *args: Any) -> Value:
        out = Value("", infer(fn, args, {}))
        made.append(Op(fn, args, {}, (out,), stmt.loc))
        return out

    ints = arrays[stmt.out]
    others = sorted(ints) if ints is not None else [emit(np.trunc, stmt.out)]
    differ = [emit(np.not_equal, stmt.out, x) for x in others]
    is_float = reduce(lambda a, b: emit(np.logical_and, a, b), differ)
    made.append(Op(ensure, (emit(np.any, is_float),), {}, (), stmt.loc, effect=True, raises=True))
    return made


__all__ = ["arrays_of_ints", "checked_arrays"]
