"""Twenty models as scientists write them, with NumPy's functions in their loops.

`cliffs.py` counts those of which every loop is compiled.
"""

# ruff: noqa: D103 - programs are as their authors write them, and their names tell what they are

from __future__ import annotations

import numpy as np
from habits import numbers, program

# Water, batteries, epidemics ----------------------------------------------------------------------


@program(np.array([0.3, 0.05, 0.01, 2.5]), numbers(60, seed=1), 20 * numbers(60, seed=2) - 10)
def snow_and_reservoirs(p, rain, temperature):
    snow = 0.0
    stores = np.array([1.0, 0.5, 0.2])
    flow = np.zeros(len(rain))
    for t in range(len(rain)):
        if temperature[t] < 0:
            snow += rain[t]
            water = 0.0
        else:
            melt = min(snow, p[3] * temperature[t])
            snow -= melt
            water = rain[t] + melt
        for k in range(3):
            out = p[k] * stores[k]
            stores[k] = stores[k] + water - out
            water = out
        flow[t] = water
    return np.mean((flow - rain) ** 2)


SOC = np.linspace(0.0, 1.0, 11)
VOLTAGE = 3.0 + SOC + 0.2 * SOC**2


@program(np.array([0.05, 0.03, 20.0]), numbers(80, seed=1))
def equivalent_circuit(p, current):
    soc, v1, loss = 0.9, 0.0, 0.0
    for i in current:
        soc = soc - 0.01 * i
        v1 = v1 + (i * p[1] - v1) / p[2]
        v = np.interp(soc, SOC, VOLTAGE) - i * p[0] - v1
        loss += (v - 3.6) ** 2
    return loss / len(current)


def seir(y, p):
    """Return what changes of a population in a day."""
    s, e, i, _ = y
    new = p[0] * s * i
    return np.array([-new, new - p[1] * e, p[1] * e - p[2] * i, p[2] * i])


@program(np.array([0.8, 0.3, 0.1]), numbers(40, seed=1))
def epidemic(p, cases):
    y = np.array([0.99, 0.0, 0.01, 0.0])
    error = 0.0
    for t in range(len(cases)):
        k1 = seir(y, p)
        k2 = seir(y + 0.5 * k1, p)
        k3 = seir(y + 0.5 * k2, p)
        k4 = seir(y + k3, p)
        y = y + (k1 + 2 * k2 + 2 * k3 + k4) / 6
        error += (y[2] - cases[t]) ** 2
    return error


# Filters and chains -------------------------------------------------------------------------------


@program(np.array([0.1, 0.3]), numbers(50, seed=1))
def kalman_of_a_position(q, z):
    F = np.array([[1.0, 1.0], [0.0, 1.0]])
    H = np.array([1.0, 0.0])
    x, P = np.zeros(2), np.eye(2)
    loss = 0.0
    for k in range(len(z)):
        x = F @ x
        P = F @ P @ F.T + q[0] * np.eye(2)
        S = H @ P @ H + q[1]
        K = P @ H / S
        r = z[k] - H @ x
        x = x + K * r
        P = (np.eye(2) - np.outer(K, H)) @ P
        loss += 0.5 * (np.log(S) + r**2 / S)
    return loss


@program(np.array([0.1, 0.3]), numbers(30, 2, seed=1))
def kalman_in_a_plane(q, z):
    F = np.eye(4) + np.eye(4, k=2)
    H = np.eye(2, 4)
    x, P = np.zeros(4), np.eye(4)
    loss = 0.0
    for k in range(len(z)):
        x = F @ x
        P = F @ P @ F.T + q[0] * np.eye(4)
        S = H @ P @ H.T + q[1] * np.eye(2)
        K = P @ H.T @ np.linalg.inv(S)
        r = z[k] - H @ x
        x = x + K @ r
        P = P - K @ H @ P
        loss += 0.5 * (np.log(np.linalg.det(S)) + r @ np.linalg.solve(S, r))
    return loss


@program(numbers(4, 4), numbers(4, 3, seed=1), np.random.default_rng(2).integers(0, 3, 50))
def hidden_markov(a, b, seen):
    A = a / a.sum(axis=1, keepdims=True)
    B = b / b.sum(axis=1, keepdims=True)
    alpha = np.log(np.ones(4) / 4) + np.log(B[:, seen[0]])
    for t in range(1, len(seen)):
        m = np.max(alpha)
        alpha = np.log(np.exp(alpha - m) @ A) + m + np.log(B[:, seen[t]])
    return -np.log(np.sum(np.exp(alpha)))


@program(np.array([0.2, 0.03]), 40)
def american_put(p, n):
    sigma, r = p
    dt = 1.0 / n
    u = np.exp(sigma * np.sqrt(dt))
    q = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    s = 100.0 * u ** (2.0 * np.arange(n + 1) - n)
    v = np.maximum(105.0 - s, 0.0)
    for _ in range(n):
        s = s[1:] / u
        v = np.exp(-r * dt) * (q * v[1:] + (1 - q) * v[:-1])
        v = np.maximum(v, 105.0 - s)
    return v[0]


# Particles, fields, states ------------------------------------------------------------------------


@program(4 * numbers(20, 2))
def cells(x):
    """Return the energy of particles, each with those of the cells around its own."""
    n = len(x)
    cell = np.minimum(x.astype(int), 3)
    heads = -np.ones((4, 4), dtype=int)
    following = -np.ones(n, dtype=int)
    for i in range(n):
        following[i] = heads[cell[i, 0], cell[i, 1]]
        heads[cell[i, 0], cell[i, 1]] = i
    energy = 0.0
    for i in range(n):
        for a in range(max(cell[i, 0] - 1, 0), min(cell[i, 0] + 2, 4)):
            for b in range(max(cell[i, 1] - 1, 0), min(cell[i, 1] + 2, 4)):
                j = heads[a, b]
                while j >= 0:
                    if j < i:
                        d = x[i] - x[j]
                        r2 = d @ d
                        if r2 < 1.0:
                            energy += (1.0 - r2) ** 2
                    j = following[j]
    return energy


@program(numbers(30, 3), numbers(3, seed=1))
def magnetic_field(wire, at):
    field = np.zeros(3)
    for i in range(len(wire) - 1):
        dl = wire[i + 1] - wire[i]
        r = at - 0.5 * (wire[i] + wire[i + 1])
        field += np.cross(dl, r) / np.linalg.norm(r) ** 3
    return np.linalg.norm(field)


@program(numbers(16), numbers(16, seed=1))
def wave_packet(v, start):
    psi = (start + 0.0j) / np.linalg.norm(start)
    dt = 0.05
    for _ in range(30):
        psi = np.exp(-1j * v * dt) * psi
        lap = np.roll(psi, 1) + np.roll(psi, -1) - 2 * psi
        psi = psi + 0.5j * dt * lap
        psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2))
    return np.sum(np.arange(16) * np.abs(psi) ** 2)


@program(numbers(50), 0.3)
def upwind(u, c):
    for _ in range(40):
        u = u - c * (u - np.roll(u, 1))
        u[u < 0.2] = 0.2
        u[0] = 1.0
    return np.sum(u**2)


@program(numbers(30, 2))
def path_length(x):
    total = 0.0
    for i in range(1, len(x)):
        step = np.linalg.norm(x[i] - x[i - 1])
        turn = np.arctan2(x[i, 1] - x[i - 1, 1], x[i, 0] - x[i - 1, 0])
        total += step * (1 + 0.1 * np.sin(turn))
    return total


# Data ---------------------------------------------------------------------------------------------


@program(numbers(12, 12), numbers(12, 12, seed=1))
def local_alignment(score, gap):
    n, m = score.shape
    h = np.zeros((n + 1, m + 1))
    best = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            options = np.array(
                [0.0, h[i - 1, j - 1] + score[i - 1, j - 1] - 0.5, h[i - 1, j] - gap[i - 1, j - 1]]
            )
            h[i, j] = np.log(np.sum(np.exp(options)))
            best = max(best, h[i, j])
    return best


@program(numbers(6), numbers(40, seed=1), np.random.default_rng(2).integers(0, 6, 40))
def group_effects(effect, y, group):
    counts = np.bincount(group, minlength=6)
    for _ in range(10):
        residual = y - effect[group]
        sums = np.bincount(group, weights=residual, minlength=6)
        effect = effect + 0.5 * sums / (counts + 1)
    return np.sum((y - effect[group]) ** 2)


@program(np.sort(numbers(10)), numbers(40, seed=1))
def table(values, x):
    grid = np.linspace(0.0, 1.0, 10)
    total = 0.0
    for i in range(len(x)):
        j = np.searchsorted(grid, x[i]) - 1
        w = (x[i] - grid[j]) / (grid[j + 1] - grid[j])
        total += ((1 - w) * values[j] + w * values[j + 1]) ** 2
    return total


@program(numbers(20, 15), numbers(15, seed=1))
def asian_option(z, weights):
    total = 0.0
    for path in z:
        s = 100.0 * np.exp(np.cumsum(0.1 * path - 0.005))
        mean = np.sum(weights * s) / np.sum(weights)
        swings = np.diff(s)
        total += max(mean - 100.0, 0.0) + 0.01 * np.sum(swings**2)
    return total / len(z)


@program(numbers(3, 2), numbers(40, 2, seed=1))
def mixture(centres, x):
    covariance = np.array(
        [[[0.3, 0.1], [0.1, 0.4]], [[0.2, 0.0], [0.0, 0.5]], [[1.0, 0.2], [0.2, 1.0]]]
    )
    loss = 0.0
    for i in range(len(x)):
        density = 0.0
        for k in range(3):
            d = x[i] - centres[k]
            q = d @ np.linalg.solve(covariance[k], d)
            density += np.exp(-0.5 * q) / np.sqrt(np.linalg.det(covariance[k]))
        loss -= np.log(density)
    return loss


@program(numbers(40), numbers(40, seed=1))
def clipped_growth(r, noise):
    n = np.ones(40)
    for _ in range(20):
        n = n * np.exp(r * (1 - n)) + 0.1 * noise
        small = n < 0.5
        n[small] = n[small] * 0.9
        n = np.where(n > 1.5, 1.5, n)
    return n[n > 1.0].sum()


# Triangles ----------------------------------------------------------------------------------------


@program(numbers(8, 8) + 8 * np.eye(8))
def log_determinant(a):
    n = len(a)
    L = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            s = a[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                L[i, j] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return 2 * np.sum(np.log(np.diag(L)))


@program(numbers(15, 3), numbers(15, seed=1))
def coulomb(x, q):
    energy = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            r = np.sqrt(np.sum((x[i] - x[j]) ** 2))
            energy += q[i] * q[j] / r
    return energy
