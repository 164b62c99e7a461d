"""What loops carry from one iteration to the next.

    for i in range(n) carrying x: x_2 = tanh(w @ x)        for i in range(n):
                                                               t = w @ x, in memory of its own
                                                               x[j] = np.tanh(t[j])

    for i in range(n) carrying v: v_2 = v[1:] + v[:-1]     v has n entries fewer after the loop

Numbers are carried as they were. An array that is written in place is carried by being there; one
that each iteration makes anew has memory, which the new one is moved to at the end of the
iteration.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir import UNDEFINED, ArrayType, Block, For, Op, Value, While
from srcad.ir.affine import Affine
from srcad.ir.kinds import is_python_int
from srcad.ir.types import Dim, dtype_of, shape_of
from srcad.native.helpers import check_size
from srcad.native.scalarize.arrays import Array, Entries, Extents, View
from srcad.native.scalarize.flat_memory import Turns, Uneven
from srcad.native.scalarize.loop_builder import INT, Unsuited
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.scalars.declared_types import declared
from srcad.native.scalarize.scalars.scalar_ops import is_number_type
from srcad.native.scalarize.written_arrays import root_of
from srcad.ops import row_of
from srcad.rules.core.staged import type_of


class Carried:
    """The carried values of a loop: numbers by new values, arrays by their memory."""

    def __init__(
        self,
        s: Lowering,
        params: list[Value],
        init: list[Any],
        body: Block,
        like: Carried | None = None,
        count: Affine | None = None,
    ) -> None:
        self.s, self.params = s, params
        self.init: list[Any] = []
        self.views: dict[int, View] = dict(like.views) if like else {}
        self.ends: dict[int, Value] = {}
        self.last: dict[int, tuple[list[Value], Extents]] = {}
        # By how much the extents change in each iteration, of `count`; None if that is not known.
        self.steps: dict[int, tuple[int, ...]] = {}
        # Those whose extents the iterations tell: these are carried as well, where not None.
        self.turns: dict[int, Turns] = dict(like.turns) if like else {}
        self.fixed: dict[int, tuple[Affine | None, ...]] = dict(like.fixed) if like else {}
        lengths: list[Any] = []
        self.count = count
        results = body.results
        for k, (param, atom) in enumerate(zip(params, init, strict=True)):
            if not is_number_type(param.type):
                raise Unsuited("an object that a loop carries")
            if isinstance(param.type, ArrayType) and param.type.shape != ():
                if like is None:
                    steps = () if count is None else _steps(param, results[k])
                    is_even = any(steps) and param not in s.turning
                    may_change = not is_even and _may_change(param, results[k], body)
                    if may_change and not _is_met(param, atom, results[k], body):
                        lengths += self._turning(k, param, atom, results[k])
                    elif is_even:
                        self.steps[k] = steps
                        self.views[k] = self._longest(param, atom, steps)
                    else:
                        self.views[k] = self._memory(param, atom, results[k], body)
                continue
            self.init.append(declared(s, atom, param))
            if is_python_int(param) and isinstance(self.init[-1], Value):
                s.sizes.check_factors(Affine.of(self.init[-1]))
        self.init += lengths

    def _turning(self, k: int, param: Value, atom: Any, result: Any) -> list[Any]:
        """Two places for an array of which each iteration makes one of other extents; returns the
        first extents.
        """
        s = self.s
        shapes = zip(shape_of(param.type) or (), shape_of(result.type) or (), strict=True)
        are_fixed = [n == m for n, m in shapes]
        if atom is UNDEFINED:
            first = tuple(Affine() for _ in are_fixed)
            are_fixed = [False] * len(are_fixed)
            array: Array = Entries(np.dtype(dtype_of(param.type)), first, lambda code, index: 0.0)
        else:
            array = s.array(atom)
            if array.dtype != dtype_of(param.type):
                raise Unsuited("an array of several types")
        self.turns[k] = Turns.of(s, array, param.name)
        extents = array.extents
        self.fixed[k] = tuple(
            n if fixed else None for n, fixed in zip(extents, are_fixed, strict=True)
        )
        return [s.code.whole(n) for n, fixed in zip(extents, are_fixed, strict=True) if not fixed]

    def _lengths(self, k: int) -> tuple[list[Value], Extents]:
        """New values for the extents of an array that has its turn."""
        code = self.s.code
        made, extents = [], []
        for n in self.fixed[k]:
            if n is None:
                made += code.new_extents(1)
                n = Affine.of(made[-1])
            extents.append(n)
        return made, tuple(extents)

    def _memory(self, param: Value, atom: Any, result: Any, body: Block) -> View:
        s = self.s
        if atom is UNDEFINED:
            return s.room_for(*self._shape_of(param), param.name)
        array = s.array(atom)
        if array.dtype != dtype_of(param.type):
            raise Unsuited("an array of several types")
        if root_of(result, body) is param and isinstance(array, View):
            return array
        return s.materialised(array, param.name)

    def _shape_of(self, param: Value) -> tuple[np.dtype, Extents]:
        """The dtype and extents of an array that is bound in the loop, if its type tells them."""
        assert isinstance(param.type, ArrayType)
        found = [
            Affine(n) if isinstance(n, int) else self.s.dims.get(n) for n in param.type.shape or ()
        ]
        if None in found:
            raise Unsuited("an array that is bound in the loop only")
        return param.type.dtype, tuple(n for n in found if n is not None)

    def _longest(self, param: Value, atom: Any, steps: tuple[int, ...]) -> View:
        """Memory that has room for the longest of the arrays; returns the first one."""
        s, array = self.s, self.s.array(atom)
        if self.count is None or array.dtype != dtype_of(param.type):
            raise Unsuited("an array that changes its length in a loop")
        s.code.check_natural(self.count)
        pairs = zip(array.extents, steps, strict=True)
        longest = tuple(n + self.count * max(step, 0) for n, step in pairs)
        first = replace(s.room_for(array.dtype, longest, param.name), extents=array.extents)
        s.fill(first, array)
        return first

    def _after(self, k: int, done: Affine | None) -> View:
        """The array after so many iterations."""
        if k not in self.steps or done is None:
            return self.views[k]
        pairs = zip(self.views[k].extents, self.steps[k], strict=True)
        return replace(self.views[k], extents=tuple(n + done * step for n, step in pairs))

    def enter(self, done: Affine | None = None) -> list[Value]:
        """Bind the parameters, after so many iterations; returns those that stay parameters."""
        s = self.s
        made = []
        lengths: list[Value] = []
        for k, param in enumerate(self.params):
            s.born[param] = len(s.code.frames) - 1
            if k in self.turns:
                own, extents = self._lengths(k)
                lengths += own
                s.reps[param] = self.turns[k].now(s, extents)
                continue
            if k in self.views:
                s.reps[param] = self._after(k, done)
                continue
            value = s.code.value(param.name, param.type)
            made.append(value)
            if is_python_int(param):
                s.sizes.bound(value)
            s.reps[param] = Affine.of(value) if param.type == INT or is_python_int(param) else value
        return made + lengths

    def leave(self, results: list[Any], done: Affine | None = None) -> list[Any]:
        """Move the arrays to where they are carried; returns the numbers."""
        s = self.s
        s.read(results)
        then = None if done is None else done + 1
        moves = [(self._after(k, then), results[k]) for k in self.views]
        moves = [(view, s.array(atom)) for view, atom in moves]
        lengths = self._move(results)
        waiting: list[tuple[View, Array]] = []
        for view, array in moves:
            if isinstance(array, View) and array == view:
                continue
            others = [v for v, a in moves if v is not view and a != v]
            if s.reads_elsewhere(array, view) or any(_touches(s, array, v) for v in others):
                array = s.materialised(array)
            waiting.append((view, array))
        for view, array in waiting:
            if array.dtype != view.dtype:
                raise Unsuited("an array of several types")
            index = s.code.frames[-1].index
            pairs = zip(view.extents, array.extents, strict=True)
            if index is not None and any((n - m).coefficient(index) for n, m in pairs):
                raise Uneven([self.params[k] for k in self.views if self.steps.get(k)])
            s.code.equal_all(view.extents, array.extents)
            s.before_writing(view.memory)
            s.fill(view, array)
        for turns in self.turns.values():
            turns.turn(s)
        held = self.views.keys() | self.turns.keys()
        return [self._number(k, atom) for k, atom in enumerate(results) if k not in held] + lengths

    def _move(self, results: list[Any]) -> list[Any]:
        """Write the arrays that take turns; returns their extents."""
        s, lengths = self.s, []
        for k, turns in self.turns.items():
            array = s.array(results[k])
            if array.dtype != turns.dtype or array.rank != len(self.fixed[k]):
                raise Unsuited("an array of several types")
            if s.is_own(array, results[k]) and results.count(results[k]) == 1:
                turns.give(s, array)
            else:
                turns.move(s, array)
            for n, fixed in zip(array.extents, self.fixed[k], strict=True):
                if fixed is None:
                    lengths.append(s.code.whole(n))
                else:
                    s.code.equal(n, fixed)
        return lengths

    def _number(self, k: int, atom: Any) -> Any:
        param = self.params[k]
        number = declared(self.s, atom, param)
        if is_python_int(param) and not self._is_counter(k, atom):
            self.s.code.effect(check_size, number)
        return number

    def _is_counter(self, k: int, atom: Any) -> bool:
        """Whether an integer grows by the same each iteration, or is one of the program's."""
        s = self.s
        place, after = s.reps[self.params[k]], s.rep(atom)
        if isinstance(place, Affine) and isinstance(after, Affine):
            level = s.code.depth(place)
            ends = (after - place, after)
            return any(s.code.depth(n) < level and s.sizes.is_physical(n) for n in ends)
        return not isinstance(atom, Value)

    def outs(self, stmt: For | While) -> list[Value]:
        """The values of the results."""
        for k, out in enumerate(stmt.outs):
            if k not in self.views and k not in self.turns:
                self.ends[k] = self.s.code.value(out.name, out.type)
                if is_python_int(out):
                    self.s.sizes.bound(self.ends[k])
        self.last = {k: self._lengths(k) for k in self.turns}
        lengths = [n for made, _ in self.last.values() for n in made]
        return [*self.ends.values(), *lengths]

    def bind(self, stmt: For | While) -> None:
        """Bind the results, after the loop."""
        s = self.s
        for k, out in enumerate(stmt.outs):
            s.born[out] = len(s.code.frames) - 1
            if k in self.turns:
                s.reps[out] = self.turns[k].now(s, self.last[k][1])
            elif k in self.views:
                s.reps[out] = self._after(k, self.count)
            else:
                s.bind(out, self.ends[k])


def _touches(s: Lowering, array: Array, view: View) -> bool:
    """Whether an array reads the memory of a view anywhere."""
    index = tuple(Affine.of(Value("k", INT)) for _ in array.extents)
    return any(m is view.memory.value for m, _ in s.accesses(array, index))


def _may_change(param: Value, result: Any, body: Block) -> bool:
    """Whether types leave it open that an array has other extents after an iteration."""
    if root_of(result, body) is param:
        return False  # it is written in place
    before = shape_of(param.type) or ()
    after = shape_of(result.type) if isinstance(result, Value) else None
    return after is not None and len(after) == len(before) and before != after


def _is_met(param: Value, atom: Any, result: Any, body: Block) -> bool:
    """Whether the extents at the start are those after an iteration: these are numbers other than
    1, which an operation on entries broadcasts to extents that are not 1.
    """
    starts, ends = shape_of(type_of(atom)), shape_of(result.type)
    if atom is UNDEFINED or starts is None or ends is None:
        return False
    are_told = (
        isinstance(m, int) and m != 1 and (n == m or (isinstance(n, Dim) and n.never_one))
        for n, m in zip(starts, ends, strict=True)
    )
    return all(are_told) and _is_broadcast(result, param, body)


def _is_broadcast(result: Any, param: Value, body: Block) -> bool:
    """Whether an array is broadcast to another one, through operations on entries."""
    made = {out: op for op in body.body if isinstance(op, Op) for out in op.outs}
    rank, rest, seen = len(shape_of(param.type) or ()), [result], set()
    while rest:
        value = rest.pop()
        if value is param:
            return True
        op = made.get(value) if isinstance(value, Value) else None
        if op is None or value in seen or not row_of(op.fn).elementwise or op.kwargs:
            continue
        seen.add(value)
        rest += [x for x in op.args if len(shape_of(type_of(x)) or ()) == rank]
    return False


def _steps(param: Value, result: Any) -> tuple[int, ...]:
    """By how much each extent changes in an iteration, as far as types tell."""
    before = shape_of(param.type) or ()
    after = shape_of(result.type) if isinstance(result, Value) else None
    if after is None or len(after) != len(before):
        return ()
    return tuple(_step(n, m) for n, m in zip(before, after, strict=True))


def _step(before: Any, after: Any) -> int:
    if not isinstance(before, Dim) or not isinstance(after, Dim):
        return 0
    return before.minus - after.minus if before.symbol == after.symbol else 0
