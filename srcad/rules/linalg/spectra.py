"""Rules of the helpers for eigenvectors and singular vectors in `srcad.runtime.spectra`.

Derivatives of derivatives of decompositions come from these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.arrays.shaping import dtype_of_arrays
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import as_type
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.checks import checks
from srcad.rules.linalg.matrices import columns, rows


def over_gaps(m: Any, w: Any, squared: bool = False) -> Any:
    """m[i, j] / (w[j] - w[i]), with `squared` over the difference of the squares."""
    if m is ZERO:
        return ZERO
    options = {"squared": True} if squared else {}
    return call(runtime.over_gaps, m, w, **options)


def over_values(m: Any, s: Any, u: Any) -> Any:
    """m[i, j] / s[j], 0 where `u` is square."""
    return ZERO if m is ZERO else call(runtime.over_values, m, s, u)


def _slope(w: Any, squared: bool) -> Any:
    return 2 * w if squared else 1


def _gaps_jvp(ts: Any, y: Any, m: Any, w: Any, squared: bool = False) -> Any:
    m_dot, w_dot = ts
    moved = over_gaps(m_dot, w, squared)
    if w_dot is ZERO:
        return moved
    change = _slope(w, squared) * w_dot
    return moved - over_gaps(y * (columns(change) - rows(change)), w, squared)


def _gaps_w(g: Any, y: Any, m: Any, w: Any, squared: bool = False) -> Any:
    weighted = over_gaps(g * y, w, squared)
    total = np.sum(weighted, axis=-1) - np.sum(weighted, axis=-2)
    return cast_like(_slope(w, squared) * total, w)


def _distinct(*shape: int) -> Any:
    return lambda rng: np.arange(np.prod(shape)).reshape(shape) + 1 + 0.1 * rng.random(shape)


def _quotient_type(m: object, w: object, *_: object, **__: object) -> Type:
    t = as_type(m)
    return ArrayType(dtype_of_arrays(t, as_type(w)), shape_of(t))


rule(
    runtime.over_gaps,
    jvp=_gaps_jvp,
    m=lambda g, y, m, w, squared=False: cast_like(over_gaps(g, w, squared), m),
    w=_gaps_w,
    type_of=_quotient_type,
    cases=[
        Case((3, 3), _distinct(3)),
        Case((3, 3), _distinct(3), squared=True),
        Case((2, 3, 3), _distinct(2, 3)),
        Case((2, 3, 3), _distinct(2, 3), squared=True),
    ],
)


def _values_jvp(ts: Any, y: Any, m: Any, s: Any, u: Any) -> Any:
    m_dot, s_dot, _ = ts
    moved = over_values(m_dot, s, u)
    return moved if s_dot is ZERO else moved - over_values(y * columns(s_dot), s, u)


def _values_s(g: Any, y: Any, m: Any, s: Any, u: Any) -> Any:
    return cast_like(-np.sum(over_values(g * y, s, u), axis=-2), s)


rule(
    runtime.over_values,
    jvp=_values_jvp,
    m=lambda g, y, m, s, u: cast_like(over_values(g, s, u), m),
    s=_values_s,
    u=lambda g, y, m, s, u: ZERO,
    type_of=_quotient_type,
    cases=[
        Case((4, 3), _distinct(3), (4, 3)),
        Case((3, 3), _distinct(3), (3, 3)),
        Case((2, 4, 3), _distinct(2, 3), (2, 4, 3)),
    ],
)


# ---- identities that raise where a derivative does not exist

checks(runtime.free_of_phase, Case((3, 3), (3, 3)))
checks(runtime.determined, Case((3, 3), (3, 3)))
