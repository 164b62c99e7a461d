"""What singular values and eigenvalues tell, and the quotients in derivatives of their vectors.

np.linalg.norm(a, 2)        np.max(np.linalg.svd(a, compute_uv=False))
np.linalg.pinv(a)           vh.T @ (1 / s[:, None] * u.T), by the values that are not negligible
over_gaps(m, w)             m[i, j] / (w[j] - w[i])

The decompositions are LAPACK's (`handlers.decompositions`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op
from srcad.ir.types import dtype_of
from srcad.kernels.lapack import find_lapack
from srcad.native.scalarize.forms.calls import (
    COMPLEX,
    FLOAT,
    SINGLE,
    Choice,
    Chosen,
    Form,
    is_any,
    is_array,
    options,
    rank,
)
from srcad.rules.core.staged import type_of

_LEAST_PART = 1e-15  # what `np.linalg.pinv` takes for zero, of the largest singular value


def largest_value(a: Any) -> Any:
    """`np.linalg.norm(a, 2)`."""
    return np.max(np.linalg.svd(a, compute_uv=False))


def smallest_value(a: Any) -> Any:
    """`np.linalg.norm(a, -2)`."""
    return np.min(np.linalg.svd(a, compute_uv=False))


def sum_of_values(a: Any) -> Any:
    """`np.linalg.norm(a, "nuc")`."""
    return np.sum(np.linalg.svd(a, compute_uv=False))


def largest_sum_of_columns(a: Any) -> Any:
    """`np.linalg.norm(a, 1)`."""
    return np.max(np.sum(np.abs(a), axis=0))


def smallest_sum_of_columns(a: Any) -> Any:
    """`np.linalg.norm(a, -1)`."""
    return np.min(np.sum(np.abs(a), axis=0))


def largest_sum_of_rows(a: Any) -> Any:
    """`np.linalg.norm(a, np.inf)`."""
    return np.max(np.sum(np.abs(a), axis=1))


def smallest_sum_of_rows(a: Any) -> Any:
    """`np.linalg.norm(a, -np.inf)`."""
    return np.min(np.sum(np.abs(a), axis=1))


def root_of_squares(a: Any) -> Any:
    """`np.linalg.norm(a, "fro")`."""
    sizes = np.abs(a)
    return np.sqrt(np.sum(sizes * sizes))


def pseudo_inverse(a: Any, least: float) -> Any:
    """`np.linalg.pinv(a)`, without singular values of at most `least` times the largest one."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    is_large = s > least * np.max(s)
    inverse = np.where(is_large, 1.0 / np.where(is_large, s, 1.0), 0.0)
    return vh.T @ (inverse[:, None] * u.T)


def pseudo_inverse_by_size(a: Any, eps: float) -> Any:
    """`np.linalg.pinv(a, rtol=None)`."""
    return pseudo_inverse(a, max(a.shape[0], a.shape[1]) * eps)


def pseudo_inverses(a: Any, least: float) -> Any:
    """`np.linalg.pinv(a)` of a stack."""
    out = np.empty((a.shape[0], a.shape[2], a.shape[1]))
    for p in range(a.shape[0]):
        out[p] = pseudo_inverse(a[p], least)
    return out


def over_gaps(m: Any, w: Any, eps: float, squared: bool) -> Any:
    """`runtime.over_gaps(m, w, squared)` of matrices."""
    n = len(w)
    largest = np.float64(0.0)
    for k in range(n):
        largest = np.maximum(largest, abs(w[k]))
    out = np.zeros_like(m)
    for i in range(n):
        for j in range(n):
            gap = w[j] - w[i]
            if abs(gap) <= n * eps * largest:
                if i != j and (np.any(m[:, i] != 0.0) or np.any(m[:, j] != 0.0)):
                    raise ValueError("vectors that are not determined")
            elif squared:
                out[i, j] = m[i, j] / (gap * (w[j] + w[i]))
            else:
                out[i, j] = m[i, j] / gap
    return out


def over_gaps_of_each(m: Any, w: Any, eps: float, squared: bool) -> Any:
    """The same of stacks of matrices."""
    out = np.zeros_like(m)
    for p in range(m.shape[0]):
        out[p] = over_gaps(m[p], w[p], eps, squared)
    return out


def over_values(m: Any, s: Any, u: Any, eps: float) -> Any:
    """`runtime.over_values(m, s, u)` of matrices."""
    out = np.zeros_like(m)
    if u.shape[0] != u.shape[1]:
        largest = np.float64(0.0)
        for k in range(len(s)):
            largest = np.maximum(largest, s[k])
        for j in range(len(s)):
            if s[j] <= max(u.shape[0], u.shape[1]) * eps * largest:
                if np.any(m[:, j] != 0.0):
                    raise ValueError("a vector that is not determined")
            else:
                for i in range(m.shape[0]):
                    out[i, j] = m[i, j] / s[j]
    return out


def over_values_of_each(m: Any, s: Any, u: Any, eps: float) -> Any:
    """The same of stacks of matrices."""
    out = np.zeros_like(m)
    for p in range(m.shape[0]):
        out[p] = over_values(m[p], s[p], u[p], eps)
    return out


def free_of_phase(x: Any, m: Any) -> Any:
    """`runtime.free_of_phase(x, m)` of matrices in double precision."""
    largest, most = np.float64(0.0), np.float64(0.0)
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            most = np.maximum(most, abs(m[i, j]))
        if i < m.shape[1]:
            largest = np.maximum(largest, abs(np.imag(m[i, i])))
    if largest > np.sqrt(np.finfo(np.float64).eps) * most:
        raise ValueError("what depends on phases")
    return x


_NORMS: Final[dict[Any, Form]] = {
    2: largest_value, -2: smallest_value, "nuc": sum_of_values,
    1: largest_sum_of_columns, -1: smallest_sum_of_columns,
    "fro": root_of_squares, np.inf: largest_sum_of_rows, -np.inf: smallest_sum_of_rows,
}  # fmt: skip
_BY_VALUES = (2, -2, "nuc")


def _norm(op: Op) -> Chosen | None:
    found = options(op, 1, ord=None, axis=None, keepdims=False)
    is_plain = found is not None and found[1:] in ((None, False), ((0, 1), False))
    if not is_plain or not is_any(op.args[0], (FLOAT, SINGLE, COMPLEX), 2):
        return None
    assert found is not None
    form = _NORMS.get(found[0]) if isinstance(found[0], int | float | str) else None
    if form is None or (found[0] in _BY_VALUES and not find_lapack()):
        return None
    return form, op.args[:1]


def _pinv(op: Op) -> Chosen | None:
    found = options(op, 1, rcond=None, hermitian=False, rtol=np._NoValue)
    is_fit = found is not None and found[1] is False
    is_fit = is_fit and (is_any(op.args[0], (FLOAT, SINGLE), 2) or is_array(op.args[0], FLOAT, 3))
    if found is None or not is_fit or not find_lapack():
        return None
    least, _, of_size = found
    if of_size is not np._NoValue:
        if least is not None:
            return None
        if of_size is None and rank(op.args[0]) == 2:
            return pseudo_inverse_by_size, (op.args[0], _eps(op.args[0]))
        least = of_size
    elif least is None:
        least = _LEAST_PART
    form = pseudo_inverse if rank(op.args[0]) == 2 else pseudo_inverses
    return (form, (op.args[0], least)) if _is_float(least) else None


def _is_float(x: Any) -> bool:
    return is_array(x, FLOAT, 0) or getattr(type_of(x), "kind", None) is float


def _eps(x: Any) -> float:
    return float(np.finfo(dtype_of(type_of(x))).eps)


def _over_gaps(op: Op) -> Chosen | None:
    found = options(op, 2, squared=False)
    m, w = op.args[:2]
    n = rank(m)
    is_fit = is_any(m, (FLOAT, SINGLE, COMPLEX), 2, 3) and is_any(w, (FLOAT, SINGLE), n - 1)
    if found is None or type(found[0]) is not bool or not is_fit:
        return None
    return (over_gaps if n == 2 else over_gaps_of_each), (m, w, _eps(w), found[0])


def _over_values(op: Op) -> Chosen | None:
    m, s, u = op.args
    kinds = (FLOAT, SINGLE, COMPLEX)
    n = rank(m)
    is_fit = is_any(m, kinds, 2, 3) and is_any(s, (FLOAT, SINGLE), n - 1) and is_any(u, kinds, n)
    return (over_values if n == 2 else over_values_of_each, (m, s, u, _eps(s))) if is_fit else None


def _free_of_phase(op: Op) -> Chosen | None:
    is_fit = all(is_array(x, COMPLEX, 2) for x in op.args)
    return (free_of_phase, op.args) if is_fit else None


SPECTRA: Final[dict[Any, Choice]] = {
    np.linalg.norm: _norm, np.linalg.pinv: _pinv,
    runtime.over_gaps: _over_gaps, runtime.over_values: _over_values,
    runtime.free_of_phase: _free_of_phase,
}  # fmt: skip
