"""Dicts and sets with keys that data gives: histograms, cells, memo tables, graphs, groups."""

import math
from collections import Counter, defaultdict

import numpy as np
from corpus.program import Theme, array, positive

program = Theme("tables")

PLACES = np.array([0.3, 1.2, 2.7, 0.9, 1.1, 2.2])
KINDS = np.array([3, 1, 3, 2, 1, 1])
OTHERS = np.array([7, 7, 5])
POINTS = np.array([[0.1, 0.2], [1.9, 2.1], [0.3, 0.1], [2.2, 1.8]])
EDGES = np.array([[0, 1], [0, 2], [1, 2], [2, 0], [3, 2], [3, 0]])


@program(PLACES, array(6), again=[(PLACES[:3], array(3))])
def histogram(x, w):
    counts = {}
    for xi, wi in zip(x, w):
        b = int(xi)
        counts[b] = counts.get(b, 0.0) + wi * xi
    return sum(v**2 for v in counts.values())


@program(array(6), KINDS, again=[(array(3), OTHERS)])
def order_of_keys(x, kinds):
    totals = defaultdict(float)
    for v, k in zip(x, kinds):
        totals[k] += v * v
    total = 0.0
    for n, (k, v) in enumerate(totals.items()):
        total += (n + 1) * k * v
    return total


@program(array(6), KINDS, again=[(array(3), OTHERS)])
def means_by_kind(x, kinds):
    n = Counter(kinds.tolist())
    sums = {}
    for v, k in zip(x, kinds):
        sums[k] = sums.get(k, 0.0) + v
    return sum((sums[k] / n[k]) ** 2 for k in sums)


@program(np.array([0.5, 1.0, 1.7, 2.6, 3.0, 3.1]), KINDS)
def last_seen(t, who):
    last = {}
    total = 0.0
    for ti, k in zip(t, who):
        if k in last:
            total += (ti - last[k]) ** 2
        last[k] = ti
    return total


@program(np.array([0.1, 0.45, 1.3, 1.6, 2.2, 2.45, 4.0]), 0.7)
def cells(x, h):
    grid = defaultdict(list)
    for i in range(len(x)):
        grid[int(x[i] / h)].append(i)
    rho = np.zeros(len(x))
    for i in range(len(x)):
        c = int(x[i] / h)
        for k in (c - 1, c, c + 1):
            for j in grid[k]:
                q = abs(x[i] - x[j]) / h
                if q < 1:
                    rho[i] += (1 - q) ** 3
    return np.sum(rho**2)


@program(array(4), EDGES, 0.85)
def ranks(p, edges, d):
    out = defaultdict(list)
    for a, b in edges:
        out[a].append(b)
    for _ in range(3):
        new = np.full(len(p), (1 - d) / len(p))
        for a in range(len(p)):
            for b in out[a]:
                new[b] += d * p[a] / len(out[a])
        p = new
    return np.sum(p**2)


@program(positive(4), np.array([2, 3, 1, 2]), 5)
def memo(values, weights, room):
    known = {}

    def best(i, c):
        if i == len(values):
            return 0.0
        if (i, c) in known:
            return known[(i, c)]
        r = best(i + 1, c)
        if weights[i] <= c:
            r = max(r, values[i] + best(i + 1, c - weights[i]))
        known[(i, c)] = r
        return r

    return best(0, room) ** 2


@program(array(5), np.array([0, 0, 1, 2, 0]), np.array([1, 2, 1, 0, 1]), array(3))
def entries_by_row_and_column(values, rows, columns, x):
    a = {}
    for v, i, j in zip(values, rows, columns):
        a[i, j] = a.get((i, j), 0.0) + v
    y = np.zeros(3)
    for (i, j), v in a.items():
        y[i] += v * x[j]
    return np.sum(y**2)


@program(array(6), KINDS, again=[(array(3), OTHERS)])
def variance_by_group(x, kinds):
    groups = {}
    for v, k in zip(x, kinds):
        groups.setdefault(int(k), []).append(v)
    total = 0.0
    for k in sorted(groups):
        part = np.array(groups[k])
        total += k * np.sum((part - part.mean()) ** 2) + groups[k][0]
    return total


@program(
    np.array([[0.1, 0.2], [1.9, 2.1], [0.3, 0.1], [2.2, 1.8]]), np.array([[0.0, 0.3], [2.0, 1.9]])
)
def centres(x, c):
    for _ in range(2):
        clusters = {k: [] for k in range(len(c))}
        for p in x:
            clusters[int(np.argmin(np.sum((c - p) ** 2, axis=1)))].append(p)
        for k in clusters:
            if clusters[k]:
                c[k] = 0.9 * np.mean(clusters[k], axis=0) + 0.1 * c[k]
    return np.sum(c**3)


@program(np.array([0.4, -0.3, 0.8, 0.7, -0.9, 0.2]))
def sites_visited(steps):
    x, score, seen = 0.0, 0.0, set()
    for s in steps:
        x += s
        site = math.floor(x * 2)
        if site not in seen:
            seen.add(site)
            score += x**2
    return score + len(seen)


@program(array(3), KINDS, again=[(array(3), OTHERS)])
def looked_up(x, kinds):
    weights = {1: 0.5, 2: x[0], 3: x[1] * x[2]}
    near = {1: [x[0], 2.0], 3: []}
    total = 0.0
    for k in kinds:
        total += weights.get(k, 1.0) ** 2
        for v in near.get(k, []):
            total += v * x[2]
    return total


@program(array(6), KINDS)
def taken_out(x, kinds):
    table = {}
    for v, k in zip(x, kinds):
        table[k] = v
    first = table.pop(kinds[0])
    del table[kinds[1]]
    table[kinds[0]] = first * 2
    return sum((n + 1) * v * v for n, v in enumerate(table.values())) * len(table)


class Tally:
    def __init__(self):
        self.totals = {}

    def add(self, k, v):
        if k in self.totals:
            self.totals[k] += v
        else:
            self.totals[k] = v


@program(array(6), KINDS)
def tally_of_an_object(x, kinds):
    tally = Tally()
    for v, k in zip(x, kinds):
        tally.add(k, v)
    return sum(v**2 for v in tally.totals.values())


@program(array(6), KINDS)
def lists_under_two_names(x, kinds):
    groups = {}
    for v, k in zip(x, kinds):
        if k not in groups:
            groups[k] = []
        groups[k].append(v)
    held = groups[kinds[0]]
    groups[kinds[0]] = [x[0] * x[1]]
    held.append(x[2])
    groups[kinds[1]].append(x[3])
    return sum(held) ** 2 + sum(groups[kinds[0]]) + sum(groups[kinds[1]]) ** 2 * len(groups)


@program(PLACES)
def keys_sorted_by_their_values(x):
    score = {}
    for v in x:
        k = int(np.floor(v))
        score[k] = score.get(k, 0.0) + v * v
    total = 0.0
    for k in sorted(score, key=score.get):
        total = 0.5 * total + score[k]
    k, v = max(score.items(), key=lambda pair: pair[1])
    return total + v * k + score[min(score, key=score.get)] ** 2
