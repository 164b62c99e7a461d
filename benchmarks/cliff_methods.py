"""Ten methods that carry lists, trees and several arrays, as scientists write them.

`cliffs.py` counts those of which every loop is compiled.
"""

# ruff: noqa: D103 - programs are as their authors write them, and their names tell what they are

from __future__ import annotations

import numpy as np
from habits import numbers, program

# Recurrent nets and sequences ---------------------------------------------------------------------


def gate(x):
    """Return the logistic function."""
    return 1.0 / (1.0 + np.exp(-x))


@program(numbers(3, 6, 10) - 0.5, numbers(12, 4, seed=1))
def gru_of_lists(W, xs):
    h = np.zeros(6)
    states = []
    for x in xs:
        hx = np.concatenate([h, x])
        z = gate(W[0] @ hx)
        r = gate(W[1] @ hx)
        n = np.tanh(W[2] @ np.concatenate([r * h, x]))
        h = (1 - z) * n + z * h
        states.append(h)
    loss = 0.0
    for t in range(1, len(states)):
        d = states[t] - states[t - 1]
        loss += np.dot(d, d)
    return loss / len(states)


@program(numbers(16, 7) - 0.5, numbers(10, 3, seed=1), numbers(10, seed=2))
def lstm_of_gates(W, xs, ys):
    n = 4
    h, c = np.zeros(n), np.zeros(n)
    hs, cs = [], []
    for t in range(len(xs)):
        a = W @ np.concatenate((xs[t], h))
        i, f, o, g = gate(a[:n]), gate(a[n : 2 * n]), gate(a[2 * n : 3 * n]), np.tanh(a[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
        hs.append(h)
        cs.append(c)
    H = np.array(hs)
    return np.mean((H.sum(axis=1) - ys) ** 2) + 0.01 * np.sum(np.array(cs) ** 2)


@program(np.log(numbers(14, 5)), np.array([1, 3, 3, 2]))
def ctc_in_logs(logp, labels):
    ext = [0]
    for k in labels:
        ext.append(k)
        ext.append(0)
    S = len(ext)
    alpha = [-1e30] * S
    alpha[0] = logp[0, ext[0]]
    alpha[1] = logp[0, ext[1]]
    for t in range(1, len(logp)):
        new = [-1e30] * S
        for s in range(S):
            a = alpha[s]
            if s > 0:
                a = np.logaddexp(a, alpha[s - 1])
            if s > 1 and ext[s] != 0 and ext[s] != ext[s - 2]:
                a = np.logaddexp(a, alpha[s - 2])
            new[s] = a + logp[t, ext[s]]
        alpha = new
    return -np.logaddexp(alpha[S - 1], alpha[S - 2])


@program(numbers(9, 4), numbers(4, 4, seed=1))
def viterbi_with_pointers(emit, trans):
    T = emit.shape[0]
    delta = np.log(emit[0])
    back = []
    for t in range(1, T):
        scores = delta[:, None] + np.log(trans)
        back.append(np.argmax(scores, axis=0))
        delta = np.max(scores, axis=0) + np.log(emit[t])
    state = int(np.argmax(delta))
    path = [state]
    for pointers in reversed(back):
        state = pointers[state]
        path.append(state)
    path.reverse()
    total = 0.0
    for t in range(T):
        total += np.log(emit[t, path[t]])
    return total + np.max(delta)


@program(numbers(12), numbers(15, seed=1))
def soft_warping(a, b):
    n, m = len(a), len(b)
    R = np.full((n + 1, m + 1), 1e10)
    R[0, 0] = 0.0
    gamma = 0.1
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = (a[i - 1] - b[j - 1]) ** 2
            r = np.array([R[i - 1, j - 1], R[i - 1, j], R[i, j - 1]])
            lo = r.min()
            R[i, j] = d + lo - gamma * np.log(np.sum(np.exp(-(r - lo) / gamma)))
    return R[n, m]


# Filters ------------------------------------------------------------------------------------------


@program(np.array([0.1, 0.3, 0.2]), numbers(25, 3, seed=1))
def kalman_and_smoother(q, z):
    dt = 0.1
    F = np.eye(6)
    F[:3, 3:] = dt * np.eye(3)
    H = np.hstack([np.eye(3), np.zeros((3, 3))])
    Q, R = q[0] * np.eye(6), q[1] * np.eye(3)
    x, P = np.zeros(6), q[2] * np.eye(6)
    xs, Ps, predicted = [], [], []
    for k in range(len(z)):
        x = F @ x
        P = F @ P @ F.T + Q
        predicted.append((x, P))
        S = H @ P @ H.T + R
        K = np.linalg.solve(S, H @ P).T
        x = x + K @ (z[k] - H @ x)
        P = (np.eye(6) - K @ H) @ P
        xs.append(x)
        Ps.append(P)
    smooth = xs[-1]
    loss = 0.0
    for k in range(len(z) - 2, -1, -1):
        xp, Pp = predicted[k + 1]
        G = Ps[k] @ F.T @ np.linalg.inv(Pp)
        smooth = xs[k] + G @ (smooth - xp)
        loss += np.sum((smooth[:3] - z[k]) ** 2)
    return loss


@program(np.array([0.5, 0.2, 0.7]), numbers(15, seed=1), numbers(15, 40, seed=2) - 0.5)
def particle_filter(p, y, noise):
    n = noise.shape[1]
    x = np.zeros(n)
    loglik = 0.0
    for t in range(len(y)):
        x = p[0] * x + p[1] * noise[t]
        logw = -0.5 * ((y[t] - x) / p[2]) ** 2 - np.log(p[2])
        top = np.max(logw)
        w = np.exp(logw - top)
        loglik += top + np.log(np.mean(w))
        w = w / np.sum(w)
        edges = np.cumsum(w)
        picks = np.searchsorted(edges, (np.arange(n) + 0.5) / n)
        picks = np.minimum(picks, n - 1)
        x = x[picks]
    return loglik


# Nets ---------------------------------------------------------------------------------------------


def softmax(s):
    """Return rows of probabilities."""
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@program(numbers(3, 4, 8, 8) - 0.5, numbers(6, 8, seed=1))
def attention_blocks(blocks, x):
    mask = np.tril(np.ones((len(x), len(x)))) == 0
    for wq, wk, wv, wo in blocks:
        q, k, v = x @ wq, x @ wk, x @ wv
        heads = []
        for h in range(2):
            s = slice(4 * h, 4 * h + 4)
            scores = q[:, s] @ k[:, s].T / np.sqrt(4.0)
            scores = np.where(mask, -1e9, scores)
            heads.append(softmax(scores) @ v[:, s])
        x = x + np.concatenate(heads, axis=1) @ wo
        x = (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    return np.sum(x[:, 0] ** 2) + x[-1].sum()


@program(numbers(5, 4, 4) - 0.5, numbers(7, 4, seed=1))
def perceptron_of_lists(W, x):
    layers = [W[i] for i in range(len(W))]
    activations = [x]
    for w in layers[:-1]:
        x = np.maximum(x @ w, 0.1 * (x @ w))
        activations.append(x)
    penalty = 0.0
    for a in activations:
        penalty += np.mean(a**2)
    return np.mean((x @ layers[-1]) ** 2) + 0.1 * penalty / len(activations)


@program(numbers(3, 3), numbers(12, 12, seed=1))
def image_sharpened(kernel, image):
    out = image.copy()
    for _ in range(3):
        padded = np.pad(out, 1, mode="edge")
        blurred = np.zeros_like(out)
        for di in range(3):
            for dj in range(3):
                blurred += kernel[di, dj] * padded[di : di + 12, dj : dj + 12]
        out = out + 0.5 * (out - blurred / kernel.sum())
        out = np.clip(out, 0.0, 1.0)
    return np.mean((out - image) ** 2)
