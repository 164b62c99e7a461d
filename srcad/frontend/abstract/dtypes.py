"""Values of which the kind of number is not known: an int on one path, a float on another.

    k = 0
    if c: k = x[0]              k: float64 in the program, where c is false an int64 when it runs
    y = np.full(3, k)           so is y
    y[0] = 0.5                  refused: the array may be one of ints, which holds 0

Arithmetic gives the same numbers either way; what is stored, and the dtype itself, is not the same.
What an operation makes is known again where its result has one kind for both: `k * x`.

    w = np.linalg.eigvals(a)    complex in the program; real in NumPy where all eigenvalues are
    np.abs(w) + w.real**2       the same
    np.sqrt(w)                  refused: nan or 2j, by the dtype
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, dtype_of
from srcad.ir.walk import map_tree, values_in
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import is_complex, type_of

_ORDER = "buifc"
_FIX = "pass a complex matrix, `a + 0j`; of a symmetric one use `np.linalg.eigh`"
# Ufuncs that give the same numbers for complex ones without an imaginary part as for real ones:
# not those that are defined on a part of the real line, as `np.sqrt`.
_ENTIRE = frozenset(
    (
        *(np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.reciprocal),
        *(np.absolute, np.conjugate, np.square, np.sign, np.matmul, np.vecdot, np.exp, np.exp2),
        *(np.expm1, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.arctan, np.arcsinh),
        *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
        *(np.maximum, np.minimum, np.fmax, np.fmin, np.isnan, np.isfinite, np.isinf),
        *(np.logical_and, np.logical_or, np.logical_not, np.logical_xor),
    )
)
_POWERS = (operator.pow, np.power)
_NUMBERS: dict[str, type] = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


class Dtypes:
    """The least dtype that each value of an unknown kind may have."""

    def __init__(self) -> None:
        self._least: dict[Value, np.dtype[Any]] = {}

    def least(self, x: object) -> np.dtype[Any] | None:
        """The least dtype that a value may have; None for what is no number."""
        if isinstance(x, Value) and x in self._least:
            return self._least[x]
        try:
            return dtype_of(type_of(x))
        except (SrcadError, TypeError):
            return None

    def is_known(self, x: object) -> bool:
        """Whether a value has the kind that its type says, if perhaps another precision."""
        if not isinstance(x, Value) or x not in self._least:
            return True
        own = dtype_of(x.type)
        return own is not None and _class_of(own) == _class_of(self._least[x])

    def is_exact(self, x: object) -> bool:
        """Whether a value has the very dtype that its type says."""
        return not isinstance(x, Value) or x not in self._least

    def meet(self, out: Value, ends: Iterable[np.dtype[Any] | None]) -> None:
        """Note the value in which others meet, of these dtypes at least."""
        found = [d for d in ends if d is not None]
        if found:
            self._put(out, min(found, key=lambda d: (_ORDER.find(_class_of(d)), d.itemsize)))

    def may_be_real(self, x: object) -> bool:
        """Whether a value is complex in the program, but may be real in NumPy."""
        return isinstance(x, Value) and x in self._least and not self.is_known(x) and is_complex(x)

    def note_real(self, out: Value, argument: Value) -> None:
        """Note a complex result that NumPy makes real where it can be, if `argument` is."""
        least = self.least(argument)
        if is_complex(out) and least is not None and least.kind != "c":
            own = dtype_of(out.type)
            self._put(out, np.empty(0, own).real.dtype)

    def check_kind(self, x: object, what: str) -> None:
        """Refuse what depends on whether NumPy makes a value real (E123)."""
        if self.may_be_real(x):
            raise error("E123", None, what=f"whether eigenvalues are real, {what}", fix=_FIX)

    def check_domain(self, fn: Any, args: Any) -> None:
        """Refuse functions that give other numbers for real values than for complex ones (E123)."""
        is_entire = fn in _ENTIRE or (fn in _POWERS and isinstance(args[-1], int))
        if not is_entire and (isinstance(fn, np.ufunc) or fn in _POWERS):
            for x in args:
                self.check_kind(x, f"on which `{fn.__name__}` of them depends,")

    def note(self, op: Op) -> None:
        """Note what an operation makes of such values."""
        if not self._least or not any(v in self._least for v in values_in((op.args, op.kwargs))):
            return
        args, kwargs = map_tree(self._lessened, (op.args, op.kwargs))
        try:
            made = infer(op.fn, args, kwargs)
        except SrcadError:  # not for values of the least dtype: nothing is known of the result
            for out in op.outs:
                self._put(out, np.dtype(bool))
            return
        types = made if isinstance(made, list | tuple) else (made,)
        for out, t in zip(op.outs, types, strict=False):
            if isinstance(t, ArrayType | NumberType) and (dtype := dtype_of(t)) is not None:
                self._put(out, dtype)

    def _put(self, value: Value, least: np.dtype[Any]) -> None:
        own = dtype_of(value.type)
        if own is not None and least != own:
            self._least[value] = least

    def _lessened(self, x: Any) -> Any:
        if not isinstance(x, Value) or x not in self._least:
            return x
        return Value(x.name, _retyped(x.type, self._least[x]))


def _class_of(dtype: np.dtype[Any]) -> str:
    return "i" if dtype.kind == "u" else dtype.kind


def _retyped(t: Type, dtype: np.dtype[Any]) -> Type:
    if isinstance(t, ArrayType):
        return replace(t, dtype=dtype)
    return NumberType(_NUMBERS[dtype.kind])


__all__ = ["Dtypes"]
