"""What programs call inside `srcad.debug_nans`: they raise where an operation made NaN or infinity.

    y = np.log(x)
    check_value("np.log(x)", y, {"x": x})           raises NotFinite: -inf, where x is 0
    ...
    x_bar = y_bar / x
    check_derivative("np.log", "x_bar", x_bar, {"y_bar": y_bar, "x": x})

An operation made NaN if it was given none, infinity if all that it was given is finite. What a
derivative made is noted where it is called inside of `noting`: entries that have no part in the
result may be infinite on the way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any

import numpy as np


class NotFinite(BaseException):
    """An operation of a program made numbers that are not finite.

    No `except` of the function that is differentiated catches it.

    Args:
        what: the operation.
        made: what it made: "nan", "-inf and nan".
        facts: about what it made and what it was given, a line each.
        derived: it belongs to a derivative.
    """

    def __init__(self, what: str, made: str, facts: tuple[str, ...], derived: bool) -> None:
        super().__init__(what, made, facts, derived)
        self.what, self.made, self.facts, self.derived = what, made, facts, derived


_noted: ContextVar[list[NotFinite] | None] = ContextVar("srcad.not_finite", default=None)


@contextmanager
def noting() -> Iterator[list[NotFinite]]:
    """Note the first thing that a derivative made instead of raising it."""
    noted: list[NotFinite] = []
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def check_value(what: str, made: Any, given: Mapping[str, Any], allowed: str = "") -> None:
    """Raise where an operation of the function has made NaN or infinity.

    Args:
        what: the operation as the user writes it.
        given: what it was given, by name.
        allowed: what it may make: "inf", "nan".
    """
    if not _is_finite(made):
        _tell(what, "the result", made, given, allowed, derived=False)


def check_derivative(what: str, name: str, made: Any, given: Mapping[str, Any]) -> None:
    """Raise where a rule has made a tangent or cotangent with NaN or infinity in it.

    Args:
        what: the operation whose derivative it is.
        name: that of the tangent or cotangent.
    """
    noted = _noted.get()
    if noted or _is_finite(made):
        return
    try:
        _tell(what, name, made, given, "", derived=True)
    except NotFinite as found:
        if noted is None:
            raise
        frame = sys._getframe(1)
        here = TracebackType(None, frame, frame.f_lasti, frame.f_lineno)
        noted.append(found.with_traceback(here))


def is_finite(tree: Any) -> bool:
    """Whether all numbers of a result are finite, in whatever containers they are."""
    if isinstance(tree, list | tuple):
        return all(map(is_finite, tree))
    if isinstance(tree, dict):
        return all(map(is_finite, tree.values()))
    parts = getattr(tree, "__dict__", None)
    is_own = parts is not None and not callable(tree) and not isinstance(tree, np.ndarray)
    return is_finite(parts) if is_own else _is_finite(tree)


def _is_finite(x: Any) -> bool:
    if isinstance(x, float | complex):
        return bool(x - x == 0)
    try:
        return bool(np.isfinite(x).all())
    except TypeError:  # of objects
        return True


def _tell(
    what: str, name: str, made: Any, given: Mapping[str, Any], allowed: str, *, derived: bool
) -> None:
    numbers = {label: np.asarray(x) for label, x in given.items()}
    numbers = {label: x for label, x in numbers.items() if x.dtype.kind in "biufc"}
    found = np.asarray(made)
    nans = np.isnan(found) if "nan" not in allowed else np.zeros(found.shape, bool)
    infs = np.isinf(found) if "inf" not in allowed else np.zeros(found.shape, bool)
    had_nan = any(np.isnan(x).any() for x in numbers.values())
    had_inf = any(np.isinf(x).any() for x in numbers.values())
    bad = nans & (not had_nan) | infs & (not had_nan and not had_inf)
    if not bad.any():
        return
    at = tuple(map(int, np.argwhere(bad)[0]))
    kinds = " and ".join(sorted({_kind(x) for x in np.unique(found[bad])}))
    facts = [_result(name, found, bad, kinds, at)]
    # What was there already of a sum of cotangents has the name of the sum.
    facts += [_argument(n, x, found.shape, at) for n, x in numbers.items() if n != name]
    raise NotFinite(what, kinds, tuple(facts), derived)


def _kind(x: Any) -> str:
    if np.isnan(x):
        return "nan"
    return "inf" if np.iscomplexobj(x) or x > 0 else "-inf"


def _result(name: str, x: Any, bad: Any, kinds: str, at: tuple[int, ...]) -> str:
    if x.ndim == 0:
        return f"{name} is {_number(x[()])}"
    n = int(np.count_nonzero(bad))
    verb = "is" if n == 1 else "are"
    return f"{name} is {_form(x)}: {n:,} of {x.size:,} entries {verb} {kinds}, the first at {[*at]}"


def _argument(label: str, x: Any, shape: tuple[int, ...], at: tuple[int, ...]) -> str:
    label = label if label.startswith("the ") else f"`{label}`"
    if x.ndim == 0:
        return f"{label} is {_number(x[()])}"
    text = f"{label} is {_form(x)}{''.join(_range(x))}"
    return f"{text}; {_number(x[at])} at {[*at]}" if x.shape == shape else text


def _range(x: Any) -> Iterator[str]:
    """Of what size the entries are, and how many are no numbers of a size."""
    bad = int(np.count_nonzero(~np.isfinite(x)))
    sizes = np.abs(x) if np.iscomplexobj(x) else x
    finite = sizes[np.isfinite(sizes)]
    if finite.size:
        values = "absolute values " if np.iscomplexobj(x) else ""
        yield f", {values}from {_number(finite.min())} to {_number(finite.max())}"
    if bad:
        yield f", {bad:,} not finite"


def _form(x: Any) -> str:
    return f"{x.dtype} of shape {x.shape}"


def _number(x: Any) -> str:
    return f"{x.item():.6g}" if x.dtype.kind in "fc" else str(x)


__all__ = ["NotFinite", "check_derivative", "check_value", "is_finite", "noting"]
