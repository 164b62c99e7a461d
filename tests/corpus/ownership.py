"""Who owns an array: what transformations return, arrays of numbers, what `op=` has read."""

import copy

import numpy as np
from corpus.program import Theme, array

import srcad

program = Theme("ownership")


@program(array(3), array(3))
def auxiliary_result_is_an_array_of_its_own(x, b):
    b = b * 1.0

    def f(x):
        return np.sum(x * b), (b, x)

    g, (first, second) = srcad.grad(f, has_aux=True)(x)
    first[0] = 7.0
    second[1] = b[2]
    return np.sum(b * g * x)


@program(array(3), array(3))
def pullback_returns_what_it_was_given(x, b):
    b = b * 1.0
    y, pullback = srcad.vjp(lambda x: x, x)
    (g,) = pullback(b)
    g[0] = 7.0
    y[1] = 3.0
    return np.sum(b * g * x * y)


@program(array(3), array(3))
def gradient_that_is_spread_written(x, b):
    g = srcad.grad(lambda x: np.sum(x))(x)
    g[0] += 7.0 * b[1]
    return np.sum(b * g)


@program(array(3), array(3))
def product_at_an_array_that_was_written(x, b):
    x = x * 1.0
    x[0] = b[1] * 2.0
    y, pullback = srcad.vjp(lambda x: x**3, x)
    (g,) = pullback(b)
    _, t = srcad.jvp(lambda x: x**2, (x,), (g,))
    x[1] = 5.0 * b[0]
    t[2] *= x[1]
    return np.sum(b * g * x * y * t)


@program(array(4))
def array_of_numbers_written_after_it_was_read(x):
    a = np.array([x[0], x[1] * 2.0, 3.0])
    s = np.sum(a**2)
    a[0] = 4.0 * x[2]
    return s * np.sum(a * a)


@program(1.3)
def reshaped_numbers(x):
    a = np.reshape(x, (1,))
    b = np.atleast_1d(x)
    s = np.sum(a**3) * np.sum(b**2)
    b[0] = 4.0 * x
    return s * np.sum(a * a) * np.sum(b)


def tripled_first(x):
    x[0] = x[0] * 3.0
    return x[1]


@program(array(4))
def entry_read_before_the_operand_writes_it(x):
    x = x * 1.0
    x[0] += tripled_first(x)
    x[np.array([0, 2])] *= tripled_first(x)
    x[0:2] += tripled_first(x)
    return np.sum(x * x)


@program(array(4), array(4))
def deep_copy_keeps_one_array_one(x, b):
    y = x * 1.0
    both = [y, y, [b]]
    both.append(both[2])
    c = copy.deepcopy(both)
    y[1] = b[1]
    c[1][0] *= 2.0
    c[2][0] = x * b
    return np.sum(y**2) + np.sum(c[0] * both[0] * c[3][0])


@program(array(3), 1.0, again=[(array(3), -1.0)])
def numbers_of_another_kind_on_each_path(x, flag):
    k = 0
    if flag < 0:
        k = 0.5
    y = np.ones(3) * k + x
    y[0] = x[0] * 3.0
    total = 0
    for v in y:
        row = np.array([total, 0.0])
        row[1] = v * k
        total += np.sum(row)
    return total * x[1]


def last_turned(rows):
    rows[1] = 2
    return 1.5


@program(array(4))
def index_written_by_the_operand(x):
    x = x * 1.0
    rows = np.array([0, 1])
    x[rows] *= last_turned(rows)
    return np.sum(x**2 * np.arange(4.0))


def stored(x):
    y = np.zeros(3)
    y[0] = x[1] * 0.3
    y[1:] = x[:2] * x[1:] * 0.5
    return y


@program(array(3), 1.3)
def directions_of_integers(x, s):
    _, t = srcad.jvp(stored, (x,), (np.array([1, 2, 3]),))
    y, pullback = srcad.vjp(stored, x)
    (u,) = pullback(np.array([3, 2, 1]))
    v, w = srcad.jvp(lambda s: np.sum(stored(x * s) ** 2) * s, (s,), (1,))
    return np.sum(y * t * u) * v * w


@program(array(4))
def unsigned_entries_counted_down(x):
    k = np.array([3, 2, 1], np.uint8)
    k[0] -= 1
    k[1:] -= 1
    y = x * 1.0
    y[k] = x[:3] ** 2
    return np.sum(y**2)
