"""Values that a branch, a loop or a choice makes no use of: NaN in them is not in the gradient.

What the program looks at, and then leaves alone, is computed before. Its derivative is NaN, too,
and 0 * NaN would be NaN.
"""

import math

import numpy as np
from corpus.program import Theme

program = Theme("skipped")


def gaps(rng):
    """Negative numbers among positive ones: no roots, no logarithms."""
    x = rng.uniform(1.1, 2.0, 5)
    x[[1, 3]] *= -1
    return x


def missing(rng):
    """Measurements, two of which are missing."""
    y = rng.uniform(3.0, 4.0, 5)
    y[[0, 3]] = np.nan
    return y


MISSING = missing(np.random.default_rng(1))


def whole(rng):
    return rng.uniform(1.1, 2.0, 5)


@program(gaps, again=[(whole,)])
def not_a_number(x):
    s = x[0] * x[2]
    for i in range(len(x)):
        v = np.sqrt(x[i])
        if not np.isnan(v):
            s += v * x[i]
    return s


@program(gaps, again=[(whole,)])
def equal_to_itself(x):
    s = 0.0
    for v in np.log(x):
        if v == v:
            s += v * v
    return s


@program(gaps, again=[(whole,)])
def continued(x):
    s = 0.0
    for i in range(5):
        r = np.sqrt(x[i])
        q = x[0] / r
        if np.isnan(q):
            continue
        s = s + q * q + r
    return s


@program(whole)
def missing_measurements(p):
    s = 0.0
    for a, b in zip(p, MISSING):
        d = a * b
        error = d * d
        if np.isnan(error):
            continue
        s += error
    return s


@program(whole)
def used_by_two(p):
    s = 0.0
    for i in range(5):
        d = p[i] * MISSING[i]
        if np.isfinite(MISSING[i]):
            s += d
        if d > 2.0:
            s += d * d
    return s


@program(gaps, again=[(whole,)])
def left_at_once(x):
    r = np.sqrt(x[1])
    q = x[0] / r
    if r == r:
        if q > 1:
            return q * r
        return q * q
    return x[2] ** 2


@program(gaps, again=[(whole,)])
def arrays(x):
    v = np.sqrt(x)
    m = np.outer(v, v) @ x
    if not np.all(np.isfinite(m)):
        return np.sum(x * x)
    return np.sum(m * v)


@program(gaps, again=[(whole,)])
def replaced(x):
    m = np.mean(np.sqrt(x))
    if np.isnan(m):
        m = 0.0
    return m + x[0] * x[1]


@program(gaps, again=[(whole,)])
def conditional_expression(x):
    z = np.log(x[1])
    y = 0.0 if np.isnan(z) else z * z
    return y * x[2] + x[0]


@program(gaps, again=[(whole,)])
def other_value_used(x):
    def root(u):
        return np.sqrt(u)

    v, w = root(x[1]), root(x[0])
    if v != v:
        v = w
    return v * w


@program(gaps, again=[(whole,)])
def loop_without_iterations(x):
    r = np.log(x[1])
    y, n = x[0], 0
    while r > 0 and n < 3:
        y = y * r
        n += 1
    return y


@program(gaps, 0, again=[(whole, 3)])
def range_of_none(x, n):
    r = np.log(x[1])
    y = x[0] * x[0]
    for _ in range(n):
        y = y * r
    return y


@program(gaps, again=[(whole,)])
def raised_and_handled(x):
    v = np.log(x[1])
    try:
        if math.isnan(v):
            raise ValueError("no logarithm")
        y = v * x[2]
    except ValueError:
        y = x[0] * x[0]
    return y


@program(gaps, again=[(whole,)])
def carried(x):
    h = x[0]
    for i in range(5):
        h = np.sqrt(x[i] * h) + x[i]
        if np.isnan(h):
            h = x[i] * x[i]
    return h


@program(gaps, again=[(whole,)])
def listed(x):
    roots = [np.sqrt(v) for v in x]
    return sum([r * r * r if r == r else 0.0 for r in roots]) + x[0]


@program(gaps, again=[(whole,)])
def nested_choices(x):
    s = 0.0
    for i in range(5):
        v = np.sqrt(x[i])
        w = x[0] / v
        if i % 2 == 0:
            s += x[i] * x[i]
        elif v > 0:
            if w > 1:
                s += w
            else:
                s += w * v
    return s


def points(rng):
    return rng.uniform(0.5, 2.0, (5, 2))


@program(points)
def distances_to_others(p):
    energy = 0.0
    for i in range(len(p)):
        d = np.sqrt(np.sum((p - p[i]) ** 2, axis=1))
        near = np.where((d > 0) & (d < 3.0))[0]
        energy += np.sum(1 / d[near] ** 2 - 1 / d[near])
    return energy


@program(points)
def places_among_places(p):
    d = np.sqrt(np.sum((p - p[0]) ** 2, axis=1))
    order = np.argsort(d)
    nearest = order[order > 0]
    others = np.arange(len(p))[d > 0]
    return np.sum(1 / d[nearest[:2]]) + np.sum(np.log(d[np.sort(others)]))
