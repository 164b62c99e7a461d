"""Objects of other packages of which only their package knows anything, read in place of them.

dates - dates[0]            what pandas makes of it, before the program runs
for name, group in g:       its groups, which are as many as now in each call
"""

from __future__ import annotations

from typing import Any

from srcad.frontend.written import beyond
from srcad.frontend.written.labelled import Held, asked


class Opaque(Held):
    """An object of which only its package knows anything: a group, a date, a text, a Dataset."""

    def __len__(self) -> Any:
        return asked(self._outside, "__len__")()

    def __iter__(self) -> Any:
        return iter(items_outside(self._outside))

    def __contains__(self, key: Any) -> Any:
        return asked(self._outside, "__contains__")(key)

    def __getitem__(self, key: Any) -> Any:
        return asked(self._outside, "__getitem__")(key)

    def __bool__(self) -> Any:
        beyond("the truth of data that is not numbers")

    def __eq__(self, other: object) -> Any:
        return asked(self._outside, "__eq__")(other)

    def __ne__(self, other: object) -> Any:
        return asked(self._outside, "__ne__")(other)

    def __lt__(self, other: Any) -> Any:
        return asked(self._outside, "__lt__")(other)

    def __le__(self, other: Any) -> Any:
        return asked(self._outside, "__le__")(other)

    def __gt__(self, other: Any) -> Any:
        return asked(self._outside, "__gt__")(other)

    def __ge__(self, other: Any) -> Any:
        return asked(self._outside, "__ge__")(other)

    def __add__(self, other: Any) -> Any:
        return asked(self._outside, "__add__")(other)

    def __sub__(self, other: Any) -> Any:
        return asked(self._outside, "__sub__")(other)

    def __mul__(self, other: Any) -> Any:
        return asked(self._outside, "__mul__")(other)

    def __truediv__(self, other: Any) -> Any:
        return asked(self._outside, "__truediv__")(other)

    def __radd__(self, other: Any) -> Any:
        return asked(self._outside, "__radd__")(other)

    def __rsub__(self, other: Any) -> Any:
        return asked(self._outside, "__rsub__")(other)

    def __rmul__(self, other: Any) -> Any:
        return asked(self._outside, "__rmul__")(other)

    def __pow__(self, other: Any) -> Any:
        return asked(self._outside, "__pow__")(other)

    def __neg__(self) -> Any:
        return asked(self._outside, "__neg__")()

    def __array__(self) -> Any:
        return asked(self._outside, "to_numpy")()


# Answered while compiling ------------------------------------------------------------------------


def items_outside(outside: Any) -> Any:
    """The items of an object outside."""
