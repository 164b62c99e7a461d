"""The same programs for JAX as its experts write them: library calls, few loops."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import scan
from jax.scipy.special import logsumexp

from .jax_loops import jacobi_1d  # noqa: F401  convolutions, rolls and unrolled loops are slower


@jax.custom_vjp
def softmax(x):
    """The library's, with its derivative by hand, which is faster than the one derived."""
    return jax.nn.softmax(x)


def _softmax_saved(x):
    y = jax.nn.softmax(x)
    return y, y


def _softmax_vjp(y, g):
    return (y * (g - jnp.sum(g * y, axis=-1, keepdims=True)),)


softmax.defvjp(_softmax_saved, _softmax_vjp)


def horizontal_diffusion(field, coeff):
    """By differences, so that each slice is made once."""
    lap = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )

    def flux(slope, height):
        return jnp.where(slope * height > 0, 0, slope)

    flx = flux(jnp.diff(lap[:, 1:-1], axis=0), jnp.diff(field[1:-1, 2:-2], axis=0))
    fly = flux(jnp.diff(lap[1:-1], axis=1), jnp.diff(field[2:-2, 1:-1], axis=1))
    return field[2:-2, 2:-2] - coeff * (jnp.diff(flx, axis=0) + jnp.diff(fly, axis=1))


def log_sum_exp(x):
    """Call the library."""
    return logsumexp(x, axis=1)


def jacobi_2d(a, b, steps):
    """New arrays by padding and selection: no scatter."""
    inside = jnp.pad(jnp.ones((a.shape[0] - 2, a.shape[1] - 2), bool), 1)

    def half(a, b):
        total = a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        return jnp.where(inside, 0.2 * jnp.pad(total, 1), b)

    def step(state, _):
        a, b = state
        b = half(a, b)
        return (half(b, a), b), None

    return scan(step, (a, b), length=steps)[0]


def cavity_flow(u, v, p, rho, nu, dt, dx, dy, steps, sweeps):
    """Coefficients before the loop, walls by padding, differences that both velocities share."""
    inner = (slice(1, -1), slice(1, -1))
    row, column = dy**2 / (2 * (dx**2 + dy**2)), dx**2 / (2 * (dx**2 + dy**2))
    source = rho * dx**2 * dy**2 / (2 * (dx**2 + dy**2))

    def sweep(p, b):
        inside = row * (p[1:-1, 2:] + p[1:-1, :-2]) + column * (p[2:, 1:-1] + p[:-2, 1:-1]) - b
        wide = jnp.concatenate([inside[:, :1], inside, inside[:, -1:]], axis=1)
        # The lower wall is written before the left one: its corner is that of the row above.
        return jnp.concatenate([_first_row(wide, p), wide, jnp.zeros_like(p[:1])])

    def _first_row(wide, p):
        return jnp.concatenate([wide[:1, 1:2], wide[:1, 1:]], axis=1)

    def step(state, _):
        u, v, p = state
        ux = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)
        uy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy)
        vx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
        vy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)
        b = source * ((ux + vy) / dt - ux**2 - 2 * uy * vx - vy**2)
        p, _ = scan(lambda p, _: (sweep(p, b), None), p, length=sweeps)
        along, across = u[inner] * dt / dx, v[inner] * dt / dy

        def moved(w, slope):
            return (
                w[inner]
                - along * (w[inner] - w[1:-1, :-2])
                - across * (w[inner] - w[:-2, 1:-1])
                - slope
                + nu * dt / dx**2 * (w[1:-1, 2:] - 2 * w[inner] + w[1:-1, :-2])
                + nu * dt / dy**2 * (w[2:, 1:-1] - 2 * w[inner] + w[:-2, 1:-1])
            )

        new_u = moved(u, dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2]))
        new_v = moved(v, dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1]))
        return (jnp.pad(new_u, 1).at[-1].set(1.0), jnp.pad(new_v, 1), p), None

    return scan(step, (u, v, p), length=steps)[0]


def lu(a):
    """LAPACK's, whose pivots are the diagonal's entries for these matrices."""
    return jax.scipy.linalg.lu_factor(a)[0]


def cholesky(a):
    """LAPACK's, of the matrix that has the lower triangle in both places."""
    below = jnp.tril(a, -1)
    whole = jnp.tril(a) + below.T
    return jnp.tril(jax.lax.linalg.cholesky(whole, symmetrize_input=False)) + jnp.triu(a, 1)


def triangular_solve(lower, b):
    """BLAS's."""
    return jax.scipy.linalg.solve_triangular(lower, b, lower=True)


def syrk(alpha, beta, c, a):
    """One product, of which half is used."""
    return jnp.tril(alpha * (a @ a.T) + beta * c) + jnp.triu(c, 1)


def covariance(data):
    """One product."""
    centred = data - jnp.mean(data, axis=0)
    return centred.T @ centred / (len(data) - 1.0)


def two_products(alpha, beta, a, b, c, d):
    """Scale last."""
    return alpha * (a @ b @ c) + beta * d


def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    """Both outer products by one product of matrices."""
    a = a + jnp.stack([u1, u2], axis=1) @ jnp.stack([v1, v2])
    x = x + beta * (a.T @ y) + z
    return a, x, w + alpha * (a @ x)


def sparse_product(start, column, value, x):
    """All entries at once, summed by rows that are known before."""
    rows = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return jax.ops.segment_sum(
        value * x[column], rows, num_segments=len(start) - 1, indices_are_sorted=True
    )


def trace_of_tanh(a):
    """All of the diagonal at once."""
    return a + jnp.sum(jnp.tanh(jnp.diagonal(a)))


def convolution(images, weights, bias):
    """One product with all windows, which is faster here than the library's convolution."""
    k, _, channels, out = weights.shape
    height, width = images.shape[1:3]
    height, width = height - k + 1, width - k + 1
    shifted = [images[:, i : i + height, j : j + width] for i in range(k) for j in range(k)]
    return jnp.concatenate(shifted, axis=-1) @ weights.reshape(k * k * channels, out) + bias


def mixture(alphas, means, factors, x, gamma, m):
    """One matrix product for all Gaussians; their centres are moved after it."""
    n, d = x.shape
    k = len(alphas)
    rows, columns = np.tril_indices(d, -1)
    logs, below = factors[:, :d], factors[:, d:]
    q = jax.vmap(jnp.diag)(jnp.exp(logs)).at[:, rows, columns].set(below)
    moved = jnp.einsum("kij,kj->ki", q, means)
    residual = (x @ q.reshape(k * d, d).T).reshape(n, k, d) - moved
    inner = alphas + logs.sum(axis=1) - 0.5 * jnp.sum(residual**2, axis=2)
    likelihood = logsumexp(inner, axis=1).sum() - n * logsumexp(alphas)
    squares = jnp.sum(jnp.exp(2 * logs)) + jnp.sum(below**2)
    prior = 0.5 * gamma**2 * squares - m * jnp.sum(logs) - k * (d + m + 1) * jnp.log(gamma)
    return likelihood - 0.5 * n * d * np.log(2 * np.pi) - prior


mixture_by_loops = mixture


def least_squares(a, x, b):
    """One product."""
    return a @ x - b


def k_means(points, centres):
    """Distances by one matrix product."""
    squares = jnp.sum(centres**2, axis=1) - 2 * points @ centres.T
    return jnp.sum(jnp.min(squares, axis=1)) + jnp.sum(points**2)
