"""Number kinds: what a number or array may be in Python where its type says one kind for several.

    k = 0
    if c: k = x[0]              k: float64 in the program, where c is false an int64 when it runs
    y = np.full(3, k)           so is y
    y[0] = 0.5                  refused: the array may be one of ints, which holds 0

Arithmetic gives the same numbers either way; what is stored, and the dtype itself, is not the same.
What an operation makes is known again where its result has one kind for all: `k * x`.

    s = 0.5
    if c: s = x[0]              s: float32 in the program; where c is false a Python float runs
    y = np.full(3, s)           and y is float64 there: its precision is unsure
    z = x * y                   x_bar = (z_bar * y).astype(np.float32)

    y = np.arange(3)
    if c: y = x                 arrays are cast where they meet: y is float64 when it runs
    y[0] / 2 + np.sum(y * x)    the same numbers
    return y[0]                 refused, also by way of a number: it is an int64 in Python

What an array cast from single precision computes in its own dtype would be rounded otherwise, and
what one cast from bools computes may mean something else: both are refused.

Where an array of unsure precision meets one of which the dtype is sure, `runtime.own_dtype` stands
between: it is nothing, but casts the cotangent.

    y = np.array([max(v, 0) for v in x])    NumPy makes it an array of ints where all items are:
    y.dtype                                 refused, all else is right when it runs

    w = np.linalg.eigvals(a)    complex in the program; real in NumPy where all eigenvalues are
    np.abs(w) + w.real**2       the same
    np.sqrt(w)                  refused: nan or 2j, by the dtype
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import SrcadError, error
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, dtype_of
from srcad.ir.walk import map_tree, values_in
from srcad.ops import row_of
from srcad.rules.core.joined_kinds import (
    FLOATS,
    JoinedKinds,
    Kind,
    Kinds,
    as_dtype,
    is_cast,
    is_numpys,
)
from srcad.rules.core.staged import Builder, is_complex, type_of
from srcad.rules.core.table import name_of

_ORDER = "buifc"
_FIX = "pass a complex matrix, `a + 0j`; of a symmetric one use `np.linalg.eigh`"
_POWERS = (operator.pow, np.power)
_FLOAT = np.dtype(float)
_NARROW = frozenset(map(np.dtype, (np.float16, np.float32, np.complex64)))


class NumberKinds(JoinedKinds):
    """The kinds of values in Python, where arrays of several dtypes meet without a cast."""

    def __init__(self) -> None:
        super().__init__()
        # Arrays that were cast where they met, and what is made of them in a dtype of several.
        self._cast: set[Value] = set()
        self._floats: set[Value] = set()  # of these, ints that are floats of Python's when it runs
        # Arrays that are of one of several kinds when it runs, too, as NumPy makes them.
        self.made = JoinedKinds()

    def meet(self, out: Value, ends: Iterable[Any]) -> None:
        """Note the value in which others meet, and whether arrays are cast there."""
        ends = list(ends)
        super().meet(out, ends)
        self.made.meet(out, ends)
        self._hand_on(out, [x for x in ends if x in self._cast or is_cast(x, out)])

    def hand_on(self, out: Value, ends: Iterable[Any]) -> None:
        """Note that a value is cast where one of those is that it may be."""
        self._hand_on(out, [x for x in ends if self.is_cast(x)])

    def _hand_on(self, out: Value, cast: list[Any]) -> None:
        if out in self and cast:
            self._cast.add(out)
            if all(x in self._floats for x in cast):
                self._floats.add(out)

    def carry(self, param: Value) -> None:
        """Note that a loop casts an array of several dtypes to carry it as `param`."""
        if param in self and isinstance(param.type, ArrayType) and not param.type.scalar:
            self._cast.add(param)

    def note(self, op: Op) -> None:
        """Note what an operation makes of values of several kinds.

        Raises:
            UnsupportedSyntax: E129, Python computes other numbers in the dtype that an array has
                on one path.
        """
        super().note(op)
        self.made.note(op)
        if not self._cast:
            return
        cast = [v for v in values_in((op.args, op.kwargs)) if v in self._cast]
        for v in cast:
            self._check_reader(op, v)
        if cast:
            outs = {out for out in op.outs if out in self}
            if all(v in self._floats for v in cast):
                outs = {out for out in outs if not (self.of(out) or {None}) <= FLOATS}
                self._floats |= outs
            self._cast |= outs

    def _check_reader(self, op: Op, v: Value) -> None:
        """Refuse what gives other numbers, or means something else, in another dtype of `v`."""
        kinds = self.of(v)
        dtypes = [dtype for kind in kinds or () if (dtype := as_dtype(kind)) is not None]
        precisions = {_precision(dtype) for dtype in dtypes if dtype.kind in "fc"}
        is_settled = not any(out in self for out in op.outs)
        is_same = True
        if np.dtype(bool) in dtypes:
            is_same = row_of(op.fn).shape_only or (is_settled and row_of(op.fn).counts_bools)
        elif kinds is None or len(precisions) > 1:
            is_same = is_settled or row_of(op.fn).selects
        if not is_same:
            what = f"{_name(v)}, in whose dtype `{name_of(op.fn)}` computes,"
            raise error("E129", None, what=what)

    def cast(self, out: Value, kinds: Kinds, are_floats: bool = False) -> None:
        """Note a number of an array that has numbers of several kinds; `are_floats`: ints are
        floats of Python's in its place.
        """
        self.put(out, [kinds])
        if not self.is_exact(out):
            self._cast.add(out)
            if are_floats:
                self._floats.add(out)

    def convert(self, out: Value, x: Value) -> None:
        """Note an array that is another one in the dtype of its type; NumPy's may be wider."""
        self.put(out, [self.of(x)])
        if self.is_unsure(out):
            self._cast.add(out)

    def is_cast(self, x: object) -> bool:
        """Whether a value is of one kind when it runs where Python has one of several."""
        return isinstance(x, Value) and x in self._cast

    def met(self, x: Any, out: Value) -> Kinds:
        """The kinds that `out` has where it is `x`."""
        return self.of(x)

    def least(self, x: object) -> np.dtype[Any] | None:
        """The least dtype that a value may have; None for what is no number."""
        try:
            own = dtype_of(type_of(x))
        except (SrcadError, TypeError):
            return None
        if own is None or x not in self:
            return own
        kinds = self.of(x)
        dtypes = [np.dtype(bool)] if kinds is None else [d for d in map(as_dtype, kinds) if d]
        return min(dtypes, key=lambda d: (_ORDER.find(_class_of(d)), d.itemsize), default=own)

    def is_known(self, x: object) -> bool:
        """Whether a value has the kind that its type says, if perhaps another precision."""
        least = self.least(x) if x in self else None
        return least is None or _class_of(least) == _class_of(dtype_of(type_of(x)))

    def is_exact(self, x: object) -> bool:
        """Whether a value has the very dtype that its type says, or a Python number has it."""
        return x not in self or self.least(x) == dtype_of(type_of(x))

    def may_be_real(self, x: object) -> bool:
        """Whether a value is complex in the program, but may be real in NumPy."""
        return not self.is_known(x) and is_complex(x)

    def note_real(self, out: Value, argument: Value) -> None:
        """Note a complex result that NumPy makes real where it can be, if `argument` is."""
        least, own = self.least(argument), out.type
        if is_complex(out) and least is not None and least.kind != "c":
            assert isinstance(own, ArrayType)
            real = (np.empty(0, own.dtype).real.dtype, own.scalar)
            self.put(out, [self.of(out), frozenset([real])])

    def check_array_of(self, kinds: object, dtype: np.dtype[Any] | None) -> None:
        """Refuse an array of numbers of several kinds that may not be of `dtype` in NumPy: of
        float32 and Python's floats, if there are any. One of float64 is made by NumPy itself.
        """
        several = kinds if isinstance(kinds, frozenset) else ()
        dtypes = {found for kind in several if (found := as_dtype(kind)) is not None}
        if len(dtypes) > 1 and (np.result_type(*dtypes) != dtype or dtype != _FLOAT):
            what = f"the dtype of an array of Python's numbers and those of {dtype}"
            raise error("E129", None, what=what)

    def note_array_of(self, array: Value, kinds: object) -> None:
        """Note what NumPy makes of a list of numbers of several kinds."""
        if isinstance(kinds, frozenset):
            self.made.put(array, [frozenset((as_dtype(kind), False) for kind in kinds)])

    def has_one_dtype(self, x: Value) -> bool:
        """Whether an array or a number of NumPy's has one dtype whatever data say."""
        if not self.is_exact(x) or self.may_be_weak(x) or self.is_unsure(x):
            return False
        kinds = self.made.of(x)
        return kinds is not None and len(set(map(as_dtype, kinds))) == 1

    def check_kind(self, x: object, what: str) -> None:
        """Refuse what depends on whether NumPy makes a value real (E123), or on the dtype that an
        array has on each path (E129)."""
        if self.is_cast(x):
            raise error("E129", None, what=f"{_name(x)}, {what}")
        if self.may_be_real(x):
            raise error("E123", None, what=f"whether eigenvalues are real, {what}", fix=_FIX)

    def check_leaving(self, x: object) -> None:
        """Refuse an array that leaves the function in a dtype that data decide (E129)."""
        if isinstance(x, Value) and is_array(x) and not self.is_exact(x):
            what = f"`{x.name or 'the result'}`, which leaves the function,"
            raise error("E129", None, what=what)

    def check_domain(self, fn: Any, args: Any) -> None:
        """Refuse functions that give other numbers for real values than for complex ones (E123)."""
        is_entire = row_of(fn).is_entire or (fn in _POWERS and isinstance(args[-1], int))
        if not is_entire and (isinstance(fn, np.ufunc) or fn in _POWERS):
            for x in args:
                self.check_kind(x, f"on which `{fn.__name__}` of them depends,")

    def may_be_weak(self, x: object) -> bool:
        """Whether an array of single precision may be a Python number."""
        return self._is_any(x, lambda kind: not is_numpys(kind))

    def is_unsure(self, x: object) -> bool:
        """Whether an array of single precision may be one of double precision."""
        return self._is_any(x, is_numpys)

    def may_be_no_array(self, x: object) -> bool:
        """Whether a value may be a number where its type says an array."""
        kinds = self.of(x) if x in self else ()
        return kinds is None or not all(is_numpys(kind) and not kind[1] for kind in kinds)

    def _is_any(self, x: object, is_one: Callable[[Kind], bool]) -> bool:
        if not isinstance(x, Value) or x not in self or not _is_narrow(x):
            return False
        own = dtype_of(x.type)
        return any(is_one(kind) and _is_wider(kind, own) for kind in self.of(x) or ())

    def settled(self, fn: Any, arguments: Any, builder: Builder) -> Any:
        """The arguments of a call, those of a sure dtype kept from the cotangents of the others."""
        if not self._found:
            return arguments
        values = [x for x in values_in(arguments) if x in self]
        makes = not row_of(fn).is_operator and any(map(self.may_be_weak, values))
        if not makes and not any(map(self.is_unsure, values)):
            return arguments

        def own(x: Any) -> Any:
            is_one = isinstance(x, Value) and _is_narrow(x)
            is_sure = is_one and not self.may_be_weak(x) and not self.is_unsure(x)
            return builder.emit(runtime.own_dtype, (x,)) if is_sure else x

        return map_tree(own, arguments)


def _name(x: Any) -> str:
    return f"`{x.name}`" if x.name else "a number or array"


def _precision(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of a real part."""
    return np.empty(0, dtype).real.dtype


def _class_of(dtype: np.dtype[Any] | None) -> str:
    return "" if dtype is None else "i" if dtype.kind == "u" else dtype.kind


def _is_narrow(x: Value) -> bool:
    return isinstance(x.type, ArrayType) and dtype_of(x.type) in _NARROW


def _is_wider(kind: Kind, own: Any) -> bool:
    dtype = as_dtype(kind)
    return dtype is not None and dtype.kind in "fc" and not np.can_cast(dtype, own)


__all__ = ["NumberKinds"]
