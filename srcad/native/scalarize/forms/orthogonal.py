"""Orthogonal factors of matrices, by Householder's reflections, with the signs of LAPACK's.

np.linalg.qr(a)       Golub & Van Loan, Matrix Computations, section 5.2, as in `geqr2`
np.linalg.pinv(a)     of full rank: inverse(r) @ q.T
np.linalg.lstsq(a, b) of full rank: pinv(a) @ b
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.kernels.lapack import find_lapack
from srcad.native.scalarize.forms.calls import FLOAT, Choice, Chosen, is_array, options
from srcad.native.scalarize.loop_forms import LARGEST

_WORST = 1e8  # the largest condition number of a matrix whose rank is surely full


def _check_size(m: Any, n: Any) -> None:
    """Refuse what is better left to LAPACK."""
    if m > LARGEST or n > LARGEST or m == 0 or n == 0:
        raise ValueError("a matrix of another size")


def _check_apart(a: Any, upper: Any, rank: Any) -> None:
    """Refuse columns that depend on others: what is left of them is rounding, which may be 0 here
    and something else in LAPACK. A column of zeros is 0 in both.
    """
    most = np.float64(0.0)
    for k in range(rank):
        most = np.maximum(most, abs(upper[k, k]))
    for k in range(rank):
        if not abs(upper[k, k]) > 1e-11 * most and np.any(a[:, k] != 0.0):
            raise ValueError("columns that depend on others")


def _reflected(a: Any, k: Any, vectors: Any) -> Any:
    """Make column k of `a` upper triangular; `vectors` gets what it is reflected by below the
    diagonal. The factor of the reflection.
    """
    square = np.float64(0.0)
    for i in range(k + 1, a.shape[0]):
        square += a[i, k] * a[i, k]
    if square == 0.0:
        return np.float64(0.0)
    if not square < np.inf:
        raise ValueError("entries too large")
    first = a[k, k]
    last = -np.copysign(np.sqrt(first * first + square), first)
    for i in range(k + 1, a.shape[0]):
        vectors[i, k] = a[i, k] / (first - last)
        a[i, k] = 0.0
    a[k, k] = last
    return (last - first) / last


def _apply(a: Any, k: Any, j: Any, vectors: Any, factor: Any) -> None:
    """Reflect column j of `a` by vector k."""
    total = a[k, j]
    for i in range(k + 1, a.shape[0]):
        total += vectors[i, k] * a[i, j]
    total = total * factor
    a[k, j] -= total
    for i in range(k + 1, a.shape[0]):
        a[i, j] -= vectors[i, k] * total


def factors(a: Any) -> Any:
    """`np.linalg.qr(a)`."""
    m, n = a.shape
    _check_size(m, n)
    rank = min(m, n)
    upper = a.copy()
    vectors = np.zeros((m, rank))
    scales = np.zeros(rank)
    for k in range(rank):
        scales[k] = _reflected(upper, k, vectors)
        for j in range(k + 1, n):
            _apply(upper, k, j, vectors, scales[k])
    _check_apart(a, upper, rank)
    q = np.zeros((m, rank))
    for k in range(rank):
        q[k, k] = 1.0
    for k in range(rank - 1, -1, -1):
        for j in range(k, rank):
            _apply(q, k, j, vectors, scales[k])
    r = np.zeros((rank, n))
    for i in range(rank):
        for j in range(i, n):
            r[i, j] = upper[i, j]
    return q, r


def upper_factor(a: Any) -> Any:
    """`np.linalg.qr(a, mode="r")`."""
    return factors(a)[1]


def _inverse_of_tall(a: Any) -> Any:
    """The pseudo-inverse of a matrix whose columns are independent."""
    m, n = a.shape
    q, r = factors(a)
    for k in range(n):
        if r[k, k] == 0.0:
            raise ValueError("a matrix that is short of rank")
    out = np.zeros((n, m))
    for j in range(m):
        for i in range(n - 1, -1, -1):
            total = q[j, i]
            for k in range(i + 1, n):
                total -= r[i, k] * out[k, j]
            out[i, j] = total / r[i, i]
    _check_condition(a, out)
    return out


def _check_condition(a: Any, inverse: Any) -> None:
    """Refuse matrices that may be short of rank: Frobenius' norms bound the condition number."""
    if not np.sqrt(np.sum(a * a)) * np.sqrt(np.sum(inverse * inverse)) < _WORST:
        raise ValueError("a matrix that may be short of rank")


def pseudo_inverse(a: Any) -> Any:
    """`np.linalg.pinv(a)` of full rank."""
    if a.shape[0] < a.shape[1]:
        return _inverse_of_tall(a.T.copy()).T.copy()
    return _inverse_of_tall(a)


def solution(a: Any, b: Any) -> Any:
    """`np.linalg.lstsq(a, b)[0]` of a vector, of full rank."""
    m, n = a.shape
    if len(b) != m:
        raise ValueError("another number of equations")
    inverse = pseudo_inverse(a)
    out = np.zeros(n)
    for i in range(n):
        for k in range(m):
            out[i] += inverse[i, k] * b[k]
    return out


def _qr(op: Op) -> Chosen | None:
    found = options(op, 1, mode="reduced")
    if found is None or not is_array(op.args[0], FLOAT, 2):
        return None
    form = {"reduced": factors, "r": upper_factor}.get(found[0])
    return None if form is None else (form, op.args[:1])


def _pinv(op: Op) -> Chosen | None:
    found = options(op, 1, rcond=None, hermitian=False, rtol=None)
    is_plain = found == (None, False, None)
    return (pseudo_inverse, op.args[:1]) if is_plain and is_array(op.args[0], FLOAT, 2) else None


def _lstsq(op: Op) -> Chosen | None:
    is_plain = options(op, 2, rcond=None) == (None,) and is_array(op.args[0], FLOAT, 2)
    return (solution, op.args[:2]) if is_plain and is_array(op.args[1], FLOAT, 1) else None


def _else_lapack(choose: Choice) -> Choice:
    """Where NumPy's LAPACK can be called, these are its (`handlers.decompositions`)."""
    return lambda op: None if find_lapack() else choose(op)


ORTHOGONAL: Final[dict[Any, Choice]] = {
    np.linalg.qr: _else_lapack(_qr), np.linalg.pinv: _else_lapack(_pinv),
    np.linalg.lstsq: _else_lapack(_lstsq),
}  # fmt: skip
