"""Numerical programs as people write them, with arrays written in place."""

import numpy as np
from corpus.program import Theme, array, integers, matrix, number, positive

program = Theme("kernels")


def dominant(n):
    """A maker of matrices that need no pivoting."""
    return lambda rng: rng.standard_normal((n, n)) + 4.0 * np.eye(n)


@program(number, array(6), again=[(number, array(3)), (number, array(2))])
def recurrence(a, f):
    u = np.zeros(len(f))
    u[0] = a
    for i in range(1, len(f)):
        u[i] = 0.8 * np.sin(u[i - 1]) + f[i]
    return np.sum(u**2)


@program(number, 7, again=[(number, 2), (number, 3)])
def fibonacci(x, n):
    u = np.empty(n)
    u[0], u[1] = x, 1.0
    for i in range(2, n):
        u[i] = u[i - 1] * 0.5 + u[i - 2] * x
    return u[-1] + np.sum(u)


@program(array(6), again=[(array(3),)])
def prefix_sums(x):
    s = x.copy()
    for i in range(1, s.size):
        s[i] += s[i - 1]
    return np.sum(np.sin(s))


@program(array(8))
def prefix_sums_by_doubling(x):
    s = x * 1.0
    step = 1
    while step < len(s):
        s[step:] = s[step:] + s[:-step]
        step *= 2
    return np.sum(s**2)


@program(dominant(4), array(4), again=[(dominant(2), array(2))])
def forward_substitution(low, b):
    x = np.zeros_like(b)
    for i in range(len(b)):
        x[i] = (b[i] - low[i, :i] @ x[:i]) / low[i, i]
    return np.sum(x**2)


@program(dominant(4), array(4))
def back_substitution_in_place(up, b):
    n = b.shape[0]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= up[i, j] * b[j]
        b[i] /= up[i, i]
    return np.sum(b**3)


@program(dominant(4), again=[(dominant(3),)])
def lu_in_place(a):
    lu = a.copy()
    n = lu.shape[0]
    for k in range(n - 1):
        for i in range(k + 1, n):
            f = lu[i, k] / lu[k, k]
            lu[i, k] = f
            lu[i, k + 1 :] -= f * lu[k, k + 1 :]
    return np.sum(lu**2)


@program(dominant(3), array(3))
def gauss_with_rows(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for j in range(n):
        for i in range(j + 1, n):
            f = a[i, j] / a[j, j]
            a[i] -= f * a[j]
            b[i] -= f * b[j]
    for i in range(n)[::-1]:
        b[i] = (b[i] - a[i, i + 1 :] @ b[i + 1 :]) / a[i, i]
    return np.sum(b**2)


@program(array(3, 3), array(3))
def gauss_with_pivots(a, b):
    m = np.concatenate([a, b[:, None]], axis=1)
    n = m.shape[0]
    for j in range(n):
        p = j + np.argmax(np.abs(m[j:, j]))
        if p != j:
            m[[j, p]] = m[[p, j]]
        m[j] /= m[j, j]
        for i in range(n):
            if i != j:
                m[i] -= m[i, j] * m[j]
    return np.sum(m[:, -1] ** 2)


@program(array(4, 4), again=[(array(2, 2),)])
def cholesky(p):
    a = p @ p.T + 2.0 * np.eye(p.shape[0])
    low = np.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(i + 1):
            s = a[i, j] - np.sum(low[i, :j] * low[j, :j])
            if i == j:
                low[i, j] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return np.sum(low**3)


@program(array(4, 3), rounded=True)
def gram_schmidt(a):
    q = a.copy()
    for j in range(q.shape[1]):
        for k in range(j):
            q[:, j] -= (q[:, k] @ q[:, j]) * q[:, k]
        q[:, j] /= np.sqrt(np.sum(q[:, j] ** 2))
    return np.sum(q**3)


@program(array(5), array(5), array(5), array(5))
def thomas(lower, diagonal, upper, d):
    n = len(d)
    b = diagonal + 4.0
    for i in range(1, n):
        w = lower[i] / b[i - 1]
        b[i] -= w * upper[i - 1]
        d[i] -= w * d[i - 1]
    x = np.empty(n)
    x[-1] = d[-1] / b[-1]
    for i in reversed(range(n - 1)):
        x[i] = (d[i] - upper[i] * x[i + 1]) / b[i]
    return np.sum(x**2)


@program(array(7), 4, again=[(array(5), 0), (array(4), 1)])
def heat_double_buffer(u, steps):
    v = u.copy()
    for _ in range(steps):
        v[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u, v = v, u
    return np.sum(u**2)


@program(array(6), 5)
def ping_pong_by_index(x, steps):
    buffers = [x * 1.0, np.zeros(6)]
    for k in range(steps):
        old, new = buffers[k % 2], buffers[(k + 1) % 2]
        new[:] = 0.5 * old
        new[1:] += np.sin(old[:-1])
    return np.sum(buffers[0] ** 2) + np.sum(buffers[1])


@program(array(6), 3)
def burgers_in_place(u, steps):
    for _ in range(steps):
        old = u.copy()
        u[1:] = old[1:] - 0.1 * old[1:] * (old[1:] - old[:-1])
        u[0] = 0.5 * u[-1]
    return np.sum(u**2)


@program(array(5, 5), 3, again=[(array(4, 6), 1)])
def life_like(p, turns):
    cells = np.tanh(p)
    for _ in range(turns):
        around = np.zeros_like(cells)
        around[1:] += cells[:-1]
        around[:-1] += cells[1:]
        around[:, 1:] += cells[:, :-1]
        around[:, :-1] += cells[:, 1:]
        around[1:, 1:] += cells[:-1, :-1]
        cells = np.tanh(around - 0.5 * cells)
        cells[0, :] = 0.0
    return np.sum(cells**2)


@program(array(5, 5), 4)
def gauss_seidel(u, sweeps):
    for _ in range(sweeps):
        for i in range(1, 4):
            for j in range(1, 4):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u**2)


@program(array(4, 5), 3)
def jacobi_with_edges(p, sweeps):
    pn = np.empty_like(p)
    for _ in range(sweeps):
        pn[:] = p
        p[1:-1, 1:-1] = 0.25 * (pn[1:-1, 2:] + pn[1:-1, :-2] + pn[2:, 1:-1] + pn[:-2, 1:-1])
        p[:, 0] = 0.0
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
    return np.sum(p**2)


@program(array(2), 0.1, 6, again=[(array(2), 0.1, 0), (array(2), 0.3, 1)])
def trajectory_stored(y0, dt, steps):
    ys = np.zeros((steps + 1, 2))
    ys[0] = y0
    for k in range(steps):
        y = ys[k]
        ys[k + 1, 0] = y[0] + dt * y[1]
        ys[k + 1, 1] = y[1] - dt * np.sin(y[0])
    return np.sum(ys**2)


@program(array(2), number, 4)
def runge_kutta(y0, k, steps):
    def slope(t, y):
        dy = np.empty(2)
        dy[0] = y[1]
        dy[1] = -k * k * y[0] + 0.1 * np.sin(t)
        return dy

    out = np.zeros((2, steps))
    y, t, h = y0, 0.0, 0.1
    for i in range(steps):
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h / 2 * k1)
        k3 = slope(t + h / 2, y + h / 2 * k2)
        k4 = slope(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
        out[:, i] = y
    return np.sum(out**2)


@program(array(4, 2), array(4, 2), 2)
def leapfrog_with_pairs(place, speed, steps):
    place, speed = place * 3.0, speed.copy()
    for _ in range(steps):
        force = np.zeros_like(place)
        for i in range(4):
            for j in range(i + 1, 4):
                d = place[i] - place[j]
                f = d / (0.5 + np.sum(d * d)) ** 1.5
                force[i] -= f
                force[j] += f
        speed += 0.05 * force
        place += 0.05 * speed
    return np.sum(place**2) + np.sum(speed**2)


@program(array(4), array(3), again=[(array(2), array(5))])
def soft_edit_distance(x, y):
    n, m = len(x), len(y)
    table = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        table[i, 0] = i
    for j in range(1, m + 1):
        table[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            choices = np.array([table[i - 1, j], table[i, j - 1], table[i - 1, j - 1]])
            table[i, j] = (x[i - 1] - y[j - 1]) ** 2 - np.log(np.sum(np.exp(-choices)))
    return table[n, m]


@program(positive(4), integers(4, below=3))
def knapsack(values, sizes):
    best = np.zeros(7)
    for i in range(4):
        w = int(sizes[i]) + 1
        for room in range(6, w - 1, -1):
            if best[room - w] + values[i] > best[room]:
                best[room] = best[room - w] + values[i]
    return best[-1] ** 2 + best[3]


@program(array(6), array(4), again=[(array(3), array(3))])
def convolution_by_loops(x, w):
    out = np.zeros(len(x) + len(w) - 1)
    for i in range(len(x)):
        for j in range(len(w)):
            out[i + j] += x[i] * w[j]
    return np.sum(out**2)


@program(array(5, 6), array(2, 3))
def convolution_2d(image, w):
    out = np.zeros((4, 4))
    for i in range(2):
        for j in range(3):
            out += w[i, j] * image[i : i + 4, j : j + 4]
    out[out < 0] *= 0.1
    return np.sum(out**2)


@program(matrix, array(4, 2))
def matrix_product_by_loops(a, b):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(np.sin(c))


@program(array(6))
def insertion_sort(x):
    y = x * 1.0
    for i in range(1, len(y)):
        v = y[i]
        j = i - 1
        while j >= 0 and y[j] > v:
            y[j + 1] = y[j]
            j -= 1
        y[j + 1] = v
    return np.sum(y * np.arange(6.0))


@program(array(5))
def bubble_sort(x):
    y = x.copy()
    for i in range(5):
        for j in range(4 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = y[j + 1], y[j]
    return np.sum(y * np.arange(5.0))


@program(array(4), 0.5, again=[(array(4), -2.0)])
def inserted_into_sorted(x, v):
    y = np.zeros(5)
    y[:4] = np.sort(x)
    k = int(np.searchsorted(y[:4], v))
    y[k + 1 :] = y[k:-1]
    y[k] = v * v
    return np.sum(y * np.arange(5.0))


@program(array(6), array(3, 3), integers(6, below=3))
def message_passing(x, w, receivers):
    h = np.tile(x[:, None], (1, 3)) * 0.5
    for _ in range(2):
        pooled = np.zeros((3, 3))
        np.add.at(pooled, receivers, np.tanh(h @ w))
        h += pooled[receivers]
    return np.sum(h**2)


@program(lambda r: r.standard_normal((5, 2)), array(2), number, 3)
def momentum_descent(data, w, b, steps):
    velocity = np.zeros(2)
    for _ in range(steps):
        error = data @ w + b
        velocity *= 0.9
        velocity -= 0.1 * (data.T @ error) / 5
        w += velocity
        b -= 0.1 * np.mean(error)
    return np.sum((data @ w + b) ** 2)


@program(lambda r: {"w": r.standard_normal((3, 3)), "b": r.standard_normal(3)}, array(3))
def descent_on_a_dict(params, x):
    for _ in range(2):
        out = np.tanh(params["w"] @ x + params["b"])
        params["b"] -= 0.1 * (1 - out**2)
        params["w"] -= 0.1 * np.outer(1 - out**2, x)
    return np.sum(params["w"] ** 2) + np.sum(params["b"] ** 2)


def edges(u, v):
    u[0, :] = 0.0
    u[-1, :] = 1.0
    u[:, 0] = u[:, -1] = 0.0
    v[[0, -1]] = 0.0
    v[:, ::4] = 0.0


def source_term(b, u, v, dx):
    b[1:-1, 1:-1] = (u[1:-1, 2:] - u[1:-1, :-2] + v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dx)
    return b


def pressure(p, b, dx):
    pn = np.empty_like(p)
    for _ in range(2):
        pn = p.copy()
        p[1:-1, 1:-1] = (pn[1:-1, 2:] + pn[1:-1, :-2] + pn[2:, 1:-1] + pn[:-2, 1:-1]) / 4
        p[1:-1, 1:-1] -= dx**2 * b[1:-1, 1:-1] / 4
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
    return p


@program(array(5, 5), array(5, 5), 0.1, 2, again=[(array(5, 5), array(5, 5), 0.1, 0)], rounded=True)
def cavity_flow(u, v, nu, steps):
    dx, dt = 0.5, 0.05
    p, b = np.zeros((5, 5)), np.zeros((5, 5))
    un, vn = np.empty_like(u), np.empty_like(v)
    for _ in range(steps):
        un[:], vn[:] = u, v
        b = source_term(b, un, vn, dx)
        p = pressure(p, b, dx)
        for w, wn in ((u, un), (v, vn)):
            w[1:-1, 1:-1] += dt * (
                nu * (wn[1:-1, 2:] - 2 * wn[1:-1, 1:-1] + wn[1:-1, :-2]) / dx**2
                - un[1:-1, 1:-1] * (wn[1:-1, 1:-1] - wn[1:-1, :-2]) / dx
            )
        u[1:-1, 1:-1] -= dt / (2 * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
        v[1:-1, 1:-1] -= dt / (2 * dx) * (p[2:, 1:-1] - p[:-2, 1:-1])
        edges(u, v)
    return np.sum(u**2) + np.sum(v**2) + np.sum(p**2)


@program(array(8), again=[(array(4),)])
def haar_transform(x):
    y = x.copy()
    n = len(y)
    while n > 1:
        half = n // 2
        old = y[:n].copy()
        y[:half] = (old[::2] + old[1::2]) * 0.7
        y[half:n] = (old[::2] - old[1::2]) * 0.7
        n = half
    return np.sum(np.sin(y))


@program(array(3, 3), array(3), 3)
def power_iteration(a, v, turns):
    history = np.zeros((turns, 3))
    for k in range(turns):
        v = a @ v
        v /= np.sqrt(np.sum(v * v))
        history[k] = v
    return np.sum(history**3)


@program(array(5), array(3, 3), array(3, 3))
def hidden_markov(x, a, e):
    steps = np.exp(a) / np.sum(np.exp(a), axis=1, keepdims=True)
    alpha = np.zeros((5, 3))
    alpha[0] = 1.0 / 3
    scale = 0.0
    for t in range(1, 5):
        alpha[t] = (alpha[t - 1] @ steps) * np.exp(-((x[t] - e[0]) ** 2))
        c = np.sum(alpha[t])
        alpha[t] /= c
        scale += np.log(c)
    return scale + np.sum(alpha[-1] * e[1])


@program(array(3), array(3), again=[(array(2), array(4))])
def outer_sum_by_where(x, y):
    out = np.full((len(x), len(y)), 0.5)
    for i in range(len(x)):
        mask = y > x[i]
        out[i, mask] = y[mask] * x[i]
        out[i][~mask] -= x[i]
    return np.sum(out**2)
