"""SciPy's solvers of equations and minimisers, and what reads a call of each.

The solver runs as SciPy runs it. Its derivative comes from the equation that the solution
satisfies (`srcad.transform.implicit`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.solvers import of_one_number, of_vectors
from srcad.frontend.solvers.calls import Given, number, vector
from srcad.frontend.solvers.of_vectors import with_result


def call_solver(fn: Any, frame: Frame, *args: Abstract, **kwargs: Abstract) -> Abstract:
    """What a call of SciPy's solver `fn`, which is one of `SOLVERS`, gives.

    Raises:
        SrcadError: E131, the arguments do not fit; E132, they have other types; E203, an option
            under which the solution satisfies another equation, or is told in another form.
    """
    try:
        bound = inspect.signature(fn).bind(*args, **kwargs).arguments
    except TypeError as reason:
        raise error("E131", None, what=f"`{fn.__name__}` ({reason})") from None
    return SOLVERS[fn.__name__](frame, fn, dict(bound))


SOLVERS: dict[str, Callable[[Frame, Any, Given], Abstract]] = {
    **dict.fromkeys(of_one_number.BRACKETING, of_one_number.bracketed),
    **dict.fromkeys(("brent", "fminbound", "golden"), of_one_number.minimum),
    **dict.fromkeys(
        ("fmin", "fmin_bfgs", "fmin_cg", "fmin_ncg", "fmin_powell"), of_vectors.minimum
    ),
    **dict.fromkeys(
        ("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing",
         "newton_krylov"),
        of_vectors.quasi_newton,
    ),
    "curve_fit": of_vectors.curve_fit,
    "fixed_point": of_vectors.fixed_point,
    "fsolve": of_vectors.fsolve,
    "least_squares": functools.partial(
        with_result, own=runtime.least_squares, result=vector,
        known="method ftol xtol gtol x_scale max_nfev diff_step",
    ),
    "leastsq": of_vectors.leastsq,
    "linprog": of_vectors.linprog,
    "minimize": functools.partial(
        with_result, own=runtime.minimize, result=number, known="method tol options hess",
        constraints=(), callback=None, hess=None, hessp=None,
    ),
    "minimize_scalar": of_one_number.minimize_scalar,
    "newton": of_one_number.newton,
    "root": functools.partial(
        with_result, own=runtime.root, result=vector, known="method tol options", callback=None
    ),
    "root_scalar": of_one_number.root_scalar,
}  # fmt: skip


__all__ = ["SOLVERS", "call_solver"]
