"""Rosenbrock's function of `scipy.optimize`, its gradient and its Hessian."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from srcad.rules.core.compose import raise_unless
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array
from srcad.rules.core.table import Case


def _rosen(x: Any) -> Any:
    x = as_array(x)
    before, after = x[:-1], x[1:]
    return np.sum(100.0 * (after - before**2.0) ** 2.0 + (1 - before) ** 2.0, axis=0)


def _of_two(x: Any) -> Any:
    """An array with two entries at least."""
    x = as_array(x)
    message = "index 1 is out of bounds for axis 0 with size 1"
    raise_unless(x.shape[0] > 1, IndexError, message, beside=x)
    return x


def _rosen_der(x: Any) -> Any:
    x = _of_two(x)
    before, after = x[:-1], x[1:]
    steps = after - before**2
    as_first = np.concatenate([-400 * before * steps - 2 * (1 - before), np.zeros_like(x[:1])])
    return as_first + np.concatenate([np.zeros_like(x[:1]), 200 * steps])


def _rosen_hess(x: Any) -> Any:
    x = _of_two(x)
    raise_unless(
        x.ndim == 1, ValueError, "cannot reshape array to a Hessian of several points", beside=x
    )
    beside = -400 * x[:-1]
    inner = np.concatenate([1200 * x[:-1] ** 2 - 400 * x[1:] + 2, np.zeros_like(x[:1])])
    constant = np.concatenate([np.zeros_like(x[:1]), np.full_like(x[1:], 200.0)])
    return np.diag(beside, 1) + np.diag(beside, -1) + np.diag(inner + constant)


_CASES = (Case((4,)), Case((2,)))
composed(optimize.rosen, _rosen, cases=(*_CASES, Case((3, 2))))
composed(optimize.rosen_der, _rosen_der, cases=_CASES)
composed(optimize.rosen_hess, _rosen_hess, cases=_CASES)
