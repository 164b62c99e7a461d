"""Functions of single entries, by others that compiled code has.

np.sinc(x)          sin(pi x) / (pi x), near 0 as NumPy takes it
np.heaviside(x, h)  0, h or 1
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.native.scalarize.forms.calls import FLOAT, Choice, Chosen, Form, Formula, is_array


def sinc(x: Any) -> Any:
    """`np.sinc(x)`."""
    y = np.pi * np.where(x == 0.0, 1.0e-20, x)
    return np.sin(y) / y


def heaviside(x: Any, h: Any) -> Any:
    """`np.heaviside(x, h)`."""
    return np.where(x < 0.0, 0.0, np.where(x > 0.0, 1.0, np.where(x == 0.0, h, x)))


def without_nan(x: Any) -> Any:
    """`np.nan_to_num(x)`."""
    most = np.finfo(np.float64).max
    return np.where(np.isnan(x), 0.0, np.minimum(np.maximum(x, -most), most))


def are_close(a: Any, b: Any) -> Any:
    """`np.isclose(a, b)`."""
    near = np.abs(a - b) <= 1.0e-8 + 1.0e-5 * np.abs(b)
    return (near & np.isfinite(b)) | (a == b)


def _of_entries(form: Form, count: int) -> Choice:
    def choose(op: Op) -> Chosen | None:
        if op.kwargs or len(op.args) != count:
            return None
        fits = all(is_array(x, FLOAT, *range(4)) for x in op.args)
        return (Formula(form), op.args) if fits else None

    return choose


POINTWISE: Final[dict[Any, Choice]] = {
    np.sinc: _of_entries(sinc, 1),
    np.heaviside: _of_entries(heaviside, 2),
    np.nan_to_num: _of_entries(without_nan, 1),
    np.isclose: _of_entries(are_close, 2),
}
