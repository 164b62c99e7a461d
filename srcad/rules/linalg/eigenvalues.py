"""Eigenvalues of any square matrix, and its eigenvectors: eig, eigvals. The results are complex.

NumPy gives real results where all eigenvalues of a real matrix happen to be real; in a
differentiated function they are complex then too, as in JAX, so that the dtype does not depend on
the numbers. What would show the difference is refused (`srcad.frontend.abstract.number_kinds`).
Eigenvectors have norm 1, and the change of one has no part along it (Boeddeker et al., 2017, "On
the computation of complex-valued gradients", section 4.2, and JAX): a loss that depends on their
phases raises `LinAlgError` at run time, as do eigenvectors of equal eigenvalues.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Type
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import INSTEAD, MAY_BE_REAL, SQUARE
from srcad.rules.core.facts import as_type
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call, is_complex
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import (
    columns,
    conj,
    diagonals,
    inexact,
    mT,
    rows,
    square_type,
    values_type,
)
from srcad.rules.linalg.spectra import over_gaps

INSTEAD.update({np.linalg.eig: runtime.complex_eig, np.linalg.eigvals: runtime.complex_eigvals})
SQUARE.update(INSTEAD.values())
MAY_BE_REAL.update((runtime.complex_eig, runtime.complex_eigvals))
_Eig: Any = type(np.linalg.eig(np.eye(1)))


def _complex(a: object) -> np.dtype:
    return np.result_type(inexact(as_type(a)), np.complex64)


def _values_type(a: object) -> ArrayType:
    return values_type(a, _complex(a))


def _eig_type(a: object) -> tuple[Type, Type]:
    found: tuple[Type, Type] = _Eig(_values_type(a), ArrayType(_complex(a), square_type(a).shape))
    return found


def _eig_jvp(ts: Any, y: Any, a: Any) -> Any:
    w, v = y
    rotated = call(np.linalg.solve, v, ts[0] @ v)
    v_dot = v @ over_gaps(rotated, w)
    along = np.sum(np.conj(v) * v_dot, axis=-2, keepdims=True)
    return diagonals(rotated), v_dot - v * along


def _eig_vjp(g: Any, y: Any, a: Any) -> Any:
    (w_bar, v_bar), (w, v) = g, y
    if w_bar is ZERO and v_bar is ZERO:
        return ZERO
    vt = mT(v)
    inner = ZERO if w_bar is ZERO else rows(w_bar) * vt
    if v_bar is not ZERO:
        turned = vt @ v_bar
        turned = call(runtime.free_of_phase, turned, _of_free_phase(turned, v, a))
        apart = turned - (vt @ conj(v)) * columns(diagonals(turned))
        inner = over_gaps(apart, w) @ vt + inner
    return cast_like(call(np.linalg.solve, vt, inner), a)


def _of_free_phase(m: Any, v: Any, a: Any) -> Any:
    """The columns of `m` of vectors that may have any phase: those of a real matrix stay real."""
    return m if is_complex(a) else m * columns(np.any(np.imag(v) != 0, axis=-2))


def spread_spectrum(*shape: int) -> Any:
    """For cases: matrices, not symmetric, with distinct eigenvalues."""
    return lambda rng: rng.uniform(-0.5, 0.5, shape) + np.diag(np.arange(shape[-1]) * 2.0)


rule(
    runtime.complex_eig,
    jvp=_eig_jvp,
    a=_eig_vjp,
    type_of=_eig_type,
    cases=[Case(spread_spectrum(3, 3)), Case(spread_spectrum(2, 3, 3))],
    note="complex; eigenvectors of norm 1, of which the phase must not matter",
)


def _eigvals_jvp(ts: Any, y: Any, a: Any) -> Any:
    _, v = call(runtime.complex_eig, a)
    return diagonals(call(np.linalg.solve, v, ts[0] @ v))


def _eigvals_vjp(g: Any, y: Any, a: Any) -> Any:
    _, v = call(runtime.complex_eig, a)
    vt = mT(v)
    return cast_like(call(np.linalg.solve, vt, rows(g) * vt), a)


rule(
    runtime.complex_eigvals,
    jvp=_eigvals_jvp,
    a=_eigvals_vjp,
    type_of=_values_type,
    cases=[Case(spread_spectrum(3, 3)), Case(spread_spectrum(2, 3, 3))],
)
