"""Programs of loops over series, points and grids, each at any size, for `growth.py`."""

# ruff: noqa: B007 - they are as their authors write them

from __future__ import annotations

import math

import numpy as np
from growth_programs import program, vector


@program(32, 1, vector)
def implicit_heat(x):
    """Solve a tridiagonal system in place in each step."""
    n = len(x)
    u = x.copy()
    for step in range(10):
        a = np.full(n, -0.4)
        b = np.full(n, 1.8 + 0.1)
        c = np.full(n, -0.4)
        d = u.copy()
        for i in range(1, n):
            m = a[i] / b[i - 1]
            b[i] -= m * c[i - 1]
            d[i] -= m * d[i - 1]
        u[n - 1] = d[n - 1] / b[n - 1]
        for i in range(n - 2, -1, -1):
            u[i] = (d[i] - c[i] * u[i + 1]) / b[i]
        u = u + 0.01 * np.sin(u)
    return np.sum(u**2)


@program(16, 2, vector)
def bubble_sort(x):
    """Exchange neighbours that are out of order."""
    a = x.copy()
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return np.sum(a**2 * np.arange(n))


@program(16, 2, vector)
def insertion_sort(x):
    """Insert each entry where it belongs."""
    a = x.copy()
    for i in range(1, len(a)):
        v = a[i]
        j = i - 1
        while j >= 0 and a[j] > v:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = v
    return np.sum(a**2 * np.arange(len(a)))


@program(32, 1, vector)
def fft(x):
    """Transform by butterflies in place."""
    n = len(x)
    re = x.copy()
    im = np.zeros(n)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
    size = 2
    while size <= n:
        half = size // 2
        for start in range(0, n, size):
            for k in range(half):
                ang = -2 * math.pi * k / size
                wr, wi = math.cos(ang), math.sin(ang)
                p, q = start + k, start + k + half
                tr = wr * re[q] - wi * im[q]
                ti = wr * im[q] + wi * re[q]
                re[q] = re[p] - tr
                im[q] = im[p] - ti
                re[p] += tr
                im[p] += ti
        size *= 2
    return np.sum((re**2 + im**2) * np.arange(n))


@program(32, 1, vector)
def viterbi(x):
    """The best path through six states."""
    n = len(x)
    S = 6
    v = np.zeros((n, S))
    for t in range(1, n):
        for s in range(S):
            best = -1e30
            for r in range(S):
                c = v[t - 1, r] - 0.1 * (r - s) ** 2
                if c > best:
                    best = c
            v[t, s] = best + x[t] * s
    return np.max(v[-1])


@program(36, 1, vector)
def mean_field(x):
    """Sweep over a grid of mean fields."""
    n = int(np.sqrt(len(x)))
    h = x[: n * n].reshape(n, n)
    m = np.zeros((n, n))
    for sweep in range(6):
        for i in range(n):
            for j in range(n):
                s = h[i, j]
                if i > 0:
                    s += m[i - 1, j]
                if i < n - 1:
                    s += m[i + 1, j]
                if j > 0:
                    s += m[i, j - 1]
                if j < n - 1:
                    s += m[i, j + 1]
                m[i, j] = np.tanh(0.3 * s)
    return np.sum(m**2)


@program(32, 1, vector)
def k_means(x):
    """Move four centres to the means of their points."""
    n = len(x) // 2
    p = x[: 2 * n].reshape(n, 2)
    c = p[:4].copy()
    for it in range(5):
        num = np.zeros((4, 2))
        cnt = np.zeros(4)
        for i in range(n):
            best = 0
            bd = 1e30
            for k in range(4):
                d = (p[i, 0] - c[k, 0]) ** 2 + (p[i, 1] - c[k, 1]) ** 2
                if d < bd:
                    bd = d
                    best = k
            num[best] += p[i]
            cnt[best] += 1
        for k in range(4):
            if cnt[k] > 0:
                c[k] = num[k] / cnt[k]
    return np.sum(c**2)


@program(32, 2, vector)
def n_bodies(x):
    """Attract all pairs, velocities changed in place."""
    n = len(x) // 4
    r = x[: 2 * n].reshape(n, 2).copy() * 5
    v = x[2 * n : 4 * n].reshape(n, 2).copy()
    for step in range(5):
        for i in range(n):
            for j in range(i + 1, n):
                d = r[j] - r[i]
                f = d / (d @ d + 0.1) ** 1.5
                v[i] += 0.01 * f
                v[j] -= 0.01 * f
        r += 0.01 * v
    return np.sum(r**2)


@program(32, 2, vector)
def forces_within_a_radius(x):
    """Energy and forces of the pairs that are near."""
    n = len(x) // 2
    r = x[: 2 * n].reshape(n, 2) * 5
    e = 0.0
    f = np.zeros((n, 2))
    for i in range(n):
        for j in range(i + 1, n):
            d = r[i] - r[j]
            s = d @ d
            if s < 4.0:
                i6 = 1 / (s + 0.3) ** 3
                e += i6**2 - i6
                g = (12 * i6**2 - 6 * i6) / (s + 0.3) * d
                f[i] += g
                f[j] -= g
    return e + np.sum(f**2)


@program(32, 1, vector)
def upwind(x):
    """Differences against the wind."""
    u = x.copy()
    n = len(u)
    for t in range(20):
        old = u.copy()
        for i in range(1, n - 1):
            if old[i] > 0:
                u[i] = old[i] - 0.1 * old[i] * (old[i] - old[i - 1])
            else:
                u[i] = old[i] - 0.1 * old[i] * (old[i + 1] - old[i])
    return np.sum(u**2)


@program(32, 1, vector)
def limited_slopes(x):
    """Fluxes from slopes that are limited."""
    u = x.copy()
    n = len(u)
    for t in range(10):
        s = np.zeros(n)
        fl = np.zeros(n + 1)
        for i in range(1, n - 1):
            a, b = u[i] - u[i - 1], u[i + 1] - u[i]
            s[i] = 0.0 if a * b <= 0 else (a if abs(a) < abs(b) else b)
        for i in range(1, n):
            ul, ur = u[i - 1] + 0.5 * s[i - 1], u[i] - 0.5 * s[i]
            fl[i] = 0.5 * (ul**2 + ur**2) / 2 - 0.25 * (ur - ul)
        for i in range(1, n - 1):
            u[i] -= 0.1 * (fl[i + 1] - fl[i])
    return np.sum(u**2)


@program(32, 1, vector)
def queues(x):
    """Serve each customer by the first free of three."""
    n = len(x)
    free = np.zeros(3)
    total = 0.0
    t = 0.0
    for i in range(n):
        t += abs(x[i])
        k = 0
        for s in range(1, 3):
            if free[s] < free[k]:
                k = s
        start = max(t, free[k])
        total += start - t
        free[k] = start + 0.8 + 0.1 * x[i]
    return total


@program(16, 2, vector)
def binomial_tree(x):
    """The price of an American option, back through a tree."""
    n = len(x)
    v = np.maximum(np.exp(0.1 * (2 * np.arange(n + 1) - n)) * x[0] ** 2 - 1.0, 0.0)
    for step in range(n, 0, -1):
        for i in range(step):
            c = 0.99 * (0.5 * v[i] + 0.5 * v[i + 1])
            e = x[0] ** 2 * np.exp(0.1 * (2 * i - step)) - 1.0
            v[i] = max(c, e)
    return v[0]


@program(16, 1, vector)
def recurrent_cell(x):
    """Gates of eight units over a series."""
    n = len(x)
    H = 8
    h = np.zeros(H)
    c = np.zeros(H)
    W = np.outer(np.arange(4 * H), np.ones(H)) * 0.01
    loss = 0.0
    for t in range(n):
        z = W @ h + x[t]
        i = 1 / (1 + np.exp(-z[:H]))
        f = 1 / (1 + np.exp(-z[H : 2 * H]))
        g = np.tanh(z[2 * H : 3 * H])
        o = 1 / (1 + np.exp(-z[3 * H :]))
        c = f * c + i * g
        h = o * np.tanh(c)
        loss += (h[0] - x[t]) ** 2
    return loss


@program(32, 1, vector)
def moving_moments(x):
    """Mean and variance that forget."""
    n = len(x)
    m = np.zeros(n)
    v = np.zeros(n)
    for i in range(n):
        if i == 0:
            m[i] = x[i]
            v[i] = 1.0
        else:
            m[i] = 0.9 * m[i - 1] + 0.1 * x[i]
            v[i] = 0.9 * v[i - 1] + 0.1 * (x[i] - m[i - 1]) ** 2
    return np.sum(m / np.sqrt(v))


@program(32, 1, vector)
def reservoir(x):
    """A storage that spills and is kept from drying."""
    n = len(x)
    s = 10.0
    out = np.zeros(n)
    spill = 0.0
    for t in range(n):
        s += x[t]
        if s > 12.0:
            spill += s - 12.0
            s = 12.0
        elif s < 8.0:
            s = 8.0 + 0.1 * (s - 8.0)
        r = 0.1 * s**1.5
        s -= r
        out[t] = r
    return np.sum(out**2) + spill


@program(32, 1, vector)
def reactions_in_turn(x):
    """One of three reactions in each step."""
    n = len(x)
    A, B, C = 50.0, 10.0, 0.0
    for t in range(n):
        r1, r2, r3 = 0.1 * A, 0.02 * A * B, 0.05 * B
        tot = r1 + r2 + r3
        if r1 > 0.3 * tot:
            A, B = A - 0.1 * x[t], B + 0.1
        elif r2 > 0.5 * tot:
            A, B, C = A - 0.2, B - 0.1, C + 0.3 * x[t]
        else:
            B, C = B - 0.1 * r3, C + 0.1 * r3
    return A * B + C


@program(64, 1, vector)
def flood(x):
    """Water that flows to the lower of four neighbours."""
    n = int(np.sqrt(len(x)))
    z = np.abs(x[: n * n].reshape(n, n))
    w = np.zeros((n, n))
    w[n // 2, n // 2] = 5.0
    for t in range(5):
        new = w.copy()
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                h = z[i, j] + w[i, j]
                for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                    dh = h - z[i + di, j + dj] - w[i + di, j + dj]
                    if dh > 0 and w[i, j] > 0:
                        q = 0.1 * min(dh, w[i, j])
                        new[i, j] -= q
                        new[i + di, j + dj] += q
        w = new
    return np.sum(w**2 * z)


@program(64, 1, vector)
def pushed_ranks(x):
    """Push ranks along the edges of a graph."""
    n = int(np.sqrt(len(x)))
    A = np.abs(x[: n * n].reshape(n, n))
    r = np.ones(n) / n
    for it in range(10):
        new = np.zeros(n)
        for i in range(n):
            s = np.sum(A[i])
            for j in range(n):
                if A[i, j] > 0.1:
                    new[j] += 0.85 * r[i] * A[i, j] / s
        r = new + 0.15 / n
    return np.sum(r**2)


@program(32, 1, vector)
def power_flow(x):
    """Angles of a chain of nodes by relaxation."""
    n = len(x)
    V = np.ones(n)
    th = np.zeros(n)
    for it in range(10):
        for i in range(1, n):
            p = -0.1 * x[i]
            for j in (i - 1, i + 1):
                if j < n:
                    p += V[j] * np.sin(th[j] - th[i])
            th[i] += 0.3 * p
    return np.sum(th**2)
