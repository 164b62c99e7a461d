"""Staged values: proxies on which a rule body, plain NumPy, becomes IR instead of numbers.

    >>> builder = Builder()
    >>> x = builder.wrap(Value("x", ArrayType(np.dtype(float), (Dim("x0"),))))
    >>> y = np.tanh(x)                       # appends an Op to builder.body
    >>> print(1 - y * y)                     # and two more
    Staged(<_: f64[x0]>)

The same body runs on arrays when a test calls it. Facts known while compiling (`ndim`, `dtype`,
known extents) are plain Python there, so a body may branch on them; branching on a run-time value
is an error.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import Location, SrcadError, error
from srcad.ir.nodes import Atom, Value
from srcad.ir.types import (
    ArrayType,
    NumberType,
    TupleType,
    Type,
    dtype_of,
    rank_of,
    shape_of,
)
from srcad.ir.walk import map_tree, map_values, values_in
from srcad.rules.core.array_arguments import as_list, with_arrays
from srcad.rules.core.emitter import Emitter
from srcad.rules.core.facts import UncoveredError, type_of_constant
from srcad.rules.core.operators import OPERATORS
from srcad.rules.core.table import Rule, name_of, rule_for
from srcad.rules.core.zero import ZERO


class Builder(Emitter):
    """Appends operations to `body`, those too that calls on staged values stand for."""

    def nested(self, loc: Location | None = None) -> Builder:
        """The builder of a block inside of this one's."""
        inner = Builder([], loc)
        inner.made = self.made.new_child()
        inner.marks, inner.primal = self.marks, self.primal
        return inner

    def wrap(self, tree: Any) -> Any:
        """`tree` with each `Value` as a `Staged` proxy."""
        return map_values(lambda value: Staged(value, self), tree)

    def call(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        """Emit `fn(*args, **kwargs)`; arguments may be staged. Returns staged result(s)."""
        args, kwargs = unwrap(args), unwrap(kwargs)
        rule = rule_for(fn, kwargs)
        if rule is not None and rule.kind == "composed":
            return self.expand(rule, args, kwargs)
        if rule is not None:
            args, kwargs = rule.bind(args, kwargs)
        return self.wrap(self.emit(fn, args, kwargs))

    def expand(self, rule: Rule, args: Any, kwargs: Any) -> Any:
        """What the body of a composed function makes of atoms or staged values."""
        assert rule.body is not None
        what = f"`{name_of(rule.fn)}`"
        args, kwargs = rule.bind(*with_arrays(self.emit, rule.fn, args, kwargs))
        around = self.loc
        if around is not None and not around.operation:
            self.loc = around.at_part(name_of(rule.fn), "step")
        try:
            result = rule.body(*self.wrap(args), **self.wrap(kwargs))
            if self.loc is not around:
                self._mark_results(result)
            return result
        except SrcadError as refusal:
            if what not in refusal.title:
                refusal.notes = (*refusal.notes, f"in what {what} is made of")
            raise
        except UncoveredError as use:
            note = f"there is no rule for {use}"
            raise error("E203", None, what=what, notes=(note,)) from None
        except (TypeError, ValueError) as reason:
            raise error("E132", None, what=f"{what} ({reason})") from reason
        finally:
            self.loc = around

    def _mark_results(self, result: Any) -> None:
        """Say at the operations that make the result that they are no steps on the way."""
        for value in values_in(unwrap(result)):
            made = self.made.get(value)
            if made is not None and made.loc is not None and made.loc is self.loc:
                made.loc = made.loc.at_part(made.loc.operation, "")


def unwrap(tree: Any) -> Any:
    """`tree` with each `Staged` proxy as its atom."""
    return map_tree(lambda a: a.value if isinstance(a, Staged) else a, tree)


def find_builder(tree: Any) -> Builder | None:
    """The builder of the first staged value in an argument tree."""
    found: list[Builder] = []
    map_tree(lambda a: found.append(a.builder) if isinstance(a, Staged) else None, tree)
    return found[0] if found else None


def call(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """`fn(*args, **kwargs)` on arrays, an op on staged values: for what NumPy does not dispatch.

    Args:
        fn: a function with a rule.
        args, kwargs: of the call.

    Returns:
        Its result: an array, or a staged value while a program is made.
    """
    builder = find_builder((args, kwargs))
    return fn(*args, **kwargs) if builder is None else builder.call(fn, *args, **kwargs)


class Staged(np.lib.mixins.NDArrayOperatorsMixin):
    """A value in a rule body; NumPy functions and operators on it append operations.

    Of a constant, a cotangent that is the seed say, this makes a value that is known.
    """

    __slots__ = ("builder", "value")

    def __init__(self, value: Atom, builder: Builder) -> None:
        self.value = value
        self.builder = builder

    def __repr__(self) -> str:
        return f"Staged({self.value!r})"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        if any(a is ZERO for a in args):
            return NotImplemented  # the zero knows what it absorbs
        fn = OPERATORS.get(ufunc, ufunc) if method == "__call__" else getattr(ufunc, method)
        return self.builder.call(fn, *args, **kwargs)

    def __array_function__(self, fn: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.builder.call(fn, *args, **kwargs)

    def __getitem__(self, index: Any) -> Any:
        return self.builder.call(operator.getitem, self, index)

    def __bool__(self) -> bool:
        raise error("E606", None, what="a rule that branches on a run-time value")

    def __float__(self) -> float:
        raise error("E606", None, what="a rule that makes a number of a run-time value")

    __int__ = __complex__ = __float__

    def __setitem__(self, index: Any, value: Any) -> None:
        raise error("E606", None, what="a rule that writes into a run-time value")

    def __iter__(self) -> Any:
        if isinstance(self.type, TupleType):
            return (self[i] for i in range(len(self.type.items)))
        raise error("E606", None, what="a rule that iterates over a run-time value")

    @property
    def type(self) -> Type:
        """The static type."""
        return self.value.type if isinstance(self.value, Value) else type_of_constant(self.value)

    @property
    def ndim(self) -> int:
        """The number of axes; E123 where it is not known while compiling."""
        rank = rank_of(self.type)
        if rank is None:
            raise error(
                "E123",
                None,
                what=f"the number of axes of `{getattr(self.value, 'name', '') or 'an array'}`",
            )
        return rank

    @property
    def dtype(self) -> np.dtype:
        """The dtype; that which NumPy gives a Python number."""
        dtype = dtype_of(self.type)
        assert dtype is not None, self.type
        return dtype

    @property
    def shape(self) -> Any:
        """A tuple of ints where all extents are known, else a staged tuple (len and items work)."""
        shape = shape_of(self.type)
        if shape is not None and all(isinstance(e, int) for e in shape):
            return shape
        return self.builder.call(np.shape, self)

    @property
    def size(self) -> Any:
        """The number of entries."""
        return self.builder.call(np.size, self)

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        """The transpose."""
        return self.builder.call(np.transpose, self) if self.ndim >= 2 else self

    def __len__(self) -> int:
        if isinstance(self.type, TupleType):
            return len(self.type.items)
        raise error("E606", None, what="a rule that takes len() of a run-time value")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)  # NumPy asks for protocols
        raise error("E606", None, what=f"a rule that reads `.{name}` of a run-time value")

    def copy(self) -> Any:
        """A copy."""
        return self.builder.call(np.copy, self)

    def astype(self, dtype: Any) -> Any:
        """A cast, as the method of arrays."""
        new = np.dtype(dtype)
        of_scalar = isinstance(self.type, ArrayType) and self.type.scalar and new.kind in "fc"
        if of_scalar or isinstance(self.type, NumberType):
            return self.builder.call(new.type, self)  # it may be a Python number on some paths
        return self.builder.call(np.astype, self, new)

    def reshape(self, *shape: Any) -> Any:
        """As the method of arrays."""
        target = shape[0] if len(shape) == 1 else shape
        return self.builder.call(np.reshape, self, target)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        """As the method of arrays."""
        return np.sum(self, axis=axis, keepdims=keepdims)


def type_of(x: Any) -> Type:
    """The type of anything in a rule body: a staged value, an IR value, an array or a number."""
    if isinstance(x, Staged):
        return x.type
    return x.type if isinstance(x, Value) else type_of_constant(x)


def as_array(x: Any) -> Any:
    """`x`, staged or an array or a number as it is; a list or tuple as the array of it.

    One with values of the IR in it stays: emitting makes its array.
    """
    if not isinstance(x, list | tuple) or values_in(x):
        return x
    builder = find_builder(x)
    return np.asarray(x) if builder is None else builder.call(np.array, as_list(x))


def rank_or_none(x: Any) -> int | None:
    """The number of axes, None where it is not known while compiling."""
    return rank_of(x.type) if isinstance(x, Staged) else np.ndim(x)


def shape_of_value(x: Any) -> Any:
    """The shape of an array, number or staged value: ints where they are known."""
    return x.shape if isinstance(x, Staged) else np.shape(x)


def is_number(x: Any) -> bool:
    """Whether `x` is a Python number (a weak scalar), at compile time or at run time."""
    return isinstance(type_of(x), NumberType)


def is_complex(x: Any) -> bool:
    """Whether `x` has a complex dtype."""
    dtype = dtype_of(type_of(x))
    return dtype is not None and dtype.kind == "c"


def is_scalar(x: Any) -> bool:
    """Whether `x` has rank 0: a Python number, a NumPy scalar or a 0-d array."""
    return rank_of(type_of(x)) == 0


__all__ = [
    "ArrayType",
    "Builder",
    "Staged",
    "call",
    "find_builder",
    "is_number",
    "is_scalar",
    "type_of",
    "unwrap",
]
