"""Programs out of textbooks, in the style of their listings.

`cliffs.py` counts those of which every loop is compiled. More of them are in `cliff_numerics.py`.
"""

from __future__ import annotations

import math

import numpy as np
from habits import numbers, program

# Water, medicine, queues, populations -------------------------------------------------------------


@program(np.array([0.6, 0.3, 0.1, 0.8, 2.0]), numbers(120, seed=1), 0.5 * numbers(120, seed=2))
def four_stores(p, rain, evaporation):
    """Return the misfit of a rainfall-runoff model with unit hydrographs."""
    store, routed = 0.5 * p[0], 0.3
    n = 4
    uh = np.zeros(n)
    for k in range(n):
        uh[k] = ((k + 1) / n) ** p[4] - (k / n) ** p[4]
    pending = np.zeros(n)
    flows = []
    for t in range(len(rain)):
        if rain[t] >= evaporation[t]:
            net = rain[t] - evaporation[t]
            filled = p[0] * (1 - (store / p[0]) ** 2) * np.tanh(net / p[0])
            filled = filled / (1 + store / p[0] * np.tanh(net / p[0]))
            store += filled
            rest = net - filled
        else:
            want = evaporation[t] - rain[t]
            store -= store * (2 - store / p[0]) * np.tanh(want / p[0]) * 0.1
            rest = 0.0
        leak = store * (1 - (1 + (store / (2.25 * p[0])) ** 4) ** (-0.25))
        store -= leak
        rest += leak
        for k in range(n):
            pending[k] += rest * uh[k]
        routed = max(0.0, routed + pending[0] * 0.9 + p[1] * 0.1)
        q = routed * (1 - (1 + (routed / p[3]) ** 4) ** -0.25)
        routed -= q
        flows.append(q + max(0.0, pending[0] * 0.1))
        for k in range(n - 1):
            pending[k] = pending[k + 1]
        pending[n - 1] = 0.0
    return np.sqrt(np.mean((np.array(flows) - rain) ** 2))


@program(np.array([1.2, 0.15, 10.0]), np.array([0.0, 6.0, 12.0, 24.0]), numbers(25, seed=1))
def doses(p, times, measured):
    """Return the misfit of one compartment with absorption, and several doses."""
    ka, ke, volume = p
    sse = 0.0
    for i, c in enumerate(measured):
        t = float(i)
        amount = 0.0
        for dose_time in times:
            if t >= dose_time:
                tau = t - dose_time
                amount += 100.0 * ka / (ka - ke) * (np.exp(-ke * tau) - np.exp(-ka * tau))
        sse += (np.log(amount / volume + 1e-3) - np.log(c)) ** 2
    return sse


@program(numbers(150), numbers(150, seed=1))
def two_servers(service, gaps):
    """Return the mean time in a queue that two servers work off."""
    free = np.zeros(2)
    clock = 0.0
    waits = np.empty(len(service))
    busy = {"first": 0, "second": 0}
    for i in range(len(service)):
        clock += gaps[i]
        k = np.argmin(free)
        if k == 0:
            busy["first"] += 1
        else:
            busy["second"] += 1
        begin = max(clock, free[k])
        waits[i] = begin - clock
        free[k] = begin + service[i]
    return waits.mean() + waits.max() * 0.01 + busy["first"] / (busy["second"] + 1)


@program(np.array([1.5, 0.4, 0.7]), np.array([10.0, 5.0, 2.0, 1.0]))
def age_classes(p, start):
    """Return the growth of a population in age classes, by a projection matrix."""
    n = len(start)
    A = np.zeros((n, n))
    A[0, 1:] = p[0]
    for i in range(n - 1):
        A[i + 1, i] = p[1]
    A[n - 1, n - 1] = p[2]
    x = start.copy()
    history = [x.sum()]
    for _ in range(30):
        x = A @ x / (1 + 0.01 * x.sum())
        history.append(x.sum())
    return sum(history) / len(history)


# Filters, cells, chains ---------------------------------------------------------------------------


@program(np.array([0.05, 0.2, 0.9]), numbers(40, 2, seed=1))
def six_states(p, z):
    """Return the likelihood of a Kalman filter with six states and two observations."""
    dt = 0.1
    F = np.eye(6)
    for i in range(4):
        F[i, i + 2] = dt
    for i in range(2):
        F[i, i + 4] = 0.5 * dt**2
    H = np.zeros((2, 6))
    H[0, 0] = H[1, 1] = 1.0
    Q = p[0] * np.eye(6)
    R = np.diag([p[1], p[1] * p[2]])
    x = np.zeros(6)
    P = np.eye(6)
    ll = 0.0
    for zk in z:
        x = F.dot(x)
        P = F.dot(P).dot(F.T) + Q
        y = zk - H.dot(x)
        S = H.dot(P).dot(H.T) + R
        K = np.linalg.solve(S, H.dot(P)).T
        x = x + K.dot(y)
        IKH = np.eye(6) - K.dot(H)
        P = IKH.dot(P).dot(IKH.T) + K.dot(R).dot(K.T)
        P = 0.5 * (P + P.T)
        _, logdet = np.linalg.slogdet(S)
        ll -= 0.5 * (logdet + y.dot(np.linalg.solve(S, y)) + 2 * np.log(2 * np.pi))
    return ll


@program(numbers(3, 6, 6) - 0.5, numbers(3, 6, 4, seed=1), numbers(25, 4, seed=2))
def gated_cells(U, W, x):
    """Return the loss of a gated recurrent unit, entry by entry."""
    n = U.shape[1]
    h = np.zeros(n)
    loss = 0.0
    for t in range(len(x)):
        z, r = np.zeros(n), np.zeros(n)
        for i in range(n):
            a, b = 0.0, 0.0
            for j in range(n):
                a += U[0, i, j] * h[j]
                b += U[1, i, j] * h[j]
            for j in range(x.shape[1]):
                a += W[0, i, j] * x[t, j]
                b += W[1, i, j] * x[t, j]
            z[i] = 1 / (1 + math.exp(-a))
            r[i] = 1 / (1 + math.exp(-b))
        new = []
        for i in range(n):
            c = 0.0
            for j in range(n):
                c += U[2, i, j] * r[j] * h[j]
            for j in range(x.shape[1]):
                c += W[2, i, j] * x[t, j]
            new.append((1 - z[i]) * h[i] + z[i] * math.tanh(c))
        h = np.array(new)
        loss += np.sum((h[:4] - x[t]) ** 2)
    return loss


@program(np.log(numbers(40, 5)), np.array([1, 3, 3, 2], dtype=np.int32))
def log_ctc(logp, labels):
    """Return the CTC loss in logarithms, with minus infinity for what cannot be."""
    L = 2 * len(labels) + 1
    T = logp.shape[0]
    ext = np.zeros(L, dtype=np.int32)
    ext[1::2] = labels
    alpha = np.full((T, L), -np.inf)
    alpha[0, 0] = logp[0, 0]
    alpha[0, 1] = logp[0, ext[1]]
    for t in range(1, T):
        for s in range(L):
            terms = [alpha[t - 1, s]]
            if s >= 1:
                terms.append(alpha[t - 1, s - 1])
            if s >= 2 and ext[s] != 0 and ext[s] != ext[s - 2]:
                terms.append(alpha[t - 1, s - 2])
            m = max(terms)
            if m == -np.inf:
                continue
            total = 0.0
            for a in terms:
                total += np.exp(a - m)
            alpha[t, s] = m + np.log(total) + logp[t, ext[s]]
    a, b = alpha[T - 1, L - 1], alpha[T - 1, L - 2]
    return -np.logaddexp(a, b)


@program(numbers(30, 4), numbers(4, 4, seed=1))
def best_path(emission, transition):
    """Return the score of the best path, followed back by its pointers."""
    T, S = emission.shape
    score = emission[0].copy()
    back = np.zeros((T, S), dtype=np.uint8)
    for t in range(1, T):
        new = np.empty(S)
        for s in range(S):
            best, arg = None, -1
            for r in range(S):
                v = score[r] + transition[r, s]
                if best is None or v > best:
                    best, arg = v, r
            new[s] = best + emission[t, s]
            back[t, s] = arg
        score = new
    path = np.empty(T, dtype=int)
    path[-1] = np.argmax(score)
    for t in range(T - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    total = emission[0, path[0]]
    for t in range(1, T):
        total += transition[path[t - 1], path[t]] * emission[t, path[t]]
    return total + score[path[-1]]


@program(numbers(60), np.random.default_rng(3).random(60), np.random.default_rng(4).normal(size=60))
def accepted_draws(theta, u, steps):
    """Return the mean of a Metropolis chain whose draws are given."""
    x, kept, accepted = 0.0, [], np.zeros(len(u), dtype=bool)
    for i in range(len(u)):
        y = x + 0.5 * steps[i]
        ratio = -0.5 * theta[i] * (y**2 - x**2)
        if np.log(u[i]) < ratio:
            x = y * theta[i]
            accepted[i] = True
        if i >= 10 and i % 2 == 0:
            kept.append(x)
    return sum(kept) / len(kept) + accepted.mean() * theta[0]


# Money, text, images ------------------------------------------------------------------------------


@program(np.array([100.0, 0.25, 0.03, 0.01]), np.array([90.0, 100.0, 110.0]))
def trinomial_tree(p, strikes):
    """Return what American puts of several strikes cost in a trinomial tree."""
    spot, sigma, r, q = p
    n = 20
    dt = 1.0 / n
    u = np.exp(sigma * np.sqrt(2 * dt))
    a = np.exp((r - q) * dt / 2)
    b, c = np.exp(sigma * np.sqrt(dt / 2)), np.exp(-sigma * np.sqrt(dt / 2))
    pu, pd = ((a - c) / (b - c)) ** 2, ((b - a) / (b - c)) ** 2
    pm = 1 - pu - pd
    total = 0.0
    for strike in strikes:
        prices = {}
        for j in range(-n, n + 1):
            prices[j] = spot * u**j
        values = [max(strike - prices[j], 0.0) for j in range(-n, n + 1)]
        for i in range(n - 1, -1, -1):
            new = []
            for k in range(2 * i + 1):
                hold = pu * values[k + 2] + pm * values[k + 1] + pd * values[k]
                new.append(max(np.exp(-r * dt) * hold, strike - prices[k - i]))
            values = new
        total += values[0]
    return total


@program(numbers(12, 9), np.random.default_rng(1).integers(0, 4, 12).astype(np.uint8))
def time_warping(a, codes):
    """Return a distance of two series by dynamic programming in a band."""
    n, m = a.shape
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(max(1, i - 4), min(m, i + 4) + 1):
            cost = abs(a[i - 1, j - 1] - 0.25 * codes[i - 1])
            D[i, j] = cost + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m] / (n + m)


@program(np.array([0.3, -0.2, 3.0, 0.8]), 12)
def ray_marching(scene, n):
    """Return the brightness of spheres that rays march to."""
    light = np.array([0.5, 0.7, -0.5])
    light = light / np.linalg.norm(light)
    image = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            d = np.array([(i - n / 2) / n, (j - n / 2) / n, 1.0])
            d /= np.sqrt(np.dot(d, d))
            t = 0.0
            hit = None
            for _ in range(40):
                pos = t * d
                dist = np.linalg.norm(pos - scene[:3]) - scene[3]
                if dist < 1e-3:
                    hit = pos
                    break
                if t > 6.0:
                    break
                t += dist
            if hit is not None:
                normal = (hit - scene[:3]) / scene[3]
                image[i, j] = max(0.1, normal @ light)
    return image.mean()


@program(numbers(9, 9), numbers(3, 3, seed=1) - 0.4)
def convolution_by_hand(image, kernel):
    """Return a pooled image after a convolution with its edges mirrored."""
    h, w = image.shape
    out = np.zeros((h, w), dtype=np.float32)
    for y in range(h):
        for x in range(w):
            acc = 0.0
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    yy, xx = abs(y + dy), abs(x + dx)
                    if yy >= h:
                        yy = 2 * h - 2 - yy
                    if xx >= w:
                        xx = 2 * w - 2 - xx
                    acc += kernel[dy + 1, dx + 1] * image[yy, xx]
            out[y, x] = acc if acc > 0 else 0.1 * acc
    pooled = 0.0
    for y in range(0, h - 1, 2):
        for x in range(0, w - 1, 2):
            pooled += out[y : y + 2, x : x + 2].max()
    return pooled


@program(numbers(20, 3).astype(np.float32), np.array([0, 2, 1, 1], dtype=np.uint8))
def skip_gram(vectors, words):
    """Return a loss with negative samples, in single precision."""
    loss = np.float32(0)
    for i in range(len(words) - 1):
        v = vectors[words[i]]
        c = vectors[words[i + 1] + 3]
        loss -= np.log(1 / (1 + np.exp(-v @ c)))
        for k in range(4):
            bad = vectors[(7 * i + 3 * k) % len(vectors)]
            loss -= np.log(1 / (1 + np.exp(v @ bad)))
    return loss / len(words)
