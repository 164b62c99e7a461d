"""Programs as users would write them for C, each with a maker of arguments of some size."""

import math

import numpy as np

RNG = np.random.default_rng(0)


def v(*shape):
    return RNG.normal(size=shape)


def p(*shape):
    return RNG.uniform(0.5, 1.5, size=shape)


def regression(w, x, y):
    r = x @ w - y
    return np.mean(r**2) + 0.1 * np.sum(np.abs(w))


def logistic(w, b, x, t):
    z = x @ w + b
    return np.mean(np.log1p(np.exp(-np.abs(z))) + np.maximum(z, 0) - z * t)


def matvec_loops(a, x):
    n, m = a.shape
    total = 0.0
    for i in range(n):
        s = 0.0
        for j in range(m):
            s += a[i, j] * x[j]
        total += np.tanh(s)
    return total


def matmul_loops(a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            for q in range(k):
                c[i, j] += a[i, q] * b[q, j]
    return np.sum(c * c)


def recurrence(w, u, x):
    h = np.zeros_like(w)
    for t in range(x.shape[0]):
        h = np.tanh(w * h + u * x[t])
    return np.sum(h**2)


def rk4(y0, k, h, steps):
    y = y0
    for _ in range(steps):
        k1 = -k * y
        k2 = -k * (y + h / 2 * k1)
        k3 = -k * (y + h / 2 * k2)
        k4 = -k * (y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def lotka(z, a, n):
    x, y = z[0], z[1]
    dt = 0.01
    for i in range(n):
        dx = a[0] * x - a[1] * x * y
        dy = a[2] * x * y - a[3] * y
        x = x + dt * dx
        y = y + dt * dy
    return x**2 + y**2


def newton(a, tol):
    x = a
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


def damped(x, k):
    i = 0
    while i < k and np.sum(x * x) > 1e-3:
        x = x * 0.9
        i += 1
    return np.sum(x)


def huber(x, d):
    total = 0.0
    for i in range(len(x)):
        if abs(x[i]) < d:
            total += 0.5 * x[i] ** 2
        elif x[i] > 0:
            total += d * (x[i] - 0.5 * d)
        else:
            total -= d * (x[i] + 0.5 * d)
    return total


def where_relu(x):
    return np.sum(np.where(x > 0, x, 0.1 * x) ** 2) + np.max(x) - np.min(x)


def heat(u, k, steps):
    for _ in range(steps):
        un = u.copy()
        un[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = un
    return np.sum(u**2)


def laplace(u, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return np.sum(u * u)


def cumsum(x):
    s = np.zeros(len(x))
    c = 0.0
    for i in range(len(x)):
        c = c + x[i]
        s[i] = c
    return np.sum(s * s)


def horner(c, x):
    y = 0.0
    for k in range(len(c)):
        y = y * x + c[k]
    return y


def softmax_loss(w, x):
    z = x @ w
    z = z - np.max(z)
    e = np.exp(z)
    pr = e / np.sum(e)
    return -np.log(pr[0])


def pairwise(x):
    n = x.shape[0]
    e = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = x[i] - x[j]
            r2 = np.sum(d * d) + 0.1
            e += 1 / r2**6 - 1 / r2**3
    return e


def gather(table, idx, x):
    return np.sum(table[idx] * x)


def cholesky(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for j in range(n):
        s = a[j, j]
        for k in range(j):
            s -= low[j, k] ** 2
        low[j, j] = math.sqrt(s)
        for i in range(j + 1, n):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            low[i, j] = s / low[j, j]
    t = 0.0
    for i in range(n):
        t += 2 * math.log(low[i, i])
    return t


def mlp(w1, b1, w2, x):
    h = np.tanh(x @ w1 + b1)
    return np.sum((h @ w2) ** 2)


def params(p, x):
    return np.sum((p["scale"] * x + p["shift"]) ** 2)


def convolve(x, k):
    n, m = len(x), len(k)
    y = np.zeros(n - m + 1)
    for i in range(n - m + 1):
        for j in range(m):
            y[i] += x[i + j] * k[j]
    return np.sum(y**2)


def float32(x, y):
    return np.sum(np.sqrt(x * x + y * y) * np.float32(0.5))


def early(x, limit):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] ** 2
        if s > limit:
            break
    return s * s


def spd(n):
    a = v(n, n)
    return a @ a.T + n * np.eye(n)


GAIN = 0.7
TABLE = np.linspace(0.0, 1.0, 6)


def captured(x):
    return GAIN * np.sum(x**2)


def captured_table(x, i):
    return TABLE[i] * x**2


def trig(x):
    return np.sum(
        np.arctan2(np.sin(x), 1 + np.cos(x) ** 2)
        + np.sinh(x) / np.cosh(x)
        + np.hypot(x, 1.0)
        + np.expm1(x)
        + np.cbrt(x)
    )


def integers(x, n):
    s = 0.0
    for i in range(n):
        if i % 3 == 0:
            s += x[i % len(x)] * (i // 2)
    return s


def bits(x, n):
    s = 0.0
    for i in range(n):
        s += x[(i >> 1) % len(x)] * (1 << (i & 3)) + x[~i % len(x)] * (n >> (i & 7))
    return s


def reductions(x):
    return (
        np.sum(np.mean(x, axis=0) ** 2)
        + np.sum(np.var(x, axis=1))
        + np.prod(x[0])
        + np.linalg.norm(x)
    )


PROGRAMS = [
    (regression, lambda n: (v(max(n, 1)), v(n + 1, max(n, 1)), v(n + 1))),
    (logistic, lambda n: (v(n), 0.3, v(n + 1, n), p(n + 1))),
    (matvec_loops, lambda n: (v(n, n + 2), v(n + 2))),
    (matmul_loops, lambda n: (v(n, n + 1), v(n + 1, n + 2))),
    (recurrence, lambda n: (v(3), v(3), v(n, 3))),
    (rk4, lambda n: (1.5, 0.7, 0.1, n)),
    (lotka, lambda n: (p(2), p(4), n)),
    (newton, lambda n: (2.0 + n, 1e-10)),
    (damped, lambda n: (v(n), 100)),
    (huber, lambda n: (v(n), 0.8)),
    (where_relu, lambda n: (v(max(n, 1)),)),
    (heat, lambda n: (v(n + 2), 0.1, n)),
    (laplace, lambda n: (v(n + 2, n + 3), n)),
    (cumsum, lambda n: (v(n),)),
    (horner, lambda n: (v(n), 0.8)),
    (softmax_loss, lambda n: (v(n + 1), v(n + 2, n + 1))),
    (pairwise, lambda n: (v(n, 3),)),
    (gather, lambda n: (v(n + 2), RNG.integers(0, n + 2, size=n), v(n))),
    (cholesky, lambda n: (spd(n),)),
    (mlp, lambda n: (v(n, 4), v(4), v(4, 2), v(n + 1, n))),
    (params, lambda n: ({"scale": 1.5, "shift": v(n)}, v(n))),
    (convolve, lambda n: (v(n + 2), v(2))),
    (float32, lambda n: (v(n).astype("f4"), p(n).astype("f4"))),
    (early, lambda n: (v(n), 1.0)),
    (captured, lambda n: (v(n),)),
    (captured_table, lambda n: (1.5, 2)),
    (trig, lambda n: (v(n),)),
    (integers, lambda n: (v(max(n, 1)), n)),
    (bits, lambda n: (v(max(n, 1)), n)),
    (reductions, lambda n: (v(n + 1, n + 1),)),
]
