"""The symbolic zero (co)tangent: a fact, not an array. It absorbs products and vanishes in sums."""

from __future__ import annotations

from typing import Any

import numpy as np


class Zero:
    """A zero of any shape in rule bodies; every *linear* function of it is zero again."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ZERO"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        a, *rest = args
        if ufunc is np.add:
            return rest[0] if a is ZERO else a
        if ufunc is np.subtract:
            return -rest[0] if a is ZERO else a
        if ufunc in _LINEAR or (ufunc is np.true_divide and a is ZERO):
            return self
        raise TypeError(f"{ufunc.__name__} is not linear: it cannot be applied to a zero tangent")

    def __array_function__(self, fn: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self

    def _zero(self, *_: object) -> Zero:
        return self

    __mul__ = __rmul__ = __neg__ = __pos__ = __truediv__ = __matmul__ = __rmatmul__ = _zero
    __getitem__ = reshape = sum = transpose = astype = _zero

    @property
    def T(self) -> Zero:  # noqa: N802 - NumPy's name
        """The transpose: the same."""
        return self

    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self if other is ZERO else -other

    def __rsub__(self, other: Any) -> Any:
        return other


ZERO = Zero()

_LINEAR = (np.multiply, np.negative, np.positive, np.matmul, np.conjugate)
