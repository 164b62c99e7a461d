"""Programs from books of numerical methods, physics and signal processing, as they print them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from corpus.program import Theme, array, number, positive, positive_number

program = Theme("textbooks")


@program(array(6), positive_number, again=[(array(9), positive_number)])
def tridiagonal(d, c):
    """The Thomas algorithm: a sweep forwards, one backwards."""
    n = len(d)
    upper, x = np.empty(n), np.empty(n)
    upper[0] = -1.0 / (2.0 + c)
    x[0] = d[0] / (2.0 + c)
    for i in range(1, n):
        pivot = (2.0 + c) + upper[i - 1]
        upper[i] = -1.0 / pivot
        x[i] = (d[i] + x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= upper[i] * x[i + 1]
    return np.sum(x**2)


@program(positive(4, 4), array(4))
def gaussian_elimination(a, b):
    """With partial pivoting: rows are exchanged where the pivot is small."""
    a, b = a + 3 * np.eye(len(b)), b.copy()
    n = len(b)
    for k in range(n - 1):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            a[i, k:] -= factor * a[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return np.sum(np.sin(x))


@program(array(4, 4), again=[(array(5, 5),)])
def lu_determinant(m):
    """Crout's decomposition in place; the determinant is the product of pivots."""
    lu = m @ m.T + len(m) * np.eye(len(m))
    n = lu.shape[0]
    for j in range(n):
        for i in range(j + 1):
            lu[i, j] -= sum(lu[i, k] * lu[k, j] for k in range(i))
        for i in range(j + 1, n):
            lu[i, j] -= np.dot(lu[i, :j], lu[:j, j])
            lu[i, j] /= lu[j, j]
    return np.sum(np.log(np.diag(lu)))


@program(positive_number, positive_number)
def romberg(a, b):
    """Extrapolated trapezoids in a table."""

    def f(t):
        return np.exp(-a * t) * np.sin(b * t)

    h = 2.0
    table = np.zeros((4, 4))
    table[0, 0] = 0.5 * h * (f(0.0) + f(2.0))
    for k in range(1, 4):
        h /= 2
        inner = sum(f((2 * i - 1) * h) for i in range(1, 2 ** (k - 1) + 1))
        table[k, 0] = 0.5 * table[k - 1, 0] + h * inner
        for j in range(1, k + 1):
            table[k, j] = table[k, j - 1] + (table[k, j - 1] - table[k - 1, j - 1]) / (4**j - 1)
    return table[-1, -1]


@program(positive_number, smooth=False)
def secant(c):
    """Iterates until two estimates agree."""

    def g(x):
        return x**3 - 2 * x - c

    x0, x1 = 1.5, 2.5
    for _ in range(50):
        if abs(x1 - x0) < 1e-13:
            break
        x0, x1 = x1, x1 - g(x1) * (x1 - x0) / (g(x1) - g(x0))
    else:
        raise RuntimeError("no convergence")
    return x1


@program(array(5), number)
def natural_spline(y, at):
    """Second derivatives by a solve, then the cubic of the interval that holds the point."""
    n = len(y)
    a = np.diag(np.full(n, 4.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    a[0, :2], a[-1, -2:] = [1.0, 0.0], [0.0, 1.0]
    rhs = np.zeros(n)
    rhs[1:-1] = 6 * (y[2:] - 2 * y[1:-1] + y[:-2])
    m = np.linalg.solve(a, rhs)
    t = 2.0 + np.tanh(at)
    k = int(np.floor(t))
    u, v = k + 1 - t, t - k
    return u * y[k] + v * y[k + 1] + ((u**3 - u) * m[k] + (v**3 - v) * m[k + 1]) / 6


@program(array(4), positive_number)
def divided_differences(y, t):
    """Newton's interpolation in one array that is overwritten from the end."""
    c = y.copy()
    x = np.arange(len(y), dtype=float)
    for j in range(1, len(c)):
        c[j:] = (c[j:] - c[j - 1 : -1]) / (x[j:] - x[: len(x) - j])
    value = c[-1]
    for k in range(len(c) - 2, -1, -1):
        value = value * (t - x[k]) + c[k]
    return value


@program(array(4), positive_number, positive_number)
def runge_kutta(state, k, damping):
    """The classical method, its stages in a list."""

    def rates(t, s):
        x, v = s[:2], s[2:]
        return np.concatenate([v, -k * np.sin(x) - damping * v + 0.1 * np.cos(t)])

    dt, s = 0.1, state
    for step in range(5):
        t = step * dt
        stages = [rates(t, s)]
        for c in (0.5, 0.5, 1.0):
            stages.append(rates(t + c * dt, s + c * dt * stages[-1]))
        s = s + dt / 6 * sum(w * each for w, each in zip((1, 2, 2, 1), stages, strict=True))
    return 0.5 * np.sum(s[2:] ** 2) + k * np.sum(1 - np.cos(s[:2]))


@program(array(3, 2), array(3, 2), positive(3))
def leapfrog(position, velocity, mass):
    """Bodies that attract each other, kicks and drifts in place."""
    x, v = position.copy(), velocity.copy()

    def accelerations():
        a = np.zeros_like(x)
        for i in range(len(x)):
            for j in range(len(x)):
                r = x[j] - x[i]
                if i != j:
                    a[i] += mass[j] * r / (r @ r + 0.5) ** 1.5
        return a

    dt = 0.05
    for _ in range(3):
        v += 0.5 * dt * accelerations()
        x += dt * v
        v += 0.5 * dt * accelerations()
    return 0.5 * np.sum(mass[:, None] * v**2)


@program(array(8), positive_number, again=[(array(11), positive_number)])
def upwind(u, speed):
    """Advection with periodic ends, two buffers that are exchanged."""
    old, new = u.copy(), np.empty_like(u)
    c = 0.4 * np.tanh(speed)
    for _ in range(4):
        new[1:] = old[1:] - c * (old[1:] - old[:-1])
        new[0] = old[0] - c * (old[0] - old[-1])
        old, new = new, old
    return np.sum(old**2)


@program(array(5, 6), number)
def red_black(u, boundary):
    """Relaxation of every other point, then of the others."""
    u = u.copy()
    u[0, :] = boundary
    for colour in (0, 1):
        for i in range(1, u.shape[0] - 1):
            for j in range(1 + (i + colour) % 2, u.shape[1] - 1, 2):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u**2)


@program(array(5), array(5, 5), smooth=False)
def conjugate_gradients(b, m):
    """Stops when the residual is small or after as many steps as there are unknowns."""
    a = m @ m.T + 5 * np.eye(len(b))
    x = np.zeros_like(b)
    r = b - a @ x
    p, rs = r.copy(), r @ r
    for _ in range(len(b)):
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if np.sqrt(new) < 1e-10:
            break
        p = r + (new / rs) * p
        rs = new
    return np.sum(x**2)


@program(array(8), array(3), again=[(array(10), array(3))])
def fir_filter(x, taps):
    """Each sample from the last ones; in front there is nothing."""
    y = np.zeros(len(x))
    for n in range(len(x)):
        for k, tap in enumerate(taps):
            if n - k >= 0:
                y[n] += tap * x[n - k]
    return np.sum(y[1:] * y[:-1])


@program(array(9), positive_number, positive_number)
def biquad(x, cutoff, q):
    """A recursive filter whose state is two numbers, in the transposed second form."""
    w0 = 0.5 * np.tanh(cutoff)
    alpha, cos = np.sin(w0) / (2 * q), np.cos(w0)
    b = np.array([(1 - cos) / 2, 1 - cos, (1 - cos) / 2]) / (1 + alpha)
    a = np.array([-2 * cos, 1 - alpha]) / (1 + alpha)
    z1 = z2 = 0.0
    out = []
    for sample in x:
        y = b[0] * sample + z1
        z1 = b[1] * sample - a[0] * y + z2
        z2 = b[2] * sample - a[1] * y
        out.append(y)
    return np.sum(np.array(out) ** 2)


@program(array(16), positive_number)
def spectrogram(x, width):
    """Power of windowed frames that overlap."""
    size, hop = 8, 4
    window = np.exp(-0.5 * ((np.arange(size) - 3.5) / (1.0 + width)) ** 2)
    frames = [x[k : k + size] * window for k in range(0, len(x) - size + 1, hop)]
    power = np.abs(np.fft.rfft(np.stack(frames), axis=1)) ** 2
    return np.sum(np.log1p(power[:, 1:]))


@program(array(8), smooth=True)
def fourier_by_halves(x):
    """Cooley and Tukey's recursion."""

    def transform(z):
        n = len(z)
        if n == 1:
            return z
        even, odd = transform(z[::2]), transform(z[1::2])
        turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + turned, even - turned])

    spectrum = transform(x + 0j)
    return np.sum(np.abs(spectrum[1:4]) ** 2)


@dataclass
class Wave:
    """A string with fixed ends."""

    now: np.ndarray
    before: np.ndarray
    steps: int = 0

    def step(self, c2):
        after = np.zeros_like(self.now)
        inner = self.now[2:] - 2 * self.now[1:-1] + self.now[:-2]
        after[1:-1] = 2 * self.now[1:-1] - self.before[1:-1] + c2 * inner
        self.before, self.now = self.now, after
        self.steps += 1


@program(array(7), positive_number)
def string(pluck, tension):
    wave = Wave(pluck, pluck.copy())
    while wave.steps < 5:
        wave.step(0.5 * np.tanh(tension))
    return np.sum(wave.now**2) / wave.steps
