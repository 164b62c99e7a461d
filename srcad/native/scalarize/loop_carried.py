"""What loops carry from turn to turn.

    for i in range(n) carrying x: x_2 = tanh(w @ x)        for i in range(n):
                                                               t = w @ x, in memory of its own
                                                               x[j] = np.tanh(t[j])

Numbers are carried as they were. An array that is written in place is carried by being there; one
that each turn makes anew has memory, which the new one is moved to at the end of the turn.
"""

from __future__ import annotations

from typing import Any

from srcad.ir import ArrayType, Block, For, Value, While
from srcad.ir.affine import Affine
from srcad.ir.types import dtype_of
from srcad.native.helpers import check_size
from srcad.native.scalarize.arrays import Array, View
from srcad.native.scalarize.loop_builder import INT, Unsuited
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.scalars.declared_types import declared, is_int
from srcad.native.scalarize.scalars.scalar_ops import is_number_type
from srcad.native.scalarize.written_arrays import root_of


class Carried:
    """The carried values of a loop: numbers by new values, arrays by their memory."""

    def __init__(
        self,
        s: Lowering,
        params: list[Value],
        init: list[Any],
        body: Block,
        like: Carried | None = None,
    ) -> None:
        self.s, self.params = s, params
        self.init: list[Any] = []
        self.views: dict[int, View] = dict(like.views) if like else {}
        self.ends: dict[int, Value] = {}
        results = body.results
        for k, (param, atom) in enumerate(zip(params, init, strict=True)):
            if not is_number_type(param.type):
                raise Unsuited("an object that a loop carries")
            if isinstance(param.type, ArrayType) and param.type.shape != ():
                if like is None:
                    self.views[k] = self._memory(param, atom, results[k], body)
            else:
                self.init.append(declared(s, atom, param))

    def _memory(self, param: Value, atom: Any, result: Any, body: Block) -> View:
        s = self.s
        array = s.array(atom)
        if array.dtype != dtype_of(param.type):
            raise Unsuited("an array of several types")
        if root_of(result, body) is param and isinstance(array, View):
            return array
        return s.materialised(array, param.name)

    def enter(self) -> list[Value]:
        """Bind the parameters; returns those that stay parameters."""
        s = self.s
        made = []
        for k, param in enumerate(self.params):
            s.born[param] = len(s.code.frames) - 1
            if k in self.views:
                s.reps[param] = self.views[k]
                continue
            value = s.code.value(param.name, param.type)
            made.append(value)
            s.reps[param] = Affine.of(value) if param.type == INT or is_int(param) else value
        return made

    def leave(self, results: list[Any]) -> list[Any]:
        """Move the arrays to where they are carried; returns the numbers."""
        s = self.s
        s.read(results)
        moves = [(self.views[k], results[k]) for k in self.views]
        moves = [(view, s.array(atom)) for view, atom in moves]
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
            s.code.equal_all(view.extents, array.extents)
            s.before_writing(view.memory)
            s.fill(view, array)
        return [self._number(k, atom) for k, atom in enumerate(results) if k not in self.views]

    def _number(self, k: int, atom: Any) -> Any:
        param = self.params[k]
        number = declared(self.s, atom, param)
        if is_int(param) and not self._is_counter(k, atom):
            self.s.code.effect(check_size, number)
        return number

    def _is_counter(self, k: int, atom: Any) -> bool:
        """Whether an integer grows by the same each turn, or is one of the program's."""
        s = self.s
        place, after = s.reps[self.params[k]], s.rep(atom)
        if isinstance(place, Affine) and isinstance(after, Affine):
            level = s.code.depth(place)
            steps = after - place
            return s.code.depth(steps) < level or s.code.depth(after) < level
        return not isinstance(atom, Value)

    def outs(self, stmt: For | While) -> list[Value]:
        """The values of the results."""
        for k, out in enumerate(stmt.outs):
            if k not in self.views:
                self.ends[k] = self.s.code.value(out.name, out.type)
        return list(self.ends.values())

    def bind(self, stmt: For | While) -> None:
        """Bind the results, after the loop."""
        s = self.s
        for k, out in enumerate(stmt.outs):
            s.born[out] = len(s.code.frames) - 1
            if k in self.views:
                s.reps[out] = self.views[k]
            else:
                s.bind(out, self.ends[k])


def _touches(s: Lowering, array: Array, view: View) -> bool:
    """Whether an array reads the memory of a view anywhere."""
    index = tuple(Affine.of(Value("k", INT)) for _ in array.extents)
    return any(m is view.memory.value for m, _ in s.accesses(array, index))
