"""Broadcasting: ranks, extents of 1, numbers with arrays."""

import numpy as np
from corpus.program import Theme, array, number, positive, vector

program = Theme("broadcasting")


@program(array(3, 4), array(4), again=[(array(5, 2), array(2))])
def row(a, b):
    return np.sum(np.tanh(a * b))


@program(array(3, 4), array(3, 1), again=[(array(2, 7), array(2, 1))])
def column(a, b):
    return a * b + b


@program(array(3, 1), array(1, 4), again=[(array(2, 1), array(1, 5))])
def outer_product(a, b):
    return a * b - a / (1 + b * b)


@program(number, array(2, 3))
def number_and_array(s, a):
    return np.sum((s * a) ** 2) + s


@program(array(1), vector)
def one_entry(a, b):
    return a * b


@program(array(), vector)
def zero_dimensional(a, b):
    return np.sum(a * b) + a


@program(array(2, 1, 3), array(4, 1))
def three_axes(a, b):
    return np.sum(np.sin(a + b), axis=1)


@program(array(3), array(3))
def outer_by_none(a, b):
    return np.sum(np.exp(a[:, None] - b[None, :]))


@program(array(3, 4))
def centred(x):
    return x - x.mean(axis=0) + x.mean(axis=1, keepdims=True)


@program(positive(3, 4), positive(4))
def power_broadcast(a, b):
    return a**b


@program(array(3, 4), array(1, 1))
def all_ones(a, b):
    return a / (b * b + 1)


@program(number, number, array(3))
def weighted(a, b, x):
    return a * x + b


@program(array(4, 3), array(4))
def transposed(a, b):
    return (a.T * b).T


@program(np.float64(1.5), array(3))
def numpy_scalar(a, x):
    return a * np.sum(x) + a


@program(array(3), again=[(array(5),)])
def broadcast_beside_what_was_a_number(x):
    n, h = x.shape[0], 0
    for k in range(3):
        h = h + k * x
    wide = np.broadcast_to(x, (n, n))
    return np.sum(np.where(h > wide, wide, h)) + np.sum(wide * h)


@program(array(3), array(3, 1))
def vdot_of_what_were_numbers(x, y):
    a, b = 0, 0
    for _ in range(2):
        a, b = np.sin(x), y * y
    return np.vdot(a, b)
