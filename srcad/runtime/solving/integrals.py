"""Integrals and initial value problems that emitted code solves by SciPy."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np


def _turned(options: dict[str, Any]) -> dict[str, Any]:
    """Options whose Jacobian takes the time first."""
    jac = options.get("jac")
    if not callable(jac):
        return options
    return {**options, "jac": lambda t, y, *args: jac(y, t, *args)}


def solve_ivp(
    f: Callable[..., Any], y0: Any, t: Any, args: tuple[Any, ...], end: Any, **options: Any
) -> Any:
    """The solution of y' = f(y, t, *args) at the times `t`, in rows; it is `y0` at `t[0]`.

    By `scipy.integrate.solve_ivp`, which goes on to `end`. Raises `RuntimeError` where it fails.
    """
    from scipy import integrate

    if not np.size(t):
        return np.empty((0, np.size(y0)))
    if np.size(options.get("atol", 0.0)) > 1:  # of the state; beside it are its derivatives
        options["atol"] = np.resize(options["atol"], np.size(y0))
    found = integrate.solve_ivp(
        lambda t, y, *args: f(y, t, *args),
        (t[0], end),
        y0,
        t_eval=t[1:],
        args=args,
        **_turned(options),
    )
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    return np.concatenate((np.reshape(y0, (1, -1)), found.y.T))


def solve_ivp_by_adjoint(
    f: Callable[..., Any], y0: Any, t: Any, args: tuple[Any, ...], end: Any, **options: Any
) -> Any:
    """The same solution; its derivative backwards is `adjoint_of_ivp`."""
    return solve_ivp(f, y0, t, args, end, **options)


def adjoint_of_ivp(
    f: Callable[..., Any], y0: Any, t: Any, y_bar: Any, args: tuple[Any, ...],
    pull: Callable[..., Any], end: Any, varied: Any = (), **options: Any,
) -> Any:  # fmt: skip
    """The cotangents of `y0` and of the args, in one vector, for those of the solution at `t`.

    The adjoint equation runs backwards, with the solution that the solver interpolates:

        w' = -w df/dy,   w jumps by y_bar[i] at t[i];     args_bar = integral of w df/dargs

    Args:
        pull: `pull(y, t, *args, w)` is w df/dy and w df/dargs, in one vector.
        varied: the positions of these args.
    """
    from scipy import integrate

    n = np.size(y0)
    found = integrate.solve_ivp(
        lambda t, y, *args: f(y, t, *args),
        (t[0], end),
        y0,
        args=args,
        dense_output=True,
        **_turned(options),
    )
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    size = np.size(pull(y0, float(t[0]), *args, np.zeros(n)))
    bars = np.zeros(size)
    kept = {name: x for name, x in options.items() if name in ("method", "rtol", "max_step")}
    kept["atol"] = np.min(options.get("atol", 1e-6))

    def back(at: float, bars: Any) -> Any:
        return -pull(found.sol(at), float(at), *args, bars[:n])

    for i in range(len(t) - 1, 0, -1):
        bars[:n] += y_bar[i]
        if t[i] != t[i - 1]:
            solved = integrate.solve_ivp(back, (t[i], t[i - 1]), bars, **kept)
            if not solved.success:
                raise RuntimeError(f"the adjoint equation of solve_ivp: {solved.message}")
            bars = solved.y[:, -1].copy()
    bars[:n] += y_bar[0]
    return bars


def solve_ivp_by_steps(
    f: Callable[..., Any], y0: Any, t: Any, args: tuple[Any, ...], **options: Any
) -> Any:
    """`t` and `y` of `scipy.integrate.solve_ivp` at the steps that it takes, and y at the end.

    `t` are the first and the last time. Raises `RuntimeError` where it fails.
    """
    from scipy import integrate

    found = integrate.solve_ivp(
        lambda t, y, *args: f(y, t, *args), t, y0, args=args, **_turned(options)
    )
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    return found.t, found.y, found.y[:, -1].copy()


def quad(f: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...], **options: Any) -> Any:
    """`scipy.integrate.quad`: the integral of f(x, *args) from a to b, and its error."""
    from scipy import integrate

    return integrate.quad(f, a, b, args, **options)


def iterated_quad(
    f: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...], **options: Any
) -> tuple[float, float]:
    """`scipy.integrate.nquad`: the outermost integral, and the largest error of all of them."""
    errors = vars(inner_quad).setdefault("errors", {}).setdefault(threading.get_ident(), [])
    errors.append(0)
    try:
        value, _ = inner_quad(f, a, b, args, **options)
    finally:
        largest = errors.pop()
    return value, largest


def inner_quad(
    f: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...], **options: Any
) -> tuple[float, float]:
    """One of the integrals inside of it.

    `inner_quad.errors` has the largest error so far of each of those that run, by threads: an
    attribute goes where the function goes, into modules of its own too.
    """
    value, error = quad(f, a, b, args, **options)
    errors = vars(inner_quad).get("errors", {}).get(threading.get_ident())
    if errors:
        errors[-1] = max(errors[-1], error)
    return value, error


def quad_vec(f: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...], **options: Any) -> Any:
    """The integral of a vector f(x, *args) from a to b, by `scipy.integrate.quad_vec`."""
    from scipy import integrate

    return integrate.quad_vec(f, a, b, args=args, **options)[0]
