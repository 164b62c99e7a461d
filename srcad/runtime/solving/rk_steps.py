"""Explicit Runge-Kutta steps of SciPy's solvers: which were taken, and what a step is.

K[s] = f(t + c[s] h, y + h a[s] @ K),   y_new = y + h b @ K
y(t + x h) = y + h p(x) @ d @ K         p: polynomials
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def rk_table(method: str) -> tuple[Any, Any, Any, Any]:
    """The coefficients `a`, `c`, `b` and `d` of SciPy's "RK23", "RK45" or "DOP853"."""
    from scipy import integrate

    cls = getattr(integrate, method)
    n = cls.n_stages
    extra = getattr(cls, "A_EXTRA", np.empty((0, n + 1)))
    size = n + 1 + len(extra)
    a, b = np.zeros((size, size)), np.zeros(size)
    b[:n] = cls.B
    a[:n, : cls.A.shape[1]], a[n], a[n + 1 :, : extra.shape[1]] = cls.A, b, extra
    c = np.concatenate((cls.C, [1.0], getattr(cls, "C_EXTRA", [])))
    if method != "DOP853":
        return a, c, b, cls.P.T.copy()
    first, last = np.eye(size)[[0, n]]
    return a, c, b, np.stack((b, first - b, 2 * b - first - last, *cls.D))


def solve_ivp_in_steps(
    f: Callable[..., Any], y0: Any, t: Any, args: tuple[Any, ...], **options: Any
) -> Any:
    """`t` and `y` of `scipy.integrate.solve_ivp` at the steps that it takes, and y at the end; the
    first two again for derivatives, y in rows.

    `t` are the first and the last time. Raises `RuntimeError` where it fails.
    """
    from scipy import integrate

    found = integrate.solve_ivp(lambda t, y, *args: f(y, t, *args), t, y0, args=args, **options)
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    return found.t, found.y, found.y[:, -1].copy(), found.t.copy(), found.y.T.copy()


def solve_ivp_between_steps(
    f: Callable[..., Any], y0: Any, t: Any, args: tuple[Any, ...], end: Any, method: str,
    **options: Any,
) -> Any:  # fmt: skip
    """The solution at the times `t`, in rows; it is `y0` at `t[0]`. And the steps: their times, the
    solution there, and how many of `t[1:]` each step has reached.

    By `scipy.integrate.solve_ivp`, which goes on to `end`. Raises `RuntimeError` where it fails.
    """
    from scipy import integrate

    steps = [(float(t[0]), np.array(y0, float))]

    class Noted(getattr(integrate, method)):  # type: ignore[misc]  # a class by its name
        def step(self) -> Any:
            message = super().step()
            if self.status != "failed":
                steps.append((self.t, self.y))
            return message

    found = integrate.solve_ivp(
        lambda t, y, *args: f(y, t, *args),
        (t[0], end),
        y0,
        t_eval=t[1:],
        args=args,
        method=Noted,
        **options,
    )
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    if len(found.t) != len(t) - 1:
        raise RuntimeError("solve_ivp: times of `t_eval` are not reached")
    rows = np.concatenate((np.reshape(y0, (1, -1)), np.reshape(found.y, (np.size(y0), -1)).T))
    times, ys = (np.array(each, float) for each in zip(*steps, strict=True))
    sign = np.sign(end - t[0]) or 1.0
    reached = np.searchsorted(sign * t[1:], sign * times, side="right")
    reached[0] = 0
    needed = int(np.argmax(reached == len(t) - 1)) + 1  # later steps change nothing that is asked
    return rows, times[:needed], ys[:needed], reached[:needed]
