"""Branches: what both sides yield.

y = index_set(x, 0, a) if c else x         if c:
                                               x[0] = a
z = x + 1 if c else x                      if c: z[i] = x[i] + 1
                                           else: z[i] = x[i]

What a loop in a branch saves is read by the same branch of the reverse sweep alone: its tape is
allocated around both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir import UNDEFINED, ArrayType, Block, If, NumberType, SeqType, Value
from srcad.ir.affine import Affine
from srcad.ir.types import Extent, TupleType, dtype_of, shape_of
from srcad.ir.walk import inputs
from srcad.native.scalarize.arrays import Array, Entries, Extents, Index, View
from srcad.native.scalarize.flat_memory import Turns, Uneven
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.scalars.choice import select
from srcad.native.scalarize.scalars.declared_types import declared
from srcad.native.scalarize.scalars.scalar_ops import is_number_type
from srcad.native.scalarize.tapes import Plan
from srcad.native.scalarize.tapes_read import Tape
from srcad.native.scalarize.written_arrays import root_of, written_in
from srcad.rules.core.staged import type_of


def branch(s: Lowering, stmt: If) -> None:
    """Two blocks; an array that both yield is one that both write, or gets memory."""
    if not stmt.is_branch:
        raise Unsuited("a `try` or `with`")
    code = s.code
    s.read(inputs(stmt))
    cond = s.number(stmt.cond)
    used = [k for k, out in enumerate(stmt.outs) if s.uses[out]]
    tapes: dict[int, Plan] = {}
    own: dict[int, Plan] = {}  # no part of what a loop or a branch around this one writes
    for k in used:
        out = stmt.outs[k]
        if isinstance(out.type, SeqType) and out in s.plans:
            tapes[k] = s.plans.pop(out)
            tapes[k].is_shared = True
        elif isinstance(out.type, SeqType):
            tapes[k] = own[k] = Plan(out.name or "tape", level=len(code.frames) - 1, is_shared=True)
    arrays = [k for k in used if k not in tapes and _is_array(stmt.outs[k])]
    s.settle(written_in(stmt))
    targets: dict[int, View] = {}
    turns = {k: _turns(s, stmt.outs[k]) for k in arrays if stmt.outs[k] in s.turning}
    uneven: dict[int, list[View]] = {
        k: [] for k in arrays if _are_uneven(stmt, k) and k not in turns
    }
    numbers = [k for k in used if k not in arrays and k not in tapes]
    made: list[Block] = []
    for side in (stmt.then, stmt.orelse):
        with code.block() as frame:
            saved = {side.results[k]: plan for k, plan in tapes.items()}
            saved.pop(UNDEFINED, None)
            _save(s, side, saved)
            s.read(side.results)
            held = uneven.keys() | turns.keys()
            yielded = {k: side.results[k] for k in arrays if k not in held}
            _yield_arrays(s, stmt, targets, yielded)
            for k, views in uneven.items():
                views.append(_kept_outside(s, s.array(side.results[k]), stmt.outs[k]))
            results = [r for k in numbers for r in _numbers(s, side.results[k], stmt.outs[k])]
            for k, each in turns.items():
                results += _moved(s, each, side.results[k], stmt.outs[k])
        made.append(Block([], frame.body, results))
    if any(k not in targets and k not in held for k in arrays):
        raise Unsuited("an array that is bound nowhere")
    reps: dict[int, Any] = dict(targets)
    outs: list[Value] = []
    for k in numbers:
        values, reps[k] = _new_numbers(code, stmt.outs[k])
        outs += values
    lengths = {k: s.code.new_extents(len(shape_of(stmt.outs[k].type) or ())) for k in turns}
    outs += [n for each in lengths.values() for n in each]
    then, orelse = made
    code.add(If(cond, then, orelse, tuple(outs), stmt.loc))
    reps |= {k: _chosen(s, cond, *views) for k, views in uneven.items()}
    for k, each in turns.items():
        each.turn(s)
        reps[k] = each.now(s, tuple(map(Affine.of, lengths[k])))
    for k, plan in own.items():
        plan.close(s)
        reps[k] = Tape(plan)
    for k, rep in reps.items():
        s.bind(stmt.outs[k], rep)


def _new_numbers(code: Code, out: Value) -> tuple[list[Value], Any]:
    """The values of a result that is a number or a tuple of integers, and what stands for it."""
    if not isinstance(out.type, TupleType):
        value = code.value(out.name, out.type)
        return [value], value
    values = [code.value(out.name, each) for each in out.type.items]
    return values, tuple(map(Affine.of, values))


def _save(s: Lowering, side: Block, saved: dict[Any, Plan]) -> None:
    """One side, the loops of which write tapes."""
    if not s.plans.keys().isdisjoint(saved):
        raise Unsuited("a value on two tapes")
    s.plans.update(saved)
    s.block(side)
    if not s.plans.keys().isdisjoint(saved):
        raise Unsuited("a sequence that a branch did not make")
    for plan in saved.values():
        plan.length = None  # unknown around the branch


def _numbers(s: Lowering, atom: Any, out: Value) -> list[Any]:
    """A number that a side yields, or the integers of a tuple."""
    if not isinstance(out.type, TupleType):
        return [declared(s, atom, out)]
    if atom is UNDEFINED:
        return [0] * len(out.type.items)
    items = s.rep(atom) if isinstance(atom, Value) else atom
    return [s.code.whole(s.whole_of(item)) for item in items]


def _is_shape(t: Any) -> bool:
    """Whether a type is that of a tuple of integers."""
    if not isinstance(t, TupleType):
        return False
    return all(isinstance(item, NumberType) and item.kind is int for item in t.items)


def _is_array(value: Value) -> bool:
    t = value.type
    if isinstance(t, ArrayType) and t.shape != ():
        return True
    if not is_number_type(t) and not _is_shape(t):
        raise Unsuited("an object that a branch yields")
    return False


def _are_uneven(stmt: If, k: int) -> bool:
    """Whether both sides yield arrays, of which the program says that the lengths differ."""
    sides = [side.results[k] for side in (stmt.then, stmt.orelse)]
    if UNDEFINED in sides:
        return False
    shapes = [shape_of(type_of(x)) or () for x in sides]
    return len(shapes[0]) == len(shapes[1]) and any(map(_differ, *shapes))


def _may_differ(s: Lowering, a: Extents, b: Extents, stmt: If, k: int) -> bool:
    """Whether extents differ that types leave open."""
    shapes = [shape_of(type_of(side.results[k])) for side in (stmt.then, stmt.orelse)]
    pairs = zip(a, b, strict=True)
    return shapes[0] != shapes[1] and any(s.code.settled(n - m) != Affine() for n, m in pairs)


def _differ(n: Extent, m: Extent) -> bool:
    """Whether two extents surely differ, or one is a number that the other may not be."""
    if isinstance(n, int) or isinstance(m, int):
        return n != m
    return n != m and n.symbol == m.symbol


def _turns(s: Lowering, out: Value) -> Turns:
    """A place for an array whose extents a branch decides."""
    dtype, rank = dtype_of(out.type), len(shape_of(out.type) or ())
    extents = (Affine(),) * rank
    return Turns.of(s, Entries(np.dtype(dtype), extents, lambda code, index: 0.0), out.name)


def _moved(s: Lowering, turns: Turns, atom: Any, out: Value) -> list[Any]:
    """Write what one side yields; returns its extents."""
    if atom is UNDEFINED:
        return [0] * len(shape_of(out.type) or ())
    array = s.array(atom)
    if array.dtype != turns.dtype:
        raise Unsuited("arrays of several precisions")
    turns.move(s, array)
    return list(map(s.code.whole, array.extents))


def _kept_outside(s: Lowering, array: Array, out: Value) -> View:
    """What one side yields, in memory from before the branch."""
    level = len(s.code.frames) - 2
    if s.code.outermost(*array.extents) > level:
        raise Uneven([out])
    made = s.room_for(array.dtype, array.extents, within=level)
    s.fill(made, array)
    return made


def _chosen(s: Lowering, cond: Any, a: View, b: View) -> Array:
    """The array of one side, which is as long as that says."""
    if a.dtype != b.dtype:
        raise Unsuited("arrays of several precisions")
    extents = tuple(_longest(s.code, cond, n, m) for n, m in zip(a.extents, b.extents, strict=True))

    def entry(code: Code, index: Index) -> Any:
        sides, found = [], []
        for view in (a, b):
            with code.block() as frame:
                found.append(view.entry(code, index))
            sides.append(Block([], frame.body, found[-1:]))
        out = code.value("", scalar(a.dtype))
        code.add(If(cond, sides[0], sides[1], (out,)))
        return out

    return Entries(a.dtype, extents, entry)


def _longest(code: Code, cond: Any, n: Affine, m: Affine) -> Affine:
    """One of two extents; what has room for it has room for both."""
    n, m = code.settled(n), code.settled(m)
    if n == m:
        return n
    gap = (n - m).number
    most = code.derived(max, (n, m), None) if gap is None else n if gap > 0 else m
    length = select(code, cond, code.whole(n), code.whole(m), INT)
    code.limits[length] = (Affine(), most)
    code.naturals.add(length)
    return Affine.of(length)


def _yield_arrays(s: Lowering, stmt: If, targets: dict[int, View], yielded: dict[int, Any]) -> None:
    """What a branch yields, where both have it: as it lies if both only write it in place, else in
    memory of the result's own.
    """
    for k, atom in yielded.items():
        if atom is UNDEFINED:
            continue
        array = s.array(atom)
        sides = [(side.results[k], side) for side in (stmt.then, stmt.orelse)]
        roots = [root_of(value, side) for value, side in sides]
        if roots[0] is roots[1] and isinstance(array, View) and targets.get(k, array) == array:
            targets[k] = array
            continue
        if k not in targets:
            level = len(s.code.frames) - 2
            if s.code.outermost(*array.extents) > level:
                raise Uneven([stmt.outs[k]])
            targets[k] = s.room_for(array.dtype, array.extents, stmt.outs[k].name, level)
        if targets[k].dtype != array.dtype:
            raise Unsuited("arrays of several precisions")
        if len(targets[k].extents) != len(array.extents):
            raise Unsuited("arrays with several numbers of axes")
        if _may_differ(s, targets[k].extents, array.extents, stmt, k):
            raise Uneven([stmt.outs[k]])
        s.code.equal_all(targets[k].extents, array.extents)
        s.fill(targets[k], array)
