"""Constants of a program that is lowered: what must be known while compiling.

np.sum(x, axis=k)       k, an int argument: the program is specialised to its value
for i in range(3):      i, where the body needs it as a constant: the loop is unrolled
    y = layers[i](y)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.containers.containers import ListObj, SetObj
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.objects import Abstract, Either, Instance, Ref, describe, is_static
from srcad.frontend.abstract.signals import NeedStatic, Unroll
from srcad.frontend.expressions.evaluation import evaluated
from srcad.frontend.extents.guarded_ints import COMPARED, holds, is_less
from srcad.frontend.memory.memory import Memory
from srcad.frontend.reading.capture import Inputs
from srcad.frontend.reading.input_extents import MAX_STATIC_EXTENT
from srcad.ir.nodes import Op, Value
from srcad.ir.types import Dim, NumberType, dtype_of
from srcad.ir.walk import values_in
from srcad.rules.core.declaration.registration import of_users

_FEW = 32  # operations


class Constants:
    """What a session tells of constants.

    `loop_varying` maps what a loop changes to its token.
    """

    inputs: Inputs
    memory: Memory
    loop_varying: dict[Value, object]

    def static(self, x: Abstract, what: str) -> Any:
        """The constant that `x` is; asks for specialisation to int inputs and extents,
        and to captured floats.
        """
        if isinstance(x, Either):
            raise error("E123", None, what=what)
        values = values_of(x)
        if not values:
            return self.raw(x)
        sources = {source for v in values for source in self.sources(v)}
        if not sources:
            return self.raw(evaluated(x, self.memory))
        for source in sources:
            if source in self.loop_varying:
                raise Unroll(self.loop_varying[source])
        paths = {self._static_path(source) or self.captured(source) for source in sources}
        if None in paths:
            raise self._refusal(what, sources)
        raise NeedStatic(frozenset(p for p in paths if p is not None))

    def _refusal(self, what: str, sources: set[Value]) -> SrcadError:
        """The error for what cannot be a constant."""
        extents = [s.type.extent for s in sources if isinstance(s.type, NumberType)]
        if any(isinstance(e, Dim) and e.symbol in self.inputs.extents.values() for e in extents):
            fix = (
                "work on the whole array, or sum in a loop; programs are specialised to lengths "
                f"of up to {MAX_STATIC_EXTENT}"
            )
            return error("E123", None, what=what, fix=fix)
        return error("E123", None, what=what)

    def _static_path(self, source: Value) -> str | None:
        """The path that must be constant for `source` to be one."""
        if not is_int(source):
            return None
        return self.inputs.paths.get(source) or self._extent_path(source)

    def captured(self, source: Value) -> str | None:
        """The path of a float that is no argument: a default, say, of which an int is made."""
        path = self.inputs.paths.get(source)
        if path is None or path.startswith("A[") or source.type != NumberType(float):
            return None
        return None if math.isnan(self.inputs.samples[path]) else path

    def _extent_path(self, value: Value) -> str | None:
        """The path of the input's extent that `value` is, less a constant."""
        extent = value.type.extent if isinstance(value.type, NumberType) else None
        return self.inputs.extent_path(extent)

    def is_less(self, a: Abstract, b: Abstract) -> bool | None:
        """Whether `a < b` in this call, which becomes a guard; None where arguments do not say."""
        return is_less(self.inputs, self.memory.producers, a, b)

    def holds(self, fn: Any, a: Abstract, b: Abstract) -> bool | None:
        """Whether a comparison of constants and arguments holds in this call, which becomes a
        guard; None where they do not say.
        """
        if fn not in COMPARED:
            return None
        return holds(self.inputs, self.memory.producers, fn, a, b)

    def varies_in_loop(self, x: Abstract) -> bool:
        """Whether a number is another one in each iteration of a loop that is lowered."""
        return isinstance(x, Value) and any(s in self.loop_varying for s in self.sources(x))

    def can_be_static(self, x: Value) -> bool:
        """Whether `x` is a constant once int inputs, extents and loops' indices are."""
        found = self.sources(x)
        return all(s in self.loop_varying or self._static_path(s) is not None for s in found)

    def raw(self, x: Abstract) -> Any:
        """A constant abstract value as the Python object it stands for."""
        if isinstance(x, Ref):
            if x.path:  # of others of its class it is not known
                self.inputs.guard(x.path, "is", x.obj)
            if isinstance(x, Instance):
                self.inputs.keys[id(x.obj)] = x
            return x.obj
        if isinstance(x, tuple):
            return tuple(map(self.raw, x))
        if isinstance(x, ListObj):
            return [self.raw(item) for item in x.items]
        if isinstance(x, SetObj):
            return set(x.items)
        if not is_static(x) and not isinstance(x, slice):
            raise error("E123", None, what=describe(x))
        return x

    def known_truth(self, x: Value) -> bool | None:
        """`bool(x)` where few operations make `x` of constants alone, real numbers.

        np.all(np.array([1, 2]) <= 2)     True
        """
        for count, (value, op) in enumerate(self._behind(x)):
            dtype = dtype_of(value.type)
            if op is None or op.fn in of_users or count == _FEW:
                return None
            if dtype is None or dtype.kind not in "biuf":
                return None
        try:
            return bool(evaluated(x, self.memory, warns=False))
        except SrcadError:
            return None

    def sources(self, value: Value) -> set[Value]:
        """The inputs, extents, indices and other unexplained values that `value` comes from."""
        return {source for source, op in self._behind(value) if op is None}

    def _behind(self, value: Value) -> Iterator[tuple[Value, Op | None]]:
        """A value and those that it is computed from, each once with the operation that makes it;
        None for an operation where there is no other behind: inputs, their extents, effects.
        """
        rest, seen = [value], {value}
        while rest:
            value = rest.pop()
            op = self.memory.producers.get(value)
            if op is None or op.effect or self._extent_path(value):
                yield value, None
                continue
            yield value, op
            new = {*values_in((op.args, op.kwargs))} - seen
            seen |= new
            rest += new


def is_int(value: Value) -> bool:
    """Whether a value is an int or a bool of Python."""
    return isinstance(value.type, NumberType) and value.type.kind in (int, bool)


__all__ = ["Constants", "is_int"]
