"""`scipy.linalg.solve_banded`, and products of banded matrices.

x = solve_banded((l, u), ab, b)    b_bar = solve_banded((u, l), transposed(ab), x_bar)
                                   ab_bar = -outer(b_bar, x), in the band

After Giles (2008), section 2.2. Entries of `ab` beside the matrix have the derivative zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcad import runtime
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.registry import linear
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import inexact, known_options
from srcad.rules.scipy.linalg.options import one_matrix, solver_rule


def _result_type(ab: object, x: object) -> np.dtype[Any]:
    return np.result_type(inexact(as_type(ab)), inexact(as_type(x)))


def _solve_type(l_and_u: Any, ab: object, b: object) -> Type:
    one_matrix(ab, "scipy.linalg.solve_banded")
    if not all(isinstance(k, int) for k in l_and_u):
        raise UncoveredError("numbers of diagonals that are not known")
    shape, dtype = shape_of(as_type(b)), _result_type(ab, b)
    if shape is None or len(shape) not in (1, 2):
        raise UncoveredError("stacks of right-hand sides")
    if dtype.kind == "c":
        raise UncoveredError("complex matrices")
    return ArrayType(dtype, shape)


def _solve_jvp(ts: Any, y: Any, l_and_u: Any, ab: Any, b: Any) -> Any:
    _, ab_dot, b_dot = ts
    if ab_dot is not ZERO:
        b_dot = b_dot - call(runtime.banded_product, ab_dot, y, *l_and_u)
    return cast_like(call(linalg.solve_banded, l_and_u, ab, b_dot, check_finite=False), y)


def _adjoint(g: Any, l_and_u: Any, ab: Any) -> Any:
    below, above = l_and_u
    return call(
        linalg.solve_banded, (above, below), _turned(ab, below, above), g, check_finite=False
    )


def _solve_ab(g: Any, y: Any, l_and_u: Any, ab: Any, b: Any) -> Any:
    found = call(runtime.banded_outer, _adjoint(g, l_and_u, ab), y, *l_and_u)
    return cast_like(-found, ab)


def _product_type(ab: object, x: object, below: int, above: int) -> Type:
    return ArrayType(_result_type(ab, x), shape_of(as_type(x)))


def _outer_type(y: object, x: object, below: int, above: int) -> Type:
    shape = shape_of(as_type(x))
    return ArrayType(_result_type(y, x), None if shape is None else (below + above + 1, shape[0]))


def _turned(ab: Any, below: int, above: int) -> Any:
    return call(runtime.banded_transposed, ab, below, above)


def _product_ab(g: Any, y: Any, ab: Any, x: Any, below: int, above: int) -> Any:
    return cast_like(call(runtime.banded_outer, g, x, below, above), ab)


def _product_x(g: Any, y: Any, ab: Any, x: Any, below: int, above: int) -> Any:
    turned = _turned(ab, below, above)
    return cast_like(call(runtime.banded_product, turned, g, above, below), x)


def _outer_y(g: Any, ab: Any, y: Any, x: Any, below: int, above: int) -> Any:
    return cast_like(call(runtime.banded_product, g, x, below, above), y)


def _outer_x(g: Any, ab: Any, y: Any, x: Any, below: int, above: int) -> Any:
    turned = _turned(g, below, above)
    return cast_like(call(runtime.banded_product, turned, y, above, below), x)


def _regular(rows: int, above: int) -> Any:
    """Random entries of a band with a large diagonal."""

    def made(rng: Any) -> Any:
        ab = rng.uniform(-1, 1, (rows, 5))
        ab[above] += 4.0
        return ab

    return made


def _band(below: int, above: int) -> Any:
    return Case.made(lambda rng: (below, above))


solver_rule(
    linalg.solve_banded,
    jvp=_solve_jvp,
    ab=_solve_ab,
    b=lambda g, y, l_and_u, ab, b: cast_like(_adjoint(g, l_and_u, ab), b),
    type_of=known_options(_solve_type),
    cases=[
        Case(_band(1, 1), _regular(3, 1), (5,)),
        Case(_band(2, 1), _regular(4, 1), (5, 2)),
        Case(_band(0, 2), _regular(3, 2), (5,)),
    ],
)

linear(
    runtime.banded_product,
    ab=_product_ab,
    x=_product_x,
    type_of=_product_type,
    cases=[Case((3, 5), (5,), 1, 1), Case((4, 5), (5, 2), 2, 1), Case((3, 5), (5,), 0, 2)],
)

linear(
    runtime.banded_outer,
    y=_outer_y,
    x=_outer_x,
    type_of=_outer_type,
    cases=[Case((5,), (5,), 1, 1), Case((5, 2), (5, 2), 2, 1)],
)

linear(
    runtime.banded_transposed,
    ab=lambda g, y, ab, below, above: _turned(g, above, below),
    type_of=lambda ab, below, above: as_type(ab),
    cases=[Case((3, 5), 1, 1), Case((4, 5), 2, 1)],
)
