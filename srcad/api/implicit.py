"""`implicit` and `fixed_point`: solutions of equations, differentiated by their equation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error


@dataclass(slots=True, eq=False)
class Implicit:
    """What `implicit` was given, and what it made of it."""

    solver: Callable[..., Any]
    residual: Callable[..., Any]
    like: int
    solved: Callable[..., Any]


def implicit(
    solver: Callable[..., Any], residual: Callable[..., Any], *, like: int = 0
) -> Callable[..., Any]:
    """`solver` as a function whose derivative comes from its equation, not from its steps.

    `x = solver(*args)` must satisfy `residual(x, *args) = 0`. The solver is called as it is: it may
    be any Python or C. Where a derivative is asked for, the residual is differentiated at the
    solution and a linear system with its Jacobian is solved (implicit function theorem; Krantz &
    Parks, section 3.3), for derivatives of every order, in both modes. The Jacobian is dense: n
    unknowns take n**2 numbers and n**3 / 3 multiplications.

    Args:
        solver: a function of arguments by position that returns a number or an array. It is
            defined outside of the differentiated function, reads nothing that varies besides its
            arguments, and does not write into them.
        residual: a function of the solution and of the same arguments, which srcad reads. It
            returns as many numbers as the solution has, in its shape.
        like: the position of the argument that has the shape of the solution: the guess, as a rule.

    Returns:
        A function of the solver's arguments. The solution is a float or an array of double
        precision.

    Raises:
        ArgumentTypeError: E313, no function.
        ValueError: when called, the solution has another shape than the argument `like`.
        numpy.linalg.LinAlgError: in a derivative, the Jacobian is singular, or what the solver
            gave is no solution: a Newton step from it is longer than 0.001 times its largest entry
            (or one).

    >>> import srcad
    >>> def bisect(start, a):  # the square root of a
    ...     low, high = 0.0, 1.0 + a
    ...     for _ in range(60):
    ...         middle = (low + high) / 2
    ...         low, high = (middle, high) if middle * middle < a else (low, middle)
    ...     return low
    >>> root = srcad.implicit(bisect, lambda x, start, a: x * x - a)
    >>> round(srcad.grad(root, argnums=1)(1.0, 4.0), 12)
    0.25
    """
    for f in (solver, residual):
        if not callable(f):
            raise error("E313", None, what=f"{f!r}")

    def solved(*args: Any) -> Any:
        return runtime.as_solution(solver(*args), args[like])

    functools.update_wrapper(solved, solver)
    solved.__srcad_implicit__ = Implicit(solver, residual, like, solved)  # type: ignore[attr-defined]  # a mark, read by the frontend
    return solved


def fixed_point(
    f: Callable[..., Any], x0: Any, *args: Any, tol: float = 1e-10, max_iter: int = 1000
) -> Any:
    """The `x` with `x = f(x, *args)`, by iteration from `x0`.

    Its derivative comes from this equation, as that of `implicit` does: the iterations are not
    differentiated, and nothing of them is saved.

    Args:
        f: a function of `x`, and of `args`; it returns the shape of `x`.
        x0: where to start, a number or an array of any shape; converted to double precision.
        args: what `f` is passed besides. What it reads of its surroundings counts too.
        tol: the iterations end where no entry changes by more than `tol` times the largest entry
            of `x` (or one).
        max_iter: at most so many iterations.

    Returns:
        A float or an array of double precision.

    Raises:
        RuntimeError: no convergence in `max_iter` iterations.
        ValueError: `f` returns another shape.
        numpy.linalg.LinAlgError: as of `implicit`.

    >>> import numpy as np
    >>> import srcad
    >>> x_by_a = srcad.grad(lambda a: srcad.fixed_point(lambda x: np.cos(a * x), 0.5))
    >>> round(float(x_by_a(1.0)), 6)
    -0.297474
    """
    start = as_numbers(x0)
    return runtime.fixed_point(lambda x, *more: as_numbers(f(x, *more)), start, args, tol, max_iter)


def as_numbers(x: Any) -> Any:
    """A number as a float, an array in double precision."""
    return np.array(x, float) if np.ndim(x) else float(x)


def solve_ivp_by_adjoint(
    fun: Callable[..., Any], t_span: Any, y0: Any, method: str = "RK45", t_eval: Any = None,
    *, args: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """`scipy.integrate.solve_ivp`, whose gradient comes from the adjoint equation.

    Inside a differentiated function both give the same value. The gradient of SciPy's goes back
    through the steps of an explicit method; by an implicit one it integrates the derivatives by
    each varying entry beside the state. Here one system for all of them runs backwards, along the
    solution that the solver interpolates: by an implicit method that is faster from some dozens of
    varying entries on. It solves the adjoint equation with the same `rtol` and `atol`, but is not
    exactly the derivative of the computed solution. Forward mode and second derivatives integrate
    beside the state.

    Args:
        fun: `fun(t, y, *args)` returns the rates.
        t_span: the first and the last time.
        y0: the state at the first time.
        method: one of SciPy's.
        t_eval: the times at which the solution is wanted; without it, the last time alone.
        args: further arguments of `fun`.
        options: `rtol`, `atol`, `max_step`, `first_step` and `min_step`.

    Returns:
        SciPy's result object. Inside a differentiated function `t`, `y`, `success` and `status` of
        it can be read.

    Raises:
        MissingRule: E203, events and dense output.

    >>> import numpy as np
    >>> import srcad
    >>> def last(k):
    ...     found = srcad.solve_ivp_by_adjoint(lambda t, y: -k * y, (0.0, 1.0), [1.0], rtol=1e-8)
    ...     return found.y[0, -1]
    >>> bool(abs(srcad.grad(last)(2.0) + np.exp(-2.0)) < 1e-6)
    True
    """
    from scipy import integrate

    if t_eval is None:
        t_eval = [t_span[1]]
    return integrate.solve_ivp(fun, t_span, y0, method, t_eval, args=args, **options)


__all__ = ["fixed_point", "implicit", "solve_ivp_by_adjoint"]
