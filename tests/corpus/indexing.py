"""Basic and advanced indexing."""

import numpy as np
from corpus.program import Theme, array, integers, number

program = Theme("indexing")


@program(array(5), again=[(array(8),)])
def entries(x):
    return x[0] * x[-1] + x[1] ** 2


@program(array(5), again=[(array(8),)])
def differences(x):
    return np.sum((x[1:] - x[:-1]) ** 2)


@program(array(5, 6), again=[(array(7, 4),)])
def laplacian(u):
    return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]


@program(array(6), again=[(array(9),)])
def strided(x):
    return np.sum(x[::2] ** 2) + np.sum(x[::-1] * x) + np.sum(x[1::3])


@program(array(3, 4))
def rows_and_columns(a):
    return a[0] * a[1, 2] + a[:, 1].sum() + a[-1, ::2].sum()


@program(array(2, 3, 4))
def ellipsis(a):
    return np.sum(a[..., 0]) + np.sum(a[0, ...] ** 2) + a[..., 1, 2].sum()


@program(array(4))
def new_axes(x):
    return np.sum(x[:, None] * x[np.newaxis, :]) + x[None].shape[0]


@program(array(5), integers(7, below=5), again=[(array(6), integers(3, below=6))])
def fancy(x, idx):
    return np.sum(x[idx] ** 2)


@program(array(5, 3), integers(4, below=5))
def embedding(table, ids):
    return np.sum(np.tanh(table[ids]), axis=0)


@program(array(5))
def mask(x):
    return np.sum(x[x > 0] ** 2)


@program(array(4, 3), integers(4, below=3), again=[(array(6, 3), integers(6, below=3))])
def labels(logits, y):
    return -np.mean(logits[np.arange(len(y)), y])


@program(array(6), 2, again=[(array(6), 0), (array(9), 5)])
def index_from_argument(x, i):
    return x[i] * x[i - 1]


@program(array(6), 2, again=[(array(6), 0), (array(9), 5)])
def slice_from_argument(x, n):
    return np.sum(x[:n]) - np.sum(x[n:] ** 2)


@program(array(5))
def list_index(x):
    return x[[0, 2, 2]] * x[[1, 1, 3]]


@program(array(4, 4))
def two_fancy(a):
    return a[[0, 1, 1], [2, 0, 0]].sum()


@program(array(3, 4))
def chained(a):
    return a[1][2] * a[1:][0][1]


@program(array(3, 4))
def tuple_index(a):
    i = (1, 2)
    return a[i] * a[(0, slice(None))].sum()


@program(array(3, 4))
def take(a):
    return np.take(a, [0, 2], axis=1).sum() + a.take(1)


@program(array(4, 2), again=[(array(7, 2),)])
def argmax_index(a):
    k = np.argmax(a[:, 0])
    return a[k, 1] * 2


@program(array(6), 3, again=[(array(6), 1)])
def slice_that_moves(x, n):
    part = slice(0, 2)
    total = 0.0
    for k in range(n):
        total = total + np.sum(x[part] ** 2)
        part = slice(k, k + 2)
    return total + np.sum(x[part])


@program(array(6), number, again=[(array(6), -0.4)])
def slice_by_data(x, c):
    part = slice(0, 2) if c > 0 else slice(1, 4)
    return np.sum(x[part] ** 3) * c


@program(array(3, 4), again=[(array(5, 4),)])
def columns_under_a_mask(x):
    mask = np.array([False, True, True, False])
    for i in range(3):
        y = x[:, mask] * (1.0 + 0.1 * i)
        x = 0.5 * x + x**2
        x[:, mask] = y
    return np.sum(x**3)


@program(array(4, 3))
def rows_under_a_mask(x):
    mask = np.arange(len(x)) % 2 == 0
    for i in range(3):
        x = 0.5 * x + x**2
        x[mask] = x[mask] * x[0] + i
        x = x[[1, 2, 3, 0]]
    return np.sum(x**3)


@program(array(3, 5), -1, again=[(array(5, 3), -2), (array(4, 6), 1)])
def one_position_along_two_axes(x, k):
    y = x * 1.5
    y[k, k] = 0.0
    y[k, 0] += 2.0
    return np.sum(y * x)


@program(array(3, 5), -1, again=[(array(5, 3), -2), (array(4, 6), 1)])
def one_position_in_two_arrays(x, k):
    a, b = x[0] * 2, x[:, 0] * 3
    s = 0.0
    for i in range(3):
        a[k] += i
        b[k] *= 2.0
        s += a[k] * b[k]
    return s


@program(array(3, 2), integers(2, below=3))
def copied_by_an_array_of_one_integer(x, ks):
    s = 0.0
    for k in range(2):
        row = x[ks[k, ...]]
        row += k
        s += row[1] * x[0, 0]
    return s


@program(array(2), np.array([200, 100], np.uint8), again=[(array(2), np.array([0, 255], np.uint8))])
def unsigned_integers_taken_away(x, u):
    y = x * 1.0
    y[0] -= u[0]
    y[:] += -u / 2
    y[:] -= u
    return np.sum(y * x)
