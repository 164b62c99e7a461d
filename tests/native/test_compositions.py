"""Functions that are others, in compiled loops: the values, types and gradients of NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from native.backends import looped, whole

RNG = np.random.default_rng(7)
V = RNG.uniform(0.2, 1.0, 4)
M = RNG.uniform(-1.0, 1.0, (4, 4))

FORMS = {
    "angles": lambda v, m: np.degrees(v) * np.radians(m) @ v,
    "pythons angles": lambda v, m: v * math.degrees(v[0]) + math.radians(v[1]) * math.hypot(*v[:2]),
    "mirrored": lambda v, m: np.fliplr(m) @ v + np.flipud(m) @ v,
    "at least": lambda v, m: np.atleast_1d(v[0]) * np.atleast_2d(v)[0] + np.atleast_1d(v),
    "of three axes": lambda v, m: np.atleast_3d(m)[:, :, 0] @ v + np.atleast_3d(v)[0, :, 0],
    "filled": lambda v, m: np.full_like(m, 0.5) @ v + np.full_like(v, v[0]),
    "builtin power": lambda v, m: pow(v, 2) * pow(m[0], 3),
    "quotient and rest": lambda v, m: np.divmod(9 * v, 0.7)[1] * v + divmod(9 * v, 0.7)[0] * v,
    "aliases": lambda v, m: np.linalg.trace(m) * v + np.linalg.outer(v, v) @ v,
    "transposed": lambda v, m: np.matrix_transpose(m) @ v + np.linalg.matmul(m, v),
    "norms": lambda v, m: np.linalg.vector_norm(v) * v + np.linalg.matrix_norm(m, ord=1) * v,
    "rows by rows": lambda v, m: np.vecdot(m, m * v) + np.vecdot(v, v) * v,
    "inner": lambda v, m: np.inner(m, m)[1] * v + np.inner(m, v),
    "outer of entries": lambda v, m: np.outer(m, v)[2:6].sum(axis=0) * v,
    "extent": lambda v, m: np.ptp(m * v, axis=1) + np.ptp(m, axis=0, keepdims=True)[0] * v,
    "average": lambda v, m: np.average(m * v, axis=0) * v,
    "joined rows": lambda v, m: np.append(m, m * v, axis=0)[5] * v,
    "shifted": lambda v, m: np.fft.fftshift(v) * v + np.fft.ifftshift(m)[1] * v,
    "complex trace": lambda v, m: np.abs(np.trace(m * (1 + 1j * v))) * v,
    "complex mean": lambda v, m: np.abs(np.mean(np.exp(1j * v))) * v + np.angle(np.mean(m + 1j)),
    "cross of rows": lambda v, m: np.cross(m[:, :3], v[:3] * m[:, 1:])[:, 0] * v,
    "cross with one": lambda v, m: (
        np.cross(m[:, :3], v[:3])[:, 1] * np.cross(v[1:], m[:, 1:])[:, 2]
    ),
    "frobenius": lambda v, m: np.linalg.norm(m * v, "fro") * v,
    "longer transform": lambda v, m: (
        np.abs(np.fft.fft(v, 6))[2:] + np.abs(np.fft.rfft(m[0], n=8))[1:]
    ),
    "shorter transform": lambda v, m: np.abs(np.fft.ifft(v + 1j * m[0], n=3)).sum() * v,
    "windows": lambda v, m: (
        np.hanning(len(v)) * v + np.blackman(4) * np.hamming(4) * np.bartlett(4)
    ),
    "kron of matrices": lambda v, m: np.kron(m[:2, :2], m[2:, 2:]) @ v,
    "samples": lambda v, m: np.std(m * v, axis=0, ddof=1) + np.var(m * v, axis=1, ddof=2),
    "weighted": lambda v, m: np.average(m, axis=0, weights=v) + np.average(m, axis=1, weights=v),
    "one end": lambda v, m: np.clip(v, None, 0.6) * np.clip(m[0], 0, None) + np.clip(m, v, None)[1],
    "taken": lambda v, m: np.take(m, np.argsort(v), axis=1)[0] * np.take(v, 1) + np.take(m, 2, 0),
    "lengths": lambda v, m: math.hypot(v[0], v[1], m[0, 0]) * v + math.hypot(*v),
    "logarithms": lambda v, m: math.log(1 + v[0], 3) * v + math.log(v[1], v[2]),
    "gammas": lambda v, m: math.lgamma(v[0]) * v + math.gamma(20 * v[1]) ** 0.1,
    "contiguous": lambda v, m: np.ascontiguousarray(m.T) @ v + np.ascontiguousarray(v),
    "number with an axis": lambda v, m: np.sum(v)[..., None] * v,
}


@pytest.mark.parametrize("name", FORMS)
def test_a_composition_is_compiled(name):
    whole(looped(FORMS[name]), (V, M))
