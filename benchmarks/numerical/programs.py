"""The list: each program with its data in three sizes, and what is differentiated.

S takes about 10 ms of NumPy's time and M about 100 ms; the tiny size T is for tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import factorisations, fitting, products, reductions, stencils

SIZES = ("T", "S", "M")
Make = Callable[..., tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """A function of arrays, in `sizes` of what `make(rng, *size)` draws as its arguments.

    scalar: its loops work on single entries, where compiled loops gain most.
    """

    title: str
    fn: Callable[..., Any]
    make: Make
    sizes: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    scalar: bool = False

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.fn.__name__

    def arguments(self, size: str) -> tuple[Any, ...]:
        """Draw the arguments, the same each time."""
        return self.make(np.random.default_rng(0), *self.sizes[SIZES.index(size)])


def argnums(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the places of all floating arguments: numbers and arrays."""
    return tuple(i for i, a in enumerate(args) if np.result_type(a).kind == "f")


def half_squares(outputs: Any) -> Any:
    """Return half the sum of the squares of every output."""
    if isinstance(outputs, tuple):
        return 0.5 * sum(np.sum(out * out) for out in outputs)
    return 0.5 * np.sum(outputs * outputs)


def loss_of(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loss that is differentiated."""

    def loss(*args: Any) -> Any:
        return half_squares(fn(*args))

    return loss


# ---------------------------------------------------------------------------- arguments


def _jacobi(rng, n, dims, steps):
    shape = (n,) * dims
    return rng.random(shape), rng.random(shape), steps


def _cavity(rng, n, steps, sweeps):
    u, v, p = (0.1 * rng.random((n, n)) for _ in range(3))
    return u, v, p, 1.0, 0.1, 0.1 / n**2, 2 / (n - 1), 2 / (n - 1), steps, sweeps


def _diffusion(rng, i, j, k):
    return rng.random((i + 4, j + 4, k)), rng.random((i, j, k))


def _dominant(rng, n):
    return (rng.random((n, n)) / n + np.eye(n),)


def _definite(rng, n):
    a = rng.random((n, n))
    return (a @ a.T / n + np.eye(n),)


def _triangular(rng, n):
    return np.tril(rng.random((n, n))) / n + np.eye(n), rng.random(n)


def _syrk(rng, n, m):
    return 1.5, 1.2, rng.random((n, n)), rng.random((n, m))


def _two_products(rng, i, j, k, m):
    shapes = (i, j), (j, k), (k, m), (i, m)
    return 1.5, 1.2, *(rng.random(shape) for shape in shapes)


def _gemver(rng, n):
    return 1.5, 1.2, rng.random((n, n)) / n, *(rng.random(n) for _ in range(8))


def _sparse(rng, n, filled):
    counts = rng.integers(1, 2 * filled, n)
    start = np.concatenate([[0], np.cumsum(counts)])
    return start, rng.integers(0, n, start[-1]), rng.random(start[-1]), rng.random(n)


def _convolution(rng, n, size, k, channels, out):
    shapes = (n, size, size, channels), (k, k, channels, out), (out,)
    return tuple(rng.random(shape) for shape in shapes)


def _mixture(rng, n, d, k):
    alphas, means = rng.standard_normal(k), rng.random((k, d))
    factors = rng.standard_normal((k, d * (d + 1) // 2)) / d
    return alphas, means, factors, rng.standard_normal((n, d)), 1.0, 0


def _least_squares(rng, n, m):
    return rng.random((n, m)), rng.random(m), rng.random(n)


def _normal(rng, *shape):
    return (rng.standard_normal(shape),)


def _points(rng, n, d, k):
    return rng.standard_normal((n, d)), rng.standard_normal((k, d))


# ---------------------------------------------------------------------------- the list

PROGRAMS = {
    p.name: p
    for p in (
        Program("Jacobi, 1-d", stencils.jacobi_1d, _jacobi,
                ((9, 1, 3), (2_000, 1, 1_000), (8_000, 1, 6_000)), scalar=True),
        Program("Jacobi, 2-d", stencils.jacobi_2d, _jacobi,
                ((6, 2, 3), (150, 2, 100), (300, 2, 200))),
        Program("cavity flow", stencils.cavity_flow, _cavity,
                ((6, 2, 3), (41, 40, 10), (101, 140, 10))),
        Program("horizontal diffusion", stencils.horizontal_diffusion, _diffusion,
                ((3, 4, 2), (64, 64, 80), (192, 192, 128))),
        Program("LU", factorisations.lu, _dominant, ((5,), (70,), (260,)), scalar=True),
        Program("Cholesky", factorisations.cholesky, _definite,
                ((5,), (100,), (380,)), scalar=True),
        Program("triangular solve", factorisations.triangular_solve, _triangular,
                ((5,), (270,), (950,)), scalar=True),
        Program("symmetric rank-k update", products.syrk, _syrk, ((5, 3), (70, 100), (240, 260))),
        Program("covariance", products.covariance, _normal, ((6, 4), (800, 300), (1_500, 550))),
        Program("two matrix products", products.two_products, _two_products,
                ((2, 3, 4, 5), (480, 500, 520, 540), (800, 850, 900, 950))),
        Program("vector multiplication chain", products.gemver, _gemver,
                ((4,), (1_200,), (2_500,))),
        Program("sparse product", products.sparse_product, _sparse,
                ((5, 3), (5_000, 10), (60_000, 10))),
        Program("trace of tanh", reductions.trace_of_tanh, _normal,
                ((4, 4), (2_500, 2_500), (7_000, 7_000)), scalar=True),
        Program("softmax", reductions.softmax, _normal,
                ((2, 2, 3, 4), (32, 8, 100, 100), (64, 16, 128, 128))),
        Program("log-sum-exp", reductions.log_sum_exp, _normal,
                ((3, 4), (3_000, 1_000), (12_000, 2_000))),
        Program("convolution", reductions.convolution, _convolution,
                ((2, 5, 2, 2, 3), (8, 32, 3, 3, 16), (16, 64, 3, 3, 16))),
        Program("Gaussian mixture", fitting.mixture, _mixture,
                ((4, 3, 2), (4_000, 15, 12), (14_000, 20, 24))),
        Program("Gaussian mixture by loops", fitting.mixture_by_loops, _mixture,
                ((4, 3, 2), (50, 10, 10), (250, 10, 25)), scalar=True),
        Program("least squares", fitting.least_squares, _least_squares,
                ((4, 3), (400, 150), (1_500, 300)), scalar=True),
        Program("k-means", fitting.k_means, _points,
                ((5, 3, 2), (4_000, 40, 25), (16_000, 60, 32))),
    )
}  # fmt: skip
