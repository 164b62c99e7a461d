"""SciPy's functions that take a function of the user's, and what reads a call of each."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.calls.functions import call_python
from srcad.frontend.solvers.initial_values import solve_ivp
from srcad.frontend.solvers.iterated_integrals import dblquad, nquad, tplquad
from srcad.frontend.solvers.odeint import odeint
from srcad.frontend.solvers.of_scipy import SOLVERS, call_solver
from srcad.frontend.solvers.quadrature import quad
from srcad.frontend.written.scipy.integrals import fixed_quad


def solver_for(fn: Any) -> Callable[..., Abstract] | None:
    """What reads a call of `fn`, given the frame and the arguments; None where it is no solver."""
    module, name = str(getattr(fn, "__module__", "")), getattr(fn, "__name__", "")
    if module.startswith("scipy.optimize") and name in SOLVERS:
        return functools.partial(call_solver, fn)
    if module.startswith("scipy.integrate"):
        return _INTEGRATE.get(name)
    return None


def _fixed_quad(
    frame: Frame, func: Abstract, a: Abstract, b: Abstract, args: Abstract = (), n: Abstract = 5
) -> Abstract:
    return call_python(frame, Ref(fixed_quad, ""), (func, a, b, args, n), {}, None)


_INTEGRATE: dict[str, Callable[..., Abstract]] = {
    "dblquad": dblquad, "fixed_quad": _fixed_quad, "nquad": nquad, "odeint": odeint,
    "quad": quad, "solve_ivp": solve_ivp, "tplquad": tplquad,
}  # fmt: skip


__all__ = ["solver_for"]
