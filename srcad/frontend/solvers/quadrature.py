"""`scipy.integrate.quad`: the user's function becomes an IR function, which the call is given.

    quad(lambda x: np.exp(-k * x), 0.0, b)      value, error = quad(f, 0.0, b, (k,), ...)

Derivatives: `srcad.transform.integrals`.
"""

from __future__ import annotations

from typing import Any

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import Args
from srcad.frontend.nested.parameters import parameters_of
from srcad.frontend.solvers.calls import emit_solver
from srcad.frontend.solvers.numbers import as_number, as_vector
from srcad.frontend.solvers.passed_functions import passed_function
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType

_WHAT = "`scipy.integrate.quad`"
_FLOAT = NumberType(float)


def quad(
    frame: Frame, func: Abstract, a: Abstract, b: Abstract, args: Abstract = (),
    full_output: Abstract = 0, epsabs: Abstract = 1.49e-8, epsrel: Abstract = 1.49e-8,
    limit: Abstract = 50, points: Abstract = None, **options: Abstract,
) -> Abstract:  # fmt: skip
    """The integral of `func(x, *args)` for x from `a` to `b`, and its error."""
    for name, x in {"full_output": full_output or None, **options}.items():
        if x is not None:
            fix = "leave it out; split the interval at the points where the function is not smooth"
            raise error("E203", None, what=f"{_WHAT} with `{name}=`", fix=fix)
    kept: dict[str, Any] = {"epsabs": epsabs, "epsrel": epsrel, "limit": limit}
    if points is not None:  # they may not vary: the integrand may jump there
        kept["points"] = as_vector(frame, _WHAT, points)
    passed = args if isinstance(args, tuple) else (args,)
    return integral(frame, _WHAT, runtime.quad, func, (a, b), passed, kept)


def integral(
    frame: Frame, what: str, own: Any, func: Abstract, ends: tuple[Abstract, Abstract],
    args: Args, options: dict[str, Abstract],
) -> Abstract:  # fmt: skip
    """The value and the error of an integral of the user's function, by `own`."""
    limits = [as_number(frame, what, end) for end in ends]
    x = Value(next((p.name for p in parameters_of(func)), "x"), _FLOAT)
    function, passed = passed_function(frame, func, as_number, (x,), args, what)
    atoms = (function, *limits, passed)
    kept = {name: frame.session.atom(option) for name, option in options.items()}
    return emit_solver(frame, own, atoms, kept, (_FLOAT, _FLOAT))


__all__ = ["integral", "quad"]
