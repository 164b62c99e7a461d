"""Solvers that a program hands a function to, and the equation that their result satisfies.

fsolve(f, x0, args)         f(x, *args) = 0             "root"
fixed_point(f, x0, args)    f(x, *args) = x             "fixed point"
minimize(f, x0, args)       df/dx (x, *args) = 0        "minimum"
least_squares(f, x0, args)  d/dx sum(f**2) / 2 = 0      "least squares"
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from srcad.ir.nodes import Function
from srcad.runtime.solving import integrals, solvers

Equation = Literal["root", "fixed point", "minimum", "least squares"]


@dataclass(frozen=True, eq=False, slots=True)
class Solved:
    """A solver of the user's (`srcad.implicit`), called on its arguments.

    The last operand is what the equation is passed besides the solution; it is not printed. The
    result is like the argument `like`.
    """

    solver: Any
    equation: Function
    like: int

    def __call__(self, *args: Any) -> Any:
        """The solution."""
        return solvers.as_solution(self.solver(*args[:-1]), args[self.like])

    @property
    def __name__(self) -> str:
        return str(getattr(self.solver, "__name__", "solver"))


_SCIPY: dict[str, Equation] = {
    **dict.fromkeys(("bisect", "brenth", "brentq", "fsolve", "ridder", "toms748"), "root"),
    "fixed_point": "fixed point",
}
_OURS: dict[Any, Equation] = {
    solvers.bracketed: "root",
    solvers.fixed_point: "fixed point",
    solvers.fsolve_in_full: "root",
    solvers.least_squares: "least squares",
    solvers.leastsq: "least squares",
    solvers.minimize: "minimum",
    solvers.minimize_scalar: "minimum",
    solvers.minimum: "minimum",
    solvers.minimum_of_vector: "minimum",
    solvers.newton: "root",
    solvers.newton_in_full: "root",
    solvers.newton_of_entries: "root",
    solvers.quasi_newton: "root",
    solvers.root: "root",
    solvers.root_scalar: "root",
}


def equation_of(fn: Any) -> Equation | None:
    """Which equation the result of a solver satisfies; None for what is no such solver."""
    if isinstance(fn, Solved):
        return "root"
    if fn in _OURS:
        return _OURS[fn]
    if str(getattr(fn, "__module__", "")).startswith("scipy.optimize"):
        return _SCIPY.get(fn.__name__)
    return None


_INTEGRALS = (
    integrals.inner_quad,
    integrals.iterated_quad,
    integrals.quad,
    integrals.quad_vec,
)


def is_integral(fn: Any) -> bool:
    """Whether a function integrates another over an interval: `quad(f, a, b, args)`."""
    return fn in _INTEGRALS


__all__ = ["Equation", "Solved", "equation_of", "is_integral"]
