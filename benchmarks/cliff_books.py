"""Programs out of the books of fields: filters, control, images, chains, particles, maps, trees.

`cliffs.py` counts those of which every loop is compiled.
"""

from __future__ import annotations

import numpy as np
from habits import numbers, program

# Filters and control ------------------------------------------------------------------------------


@program(np.array([0.1, 0.5, 0.9]), numbers(40, 2, seed=1))
def extended_kalman(p, seen):
    """Return the likelihood of ranges and bearings of a moving thing."""
    x = np.array([0.5, 0.5, 0.0, 0.1])
    cov = np.eye(4)
    a = np.eye(4)
    a[0, 2] = a[1, 3] = 0.1
    q = p[0] * np.diag([0.0, 0.0, 1.0, 1.0])
    r = np.diag([p[1], p[2]])
    loglik = 0.0
    for z in seen:
        x = a @ x
        cov = a @ cov @ a.T + q
        rho = np.hypot(x[0], x[1])
        h = np.array([rho, np.arctan2(x[1], x[0])])
        jac = np.zeros((2, 4))
        jac[0, :2] = x[:2] / rho
        jac[1, :2] = np.array([-x[1], x[0]]) / rho**2
        s = jac @ cov @ jac.T + r
        gain = cov @ jac.T @ np.linalg.inv(s)
        innovation = z - h
        innovation[1] = (innovation[1] + np.pi) % (2 * np.pi) - np.pi
        x = x + gain @ innovation
        cov = (np.eye(4) - gain @ jac) @ cov
        _, logdet = np.linalg.slogdet(s)
        loglik -= 0.5 * (innovation @ np.linalg.solve(s, innovation) + logdet)
    return loglik


@program(np.array([0.5, 0.1]), numbers(15, seed=1), np.random.default_rng(4).normal(size=(15, 50)))
def resampled_particles(p, seen, noise):
    """Return the likelihood by particles, resampled when few of them count."""
    n = noise.shape[1]
    particles = np.zeros(n)
    weights = np.ones(n) / n
    loglik = 0.0
    for t in range(len(seen)):
        particles = p[0] * particles + p[1] * noise[t]
        like = np.exp(-0.5 * ((seen[t] - particles) / 0.3) ** 2)
        weights = weights * like
        loglik += np.log(weights.sum())
        weights = weights / weights.sum()
        if 1.0 / np.sum(weights**2) < n / 2:
            positions = (np.arange(n) + 0.5) / n
            cumulative = np.cumsum(weights)
            i, j = 0, 0
            index = np.zeros(n, dtype=int)
            while i < n:
                if positions[i] < cumulative[j] or j == n - 1:
                    index[i] = j
                    i += 1
                else:
                    j += 1
            particles = particles[index]
            weights = np.ones(n) / n
    return loglik


@program(np.array([2.0, 0.3, 0.8]), numbers(80, seed=1))
def pid_with_windup(gains, load):
    """Return the cost of a heated tank under a PID controller with limits and dead time."""
    kp, ki, kd = gains
    temperature, integral, last = 0.2, 0.0, None
    delay = [0.0] * 5
    cost = 0.0
    for t in range(len(load)):
        target = 1.0 if t > 10 else 0.5
        error = target - temperature
        derivative = 0.0 if last is None else (error - last) / 0.1
        u = kp * error + ki * integral + kd * derivative
        clipped = np.clip(u, 0.0, 2.0)
        if u == clipped:
            integral += error * 0.1
        delay.append(clipped)
        applied = delay.pop(0)
        temperature += 0.1 * (applied - temperature - 0.3 * load[t])
        last = error
        cost += error**2 + 0.01 * clipped**2
    return cost


@program(numbers(3, 3), np.array([1.0, 0.5, 0.2]))
def riccati(a, x0):
    """Return the cost of the optimal regulator over a horizon, then simulated."""
    b = np.array([[0.0], [1.0], [0.5]])
    q, r = np.eye(3), np.array([[0.1]])
    p = q
    gains = []
    for _ in range(30):
        k = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        p = q + a.T @ p @ (a - b @ k)
        gains.append(k)
    x, cost = x0, 0.0
    for k in reversed(gains):
        u = -k @ x
        cost += x @ q @ x + u @ r @ u
        x = a @ x + b @ u
    return cost + x @ q @ x


# Images -------------------------------------------------------------------------------------------


@program(numbers(20, 24), np.array([0.15, 0.2]))
def perona_malik(image, p):
    """Return the total variation of an image after anisotropic diffusion."""
    u = image.copy()
    for _ in range(10):
        north = np.roll(u, 1, axis=0) - u
        south = np.roll(u, -1, axis=0) - u
        east = np.roll(u, -1, axis=1) - u
        west = np.roll(u, 1, axis=1) - u
        for d in (north, south, east, west):
            u = u + p[1] * np.exp(-((d / p[0]) ** 2)) * d
    gy, gx = np.gradient(u)
    return np.sum(np.sqrt(gx**2 + gy**2 + 1e-6))


@program(numbers(16, 16), numbers(3))
def bilateral(image, p):
    """Return the contrast of an image after an edge-preserving filter."""
    h, w = image.shape
    out = np.zeros_like(image)
    radius = 2
    for y in range(h):
        for x in range(w):
            total, norm = 0.0, 0.0
            for dy in range(-radius, radius + 1):
                for dx in range(-radius, radius + 1):
                    yy, xx = y + dy, x + dx
                    if yy < 0 or yy >= h or xx < 0 or xx >= w:
                        continue
                    weight = np.exp(
                        -(dy**2 + dx**2) / (2 * p[0] ** 2)
                        - (image[yy, xx] - image[y, x]) ** 2 / (2 * p[1] ** 2)
                    )
                    total += weight * image[yy, xx]
                    norm += weight
            out[y, x] = total / norm
    return out.std() + p[2] * out.max()


# Dynamic programming and Markov chains ------------------------------------------------------------


@program(numbers(25, 3), numbers(30, 3, seed=1), np.array([0.1]))
def soft_dtw(a, b, p):
    """Return the soft dynamic-time-warping distance of two series."""
    n, m = len(a), len(b)
    r = np.full((n + 1, m + 1), np.inf)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - 10), min(m, i + 10) + 1):
            cost = np.sum((a[i - 1] - b[j - 1]) ** 2)
            choices = np.array([r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]])
            low = choices.min()
            soft = low - p[0] * np.log(np.sum(np.exp(-(choices - low) / p[0])))
            r[i, j] = cost + soft
    return r[n, m]


@program(numbers(4, 4), numbers(4, 6, seed=1), np.random.default_rng(5).integers(0, 6, 40))
def baum_welch(a, b, seen):
    """Return the likelihood of a hidden Markov model after two iterations of Baum and Welch."""
    a = a / a.sum(axis=1, keepdims=True)
    b = b / b.sum(axis=1, keepdims=True)
    n, states = len(seen), len(a)
    pi = np.ones(states) / states
    for _ in range(2):
        alpha = np.zeros((n, states))
        beta = np.zeros((n, states))
        scale = np.zeros(n)
        alpha[0] = pi * b[:, seen[0]]
        scale[0] = alpha[0].sum()
        alpha[0] /= scale[0]
        for t in range(1, n):
            alpha[t] = (alpha[t - 1] @ a) * b[:, seen[t]]
            scale[t] = alpha[t].sum()
            alpha[t] /= scale[t]
        beta[-1] = 1
        for t in range(n - 2, -1, -1):
            beta[t] = a @ (b[:, seen[t + 1]] * beta[t + 1]) / scale[t + 1]
        gamma = alpha * beta
        xi = np.zeros((states, states))
        for t in range(n - 1):
            xi += np.outer(alpha[t], b[:, seen[t + 1]] * beta[t + 1]) * a / scale[t + 1]
        a = xi / gamma[:-1].sum(axis=0)[:, None]
        for k in range(b.shape[1]):
            b[:, k] = gamma[seen == k].sum(axis=0) / gamma.sum(axis=0)
    return np.log(scale).sum()


@program(numbers(6, 6), numbers(6, seed=1))
def value_iteration(p, reward):
    """Return the value of a chain with two actions, until it no longer changes."""
    p = p / p.sum(axis=1, keepdims=True)
    stay = 0.5 * (np.eye(6) + p)
    v = np.zeros(6)
    iterations = 0
    while True:
        q = np.stack([reward + 0.9 * p @ v, 0.8 * reward + 0.9 * stay @ v])
        new = q.max(axis=0)
        policy = q.argmax(axis=0)
        delta = np.max(np.abs(new - v))
        v = new
        iterations += 1
        if delta < 1e-4 or iterations >= 200:
            break
    return v @ reward + 0.01 * policy.sum()


# Particles ----------------------------------------------------------------------------------------


@program(3 * numbers(12, 2), np.array([1.0, 0.3]))
def lennard_jones(x, p):
    """Return energy and pressure of a fluid in a periodic box with a cut-off and cell lists."""
    epsilon, sigma = p
    box, cut = 3.0, 1.0
    cells = int(box // cut)
    bins = {}
    for i in range(len(x)):
        key = (int(x[i, 0] / cut) % cells, int(x[i, 1] / cut) % cells)
        bins.setdefault(key, []).append(i)
    energy, virial = 0.0, 0.0
    for (cx, cy), members in bins.items():
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                for j in bins.get(((cx + dx) % cells, (cy + dy) % cells), []):
                    for i in members:
                        if i >= j:
                            continue
                        d = x[i] - x[j]
                        d -= box * np.round(d / box)
                        r2 = d @ d
                        if r2 > cut**2:
                            continue
                        s6 = (sigma**2 / r2) ** 3
                        energy += 4 * epsilon * (s6**2 - s6)
                        virial += 24 * epsilon * (2 * s6**2 - s6)
    return energy + 0.01 * virial


@program(np.linspace(0, 1, 30) + 0.01 * numbers(30), 0.1 * numbers(30, seed=1))
def particle_in_cell(x, v):
    """Return the field energy of a plasma in one dimension."""
    cells = 16
    history = []
    for _ in range(15):
        density = np.zeros(cells)
        for i in range(len(x)):
            position = (x[i] % 1.0) * cells
            left = int(np.floor(position))
            w = position - left
            density[left % cells] += 1 - w
            density[(left + 1) % cells] += w
        density = density / density.mean() - 1
        k = 2 * np.pi * np.fft.rfftfreq(cells, 1 / cells)
        k[0] = 1.0
        phi = np.fft.irfft(np.fft.rfft(density) / k**2, cells)
        field = -(np.roll(phi, -1) - np.roll(phi, 1)) * cells / 2
        for i in range(len(x)):
            v[i] += 0.05 * field[int((x[i] % 1.0) * cells)]
            x[i] += 0.05 * v[i]
        history.append(0.5 * np.sum(field**2))
    return np.mean(history)


# Geostatistics and genetics -----------------------------------------------------------------------


def spherical(h, sill, reach):
    """Return the spherical variogram."""
    if h >= reach:
        return sill
    return sill * (1.5 * h / reach - 0.5 * (h / reach) ** 3)


@program(numbers(10, 2), numbers(10, seed=1), np.array([1.0, 0.8]), numbers(6, 2, seed=2))
def kriging(places, values, p, targets):
    """Return the spread of kriged values at new places."""
    n = len(places)
    predictions = []
    for target in targets:
        a = np.ones((n + 1, n + 1))
        b = np.ones(n + 1)
        for i in range(n):
            for j in range(n):
                a[i, j] = spherical(np.linalg.norm(places[i] - places[j]), p[0], p[1])
            b[i] = spherical(np.linalg.norm(places[i] - target), p[0], p[1])
        a[n, n] = 0.0
        weights = np.linalg.solve(a, b)[:n]
        predictions.append(weights @ values)
    return np.var(predictions)


@program(numbers(60, 2), numbers(60, seed=1), np.array([0.4]))
def local_regression(places, values, p):
    """Return the error of fits to the nearest neighbours of each place, itself left out."""
    total = 0.0
    for i in range(len(places)):
        d = np.linalg.norm(places - places[i], axis=1)
        near = np.argpartition(d, 9)[:9]
        near = near[near != i]
        w = np.exp(-((d[near] / p[0]) ** 2))
        design = np.column_stack([np.ones(len(near)), places[near] - places[i]])
        beta = np.linalg.solve(
            design.T @ (w[:, None] * design) + 1e-6 * np.eye(3), design.T @ (w * values[near])
        )
        total += (beta[0] - values[i]) ** 2
    return total / len(places)


@program(numbers(8, 4) / 3, np.random.default_rng(6).integers(0, 4, (9, 12)))
def felsenstein(rates, leaves):
    """Return the likelihood of sequences on a caterpillar tree."""
    total = 0.0
    for site in range(leaves.shape[1]):
        partial = np.zeros(4)
        partial[leaves[0, site]] = 1.0
        for k in range(len(rates)):
            q = np.tile(rates[k], (4, 1))
            np.fill_diagonal(q, 0.0)
            np.fill_diagonal(q, -q.sum(axis=1))
            transition = np.eye(4)
            term = np.eye(4)
            for n in range(1, 9):
                term = term @ q / n
                transition = transition + term
            tip = np.zeros(4)
            tip[leaves[k + 1, site]] = 1.0
            partial = (transition @ partial) * (transition @ tip)
        total += np.log(np.mean(partial))
    return -total
