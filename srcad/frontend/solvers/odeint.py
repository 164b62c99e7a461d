"""`scipy.integrate.odeint`: the user's function becomes an IR function, which the call is given.

    def decay(y, t, k): return -k * y          def decay(y, t, k): return multiply(neg(k), y)
    odeint(decay, y0, t, args=(k,))            odeint(decay, y0, t, (k,))

All that the function reads is passed, what it reads of its surroundings too. The state and what the
function returns are vectors of float64, as SciPy makes them. Derivatives:
`srcad.transform.solutions`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.calls.lifting import has_effects
from srcad.frontend.dispatch import Args
from srcad.frontend.solvers.numbers import as_vector
from srcad.frontend.solvers.passed_functions import passed_function
from srcad.ir.calls import called
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, rank_of, shape_of
from srcad.ir.walk import statements
from srcad.rules.core.staged import type_of

_REAL = np.dtype(float)
_OPTIONS = ("rtol", "atol", "h0", "hmax", "hmin", "mxstep", "mxhnil", "mxordn", "mxords")
_WHAT = "`scipy.integrate.odeint`"


def odeint(
    frame: Frame,
    func: Abstract,
    y0: Abstract,
    t: Abstract,
    args: Abstract = (),
    *,
    tfirst: Abstract = False,
    **options: Abstract,
) -> Abstract:
    """The solution of `y' = func(y, t, *args)` at the times `t`."""
    from scipy import integrate

    session = frame.session
    if not isinstance(args, tuple):
        raise error("E132", None, what=f"{_WHAT} with `args` that are no tuple")
    kept = _checked(options)
    start, times = as_vector(frame, _WHAT, y0), as_vector(frame, _WHAT, t)
    time_first = bool(session.static(tfirst, "`tfirst`"))
    function, passed = _right_hand_side(frame, func, start, args, time_first)
    extents = [shape_of(x.type) for x in (times, start)]
    out = Value("", ArrayType(_REAL, tuple(e for shape in extents for e in shape or ())))
    atoms = (function, session.atom(start), session.atom(times), passed)
    loc, effect = session.builder.loc, has_effects(function)
    op = Op(integrate.odeint, atoms, session.atom(kept), (out,), loc, effect)
    session.builder.body.append(op)
    for watch in session.watchers:
        watch(op)
    session.memory.tell(out, ())
    return out


def _right_hand_side(
    frame: Frame, func: Abstract, start: Value, args: Args, time_first: bool
) -> tuple[Function, Any]:
    """The function of state, time and what it reads besides; and the atoms of the last.

    Raises:
        UnsupportedSyntax: E100, it calls `odeint`, which SciPy answers by a wrong solution.
    """
    from scipy import integrate

    leading = (Value("y", start.type), Value("t", NumberType(float)))
    function, passed = passed_function(frame, func, as_vector, leading, args, _WHAT, time_first)
    for inner in (function, *called(function)):
        if any(
            isinstance(stmt, Op) and stmt.fn is integrate.odeint for stmt in statements(inner.body)
        ):
            fix = "make one system of the two: SciPy's solver cannot run inside itself"
            raise error("E100", None, what=f"{_WHAT} whose function calls it", fix=fix)
    return function, passed


def _checked(options: dict[str, Abstract]) -> dict[str, Abstract]:
    """The options that are passed on; the others are refused unless they are as if left out."""
    kept = {name: x for name, x in options.items() if name in _OPTIONS and x is not None}
    for name, x in options.items():
        if name not in _OPTIONS and x not in (None, 0, False):
            raise error("E203", None, what=f"{_WHAT} with `{name}=`")
        if name in kept and rank_of(type_of(x)) != 0:
            fix = "pass a number: the derivatives have more components than the state"
            raise error("E203", None, what=f"{_WHAT} with an array for `{name}=`", fix=fix)
    return kept


__all__ = ["odeint"]
