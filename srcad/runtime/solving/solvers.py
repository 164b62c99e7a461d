"""Solvers of equations that emitted code calls, and the check of what they found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def fixed_point(
    f: Callable[..., Any], x: Any, args: tuple[Any, ...], tol: float, max_iter: int
) -> Any:
    """`x` with `f(x, *args) = x`, by iteration; raises `RuntimeError` where it does not converge.

    It ends where the largest change of an entry is at most `tol` times the largest entry (or one).
    """
    change: Any = 0.0
    for _ in range(max_iter):
        new = f(x, *args)
        if np.shape(new) != np.shape(x):
            raise ValueError(f"fixed_point: f gives shape {np.shape(new)} for {np.shape(x)}")
        change = np.max(np.abs(new - x), initial=0.0)
        x = new
        if change <= tol * max(1.0, np.max(np.abs(x), initial=0.0)):
            return x
    raise RuntimeError(f"fixed_point: no convergence in {max_iter} iterations (change {change})")


def as_solution(x: Any, like: Any) -> Any:
    """What a solver gave as a number or array of double precision, of the shape of `like`."""
    if np.shape(x) != np.shape(like):
        raise ValueError(
            f"the solver gave an array of shape {np.shape(x)}; the argument that its solution is "
            f"`like` has {np.shape(like)}"
        )
    return np.array(x, float) if np.ndim(x) else float(x)


def newton(f: Callable[..., Any], x0: Any, args: tuple[Any, ...], **options: Any) -> Any:
    """`scipy.optimize.newton` of one number, as a NumPy float."""
    from scipy import optimize

    return np.float64(optimize.newton(f, x0, args=args, **options))


def newton_in_full(
    f: Callable[..., Any], x0: Any, args: tuple[Any, ...], **options: Any
) -> tuple[Any, bool, int, int, str, bool]:
    """What `scipy.optimize.newton` of one number tells with `full_output=True`, and whether the
    root is NumPy's.
    """
    from scipy import optimize

    _, found = optimize.newton(f, x0, args=args, full_output=True, **options)
    return _told(found)


def newton_of_entries(f: Callable[..., Any], x0: Any, args: tuple[Any, ...], **options: Any) -> Any:
    """`scipy.optimize.newton` of an array, each entry by itself."""
    from scipy import optimize

    return np.reshape(np.asarray(optimize.newton(f, x0, args=args, **options), float), np.shape(x0))


def bracketed(
    f: Callable[..., Any], a: Any, b: Any, args: tuple[Any, ...], solver: str, **options: Any
) -> tuple[Any, bool, int, int, str, bool]:
    """What `scipy.optimize.brentq` and its kin tell with `full_output=True`, and whether the root
    is NumPy's.
    """
    from scipy import optimize

    _, found = getattr(optimize, solver)(f, a, b, args, full_output=True, **options)
    return _told(found)


def _told(found: Any) -> tuple[Any, bool, int, int, str, bool]:
    x, is_numpy = _of_either_kind(found.root)
    return x, bool(found.converged), found.iterations, found.function_calls, found.flag, is_numpy


def minimize_scalar(
    f: Callable[..., Any], args: tuple[Any, ...], **options: Any
) -> tuple[Any, bool, bool, int, Any]:
    """`x`, whether it is NumPy's, `success` and `nfev` of `scipy.optimize.minimize_scalar`, and all
    that it tells.
    """
    from scipy import optimize

    found = optimize.minimize_scalar(f, args=args, **options)
    return *_of_either_kind(found.x), bool(found.success), int(found.nfev), found


def minimum(
    f: Callable[..., Any], *starts_and_args: Any, solver: str, **options: Any
) -> tuple[Any, bool]:
    """`scipy.optimize.brent(f, args)`, `golden(f, args)`, `fminbound(f, a, b, args)`, and whether
    it is NumPy's.
    """
    from scipy import optimize

    *ends, args = starts_and_args
    return _of_either_kind(getattr(optimize, solver)(f, *ends, args=args, **options))


def _of_either_kind(x: Any) -> tuple[Any, bool]:
    """A float, and whether it is NumPy's; SciPy gives what it was given where this is the solution.

    Raises:
        NotImplementedError: for an int, or a number of another precision.
    """
    if type(x) not in (float, np.float64):
        raise NotImplementedError(
            f"SciPy found {x!r} of type {type(x).__name__}, which it was given: write the ends and "
            "starts as floats"
        )
    return np.float64(x), type(x) is np.float64


def minimum_of_vector(
    f: Callable[..., Any], x0: Any, args: tuple[Any, ...], solver: str, **options: Any
) -> Any:
    """`scipy.optimize.fmin(f, x0, args)` and its kin."""
    from scipy import optimize

    return getattr(optimize, solver)(f, x0, args=args, **options)


def quasi_newton(
    f: Callable[..., Any], x0: Any, args: tuple[Any, ...], solver: str, **options: Any
) -> Any:
    """`scipy.optimize.broyden1(f, x0)` and its kin, of a function that is passed `args`."""
    from scipy import optimize

    return getattr(optimize, solver)(lambda x: f(x, *args), x0, **options)


def fsolve_in_full(
    f: Callable[..., Any], x0: Any, args: tuple[Any, ...], **options: Any
) -> tuple[Any, int, int, str]:
    """The solution, `nfev`, `ier` and the message of `scipy.optimize.fsolve`."""
    from scipy import optimize

    x, info, ier, message = optimize.fsolve(f, x0, args, full_output=True, **options)
    return x, int(info["nfev"]), int(ier), message


def leastsq(
    f: Callable[..., Any], x0: Any, args: tuple[Any, ...], **options: Any
) -> tuple[Any, int, int, str]:
    """The solution, `ier`, `nfev` and the message of `scipy.optimize.leastsq`."""
    from scipy import optimize

    x, _, info, message, ier = optimize.leastsq(f, x0, args, full_output=True, **options)
    return x, int(ier), int(info["nfev"]), message


def told(found: Any, name: str) -> Any:
    """What a result of SciPy's tells besides the solution, under a name: plain data."""
    x = found[name]
    return x if isinstance(x, str | np.ndarray | np.floating) else int(x)


def root(f: Callable[..., Any], x0: Any, args: tuple[Any, ...], **options: Any) -> Any:
    """`x`, `success`, `status` and `nfev` of `scipy.optimize.root`, and all that it tells."""
    from scipy import optimize

    found = optimize.root(f, x0, args, **options)
    status, n_calls = int(found.get("status", 0)), int(found.get("nfev", 0))
    return found.x, bool(found.success), status, n_calls, found


def root_scalar(f: Callable[..., Any], args: tuple[Any, ...], **options: Any) -> Any:
    """`root`, `converged`, `iterations`, `function_calls` and `flag` of `optimize.root_scalar`, and
    whether the root is NumPy's.
    """
    from scipy import optimize

    if "x1" in options:  # SciPy hands it on as it is, and all others as NumPy's
        options["x1"] = np.float64(options["x1"])
    found = optimize.root_scalar(f, args, **options)
    return _told(found)


def minimize(
    f: Callable[..., Any], x0: Any, args: tuple[Any, ...], bounded: bool = False, **options: Any
) -> Any:
    """`x`, `success`, `status` and `nfev` of `scipy.optimize.minimize`, and all that it tells.

    The last two args are bounds, if it is `bounded`.
    """
    from scipy import optimize

    if bounded:
        options["bounds"] = np.stack(args[-2:], axis=1)
    if "callback" in options:
        report = options["callback"]
        options["callback"] = lambda x: _unasked(report, x, args)
    found = optimize.minimize(f, x0, args, **options)
    return found.x, bool(found.success), int(found.get("status", 0)), int(found.nfev), found


def _unasked(report: Callable[..., Any], x: Any, args: tuple[Any, ...]) -> None:
    report(x, *args)


def least_squares(
    f: Callable[..., Any], x0: Any, args: tuple[Any, ...], bounded: bool = False, **options: Any
) -> Any:
    """`x`, `success`, `status` and `nfev` of `scipy.optimize.least_squares`, and all that it tells.

    The last two args are bounds, if it is `bounded`.
    """
    from scipy import optimize

    if bounded:
        options["bounds"] = args[-2:]
    slopes = options.get("jac")
    if callable(slopes):
        options["jac"] = lambda *given: _as_matrix(slopes(*given))
    found = optimize.least_squares(f, x0, args=args, **options)
    return found.x, bool(found.success), int(found.status), int(found.nfev), found


def _as_matrix(x: Any) -> Any:
    """An array, or a sparse matrix of its compressed form."""
    if not isinstance(x, tuple):
        return x
    from scipy import sparse

    *parts, m, n, by_columns = x
    return (sparse.csc_matrix if by_columns else sparse.csr_matrix)(tuple(parts), shape=(m, n))


def at_bounds(x: Any, slope: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """Which entries of a minimum lie on their lower bounds, and which on their upper bounds.

    Raises:
        numpy.linalg.LinAlgError: the slope vanishes on a bound: a small change decides whether the
            bound holds the minimum.
    """
    small = 1e-6 * max(1.0, np.max(np.abs(slope), initial=0.0))
    masks = []
    for end, away in ((lower, slope), (upper, -slope)):
        size = 1.0 + np.where(np.isfinite(end), np.abs(end), 0.0)
        near = np.abs(x - end) <= 1e-6 * size
        if np.any(near & (np.abs(away) <= small)):
            raise np.linalg.LinAlgError(
                "the derivative of a minimum was asked for where there is none: it lies on a bound "
                "that does not hold it, as the slope vanishes there"
            )
        masks.append(near & (away > 0.0))
    return masks[0], masks[1]


def at_solution(jacobian: Any, residual: Any, x: Any) -> Any:
    """`jacobian` of an equation, once `x` is seen to be an isolated solution of it.

    Raises:
        numpy.linalg.LinAlgError: the Jacobian is singular (to rounding, its rows and columns
            scaled), or a Newton step would move x by more than 0.001 of its largest entry (or of
            one): the implicit function theorem says nothing there.
    """
    n = np.size(x)
    matrix = np.reshape(jacobian, (n, n))
    if not n:
        return jacobian
    scaled = matrix
    for axis in (0, 1):
        largest = np.max(np.abs(scaled), axis=axis, keepdims=True)
        scaled = scaled / np.where(largest > 0.0, largest, 1.0)
    if not np.all(np.isfinite(scaled)) or np.linalg.cond(scaled, 1) > 1e14:
        raise np.linalg.LinAlgError(
            "the derivative of an equation's solution was asked for where the equation's Jacobian "
            "is singular: the solution is not isolated, or does not depend smoothly on the rest"
        )
    step = np.linalg.solve(matrix, np.reshape(residual, (n,)))
    if not np.max(np.abs(step)) <= 1e-3 * max(1.0, np.max(np.abs(x))):
        raise np.linalg.LinAlgError(
            "the derivative of an equation's solution was asked for where there is none: a Newton "
            f"step from it is {np.max(np.abs(step)):.1e} long (at most 0.001 of x). Let the solver "
            "go on, by a smaller tolerance or more iterations"
        )
    return jacobian


def beside_solution(jacobian: Any, residual: Any, x: Any) -> Any:
    """A point as far from `x` as an isolated solution may lie: there `isolated` compares.

    It is a Newton step away, or half of the digits of each entry where that is more; by amounts
    that differ, so that no combination of the entries stays. An entry 0 stays.
    """
    n = np.size(x)
    if not n:
        return np.array(x)
    step = np.linalg.solve(np.reshape(jacobian, (n, n)), np.reshape(residual, (n,)))
    # The multiples of the golden ratio, modulo 1, are spread evenly and do not repeat.
    share = 0.5 + 0.5 * (np.arange(1, n + 1) * 0.6180339887498949 % 1.0)
    least = 1.5e-8 * np.abs(np.reshape(x, (n,))) * share
    moved = np.where(np.abs(step) > least, step, np.where(step < 0.0, -least, least))
    found = x - np.reshape(moved, np.shape(x))
    return float(found) if isinstance(x, float) else np.reshape(found, np.shape(x))


def isolated(jacobian: Any, beside: Any) -> Any:
    """`jacobian` of an equation at a solution, once it is seen to be about the same beside that.

    `beside` is the Jacobian at `beside_solution`. J^-1 `beside` has eigenvalues near one, whatever
    the units of equations and unknowns are. At a fold, such as that of x**2 = a at a = 0, a solver
    finds an x near the solution, where the Jacobian is not 0; but half-way to it, J is halved.

    Raises:
        numpy.linalg.LinAlgError: an eigenvalue of J^-1 `beside` - 1 is above a quarter: the
            solution is not isolated to rounding.
    """
    n = round(np.sqrt(np.size(jacobian)))
    if not n:
        return jacobian
    at, near = np.reshape(jacobian, (n, n)), np.reshape(beside, (n, n))
    change = np.linalg.solve(at, near - at)
    # A norm is no less than the eigenvalues, and cheap.
    if np.max(np.sum(np.abs(change), axis=1)) <= 0.25:
        return jacobian
    if not np.all(np.isfinite(change)) or np.max(np.abs(np.linalg.eigvals(change))) > 0.25:
        raise np.linalg.LinAlgError(
            "the derivative of an equation's solution was asked for where the equation's Jacobian "
            "is singular to rounding: beside the solution, at a Newton step or half of its digits, "
            "it is another one, as at a fold, where two solutions meet"
        )
    return jacobian
