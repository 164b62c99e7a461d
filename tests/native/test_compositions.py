"""Functions that are others, in compiled loops: the values, types and gradients of NumPy."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest
from native.backends import both, compare, looped, outcome, whole
from numpy.lib.stride_tricks import sliding_window_view
from optional import needs_numba

import srcad
from srcad.pipeline.request import Request

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

# Of several axes, of axes in another order, and of options that few programs have.
OTHERS = {
    "by columns": lambda v, m: (
        np.ravel(m * v, order="F")[3:7] + np.reshape(m, (2, 8), order="F")[1, :4] * v
    ),
    "by columns, one extent open": lambda v, m: np.reshape(m * v, (2, -1), order="F")[0, 2:6],
    "several axes": lambda v, m: (
        np.squeeze(np.expand_dims(m * v, (0, -1)), (0, 3))[1] + np.flip(m * v, (0, 1))[0]
    ),
    "turned": lambda v, m: (
        np.rot90(m * v)[0] + np.rot90(m * v, 2)[1] + np.rot90(m * v, -1)[2] + np.rot90(m * v, 4)[1]
    ),
    "rolled": lambda v, m: (
        np.roll(m * v, (1, -1), (0, 1))[0] + np.rollaxis((m * v).reshape(2, 2, 4), 2)[0, 1, 1] * v
    ),
    "repeated": lambda v, m: (
        np.repeat(v, 2)[1:5] + np.repeat(m * v, 3, axis=1)[0, 2:6] + np.repeat(m * v, 2)[5:9]
    ),
    "third differences": lambda v, m: np.diff(m * v, 3, axis=0)[0] + np.diff(v, 2)[0],
    "running through all": lambda v, m: (
        np.cumsum(m * v)[2:6] + np.sort(m * v, axis=None)[3:7] + np.take(m * v, [1, 5, 7, 2])
    ),
    "running products": lambda v, m: np.cumprod(1 + 0.1 * m * v)[2:6],
    "extremes of all": lambda v, m: (
        np.ptp(m * v) * v + np.ptp((m * v).reshape(2, 2, 4), axis=(0, 2))[1] * v
    ),
    "missing": lambda v, m: (
        np.nansum(m * v) * v
        + np.nanmean(m * v, keepdims=True)[0, 0] * v
        + np.nanmax((m * v).reshape(2, 2, 4), (0, 1))
    ),
    "missing, three axes": lambda v, m: (
        np.nanmin((m * v).reshape(2, 2, 4), axis=(-1, 1), keepdims=True)[1, 0, 0] * v
        + np.nansum((m * v).reshape(2, 2, 4), axis=1)[0]
    ),
    "missing, spread": lambda v, m: (
        np.nanvar(m * v) * v
        + np.nanstd(m * v, ddof=1) * v
        + np.nanvar((m * v).reshape(2, 2, 4), axis=(0, 1), ddof=1)
    ),
    "spread of all": lambda v, m: (
        np.var(m * v, ddof=1) * v + np.std(m * v, ddof=1, keepdims=True)[0] * v
    ),
    "log of sums": lambda v, m: (
        np.logaddexp.reduce(m * v)
        + np.logaddexp.reduce(m * v, axis=1)
        + np.logaddexp.reduce(m * v, axis=-1, keepdims=True)[:, 0]
    ),
    "lengths of vectors": lambda v, m: np.hypot.reduce(m * v, axis=1) + np.hypot.reduce(v) * v,
    "at matrices": lambda v, m: np.interp(m * v, np.arange(4.0), v)[1] + np.polyval(v, m * v)[0],
    "other diagonals": lambda v, m: (
        np.diagonal(m * v, 1) @ v[1:] * v
        + np.diagonal(m * v, -2)[1] * v
        + np.diag(m * v, -1)[0] * v
    ),
    "diagonals of stacks": lambda v, m: (
        np.diagonal((m * v).reshape(2, 2, 4))[1] @ v[:2] * v
        + np.trace((m * v).reshape(2, 2, 4), axis1=-1)[0] * v
    ),
    "traces": lambda v, m: (
        np.trace(m * v, offset=1) * v
        + np.trace(m * v, -1, 1, 0) * v
        + np.linalg.trace((m * v).reshape(1, 4, 4), offset=1)[0] * v
    ),
    "on diagonals": lambda v, m: (
        np.diag(v, 1)[1, :4]
        + np.diag(v[:2], k=-2)[2:, 0].sum() * v
        + np.diagflat(m * v)[3, :4]
        + np.diagflat(v)[1]
    ),
    "norms of orders": lambda v, m: (
        np.linalg.norm(v, 3) * v
        + np.linalg.norm(v, -1) * v
        + np.linalg.norm(v, 0.5) * v
        + np.linalg.norm(v, 0) * v
    ),
    "norms along": lambda v, m: (
        np.linalg.norm(m * v, 2.5, axis=0)
        + np.linalg.norm(m * v, ord=3, axis=1, keepdims=True)[:, 0]
        + np.linalg.norm(v, axis=(0,)) * v
    ),
    "norms of matrices": lambda v, m: (
        np.linalg.norm((m * v).reshape(2, 2, 4), ord=1, axis=(2, 0), keepdims=True)[0, 1, 0] * v
        + np.linalg.norm((m * v).reshape(2, 2, 4), np.inf, (1, 2))[0] * v
    ),
    "spectral norms": lambda v, m: (
        np.linalg.norm((m * v).reshape(1, 4, 4), 2, (1, 2))[0] * v
        + np.linalg.matrix_norm((m * v).reshape(2, 2, 4), ord="nuc")[0] * v
    ),
    "norms by name": lambda v, m: (
        np.linalg.vector_norm(m * v) * v
        + np.linalg.vector_norm(m * v, axis=1, ord=3)
        + np.linalg.matrix_norm((m * v).reshape(1, 4, 4), ord=-1, keepdims=True)[0, 0, 0] * v
    ),
    "conditions": lambda v, m: (
        np.linalg.cond(np.eye(4) + 0.1 * m * v, 1) * v
        + np.linalg.cond(np.eye(4) + 0.1 * m * v, "fro") * v
    ),
    "products of vectors": lambda v, m: (
        np.vecdot(m * v, v) + np.vecdot(m * v, m, axis=0) + np.vdot(m * v, m) * v
    ),
    "products of stacks": lambda v, m: (
        np.dot(v, (m * v).reshape(1, 4, 4))[0]
        + np.dot(m, (m * v).reshape(2, 4, 2))[0, 1, 1] * v
        + np.inner((m * v).reshape(1, 4, 4), m)[0, 1]
    ),
    "products with numbers": lambda v, m: (
        np.dot(v[0], m)[0] + np.dot(v, v[1]) + np.inner(v[1], v) + np.kron(v[0], m)[1]
    ),
    "cross along": lambda v, m: (
        np.cross((m * v)[:3], m[:3], axis=0)[1]
        + np.cross((m * v)[:3], v[:3], axisa=0, axisc=0)[2]
        + np.linalg.cross((m * v)[:3], m[:3], axis=0)[0]
    ),
    "cross of rows by linalg": lambda v, m: (
        np.linalg.cross(m[:, :3], v[:3])[:, 0] + np.linalg.cross(v[1:], (m * v)[:, 1:])[:, 2]
    ),
    "upper factor": lambda v, m: (
        np.linalg.cholesky(np.eye(4) + 0.05 * v * v[:, None], upper=True)[0] * v
    ),
    "matrix powers": lambda v, m: (
        np.linalg.matrix_power(np.eye(4) + 0.1 * m * v, -2)[0]
        + np.linalg.matrix_power(m * v, 1)[1]
        + np.linalg.matrix_power((m * v).reshape(1, 4, 4), 3)[0, 0]
    ),
    "axes twice": lambda v, m: (
        np.einsum("ii->i", m * v)
        + np.einsum("iij,j->i", (m[:2] * v).reshape(2, 2, 2), v[:2])[0] * v
        + np.einsum("ii,jj->", m * v, m) * v
        + np.einsum("ijj->i", (m * v).reshape(1, 4, 4))[0] * v
    ),
    "axes by dots": lambda v, m: (
        np.einsum("...i,...i", m * v, v)
        + np.einsum("i...->...", m * v)
        + np.einsum("...ij,...jk->...ik", (m * v).reshape(2, 2, 4), m)[0, 1]
        + np.einsum("...ii->...i", (m * v).reshape(1, 4, 4))[0]
    ),
    "tensor equations": lambda v, m: (
        np.linalg.tensorsolve(
            np.eye(4).reshape(2, 2, 4) + 0.1 * (m * v).reshape(2, 2, 4), v.reshape(2, 2)
        )
        + np.linalg.tensorinv(np.eye(4).reshape(2, 2, 4) + 0.1 * (m * v).reshape(2, 2, 4))[1, 0, 1]
        * v
        + np.linalg.tensorsolve(np.eye(4) + 0.1 * m * v, v, axes=(0,))
    ),
    "more axes as they are": lambda v, m: (
        np.atleast_2d((m * v).reshape(2, 2, 4))[0, 1]
        + np.atleast_3d(v[0])[0, 0] * v
        + np.atleast_1d((m * v).reshape(1, 2, 2, 4))[0, 1, 1]
    ),
    "joined flat": lambda v, m: np.append(m * v, v)[10:14] * v,
    "shifted along the last": lambda v, m: (
        np.fft.fftshift(m * v, axes=-1)[1] + np.fft.ifftshift(m * v, axes=(0, -1))[2]
    ),
    "logarithms to two": lambda v, m: (
        np.logaddexp2(m * v, v)[1] + np.logaddexp2(v, v) + np.logaddexp2(v[0], -np.inf) * v
    ),
    "angles of reals": lambda v, m: np.angle(m * v)[0] * v + np.angle(v, deg=True),
    "products so far, three axes": lambda v, m: (
        np.cumprod(1 + 0.1 * (m * v).reshape(2, 2, 4), axis=1)[1, 1]
        + np.cumprod(1 + (0.1 * m * v).reshape(2, 2, 4), axis=-3)[1, 0]
    ),
    "windows": lambda v, m: sliding_window_view(v, 3)[1] @ v[:3] * v,
    "patches": lambda v, m: sliding_window_view(m * v, (2, 3))[1, 0, 1, :2].sum() * v,
    "windows in rows": lambda v, m: sliding_window_view(m * v, 2, axis=1)[0, 1, 0] * v,
    "windows in columns": lambda v, m: sliding_window_view(m * v, 2, axis=0)[1, :, 1] * v,
    "length of one": lambda v, m: math.hypot(v[0]) * v + math.hypot(-float(v[1])) * v,
    "powers of two": lambda v, m: math.exp2(v[0]) * v + math.exp2(3 * float(v[1])) * v,
    "cube roots": lambda v, m: math.cbrt(v[0]) * v + math.cbrt(float(v[1])) * v,
    "parts": lambda v, m: math.modf(3 * v[0])[0] * v + math.modf(-7 * float(v[1]))[1] * v,
    "distance": lambda v, m: math.dist(v, m[0]) * v,
    "from polar": lambda v, m: abs(cmath.rect(v[0], v[1]) + cmath.rect(float(v[2]), 1.0)) * v,
    "averages": lambda v, m: (
        np.average(m * v, -1, keepdims=True)[:, 0]
        + np.average(v, 0, m[0] + 2) * v
        + np.average((m * v).reshape(2, 2, 4), (-1, 1), keepdims=True)[1, 0, 0] * v
    ),
    "determinants of stacks": lambda v, m: (
        np.linalg.det((m * v + np.eye(4)).reshape(1, 4, 4))[0] * v
        + np.linalg.slogdet((m * v + 2 * np.eye(4))[None])[1][0] * v
    ),
    "phases": lambda v, m: cmath.phase(v[0] + 1j * v[1]) * v + cmath.phase(-float(v[2])) * v,
    "to polar": lambda v, m: (
        cmath.polar(v[0] + 1j * v[1])[0] * v + cmath.polar(complex(v[2], 0.3))[1] * v
    ),
    "complex logarithms": lambda v, m: (
        cmath.log10(v[0] + 1j * v[1]).real * v + abs(cmath.log10(float(v[2]))) * v
    ),
    "half of a transform": lambda v, m: (
        np.fft.hfft(v)[:4] * v
        + np.fft.hfft(m * v, 5, axis=0, norm="ortho")[2]
        + np.abs(np.fft.ihfft(m * v, axis=0, norm="forward"))[1]
    ),
}

# Arrays that are made, parts of floats, and what runs along axes.
FURTHER = {
    "broadcast": lambda v, m: (
        np.broadcast_arrays(v, m)[0][1] * v + np.broadcast_arrays(m[:, 1][:, None] * v[0], v)[0][2]
    ),
    "open grids": lambda v, m: (
        np.meshgrid(v, m[0], sparse=True)[1][2] * v
        + np.meshgrid(v, m[1], indexing="ij", sparse=True)[1][0]
    ),
    "filled with arrays": lambda v, m: np.full((2, 4), v)[1] * v + np.full_like(m, v)[1],
    "numbers as arrays": lambda v, m: (
        np.asarray(float(v[0])) * v + np.array(v[1]) * v + np.asarray(2) * v
    ),
    "as they are": lambda v, m: (
        np.asfortranarray(m * v)[1] + np.require(m * v, requirements="C")[0]
        + np.real_if_close(m * v)[2] + np.asfortranarray(v[0]) * v
    ),
    "finite": lambda v, m: np.asarray_chkfinite(m * v)[1] * v + np.asarray_chkfinite(v),
    "of no axes": lambda v, m: (
        np.mean(v[0]) * v + np.nansum(v[1]) * v + np.nanmax(v[2]) * v + np.ptp(v[3]) * v
    ),
    "few frequencies": lambda v, m: (
        np.fft.rfftfreq(2, v[0]).sum() * v + np.fft.rfftfreq(1, v[0]).sum() * v
        + np.fft.fftfreq(1, v[0]).sum() * v + np.fft.fftfreq(3, v[0])[2] * v
    ),
    "frequencies": lambda v, m: (
        np.fft.fftfreq(4, v[0]) * v + np.fft.rfftfreq(7, 0.5) * v + np.fft.fftfreq(4) * v
    ),
    "spaced between arrays": lambda v, m: (
        np.linspace(v, m, 5)[3, 1] + np.linspace(0.0, v, 4, endpoint=False)[2]
    ),
    "range of floats": lambda v, m: np.arange(v[0], 3.0 + v[0], 0.25)[3] * v,
    "vandermonde": lambda v, m: np.vander(v)[1] + np.vander(v, 5, increasing=True)[1, 1:],
    "table with an end": lambda v, m: np.interp(3 * v, np.arange(3.0), v[:3], right=0.5) * v,
    "unwrapped": lambda v, m: (
        np.unwrap(9 * m * v, axis=0)[2] + np.unwrap(9 * v, discont=4.0) + np.unwrap(9 * m)[1] * v
    ),
    "by places in all": lambda v, m: (
        np.take_along_axis(m * v, np.array([3, 1, 7, 7]), axis=None) * v
    ),
    "distinct entries of all": lambda v, m: np.unique(m * v)[3:7] * v,
    "extracted": lambda v, m: np.extract(m > 0, m * v).sum() * v,
    "places in all": lambda v, m: (
        np.flatnonzero((m * v).reshape(2, 2, 4) > 0)[:4] * v + np.meshgrid(v)[0] * v
    ),
    "kron of ranks": lambda v, m: np.kron(m * v, v[:2])[1, 2:6] + np.kron(v[:2], m)[0, 3:7] * v,
    "outer of a number": lambda v, m: np.outer(v[0], v)[0] + np.outer(m[0] * v, v[1])[:, 0],
    "degrees of freedom": lambda v, m: (
        np.var(m * v, axis=0, ddof=0.5, keepdims=True)[0] + np.nanstd(m * v, axis=1, ddof=0.5)
    ),
    "averages of all": lambda v, m: (
        np.average(m * v, None, m + 2) * v + np.average(m, 0, 2 + m * v)
        + np.average(m, (0, 1), 2 + m * v) * v
        + np.average((m * v).reshape(2, 2, 4), -2, v[:2], keepdims=True)[1, 0]
    ),
    "running extremes": lambda v, m: (
        np.fmax.accumulate(m * v)[3] + np.fmin.accumulate(m * v, axis=1)[2]
        + np.fmax.accumulate(v) * v
        + np.maximum.accumulate((m * v).reshape(2, 2, 4), axis=-2)[1, 1]
        + np.minimum.accumulate((m * v).reshape(2, 2, 4), axis=2)[1, 0]
        + np.fmin.accumulate((m * v).reshape(2, 2, 4))[1, 0]
    ),
    "log of sums to two": lambda v, m: (
        np.logaddexp2.reduce(m * v, axis=1, keepdims=True)[:, 0] + np.logaddexp2.reduce(v) * v
    ),
    "segments": lambda v, m: (
        np.add.reduceat(v, [0, 2, 1])[0] * v
        + np.add.reduceat(m * v, [0, 2], axis=1)[1, 0] * v
        + np.add.reduceat(m * v, [3, 1, 1])[1]
    ),
    "scaled by powers of two": lambda v, m: (
        np.ldexp(m * v, np.arange(4))[1] + np.ldexp(v, -3) + math.ldexp(float(v[0]), 3) * v
    ),
    "mantissas": lambda v, m: (
        np.frexp(300 * m * v)[0][1] + np.frexp(v / 300)[1] * v + math.frexp(float(v[0]))[0] * v
    ),
    "next numbers": lambda v, m: np.nextafter(m * v, v)[1] + np.nextafter(v, 9.0),
    "bessel": lambda v, m: (
        v / np.i0(9 * m * v)[2] + v / np.i0(v[0]) + v / np.i0(30 * v) + v / np.i0(-2.5)
    ),
    "rests": lambda v, m: (
        math.remainder(7 * float(v[0]), 0.6) * v + np.remainder(float(v[1]), float(v[2])) * v
    ),
    "exact sums": lambda v, m: math.fsum(v) * v + math.fsum((m * v)[1]),
    "powers without factors": lambda v, m: (
        np.linalg.matrix_power(m * v, 0)[0] * v + np.linalg.matrix_power((m * v)[None], 0)[0, 1]
    ),
    "conditions of stacks": lambda v, m: (
        np.linalg.cond((np.eye(4) + 0.1 * m * v)[None], 1)[0] * v
        + np.linalg.cond((np.eye(4) + 0.1 * m * v)[None], -2)[0] * v
    ),
    "repeated rows": lambda v, m: (
        np.repeat(m * v, np.array([1, 0, 2, 1]), axis=0)[2]
        + np.repeat(v, np.argmax(v) + 1)[0] * v
    ),
    "repeated once": lambda v, m: np.repeat(m * v, True)[3:7] * np.repeat(v, np.int64(1)),
    "padded": lambda v, m: (
        np.pad(m * v, (2, 1), constant_values=5.0)[1:5, 2:6].sum(axis=0) * v
        + np.pad(v, 1, constant_values=2)[:4]
    ),
    "real": lambda v, m: (
        np.imag(m * v)[0] + np.require(m * v, np.float32)[1] + np.diagflat(v[0])[0]
    ),
    "distinct of matrices": lambda v, m: (
        np.unique(m * v, return_index=True, return_inverse=True, return_counts=True)[0][3:7] * v
        + np.unique(m * v, return_inverse=True)[1].ravel()[:4] * v
    ),
    "cross of stacks": lambda v, m: (
        np.cross((m * v)[:, None, :3], m[:2, 1:])[2, 1, 0] * v
        + np.linalg.cross((m * v)[:, None, :3], m[:2, 1:])[1, 0, 2] * v
    ),
    "inverses of stacks": lambda v, m: (
        np.linalg.pinv((m * v)[None, :, :3])[0, 1]
        + np.linalg.svd((m * v)[None, :, :2], full_matrices=False)[1][0, 0] * v
    ),
    "factors of stacks": lambda v, m: (
        np.abs(np.linalg.svd((m * v)[None, :, :3], full_matrices=False)[0][0, :, 1]) * v
    ),
    "index arrays apart": lambda v, m: (
        (m * v).reshape(2, 2, 4)[[0, 1, 1], :, np.array([3, 1, 0])][1, 1] * v
        + (m * v).reshape(2, 2, 4)[0, :, np.array([3, 1, 0, 0])][:, 1]
        + (m * v).reshape(2, 2, 4)[np.array([0, 1, 1]), ::-1, -1][2, 0] * v
    ),
    "equations of stacks": lambda v, m: (
        np.linalg.solve(np.eye(4) + 0.1 * (m * v)[None], m)[0, 1]
        + np.linalg.solve(np.eye(4) + 0.1 * m * v, (m * v)[None])[0, 2]
    ),
    "norms over two axes": lambda v, m: (
        np.linalg.vector_norm((m * v).reshape(2, 2, 4), axis=(0, 1), ord=3)
        + np.linalg.vector_norm((m * v).reshape(2, 2, 4), axis=(0, 2), keepdims=True)[0, 1] * v
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FURTHER.values(), ids=FURTHER)
def test_a_further_one_is_compiled(form):
    request = Request("value_and_grad", looped(form), (0,), single=False)
    pair = both(request, (V, M), 2, False)
    assert pair.reasons == []
    assert compare(pair, (V, M)) == "equal"


@pytest.mark.parametrize("form", [*FORMS.values(), *OTHERS.values()], ids=[*FORMS, *OTHERS])
def test_a_composition_is_compiled(form):
    whole(looped(form), (V, M))


# What is exact, or depends on the very bits, as machine code.
EXACT = {
    "powers of two": lambda v, m: (
        np.ldexp(v * 1e-290, np.array([-70, -120, 300, 3000])) + np.ldexp(m, -1060)[1]
    ),
    "mantissas": lambda v, m: (
        np.frexp(v * np.array([1e-310, 0.0, 1e300, -np.inf]))[0]
        + np.frexp(v * np.array([1e-310, 0.0, 1e300, -1.0]))[1]
    ),
    "next numbers": lambda v, m: np.nextafter(np.array([0.0, 1.0, -1.0, 1e308]), m[0]),
    "exact sums": lambda v, m: np.array(
        [
            math.fsum(np.array([1e100, 1e50, 1.0, -1e50, -1e100])),
            math.fsum(np.array([1.0, 2.0**-53, 2.0**-106, -0.0])),
            math.fsum(np.array([2.0**53, -(2.0**-1), -(2.0**-54)])),
            math.fsum(np.array([1.0, 2.0**-53])),
        ]
    ),
    "rests": lambda v, m: np.array(
        [
            math.remainder(float(m[0, 0]) * 1e20, 3.0), math.remainder(5.0, 2.0),
            math.remainder(3.0, 2.0), math.copysign(1.0, math.remainder(-4.0, 2.0)),
        ]
    ),
}  # fmt: skip


@needs_numba
@pytest.mark.parametrize("name", EXACT)
def test_numbers_are_those_of_numpy_to_the_bit(name):
    form = EXACT[name]

    def program(v, m):
        out = np.zeros(4)
        for _ in range(2):
            out = form(v, m)
        return out

    compiled = srcad.compile(program, backend="native")
    np.testing.assert_array_equal(compiled(V, M), program(V, M))


# Calls of which NumPy raises where an extent is another one, if it is 1 too.
EXTENTS = {
    "rows of products": (lambda v, m: np.vecdot(m, v), (4, 1)),
    "products of stacks": (lambda v, m: np.dot(v, m.reshape(1, -1, 4)), (1, 4)),
    "inner": (lambda v, m: np.inner(v, m.reshape(1, 4, -1)), (4, 1)),
    "contracted": (lambda v, m: np.tensordot(v, m, 1), (1, 4)),
    "axes twice": (lambda v, m: np.einsum("ii->i", m), (4, 6)),
    "trace": (lambda v, m: np.einsum("ii", m), (1, 4)),
    "first power": (lambda v, m: np.linalg.matrix_power(m, 1), (4, 1)),
    "third power": (lambda v, m: np.linalg.matrix_power(m.reshape(1, 4, -1), 3), (4, 1)),
    "squeezed": (lambda v, m: np.squeeze(m.reshape(1, 4, -1, 4), (0, 2)), (8, 4)),
    "tensor equation": (lambda v, m: np.linalg.tensorsolve(m, v, axes=(0,)), (4, 3)),
    "condition": (lambda v, m: np.linalg.cond(m, 1), (1, 4)),
}


@needs_numba
def test_calls_that_numpy_raises_of_are_left_to_it():
    def program(v, m):
        total = 0.0
        for k in range(2):
            total += np.sum(np.repeat(v, k - 1)) + np.linalg.matrix_power(m * v, k)[0, 0]
        return total

    compiled = srcad.compile(program, backend="native")
    with pytest.raises(ValueError, match="negative"):
        compiled(V, M)
    with pytest.raises(ValueError, match="negative"):
        program(V, M)


@pytest.mark.parametrize("name", EXTENTS)
def test_what_numpy_raises_of_is_no_value(name):
    form, shape = EXTENTS[name]
    other = np.ones(shape) + np.eye(*shape)
    request = Request("value_and_grad", looped(form), (0,), single=False)
    pair = both(request, (V, other), 2, False)
    assert (pair.functions, pair.reasons) == (1, [])
    assert isinstance(outcome(pair.numpy, (V, other))[0], Exception)
    compare(pair, (V, other))
