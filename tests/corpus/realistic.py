"""Programs as people write them: networks, integrators, filters, optimisers."""

import dataclasses
import functools
import math

import numpy as np
from corpus.program import Theme

import srcad

program = Theme("realistic")


@program(
    lambda r: {n: r.standard_normal((4, 3)) for n in "qkv"}, lambda r: r.standard_normal((5, 4))
)
def attention(p, x):
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    s = q @ k.T / np.sqrt(q.shape[-1])
    s = s - s.max(axis=-1, keepdims=True)
    a = np.exp(s)
    a /= a.sum(axis=-1, keepdims=True)
    return np.sum((a @ v) ** 2)


@dataclasses.dataclass
class LSTM:
    wx: np.ndarray
    wh: np.ndarray
    b: np.ndarray

    def step(self, state, x):
        h, c = state
        z = x @ self.wx + h @ self.wh + self.b
        i, f, o, g = np.split(z, 4)
        sig = lambda v: 1 / (1 + np.exp(-v))
        c = sig(f) * c + sig(i) * np.tanh(g)
        return sig(o) * np.tanh(c), c

    def __call__(self, xs):
        state = (np.zeros(3), np.zeros(3))
        outs = []
        for x in xs:
            state = self.step(state, x)
            outs.append(state[0])
        return np.stack(outs)


@program(
    lambda r: LSTM(r.standard_normal((2, 12)), r.standard_normal((3, 12)), r.standard_normal(12)),
    lambda r: r.standard_normal((6, 2)),
)
def lstm_loss(m, xs):
    return np.sum(m(xs) ** 2)


def lorenz(s, p):
    x, y, z = s
    return np.array([p["sigma"] * (y - x), x * (p["rho"] - z) - y, x * y - p["beta"] * z])


def rk4(f, s, dt, p):
    k1 = f(s, p)
    k2 = f(s + dt / 2 * k1, p)
    k3 = f(s + dt / 2 * k2, p)
    k4 = f(s + dt * k3, p)
    return s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@program(lambda r: np.array([1.0, 2.0, 3.0]), {"sigma": 10.0, "rho": 28.0, "beta": 8 / 3}, 20)
def ode(s, p, n=20):
    for _ in range(n):
        s = rk4(lorenz, s, 0.01, p)
    return np.sum(s**2)


@program(7.0)
def newton(a):
    x = a
    n = 0
    while abs(x * x - a) > 1e-12 and n < 50:
        x = 0.5 * (x + a / x)
        n += 1
    return x


@program(
    lambda r: np.array([1.0, 0.7, 0.3]),
    lambda r: np.linspace(0, 1, 5),
    lambda r: r.standard_normal(5),
)
def gp(theta, x, y):
    d = (x[:, None] - x[None, :]) ** 2
    K = theta[0] ** 2 * np.exp(-d / (2 * theta[1] ** 2)) + theta[2] ** 2 * np.eye(len(x))
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ a + np.sum(np.log(np.diag(L))) + len(x) / 2 * math.log(2 * math.pi)


@program(lambda r: r.standard_normal((5, 5)), lambda r: r.standard_normal((2, 2)))
def conv(x, w):
    n, k = x.shape[0], w.shape[0]
    out = []
    for i in range(n - k + 1):
        row = []
        for j in range(n - k + 1):
            row.append(np.sum(x[i : i + k, j : j + k] * w))
        out.append(row)
    return np.sum(np.maximum(np.array(out), 0) ** 2)


@program(
    lambda r: r.standard_normal(3),
    lambda r: r.standard_normal((5, 3)),
    lambda r: r.standard_normal(5),
)
def maml(w, x, y):
    loss = lambda w, x, y: np.mean((x @ w - y) ** 2)
    for _ in range(3):
        w = w - 0.1 * srcad.grad(loss)(w, x, y)
    return loss(w, x, y)


@program(lambda r: r.standard_normal(3))
def hvp_loss(x):
    f = lambda v: np.sum(np.sin(v) * v)
    g = srcad.grad(f)
    y, dy = srcad.jvp(g, (x,), (np.ones_like(x),))
    return np.sum(dy**2)


@program(lambda r: r.standard_normal(3))
def vjp_in(x):
    y, pull = srcad.vjp(lambda v, w: (v * w, np.sum(v)), x, x * 2)
    a, b = pull((np.ones_like(x), 2.0))
    return np.sum(a * b) + y[1]


@program(lambda r: r.standard_normal(3), lambda r: r.standard_normal(4))
def pinn(p, x):
    u = lambda x: np.tanh(x * p[0] + p[1]) * p[2]
    du = srcad.grad(u)
    ddu = srcad.grad(du)
    r = 0.0
    for v in x:
        r += (ddu(v) + u(v)) ** 2
    return r


@program(lambda r: r.standard_normal(3))
def deriv_in(x):
    return srcad.derivative(lambda v: np.sin(v) * v, 2)(x).sum()


@program(lambda r: r.standard_normal(3))
def deco(x):
    @srcad.grad
    def g(v):
        return np.sum(v**3)

    return g(x).sum()


@program(lambda r: r.standard_normal(3))
def deco2(x):
    @srcad.value_and_grad(argnums=(0, 1))
    def g(v, w):
        return np.sum(v**3 * w)

    y, (a, b) = g(x, 2 * x)
    return y + a.sum() + b.sum()


def lse(a, axis=None, keepdims=False):
    m = a.max(axis=axis, keepdims=True)
    s = np.log(np.sum(np.exp(a - m), axis=axis, keepdims=True)) + m
    return s if keepdims else np.squeeze(s, axis=axis)


@program(
    lambda r: r.standard_normal(3),
    lambda r: r.standard_normal(3) * 0.1,
    lambda r: r.standard_normal(3),
    lambda r: r.standard_normal(7),
)
def gmm(mu, ls, w, x):
    lp = w - lse(w, axis=0, keepdims=True)
    d = (x[:, None] - mu) / np.exp(ls)
    return np.sum(lse(-0.5 * d * d - ls + lp, axis=1))


@program(
    lambda r: r.standard_normal((2, 2)),
    lambda r: r.standard_normal((2, 2)),
    lambda r: r.standard_normal(6),
)
def kalman(F, Q, zs):
    x = np.zeros(2)
    P = np.eye(2)
    ll = 0.0
    H = np.array([1.0, 0.0])
    for z in zs:
        x = F @ x
        P = F @ P @ F.T + Q @ Q.T
        S = H @ P @ H + 1.0
        k = P @ H / S
        e = z - H @ x
        x = x + k * e
        P = P - np.outer(k, H @ P)
        ll -= 0.5 * (np.log(S) + e * e / S)
    return ll


@program(lambda r: {"blocks": [block_of(r), block_of(r)]}, lambda r: r.standard_normal((5, 3)))
def resnet(params, x):
    for blk in params["blocks"]:
        h = x
        for i, (w, b) in enumerate(blk["layers"]):
            h = h @ w + b
            if i < len(blk["layers"]) - 1:
                h = np.maximum(h, 0)
        x = x + blk.get("scale", 1.0) * h
    return (
        np.mean(x**2)
        + sum(np.sum(w**2) for blk in params["blocks"] for w, _ in blk["layers"]) * 1e-3
    )


def block_of(r):
    return {
        "layers": [
            (r.standard_normal((3, 4)), r.standard_normal(4)),
            (r.standard_normal((4, 3)), r.standard_normal(3)),
        ],
        "scale": 0.5,
    }


@program(0.8, 0.3)
def fixed_point(a, x0):
    x = x0
    for i in range(100):
        nx = np.cos(a * x)
        if i > 10 and True:
            pass
        x = nx
    return x


@program(1.5, 7)
def collatz(x, n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        x = x * 1.01
        steps += 1
    return x * steps


@program((1.2, 0.3), 10)
def trapz(f_params, n):
    a, b = f_params
    s = 0.0
    h = 1.0 / n
    for i in range(n + 1):
        w = 0.5 if i == 0 or i == n else 1.0
        s += w * math.exp(-a * (i * h) ** 2 + b)
    return s * h


@program(lambda r: r.standard_normal((3, 3)) * 0.3, 5)
def matpow(A, n):
    power = np.eye(A.shape[0])
    B = A
    while n > 0:
        if n & 1:
            power = power @ B
        B = B @ B
        n >>= 1
    return np.trace(power)


@program(lambda r: r.standard_normal(4))
def cumloop(x):
    out = np.zeros(0)
    for v in x:
        out = np.append(out, v**2)
    return np.sum(out * np.arange(len(out)))


@program([1.0, 2.0, 3.0], 0.7)
def poly_horner(c, x):
    return functools.reduce(lambda acc, k: acc * x + k, c, 0.0)


@program(lambda r: r.standard_normal(3), {"layers": ["relu", "tanh"], "scale": 1.3})
def string_config(x, cfg):
    acts = {"relu": lambda v: np.maximum(v, 0), "tanh": np.tanh}
    for name in cfg["layers"]:
        x = acts[name](x * cfg["scale"])
    return x.sum()
