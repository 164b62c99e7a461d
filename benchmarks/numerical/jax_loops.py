"""The same programs for JAX, loop by loop: what a user gets who translates them.

Loops are `fori_loop` with a trip count that is known to the compiler, because only such loops have
a reverse mode. Slices whose length varies from turn to turn do not exist: they are masked rows.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax.lax import dynamic_slice, fori_loop
from peers import rebind

from . import fitting, products, reductions, stencils

# These have no loops over entries: the same text runs with JAX's `np`.
horizontal_diffusion = rebind(stencils.horizontal_diffusion, jnp)
two_products = rebind(products.two_products, jnp)
gemver = rebind(products.gemver, jnp)
softmax = rebind(reductions.softmax, jnp)
log_sum_exp = rebind(reductions.log_sum_exp, jnp)
k_means = rebind(fitting.k_means, jnp)
_wishart_prior = rebind(fitting.wishart_prior, jnp)


def jacobi_1d(a, b, steps):
    """Average with neighbours."""

    def step(_, state):
        a, b = state
        b = b.at[1:-1].set(0.33333 * (a[:-2] + a[1:-1] + a[2:]))
        a = a.at[1:-1].set(0.33333 * (b[:-2] + b[1:-1] + b[2:]))
        return a, b

    return fori_loop(0, steps, step, (a, b))


def jacobi_2d(a, b, steps):
    """Average with neighbours."""

    def half(a, b):
        return b.at[1:-1, 1:-1].set(
            0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        )

    def step(_, state):
        a, b = state
        b = half(a, b)
        return half(b, a), b

    return fori_loop(0, steps, step, (a, b))


def build_up_b(b, rho, dt, u, v, dx, dy):
    """Return the source of the pressure equation."""
    return b.at[1:-1, 1:-1].set(
        rho
        * (
            1
            / dt
            * ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy))
            - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)) ** 2
            - 2
            * ((u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx))
            - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) ** 2
        )
    )


def pressure_poisson(sweeps, p, dx, dy, b):
    """Return the relaxed pressure."""

    def sweep(_, pn):
        p = pn.at[1:-1, 1:-1].set(
            ((pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2)
            / (2 * (dx**2 + dy**2))
            - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        )
        p = p.at[:, -1].set(p[:, -2])
        p = p.at[0, :].set(p[1, :])
        p = p.at[:, 0].set(p[:, 1])
        return p.at[-1, :].set(0)

    return fori_loop(0, sweeps, sweep, p)


def cavity_flow(u, v, p, rho, nu, dt, dx, dy, steps, sweeps):
    """Drive the fluid in a square by its lid."""

    def moved(w, un, vn, gradient):
        return (
            w[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (w[1:-1, 1:-1] - w[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (w[1:-1, 1:-1] - w[:-2, 1:-1])
            - gradient
            + nu
            * (
                dt / dx**2 * (w[1:-1, 2:] - 2 * w[1:-1, 1:-1] + w[1:-1, :-2])
                + dt / dy**2 * (w[2:, 1:-1] - 2 * w[1:-1, 1:-1] + w[:-2, 1:-1])
            )
        )

    def step(_, state):
        u, v, p, b = state
        b = build_up_b(b, rho, dt, u, v, dx, dy)
        p = pressure_poisson(sweeps, p, dx, dy, b)
        un, vn = u, v
        x_gradient = dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
        u = u.at[1:-1, 1:-1].set(moved(un, un, vn, x_gradient))
        y_gradient = dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
        v = v.at[1:-1, 1:-1].set(moved(vn, un, vn, y_gradient))
        u = u.at[0, :].set(0).at[:, 0].set(0).at[:, -1].set(0).at[-1, :].set(1)
        v = v.at[0, :].set(0).at[-1, :].set(0).at[:, 0].set(0).at[:, -1].set(0)
        return u, v, p, b

    u, v, p, _ = fori_loop(0, steps, step, (u, v, p, jnp.zeros_like(p)))
    return u, v, p


def lu(a):
    """Both inner loops in one, over all columns: rows of fixed length, masked."""
    n = len(a)
    places = jnp.arange(n)

    def entry(k, a):
        i, j = k // n, k % n
        row = jnp.where(places < jnp.minimum(i, j), a[i], 0.0)
        value = a[i, j] - row @ a[:, j]
        return a.at[i, j].set(value / jnp.where(j < i, a[j, j], 1.0))

    return fori_loop(0, n * n, entry, a)


def cholesky(a):
    """All columns in each row; what lies right of the diagonal stays."""
    n = len(a)
    places = jnp.arange(n)

    def entry(k, a):
        i, j = k // n, k % n
        value = a[i, j] - jnp.where(places < j, a[i] * a[j], 0.0).sum()
        root = jnp.sqrt(jnp.where(j == i, value, 1.0))
        value = jnp.where(j < i, value / a[j, j], jnp.where(j == i, root, a[i, j]))
        return a.at[i, j].set(value)

    return fori_loop(0, n * n, entry, a)


def triangular_solve(lower, b):
    """Forward substitution entry by entry."""
    n = len(b)

    def row(i, x):
        def entry(j, s):
            return s - jnp.where(j < i, lower[i, j] * x[j], 0.0)

        return x.at[i].set(fori_loop(0, n, entry, b[i]) / lower[i, i])

    return fori_loop(0, n, row, jnp.zeros(n))


def syrk(alpha, beta, c, a):
    """By rows, masked."""
    n, m = a.shape
    places = jnp.arange(n)

    def row(i, c):
        def add(k, row):
            return row + jnp.where(places <= i, alpha * a[i, k] * a[:, k], 0.0)

        first = jnp.where(places <= i, beta * c[i], c[i])
        return c.at[i].set(fori_loop(0, m, add, first))

    return fori_loop(0, n, row, c)


def covariance(data):
    """Column by column, masked."""
    n, m = data.shape
    data = data - jnp.mean(data, axis=0)
    places = jnp.arange(m)

    def column(i, cov):
        found = data[:, i] @ data / (n - 1.0)
        cov = cov.at[:, i].set(jnp.where(places >= i, found, cov[:, i]))
        return cov.at[i, :].set(jnp.where(places >= i, cov[:, i], cov[i, :]))

    return fori_loop(0, m, column, jnp.zeros((m, m)))


def sparse_product(start, column, value, x):
    """Row by row; each is as long as the longest, masked."""
    widest = int(np.max(np.diff(start)))
    places = jnp.arange(widest)
    padded_column = jnp.pad(column, (0, widest))
    padded_value = jnp.pad(value, (0, widest))
    first = jnp.asarray(start)

    def row(i, y):
        columns = dynamic_slice(padded_column, (first[i],), (widest,))
        values = dynamic_slice(padded_value, (first[i],), (widest,))
        inside = places < first[i + 1] - first[i]
        return y.at[i].set(jnp.where(inside, values * x[columns], 0.0).sum())

    return fori_loop(0, len(start) - 1, row, jnp.zeros(len(start) - 1))


def trace_of_tanh(a):
    """Sum up the diagonal."""
    trace = fori_loop(0, a.shape[0], lambda i, t: t + jnp.tanh(a[i, i]), 0.0)
    return a + trace


def convolution(images, weights, bias):
    """Window by window."""
    k = weights.shape[0]
    n, height, width, channels = images.shape
    height, width = height - k + 1, width - k + 1

    def row(i, out):
        def place(j, out):
            window = dynamic_slice(images, (0, i, j, 0), (n, k, k, channels))
            found = jnp.sum(window[:, :, :, :, None] * weights[None], axis=(1, 2, 3))
            return out.at[:, i, j, :].set(found)

        return fori_loop(0, width, place, out)

    out = jnp.empty((n, height, width, weights.shape[3]))
    return fori_loop(0, height, row, out) + bias


def mixture(alphas, means, factors, x, gamma, m):
    """Return the log likelihood: the same text, but for what is written to `q`."""
    n, d = x.shape
    rows, columns = np.tril_indices(d, -1)
    q_diagonal = jnp.exp(factors[:, :d])
    q_sum = jnp.sum(factors[:, :d], axis=1)
    q = jnp.zeros((len(alphas), d, d))
    q = q.at[:, np.arange(d), np.arange(d)].set(q_diagonal)
    q = q.at[:, rows, columns].set(factors[:, d:])
    centred = x - means[:, None, :]
    squares = jnp.sum((centred @ q.transpose(0, 2, 1)) ** 2, axis=2)
    inner = (alphas + q_sum)[:, None] - 0.5 * squares
    largest = jnp.max(inner, axis=0)
    each = largest + jnp.log(jnp.sum(jnp.exp(inner - largest), axis=0))
    top = jnp.max(alphas)
    weights = top + jnp.log(jnp.sum(jnp.exp(alphas - top)))
    constant = -0.5 * n * d * np.log(2 * np.pi)
    prior = _wishart_prior(q_diagonal, q_sum, factors[:, d:], gamma, m)
    return constant + jnp.sum(each) - n * weights - prior


def mixture_by_loops(alphas, means, factors, x, gamma, m):
    """Point by point, Gaussian by Gaussian, row by row."""
    n, d = x.shape
    k = len(alphas)
    q_diagonal = jnp.exp(factors[:, :d])
    q_sum = jnp.sum(factors[:, :d], axis=1)
    padded = jnp.pad(factors, ((0, 0), (0, d)))  # room for the masked end of the last row
    places = jnp.arange(d)
    top = jnp.max(alphas)
    weights = top + jnp.log(jnp.sum(jnp.exp(alphas - top)))

    def point(i, total):
        def gaussian(c, inner):
            centred = x[i] - means[c]

            def row(r, square):
                below = dynamic_slice(padded, (c, d + r * (r - 1) // 2), (1, d))[0]
                s = q_diagonal[c, r] * centred[r]
                s += jnp.where(places < r, below * centred, 0.0).sum()
                return square + s * s

            square = fori_loop(0, d, row, 0.0)
            return inner.at[c].set(alphas[c] + q_sum[c] - 0.5 * square)

        inner = fori_loop(0, k, gaussian, jnp.zeros(k))
        largest = jnp.max(inner)
        return total + largest + jnp.log(jnp.sum(jnp.exp(inner - largest)))

    total = fori_loop(0, n, point, -0.5 * n * d * np.log(2 * np.pi) - n * weights)
    return total - _wishart_prior(q_diagonal, q_sum, factors[:, d:], gamma, m)


def least_squares(a, x, b):
    """Return the residuals entry by entry."""
    n, m = a.shape

    def row(i, residual):
        s = fori_loop(0, m, lambda j, s: s + a[i, j] * x[j], -b[i])
        return residual.at[i].set(s)

    return fori_loop(0, n, row, jnp.zeros(n))
