"""Statistics, finance and machine learning written from scratch."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
from corpus.program import Theme, array, integers, number, positive, positive_number

program = Theme("from_scratch")


@program(array(6), array(2), smooth=True)
def mixture(x, means):
    """Two steps of expectation and maximisation for two Gaussians."""
    weights, variances = np.array([0.5, 0.5]), np.ones(2)
    for _ in range(2):
        density = weights * np.exp(-0.5 * (x[:, None] - means) ** 2 / variances)
        density /= np.sqrt(2 * np.pi * variances)
        share = density / density.sum(axis=1, keepdims=True)
        total = share.sum(axis=0)
        means = (share.T @ x) / total
        variances = (share * (x[:, None] - means) ** 2).sum(axis=0) / total + 0.1
        weights = total / len(x)
    return np.sum(means**2) + np.sum(np.log(variances))


@program(positive(3, 3), positive(3, 2), positive(3))
def hidden_markov(transition, emission, start):
    """The forward algorithm, scaled in each step."""
    observed = (0, 1, 1, 0)
    transition = transition / transition.sum(axis=1, keepdims=True)
    emission = emission / emission.sum(axis=1, keepdims=True)
    alpha = start / start.sum() * emission[:, observed[0]]
    log_likelihood = 0.0
    for symbol in observed[1:]:
        scale = alpha.sum()
        log_likelihood += math.log(scale)
        alpha = (alpha / scale) @ transition * emission[:, symbol]
    return log_likelihood + np.log(alpha.sum())


@program(array(6), positive_number, positive_number)
def kalman(y, q, r):
    mean, var, likelihood = 0.0, 1.0, 0.0
    for obs in y:
        var = var + q
        innovation, s = obs - mean, var + r
        gain = var / s
        mean, var = mean + gain * innovation, (1 - gain) * var
        likelihood -= 0.5 * (np.log(2 * np.pi * s) + innovation**2 / s)
    return likelihood


@program(array(8), positive_number, number)
def garch(returns, alpha, beta):
    """The variance of a day from that of the day before."""
    a, b = 0.3 * np.tanh(alpha) ** 2, 0.6 / (1 + np.exp(-beta))
    variance = [np.var(returns) + 0.1]
    for r in returns[:-1]:
        variance.append(0.1 + a * r**2 + b * variance[-1])
    h = np.array(variance)
    return 0.5 * np.sum(np.log(h) + returns**2 / h)


@program(positive_number, positive_number, positive_number)
def american_put(spot, sigma, rate):
    """A binomial tree that is folded from its leaves."""
    n, strike = 5, 1.2
    dt = 1.0 / n
    u = np.exp(sigma * np.sqrt(dt))
    d, growth = 1 / u, np.exp(0.05 * rate * dt)
    p = (growth - d) / (u - d)
    prices = spot * u ** np.arange(n, -n - 1, -2)
    values = np.maximum(strike - prices, 0)
    for step in range(n - 1, -1, -1):
        values = (p * values[:-1] + (1 - p) * values[1:]) / growth
        prices = spot * u ** np.arange(step, -step - 1, -2)
        values = np.where(strike - prices > values, strike - prices, values)
    return values[0]


@program(positive_number, positive_number, again=[(0.9, 0.3)])
def black_scholes(spot, sigma):
    strike, rate, kind = 1.0, 0.02, "call"

    def cdf(z):
        return 0.5 * (1 + math.erf(z / math.sqrt(2)))

    d1 = (math.log(spot / strike) + (rate + sigma**2 / 2)) / sigma
    d2 = d1 - sigma
    sign = {"call": 1, "put": -1}[kind]
    return sign * (spot * cdf(sign * d1) - strike * math.exp(-rate) * cdf(sign * d2))


Bond = namedtuple("Bond", ["coupon", "years", "face"])


@program(positive(3), positive_number)
def portfolio(weights, rate):
    """The present value of bonds with coupons."""
    bonds = [Bond(0.05, 3, 1.0), Bond(0.02, 2, 1.0), Bond(coupon=0.0, years=4, face=1.5)]

    def present(bond, y):
        flows = [bond.coupon * bond.face] * bond.years
        flows[-1] += bond.face
        return sum(flow / (1 + y) ** (t + 1) for t, flow in enumerate(flows))

    shares = weights / np.sum(weights)
    return sum(w * present(bond, 0.1 * rate) for w, bond in zip(shares, bonds))


class Dense:
    def __init__(self, w, b, act="tanh"):
        self.w, self.b, self.act = w, b, act

    def __call__(self, x):
        z = x @ self.w + self.b
        if self.act == "tanh":
            return np.tanh(z)
        if self.act == "softmax":
            e = np.exp(z - z.max(axis=-1, keepdims=True))
            return e / e.sum(axis=-1, keepdims=True)
        raise ValueError(self.act)


@program(array(2, 4), array(4), array(4, 3), array(3), array(5, 2), integers(5, below=3))
def classifier(w1, b1, w2, b2, x, labels):
    """Cross entropy of the labels, and a penalty of all weights."""
    layers = [Dense(w1, b1), Dense(w2, b2, act="softmax")]
    h = x
    for layer in layers:
        h = layer(h)
    loss = -np.mean(np.log(h[np.arange(len(labels)), labels] + 1e-12))
    return loss + 0.01 * sum(np.sum(layer.w**2) for layer in layers)


@program(array(3, 3), array(3, 2), array(3), array(4, 2))
def long_short_term(u, w, bias, xs):
    """A cell with gates that share one matrix for each gate's name."""
    scales = {"input": 1.0, "forget": 0.5, "output": -1.0}

    def gate(name, x, h):
        return 1 / (1 + np.exp(-scales[name] * (u @ h + w @ x + bias)))

    h = c = np.zeros(3)
    for x in xs:
        c = gate("forget", x, h) * c + gate("input", x, h) * np.tanh(w @ x)
        h = gate("output", x, h) * np.tanh(c)
    return np.sum(h**2)


@program(array(4, 3), array(3, 3), array(3, 3))
def attention(x, wq, wk):
    heads, causal = 1, True
    q, k = x @ wq, x @ wk
    scores = q @ k.T / np.sqrt(x.shape[1] // heads)
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape)) == 1, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return np.sum((weights @ x) ** 2)


@program(array(3), array(6, 3), array(6))
def adam(w, x, y):
    """Training inside of what is differentiated; the state is a dict."""
    state = {"m": np.zeros_like(w), "v": np.zeros_like(w), "t": 0}
    for _ in range(3):
        g = x.T @ (x @ w - y) / len(y)
        state["t"] += 1
        state["m"] = 0.9 * state["m"] + 0.1 * g
        state["v"] = 0.999 * state["v"] + 0.001 * g**2
        m = state["m"] / (1 - 0.9 ** state["t"])
        v = state["v"] / (1 - 0.999 ** state["t"])
        w = w - 0.1 * m / (np.sqrt(v) + 1e-3)
    return np.mean((x @ w - y) ** 2)


@program(array(5, 4), array(2, 2), again=[(array(6, 5), array(2, 2))])
def convolution(image, kernel):
    """Valid cross-correlation, the maximum of patches, and the mean."""
    kh, kw = kernel.shape
    h, w = image.shape[0] - kh + 1, image.shape[1] - kw + 1
    out = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            out[i, j] = np.sum(image[i : i + kh, j : j + kw] * kernel)
    pooled = [np.max(out[i : i + 2, j : j + 2]) for i in range(0, 4, 2) for j in range(0, 2, 2)]
    return np.mean(np.array(pooled))


@program(array(6, 2), array(2, 2), smooth=False)
def k_means(points, centres):
    """Steps until no label changes."""
    labels = np.full(len(points), -1)
    for _ in range(10):
        distance = ((points[:, None] - centres) ** 2).sum(axis=2)
        new = distance.argmin(axis=1)
        if np.array_equal(new, labels):
            break
        labels = new
        centres = centres.copy()
        for k in range(2):
            if np.any(labels == k):
                centres[k] = points[labels == k].mean(axis=0)
    return np.sum((points - centres[labels]) ** 2)


@program(array(5), array(5), positive_number, smooth=False)
def elastic_net(w, y, strength):
    """Coordinate descent with soft thresholds."""
    x = np.cos(np.outer(np.arange(5), np.arange(1, 6)))
    w = w.copy()
    for j in range(len(w)):
        residual = y - x @ w + x[:, j] * w[j]
        rho, norm = x[:, j] @ residual, x[:, j] @ x[:, j]
        if rho < -0.1 * strength:
            w[j] = (rho + 0.1 * strength) / norm
        elif rho > 0.1 * strength:
            w[j] = (rho - 0.1 * strength) / norm
        else:
            w[j] = 0.0
    return np.sum((y - x @ w) ** 2)


@program(array(4), positive_number)
def monte_carlo_pi(shift, spread):
    """A reparametrised estimate with numbers drawn from a seed."""
    rng = np.random.default_rng(0)
    draws = rng.standard_normal((16, 4))
    z = shift + spread * draws
    return np.mean(np.exp(-0.5 * np.sum(z**2, axis=1) / 10))
