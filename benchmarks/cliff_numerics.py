"""Numerical methods as textbooks list them, statement by statement.

`cliffs.py` counts those of which every loop is compiled. More of them are in `cliff_textbooks.py`.
"""

# ruff: noqa: D103 - programs are as their authors write them, and their names tell what they are

from __future__ import annotations

import numpy as np
from habits import numbers, program

# Linear algebra -----------------------------------------------------------------------------------


@program(numbers(60), numbers(60, seed=1), numbers(60, seed=2), numbers(60, seed=3))
def thomas(a, b, c, d):
    """Return the norm of the solution of a tridiagonal system."""
    n = len(d)
    b = b + 3.0
    cp, dp = np.zeros(n - 1), np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        if i < n - 1:
            cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in reversed(range(n - 1)):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return np.linalg.norm(x)


@program(numbers(10, 10) + 10 * np.eye(10), numbers(10, seed=1))
def gauss_seidel(A, b):
    x = np.zeros_like(b)
    for it in range(50):  # noqa: B007 - as it is written
        old = x.copy()
        for i in range(len(b)):
            s = A[i, :i] @ x[:i] + A[i, i + 1 :] @ x[i + 1 :]
            x[i] = (b[i] - s) / A[i, i]
        if np.max(np.abs(x - old)) < 1e-9:
            break
    return x @ x + 1e-3 * it


@program(numbers(12, 12))
def power_iteration(A):
    S = A + A.T
    v = np.ones(len(S)) / np.sqrt(len(S))
    lam, last = 0.0, np.inf
    count = 0
    while abs(lam - last) > 1e-10 and count < 200:
        w = S @ v
        v = w / np.linalg.norm(w)
        last = lam
        lam = v @ S @ v
        count += 1
    return lam


@program(numbers(8, 5))
def householder(A):
    """Return the logarithm of the volume by QR with reflections."""
    R = A.copy()
    m, n = R.shape
    Q = np.eye(m)
    for k in range(n):
        x = R[k:, k]
        e = np.zeros_like(x)
        e[0] = np.copysign(np.linalg.norm(x), x[0])
        u = x + e
        v = u / np.linalg.norm(u)
        R[k:, :] -= 2.0 * np.outer(v, v @ R[k:, :])
        Q[:, k:] -= 2.0 * np.outer(Q[:, k:] @ v, v)
    return np.sum(np.log(np.abs(np.diag(R)))) + Q[0, 1]


@program(numbers(12, 12), numbers(12, seed=1))
def conjugate_gradients(M, b):
    A = M @ M.T + 3 * np.eye(len(M))
    x = np.zeros(len(b))
    r = b - A @ x
    p = r
    rs = r @ r
    for _ in range(len(b)):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        new = r @ r
        if np.sqrt(new) < 1e-8:
            break
        p = r + (new / rs) * p
        rs = new
    return np.sum(x**2)


@program(numbers(4, 20, 20) + 20 * np.eye(20), numbers(20, seed=1))
def newton_steps(jacobians, b):
    """Return what a few steps with matrices of twenty rows lead to."""
    x = b.copy()
    for J in jacobians:
        residual = J @ x - np.sin(x)
        x = x - 0.5 * np.linalg.solve(J, residual)
    return np.sum(x**2)


# Differential equations ---------------------------------------------------------------------------


def decay(t, y, k):
    """Return the rates of three species."""
    return np.array([-k[0] * y[0], k[0] * y[0] - k[1] * y[1] * np.cos(t), k[1] * y[1] - 0.1 * y[2]])


@program(np.array([1.3, 0.6]))
def embedded_steps(k):
    """Return the end of a Bogacki-Shampine integration that may reject steps."""
    t, y, h = 0.0, np.array([1.0, 0.0, 0.0]), 0.3
    rejected = 0
    f1 = decay(t, y, k)
    while t < 3.0:
        h = min(h, 3.0 - t)
        f2 = decay(t + h / 2, y + h / 2 * f1, k)
        f3 = decay(t + 3 * h / 4, y + 3 * h / 4 * f2, k)
        new = y + h * (2 * f1 + 3 * f2 + 4 * f3) / 9
        f4 = decay(t + h, new, k)
        err = h * np.linalg.norm(-5 * f1 / 72 + f2 / 12 + f3 / 9 - f4 / 8) / 1e-5
        if err <= 1.0:
            t += h
            y = new
            f1 = f4
        else:
            rejected += 1
        h = h * min(5.0, max(0.2, 0.9 * (1.0 / err) ** (1 / 3)))
    return y[2] + y[1] + 0.001 * rejected


@program(numbers(60), 0.5)
def wave_and_source(eps, courant):
    """Return the energy of an FDTD run in one dimension, with absorbing ends."""
    n = len(eps)
    ez, hy = np.zeros(n), np.zeros(n)
    left = [0.0, 0.0]
    seen = []
    for t in range(80):
        for i in range(n - 1):
            hy[i] += courant * (ez[i + 1] - ez[i])
        for i in range(1, n):
            ez[i] += courant / (1 + eps[i]) * (hy[i] - hy[i - 1])
        ez[n // 3] += np.exp(-((t - 20) ** 2) / 50.0)
        ez[0] = left.pop(0)
        left.append(ez[1])
        seen.append(ez[2 * n // 3])
    return np.sum(np.array(seen) ** 2) + np.sum(ez**2)


@program(0.6 + 0.4 * numbers(8, 8), 12)
def lattice_boltzmann(tau, steps):
    """Return the momentum of a flow on nine velocities, around an obstacle."""
    ex = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    ey = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    opposite = [0, 3, 4, 1, 2, 7, 8, 5, 6]
    ny, nx = tau.shape
    solid = np.zeros((ny, nx), dtype=bool)
    solid[3:5, 3] = True
    f = np.ones((9, ny, nx)) * w[:, None, None]
    f[1] *= 1.2
    for _ in range(steps):
        for k in range(9):
            f[k] = np.roll(np.roll(f[k], ex[k], axis=1), ey[k], axis=0)
        bounced = f[opposite][:, solid]
        rho = f.sum(axis=0)
        ux = np.sum(ex[:, None, None] * f, axis=0) / rho
        uy = np.sum(ey[:, None, None] * f, axis=0) / rho
        for k in range(9):
            eu = ex[k] * ux + ey[k] * uy
            feq = rho * w[k] * (1 + 3 * eu + 4.5 * eu**2 - 1.5 * (ux**2 + uy**2))
            f[k] += (feq - f[k]) / tau
        f[:, solid] = bounced
    return np.sum(ux) + np.sum(uy**2)


@program(numbers(8, 3), numbers(8, seed=1))
def leapfrog(start, mass):
    """Return the energy of bodies after some steps of leapfrog."""
    pos, vel = start.copy(), np.zeros_like(start)

    def acceleration(x):
        acc = np.zeros_like(x)
        for i in range(len(x)):
            for j in range(len(x)):
                if i == j:
                    continue
                r = x[j] - x[i]
                acc[i] += mass[j] * r / (np.sum(r * r) + 0.01) ** 1.5
        return acc

    a = acceleration(pos)
    for _ in range(10):
        vel += 0.5e-2 * a
        pos += 1e-2 * vel
        a = acceleration(pos)
        vel += 0.5e-2 * a
    return 0.5 * np.sum(mass[:, None] * vel**2)


@program(numbers(16).astype(np.float32), 25)
def split_step(v, steps):
    """Return a mean of a wave in complex64 that a tridiagonal system advances."""
    n = len(v)
    psi = np.exp(-((np.arange(n) - n / 2) ** 2) / 8).astype(np.complex64)
    dt = np.float32(0.05)
    for _ in range(steps):
        diag = 1 + 0.5j * dt * (v + 2)
        off = -0.5j * dt
        rhs = (2 - diag) * psi
        rhs[1:] -= off * psi[:-1]
        rhs[:-1] -= off * psi[1:]
        c = np.zeros(n, dtype=np.complex64)
        d = np.zeros(n, dtype=np.complex64)
        c[0], d[0] = off / diag[0], rhs[0] / diag[0]
        for i in range(1, n):
            m = diag[i] - off * c[i - 1]
            c[i] = off / m
            d[i] = (rhs[i] - off * d[i - 1]) / m
        psi[n - 1] = d[n - 1]
        for i in range(n - 2, -1, -1):
            psi[i] = d[i] - c[i] * psi[i + 1]
    return np.sum(np.abs(psi) ** 2 * v)


@program(numbers(20))
def transfer_matrices(thickness):
    """Return the reflection of layers by products of complex matrices."""
    M = np.eye(2, dtype=complex)
    for i in range(len(thickness)):
        n = 1.5 if i % 2 == 0 else 2.3
        delta = 2 * np.pi * n * thickness[i]
        layer = np.array(
            [[np.cos(delta), 1j * np.sin(delta) / n], [1j * n * np.sin(delta), np.cos(delta)]]
        )
        M = M @ layer
    top = M[0, 0] + M[0, 1] - M[1, 0] - M[1, 1]
    return np.abs(top / (M[0, 0] + M[0, 1] + M[1, 0] + M[1, 1])) ** 2


# Roots, clusters, sums ----------------------------------------------------------------------------


@program(numbers(40, 2), numbers(3, 2, seed=1))
def k_means(points, centers):
    k = len(centers)
    labels = np.zeros(len(points), dtype=int)
    for _ in range(6):
        for i in range(len(points)):
            distances = [np.sum((points[i] - c) ** 2) for c in centers]
            labels[i] = np.argmin(distances)
        centers = np.array(
            [
                points[labels == j].mean(axis=0) if np.any(labels == j) else centers[j]
                for j in range(k)
            ]
        )
    inertia = 0.0
    for i in range(len(points)):
        inertia += np.sum((points[i] - centers[labels[i]]) ** 2)
    return inertia


@program(numbers(30), np.linspace(0.0, 3.0, 60)[::2])
def first_crossing(w, t):
    """Return where a sum of waves first crosses zero, by bisection in what is found."""
    bracket = None
    previous = None
    for i in range(len(t)):
        value = np.sum(w * np.cos(np.arange(len(w)) * 0.2 * t[i])) - 1.0
        if previous is not None and previous * value < 0:
            bracket = (t[i - 1], t[i])
            break
        previous = value
    if bracket is None:
        return np.sum(w)
    a, b = bracket
    fa = np.sum(w * np.cos(np.arange(len(w)) * 0.2 * a)) - 1.0
    fb = np.sum(w * np.cos(np.arange(len(w)) * 0.2 * b)) - 1.0
    for _ in range(5):
        c = b - fb * (b - a) / (fb - fa)
        fc = np.sum(w * np.cos(np.arange(len(w)) * 0.2 * c)) - 1.0
        a, fa, b, fb = b, fb, c, fc
        if abs(fc) < 1e-12:
            break
    return b


@program(numbers(40).reshape(8, 5).T, numbers(5, 8, seed=1) > 0.5)
def masked_rows(x, mask):
    """Return a sum over what a mask lets through, in an array that is not contiguous."""
    total, worst = 0.0, -1.0
    seen = np.zeros_like(mask)
    for i in range(x.shape[0]):
        row = x[i][mask[i]]
        if row.size == 0:
            continue
        total += row.mean() * row.std(ddof=1) if row.size > 1 else row.mean()
        seen[i] = mask[i] & (x[i] > row.mean())
        worst = max(worst, np.ptp(row))
    return total + worst + np.sum(x[seen & mask] ** 2) + np.sum(x, where=mask)


READ_ONLY = numbers(6, 6)
READ_ONLY.flags.writeable = False


@program(READ_ONLY, np.random.default_rng(5).integers(0, 36, 12))
def gauss_legendre(c, picks):
    """Return a quadrature of a polynomial, with a Horner scheme in two directions."""
    nodes, weights = np.polynomial.legendre.leggauss(6)
    total = 0.0
    for x, wx in zip(nodes, weights, strict=True):
        for y, wy in zip(nodes, weights, strict=True):
            outer = 0.0
            for i in range(len(c) - 1, -1, -1):
                inner = 0.0
                for j in range(c.shape[1] - 1, -1, -1):
                    inner = inner * y + c[i, j]
                outer = outer * x + inner
            total += wx * wy * outer**2
    flat = c.ravel()
    for k in picks:
        total += flat[k] * flat[-k]
    return total
