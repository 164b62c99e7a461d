"""Products of a Jacobian with the vectors of a colouring, as Jacobians of smaller functions.

J S, a column for each colour:        the Jacobian of t -> f(x + t[colors]) at t = 0
C J, a row for each colour:           the Jacobian of x -> the sums of f(x) by colour
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def along_columns(f: Callable[..., Any], at: int) -> Callable[..., Any]:
    """`f` at its argument number `at`, moved by `t` along the columns of each colour."""

    def along(t: Any, colors: Any, args: Any, kwargs: Any) -> Any:
        x = args[at]
        moved = x + np.reshape(t[colors], np.shape(x))
        return f(*args[:at], moved, *args[at + 1 :], **kwargs)

    return along


def along_number(f: Callable[..., Any], at: int) -> Callable[..., Any]:
    """`f` at its argument number `at`, a number, moved by `t`."""

    def along(t: Any, args: Any, kwargs: Any) -> Any:
        return f(*args[:at], args[at] + t, *args[at + 1 :], **kwargs)

    return along


def along_rows(f: Callable[..., Any], at: int) -> Callable[..., Any]:
    """The sums of what `f` returns by the colours of its rows, a function of argument `at`.

    That one comes first, and has None in its place among the others.
    """

    def along(x: Any, colors: Any, count: Any, args: Any, kwargs: Any) -> Any:
        return _by_color(f(*args[:at], x, *args[at + 1 :], **kwargs), colors, count)

    return along


def along_rows_with_aux(f: Callable[..., Any], at: int) -> Callable[..., Any]:
    """The same of an `f` that returns `(y, aux)`."""

    def along(x: Any, colors: Any, count: Any, args: Any, kwargs: Any) -> Any:
        y, aux = f(*args[:at], x, *args[at + 1 :], **kwargs)
        return _by_color(y, colors, count), aux

    return along


def _by_color(y: Any, colors: Any, count: Any) -> Any:
    sums = np.zeros(count)
    np.add.at(sums, colors, np.ravel(y))
    return sums


def of_first(f: Callable[..., Any]) -> Callable[..., Any]:
    """The first of what `f` returns."""

    def first(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)[0]

    return first


__all__ = ["along_columns", "along_number", "along_rows", "along_rows_with_aux", "of_first"]
