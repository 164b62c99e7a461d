"""Operators of what stands for data of other packages, written in terms of two methods.

s * w        s._binary(operator.mul, w)
w - s        s._reflected(operator.sub, w)
s += w       s = s._changed(operator.add, w)
"""

from __future__ import annotations

import operator
from typing import Any


class Arithmetic:
    """Operators by entries."""

    def _binary(self, fn: Any, other: Any) -> Any:
        """`fn(self, other)`, entry by entry; NotImplemented where `other` decides."""
        raise NotImplementedError

    def _reflected(self, fn: Any, other: Any) -> Any:
        """`fn(other, self)`, entry by entry."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._binary(operator.add, other)

    def __radd__(self, other: Any) -> Any:
        return self._reflected(operator.add, other)

    def __sub__(self, other: Any) -> Any:
        return self._binary(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return self._reflected(operator.sub, other)

    def __mul__(self, other: Any) -> Any:
        return self._binary(operator.mul, other)

    def __rmul__(self, other: Any) -> Any:
        return self._reflected(operator.mul, other)

    def __truediv__(self, other: Any) -> Any:
        return self._binary(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._reflected(operator.truediv, other)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary(operator.floordiv, other)

    def __mod__(self, other: Any) -> Any:
        return self._binary(operator.mod, other)

    def __pow__(self, other: Any) -> Any:
        return self._binary(operator.pow, other)

    def __rpow__(self, other: Any) -> Any:
        return self._reflected(operator.pow, other)

    def __and__(self, other: Any) -> Any:
        return self._binary(operator.and_, other)

    def __or__(self, other: Any) -> Any:
        return self._binary(operator.or_, other)

    def __xor__(self, other: Any) -> Any:
        return self._binary(operator.xor, other)

    def __eq__(self, other: object) -> Any:
        return self._binary(operator.eq, other)

    def __ne__(self, other: object) -> Any:
        return self._binary(operator.ne, other)

    def __lt__(self, other: Any) -> Any:
        return self._binary(operator.lt, other)

    def __le__(self, other: Any) -> Any:
        return self._binary(operator.le, other)

    def __gt__(self, other: Any) -> Any:
        return self._binary(operator.gt, other)

    def __ge__(self, other: Any) -> Any:
        return self._binary(operator.ge, other)


class InPlace:
    """Operators that change an object."""

    def _changed(self, fn: Any, other: Any) -> Any:
        """This object, with the entries `fn(self, other)` from now on."""
        raise NotImplementedError

    def __iadd__(self, other: Any) -> Any:
        return self._changed(operator.add, other)

    def __isub__(self, other: Any) -> Any:
        return self._changed(operator.sub, other)

    def __imul__(self, other: Any) -> Any:
        return self._changed(operator.mul, other)

    def __itruediv__(self, other: Any) -> Any:
        return self._changed(operator.truediv, other)

    def __ifloordiv__(self, other: Any) -> Any:
        return self._changed(operator.floordiv, other)

    def __imod__(self, other: Any) -> Any:
        return self._changed(operator.mod, other)

    def __ipow__(self, other: Any) -> Any:
        return self._changed(operator.pow, other)

    def __iand__(self, other: Any) -> Any:
        return self._changed(operator.and_, other)

    def __ior__(self, other: Any) -> Any:
        return self._changed(operator.or_, other)

    def __ixor__(self, other: Any) -> Any:
        return self._changed(operator.xor, other)
