"""`scipy.linalg`: matrix equations: Sylvester, Lyapunov.

Each is linear in its right-hand side; the transpose solves the equation with transposed
coefficients, and gives the cotangents of these by products with the solution (Giles, 2008, for the
linear system; Kao and Hennequin, 2020, "Automatic differentiation of Sylvester, Lyapunov, and
algebraic Riccati equations").
"""

from __future__ import annotations

from typing import Any

from scipy import linalg

from srcad.ir.types import ArrayType, Type
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.registry import rule, same
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import conj, inexact, mH, mT, regular
from srcad.rules.scipy.linalg.options import one_matrix, result_dtype


def _type_of(fn: Any) -> Any:
    def type_of(*matrices: object, **_: object) -> Type:
        dtypes = [inexact(as_type(m)) for m in matrices]
        if len({dtype.kind for dtype in dtypes}) > 1:  # SciPy 1.17 solves another equation then
            raise UncoveredError("real and complex matrices together")
        dtype = result_dtype(fn, *dtypes)
        return ArrayType(dtype, one_matrix(matrices[-1], "matrix equations"))

    return type_of


# ---- a @ y + y @ b = q


def _sylvester_jvp(ts: Any, y: Any, a: Any, b: Any, q: Any) -> Any:
    a_dot, b_dot, q_dot = ts
    moved = q_dot if a_dot is ZERO else q_dot - a_dot @ y
    moved = moved if b_dot is ZERO else moved - y @ b_dot
    return cast_like(call(linalg.solve_sylvester, a, b, moved), y)


def _sylvester_q(g: Any, a: Any, b: Any) -> Any:
    return call(linalg.solve_sylvester, mT(a), mT(b), g)


rule(
    linalg.solve_sylvester,
    jvp=_sylvester_jvp,
    a=lambda g, y, a, b, q: cast_like(-(_sylvester_q(g, a, b) @ mT(y)), a),
    b=lambda g, y, a, b, q: cast_like(-(mT(y) @ _sylvester_q(g, a, b)), b),
    q=lambda g, y, a, b, q: cast_like(_sylvester_q(g, a, b), q),
    type_of=_type_of(linalg.solve_sylvester),
    cases=[Case(regular(3, 3), regular(2, 2), (3, 2)), Case(regular(3, 3), regular(3, 3), (3, 3))],
)


# ---- a @ y + y @ a^H = q


def _lyapunov_jvp(ts: Any, y: Any, a: Any, q: Any) -> Any:
    a_dot, moved = ts
    if a_dot is not ZERO:
        moved = moved - a_dot @ y - y @ mH(a_dot)
    return cast_like(call(linalg.solve_continuous_lyapunov, a, moved), y)


def _lyapunov_q(g: Any, a: Any) -> Any:
    return call(linalg.solve_continuous_lyapunov, mT(a), g)


def _lyapunov_a(g: Any, y: Any, a: Any, q: Any) -> Any:
    q_bar = _lyapunov_q(g, a)
    return cast_like(-(q_bar @ mT(y)) - mH(q_bar) @ conj(y), a)


rule(
    linalg.solve_continuous_lyapunov,
    jvp=_lyapunov_jvp,
    a=_lyapunov_a,
    q=lambda g, y, a, q: cast_like(_lyapunov_q(g, a), q),
    type_of=_type_of(linalg.solve_continuous_lyapunov),
    cases=[Case(regular(3, 3), (3, 3))],
)

if linalg.solve_lyapunov is not linalg.solve_continuous_lyapunov:
    same(linalg.solve_lyapunov, linalg.solve_continuous_lyapunov)


# ---- a @ y @ a^H - y + q = 0


def _discrete(a: Any, q: Any, method: Any) -> Any:
    options = {} if method is None else {"method": method}
    return call(linalg.solve_discrete_lyapunov, a, q, **options)


def _discrete_jvp(ts: Any, y: Any, a: Any, q: Any, method: Any = None) -> Any:
    a_dot, moved = ts
    if a_dot is not ZERO:
        moved = moved + a_dot @ y @ mH(a) + a @ y @ mH(a_dot)
    return cast_like(_discrete(a, moved, method), y)


def _discrete_a(g: Any, y: Any, a: Any, q: Any, method: Any = None) -> Any:
    q_bar = _discrete(mT(a), g, method)
    return cast_like(q_bar @ conj(a) @ mT(y) + mH(q_bar) @ conj(a @ y), a)


rule(
    linalg.solve_discrete_lyapunov,
    jvp=_discrete_jvp,
    a=_discrete_a,
    q=lambda g, y, a, q, method=None: cast_like(_discrete(mT(a), g, method), q),
    type_of=_type_of(linalg.solve_discrete_lyapunov),
    cases=[
        Case(lambda rng: rng.uniform(-0.5, 0.5, (3, 3)), (3, 3)),
        Case(lambda rng: rng.uniform(-0.5, 0.5, (3, 3)), (3, 3), method="bilinear"),
    ],
)
