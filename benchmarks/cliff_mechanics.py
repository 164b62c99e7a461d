"""Ten programs of physics, linear algebra and finance, as scientists write them.

`cliffs.py` counts those of which every loop is compiled.
"""

# ruff: noqa: D103 - programs are as their authors write them, and their names tell what they are

from __future__ import annotations

import numpy as np
from habits import numbers, program

# Equations ----------------------------------------------------------------------------------------


@program(numbers(20, 20), 5)
def shallow_water(h0, steps):
    h = 1.0 + 0.1 * h0
    u = np.zeros_like(h)
    v = np.zeros_like(h)
    dt, g = 0.05, 9.81
    energy = []
    for _ in range(steps):
        u[1:-1, :] -= dt * g * (h[2:, :] - h[:-2, :]) / 2
        v[:, 1:-1] -= dt * g * (h[:, 2:] - h[:, :-2]) / 2
        flux_x, flux_y = h * u, h * v
        h[1:-1, :] -= dt * (flux_x[2:, :] - flux_x[:-2, :]) / 2
        h[:, 1:-1] -= dt * (flux_y[:, 2:] - flux_y[:, :-2]) / 2
        energy.append(0.5 * np.sum(h * (u**2 + v**2)) + 0.5 * g * np.sum(h**2))
    return energy[-1] - energy[0]


@program(numbers(30), 8)
def crank_nicolson(u, steps):
    n = len(u)
    r = 0.4
    for _ in range(steps):
        rhs = np.zeros(n)
        rhs[0], rhs[-1] = u[0], u[-1]
        for i in range(1, n - 1):
            rhs[i] = r * u[i - 1] + (1 - 2 * r) * u[i] + r * u[i + 1]
        cp = np.zeros(n)
        dp = np.zeros(n)
        dp[0] = rhs[0]
        for i in range(1, n):
            a = -r if i < n - 1 else 0.0
            c = -r if i < n - 1 else 0.0
            m = 1 + 2 * r if i < n - 1 else 1.0
            den = m - a * cp[i - 1]
            cp[i] = c / den
            dp[i] = (rhs[i] - a * dp[i - 1]) / den
        x = np.zeros(n)
        x[n - 1] = dp[n - 1]
        for i in range(n - 2, -1, -1):
            x[i] = dp[i] - cp[i] * x[i + 1]
        u = x
    return np.sum(u**2)


@program(numbers(32), 6)
def schroedinger(v, steps):
    n = len(v)
    x = np.linspace(-5, 5, n)
    k = 2 * np.pi * np.fft.fftfreq(n, d=x[1] - x[0])
    psi = np.exp(-(x**2)) * np.exp(2j * x)
    half = np.exp(-0.5j * 0.01 * v)
    kinetic = np.exp(-0.5j * 0.01 * k**2)
    where = []
    for _ in range(steps):
        psi = half * psi
        psi = np.fft.ifft(kinetic * np.fft.fft(psi))
        psi = half * psi
        rho = np.abs(psi) ** 2
        where.append(np.sum(x * rho) / np.sum(rho))
    return sum(where) / len(where)


# Linear algebra -----------------------------------------------------------------------------------


@program(numbers(12, 6))
def gram_schmidt(A):
    Q = []
    for j in range(A.shape[1]):
        v = A[:, j].copy()
        for q in Q:
            v -= np.dot(q, v) * q
        Q.append(v / np.linalg.norm(v))
    total = 0.0
    for i, q in enumerate(Q):
        total += q[i] * q[-1]
    return total


@program(numbers(15, 15), numbers(15, seed=1))
def preconditioned_gradients(M, b):
    A = M @ M.T + 15 * np.eye(15)
    d = 1.0 / np.diag(A)
    x = np.zeros_like(b)
    r = b - A @ x
    z = d * r
    p = z.copy()
    history = []
    for _ in range(20):
        Ap = A @ p
        rz = r @ z
        alpha = rz / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        history.append(np.linalg.norm(r))
        if history[-1] < 1e-6:
            break
        z = d * r
        p = z + (r @ z) / rz * p
    return x @ b + 0.0 * len(history)


# Particles and rays -------------------------------------------------------------------------------


@program(4 * numbers(10, 3), 4)
def molecules_with_cutoff(x, steps):
    n, box, rc = len(x), 4.0, 1.5
    v = np.zeros_like(x)
    energy = 0.0
    for _ in range(steps):
        f = np.zeros_like(x)
        energy = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                d = x[i] - x[j]
                d = d - box * np.round(d / box)
                r2 = np.sum(d * d) + 0.3
                if r2 > rc * rc:
                    continue
                s6 = (0.3 / r2) ** 3
                energy += 4 * (s6 * s6 - s6)
                force = 24 * (2 * s6 * s6 - s6) / r2 * d
                f[i] += force
                f[j] -= force
        v = v + 0.001 * f
        x = x + 0.001 * v
    return energy + 0.5 * np.sum(v**2)


@program(numbers(3, 4), 6)
def spheres_traced(spheres, n):
    light = np.array([1.0, 1.0, -1.0]) / np.sqrt(3.0)
    image = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            direction = np.array([(i - n / 2) / n, (j - n / 2) / n, 1.0])
            direction = direction / np.linalg.norm(direction)
            nearest, hit = np.inf, None
            for k in range(len(spheres)):
                c = np.array([spheres[k, 0] - 0.5, spheres[k, 1] - 0.5, 3.0])
                b = direction @ c
                disc = b * b - c @ c + spheres[k, 3]
                if disc > 0:
                    t = b - np.sqrt(disc)
                    if t < nearest:
                        nearest, hit = t, k
            if hit is not None:
                c = np.array([spheres[hit, 0] - 0.5, spheres[hit, 1] - 0.5, 3.0])
                normal = nearest * direction - c
                normal = normal / np.linalg.norm(normal)
                image[i, j] = max(0.0, normal @ light)
    return image.sum()


@program(numbers(5, 3), numbers(5, seed=1))
def planets(x, m):
    v = np.zeros_like(x)
    dt, n = 0.01, len(m)
    trail = []
    for _ in range(6):
        a = np.zeros_like(x)
        for i in range(n):
            for j in range(n):
                if i != j:
                    d = x[j] - x[i]
                    a[i] += m[j] * d / (d @ d + 0.01) ** 1.5
        v += dt * a
        x = x + dt * v
        trail.append(x[0])
    length = 0.0
    for before, after in zip(trail[:-1], trail[1:], strict=True):  # noqa: RUF007 - as it is written
        length += np.linalg.norm(after - before)
    return length


# Queues and trees ---------------------------------------------------------------------------------


@program(numbers(40), numbers(40, seed=1))
def servers_in_parallel(service, gaps):
    free = [0.0, 0.0, 0.0]
    clock, waits = 0.0, []
    for s, gap in zip(service, gaps, strict=True):
        clock += gap
        k = 0
        for j in range(1, 3):
            if free[j] < free[k]:
                k = j
        start = max(clock, free[k])
        waits.append(start - clock)
        free[k] = start + s
    return sum(waits) / len(waits)


@program(np.array([100.0, 0.3, 0.05]), 20)
def american_tree(p, n):
    s, sigma, rate = p
    dt = 1.0 / n
    u = np.exp(sigma * np.sqrt(dt))
    q = (np.exp(rate * dt) - 1 / u) / (u - 1 / u)
    values = [max(0.0, 105.0 - s * u ** (n - 2 * i)) for i in range(n + 1)]
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            held = np.exp(-rate * dt) * (q * values[i] + (1 - q) * values[i + 1])
            values[i] = max(held, 105.0 - s * u ** (step - 2 * i))
    return values[0]
