"""`scipy.linalg`: Cholesky factors, and systems solved by them: cholesky, cho_factor, cho_solve.

After Murray (2016), "Differentiation of the Cholesky decomposition": two triangular solves. The
cotangent of the matrix is in the triangle that is read.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import linalg

from srcad.errors import SrcadError
from srcad.ir.types import ArrayType
from srcad.ir.walk import values_in
from srcad.rules.arrays.shaping import call_beside
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import SQUARE, TAKE_TUPLES
from srcad.rules.core.compose import known
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import Staged, as_array, call, is_complex
from srcad.rules.core.table import Case
from srcad.rules.linalg.matrices import (
    conj,
    folded,
    half_triangle,
    known_options,
    mH,
    mirrored,
    mT,
    symmetric,
)
from srcad.rules.scipy.linalg.options import (
    checked,
    has_arrays_for_numbers,
    one_matrix,
    solver_rule,
    working,
)
from srcad.rules.scipy.linalg.systems import substitution, triangular_solve

TAKE_TUPLES.add(linalg.cho_solve)
SQUARE.update((linalg.cholesky, linalg.cho_factor))


def _square_type(a: object, *_: object, **__: object) -> ArrayType:
    shape = one_matrix(a, "scipy.linalg")
    return ArrayType(working(as_type(a)), shape)


def _lower_jvp(factor: Any, a_dot: Any) -> Any:
    left = triangular_solve(factor, a_dot, 0, True, False)
    return factor @ half_triangle(mH(triangular_solve(factor, mH(left), 0, True, False)))


def _lower_vjp(g: Any, factor: Any) -> Any:
    left = triangular_solve(factor, half_triangle(mT(factor) @ g), 1, True, False)
    return mT(triangular_solve(conj(factor), mT(left), 1, True, False))


def _cholesky_jvp(ts: Any, y: Any, a: Any, lower: Any = False) -> Any:
    a_dot = mirrored(ts[0], bool(lower))
    return _lower_jvp(y, a_dot) if lower else mH(_lower_jvp(mH(y), a_dot))


def _cholesky_vjp(g: Any, y: Any, a: Any, lower: Any = False) -> Any:
    bar = _lower_vjp(g, y) if lower else _lower_vjp(mH(g), mH(y))
    return folded(bar, bool(lower))


solver_rule(
    linalg.cholesky,
    jvp=_cholesky_jvp,
    a=_cholesky_vjp,
    type_of=known_options(_square_type),
    cases=[Case(symmetric(3, 3)), Case(symmetric(3, 3), lower=True)],
    note="of the triangle of the matrix that is read",
)


def _cho_factor(
    a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True
) -> Any:
    if overwrite_a is not False:
        raise UncoveredError("`overwrite_a=True`")
    lower = bool(known(lower, "`lower=`"))
    factor = call(linalg.cholesky, a, **({"lower": True} if lower else {}))
    if _keeps_other_triangle():
        rest = np.triu(a, k=1) if lower else np.tril(a, k=-1)
        factor = factor + cast_like(rest, factor)
    return factor, call_beside(a, np.array, lower) if has_arrays_for_numbers() else lower


@functools.cache
def _keeps_other_triangle() -> bool:
    """Whether `cho_factor` leaves the other triangle as it was, as SciPy does before 1.18."""
    return bool(linalg.cho_factor(np.full((2, 2), 0.5) + np.eye(2))[0][1, 0] != 0)


def _is_lower(lower: Any) -> bool | None:
    """What `cho_factor` says of its factor: a constant, or the array that was made of one; None
    where it is said when the program runs.
    """
    if isinstance(lower, Staged):
        made = lower.builder.made.get(lower.value)
        if made is not None and made.fn is np.array and not values_in(made.args):
            return bool(made.args[0])
    try:
        return bool(known(lower, "whether the factor is lower"))
    except SrcadError:
        return None


def _cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    if overwrite_b is not False:
        raise UncoveredError("what is overwritten")
    c, lower = c_and_lower
    b = checked(as_array(b), check_finite)
    c, is_lower = checked(c, check_finite), _is_lower(lower)
    if is_lower is None:
        c, is_lower = np.where(lower, c, mH(c)), True
    adjoint = 2 if is_complex(c) else 1
    first, second = (0, adjoint) if is_lower else (adjoint, 0)
    return substitution(c, substitution(c, b, first, is_lower, False), second, is_lower, False)


composed(linalg.cho_factor, _cho_factor, cases=[Case(symmetric(3, 3)), Case(symmetric(3, 3), True)])
composed(
    linalg.cho_solve,
    _cho_solve,
    cases=[
        Case(Case.made(lambda rng: (linalg.cho_factor(symmetric(3, 3)(rng))[0], False)), (3,)),
        Case(
            Case.made(lambda rng: (linalg.cho_factor(symmetric(3, 3)(rng), True)[0], True)), (3, 2)
        ),
    ],
)
