"""Integrals and initial value problems that emitted code solves by SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def solve_ivp(
    f: Callable[..., Any], y0: Any, t: Any, args: tuple[Any, ...], end: Any, **options: Any
) -> Any:
    """The solution of y' = f(y, t, *args) at the times `t`, in rows; it is `y0` at `t[0]`.

    By `scipy.integrate.solve_ivp`, which goes on to `end`. Raises `RuntimeError` where it fails.
    """
    from scipy import integrate

    if not np.size(t):
        return np.empty((0, np.size(y0)))
    found = integrate.solve_ivp(
        lambda t, y, *args: f(y, t, *args), (t[0], end), y0, t_eval=t[1:], args=args, **options
    )
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    return np.concatenate((np.reshape(y0, (1, -1)), found.y.T))


def solve_ivp_by_steps(
    f: Callable[..., Any], y0: Any, t: Any, args: tuple[Any, ...], **options: Any
) -> Any:
    """`t` and `y` of `scipy.integrate.solve_ivp` at the steps that it takes, and y at the end.

    `t` are the first and the last time. Raises `RuntimeError` where it fails.
    """
    from scipy import integrate

    found = integrate.solve_ivp(lambda t, y, *args: f(y, t, *args), t, y0, args=args, **options)
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    return found.t, found.y, found.y[:, -1].copy()


def quad(f: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...], **options: Any) -> Any:
    """`scipy.integrate.quad`: the integral of f(x, *args) from a to b, and its error."""
    from scipy import integrate

    return integrate.quad(f, a, b, args, **options)


def quad_vec(f: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...], **options: Any) -> Any:
    """The integral of a vector f(x, *args) from a to b, by `scipy.integrate.quad_vec`."""
    from scipy import integrate

    return integrate.quad_vec(f, a, b, args=args, **options)[0]
