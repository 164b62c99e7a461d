"""Generators and iterators: run over, left early, taken from item by item."""

import itertools

import numpy as np
from corpus.program import Theme, array, positive, positive_number

program = Theme("generators")


def pairs(x):
    for i in range(x.shape[0] - 1):
        yield x[i], x[i + 1]


def newton(y, a):
    while True:
        y = 0.5 * (y + a / y)
        yield y


@program(positive(5), again=[(positive(8),)])
def left_by_data(x):
    total = 0.0
    for a, b in pairs(x):
        if a * b > 1.5:
            break
        total = total + a * np.sin(b)
    else:
        total = total * 2.0
    return total + x[0]


@program(positive(5), again=[(positive(3),)])
def returned_from(x):
    for i, (a, b) in enumerate(pairs(x), 1):
        if a + b > 2.0:
            return a * b * i
    return x[0] * x[1]


@program(positive_number, again=[(positive_number,)])
def until_it_converges(a):
    last = 10.0
    for y in newton(1.0, a):
        if abs(y - last) < 1e-13:
            break
        last = y
    return y * a


@program(positive_number, array(4))
def asked_for_the_next(a, x):
    roots = newton(1.0, a)
    total = next(roots) * x[0]
    for v in x:
        total = total + next(roots) * v
    return total * next(roots)


@program(array(4))
def taken_together(x):
    it = iter(x)
    first = next(it)
    total = first * sum(a * b for (a, b), _ in zip(pairs(x), range(2)))
    for v in it:
        total = total * 0.5 + v
    return total * sum(itertools.islice(newton(1.0, x[0] ** 2 + 1.0), 3))


@program(positive(6), 4, again=[(positive(9), 7), (positive(3), 1)])
def numbered_ranges(x, n):
    total = x[0]
    for i, k in enumerate(range(1, n)):
        total = total * 0.5 + x[k % x.shape[0]] * (i + 1)
    for k, v in zip(range(n, 0, -2), reversed(x)):
        total = total + np.sin(v) * k
    return total


@program(array(3, 2), again=[(array(2, 4),)])
def entry_by_entry(m):
    out = np.zeros_like(m)
    for at, v in np.ndenumerate(m):
        out[at] = v**2 * (at[0] + 1)
    return np.sum(out * m)


@np.vectorize
def leaky(v, slope=0.1):
    return v if v > 0 else slope * v


@program(array(3, 2), again=[(array(2, 4),)])
def vectorized(m):
    wide = m.astype(float)
    return np.sum(leaky(wide) * leaky(np.sum(wide, axis=0), 0.3))
