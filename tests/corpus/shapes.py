"""Shapes: reading them, computing with them, making arrays of them."""

import numpy as np
from corpus.program import Theme, array, vector

program = Theme("shapes")


@program(array(3, 4), again=[(array(5, 2),)])
def read_shape(x):
    n, m = x.shape
    return np.sum(x) / (n * m) + x.size + x.ndim + len(x)


@program(array(3, 4), again=[(array(5, 2),)])
def zeros_of_shape(x):
    n, m = x.shape
    z = np.zeros((n, m)) + np.ones((m,)) + np.full((n, m), 2.0)
    return x * z


@program(array(3, 4), again=[(array(5, 2),)])
def likes(x):
    return x + np.zeros_like(x) + np.ones_like(x) * np.full_like(x, 3.0)


@program(array(3, 4), again=[(array(5, 2),)])
def reshapes(x):
    n = x.shape[0]
    return x.reshape(-1) @ np.arange(x.size) + np.sum(x.reshape(n, -1) ** 2) + x.ravel()[0]


@program(array(2, 6))
def static_reshape(x):
    return np.sum(np.sin(x.reshape(3, 4)), axis=0) + x.reshape((4, 3))[:, 0]


@program(array(3, 4))
def transposes(x):
    return x.T @ x + np.transpose(x) @ x + x.transpose(1, 0) @ x


@program(array(2, 3, 4))
def axes(x):
    return (
        np.moveaxis(x, 0, -1).sum(axis=0)
        + np.swapaxes(x, 0, 1)[:, :, :1].sum()
        + x.transpose(2, 0, 1)[0, 0, 0]
    )


@program(array(3), again=[(array(5),)])
def expand_and_squeeze(x):
    y = np.expand_dims(x, 0)
    return np.squeeze(y) + y.squeeze(0) + np.atleast_2d(x)[0]


@program(array(3, 4), again=[(array(5, 2),)])
def reductions(x):
    return (
        x.sum(axis=0).sum()
        + x.mean(axis=1).sum()
        + np.max(x)
        + x.std()
        + np.var(x, axis=0).sum()
        + np.prod(x[0])
        + np.linalg.norm(x) * 0
        + x.min(axis=(0, 1))
        + np.sum(x, axis=-1, keepdims=True).sum()
    )


@program(vector, vector, again=[(array(6), array(6))])
def joins(x, y):
    return (
        np.concatenate([x, y])[2]
        + np.stack([x, y], axis=1).sum()
        + np.hstack((x, y)).sum()
        + np.vstack((x, y))[1].sum()
    )


@program(array(4), 3, again=[(array(4), 5)])
def arange_of_argument(x, n):
    return np.sum(x) * np.sum(np.arange(n))


@program(array(3, 4))
def shape_equality(x):
    y = np.zeros(x.shape)
    if x.shape == y.shape:
        return np.sum(x + y)
    return np.sum(x)


@program(array(3, 4), again=[(array(6, 5),)])
def shape_arithmetic(x):
    n = x.shape[0] - 1
    y = np.zeros((n, x.shape[1])) + x[1:]
    return y / n


@program(array(3))
def copies(x):
    y = x.copy()
    z = np.array(x)
    return np.sum(y * z) + np.copy(x)[0]


@program(array(4, 4))
def diagonals(a):
    return np.trace(a) + np.diag(a).sum() + np.sum(np.eye(4) * a)


@program(array(4, 4), again=[(array(6, 6),)])
def eye_of_length(a):
    return np.sum(a @ np.eye(len(a)))


@program(array(6), again=[(array(8),)])
def halves(x):
    n = len(x) // 2
    return np.sum(x[:n] * x[n:])


@program(array(3, 4))
def broadcast_to(x):
    return np.broadcast_to(x[0], x.shape) * x


@program(array(3, 4), array(4, 2))
def einsum(a, b):
    return np.einsum("ij,jk->ik", a, b) + np.einsum("ij->i", a)[:, None] * np.dot(a, b)


@program(lambda r: np.ones(3))
def np_ndim(x):
    if np.ndim(x) == 1:
        return x[0]
    return x[0, 0]


@program(lambda r: np.ones((2, 3)), again=[(lambda r: np.ones((4, 3)),)])
def np_shape(x):
    n, m = np.shape(x)
    if len(np.shape(x)) == 2:
        return x * n * m
    return x.bad


@program(lambda r: np.ones(3))
def facts_of_dtypes(x):
    return x + np.finfo(float).eps + np.finfo(x.dtype).tiny * 0 + np.iinfo(np.int32).max * 0


@program(lambda r: np.arange(6.0), again=[(lambda r: np.arange(9.0),)])
def floordiv_shape(x):
    k = x.shape[0] // 2
    return x[:k].sum(), np.zeros(k), k


@program(array(3, 3), again=[(array(3, 3),)])
def square_and_its_size_a_constant(a):
    weight = [1.0, 2.0, 3.0, 4.0][a.shape[0]]
    return np.trace(np.sin(a)) * weight + np.sum(np.linalg.inv(a + 3 * np.eye(3)))


@program(array(2, 3), array(3), again=[(array(4, 5), array(5))])
def rows_below_a_matrix(a, v):
    rows = np.vstack([a * 2.0, v, a[0] + v])
    for k in range(len(rows)):
        rows[k] = np.tanh(rows[k]) * (k + 1)
    return np.sum(np.vstack([v, rows]) ** 2)


@program(array(3))
def arguments_from_an_array(x):
    def norm(a, b, *rest):
        return a * b + sum(rest)

    return norm(*x) ** 2


@program(array(3))
def tuple_made_in_a_loop(x):
    out = ()
    for i in range(x.shape[0]):
        out = (*out, np.sin(x[i]))
    return out[0] * out[-1] + np.sum(np.array(out) ** 2)


@program(array(3), array(3))
def text_and_none_by_a_length(x, y):
    def cross(a, b):
        if len(a) != 3:
            return None
        return np.cross(a, b)

    found = cross(x, y)
    kind = "dot" if found is None else "cross"
    return {"dot": x @ y, "cross": np.sum(x * y) if found is None else np.sum(found**2)}[kind]


@program(array(2), array(3), array(4), again=[(array(4), array(2), array(3))])
def sizes_that_read_alike(x, y, z):
    first = np.concatenate([x, np.outer(y, z).ravel()])  # x + y * z entries
    second = np.ravel(np.outer(np.concatenate([x, y]), z))  # (x + y) * z
    spread = np.sum(np.broadcast_to(np.sum(x), first.shape))
    return spread + np.sum(np.broadcast_to(np.sum(y), second.shape)) + np.sum(first) * second.size


@program(array(5), again=[(array(6),), (array(9),)])
def halves_of_doubles(x):
    doubled = np.concatenate([x, x])[::2]
    halves = np.outer(x[::2], np.ones(2)).ravel()
    return np.sum(doubled) * doubled.size + np.sum(np.sin(halves)) * halves.size


@program(array(2, 3))
def shape_that_is_set(x):
    y = np.zeros((2, 3))
    y += np.exp(x)
    y.shape = (3, 2)
    return np.sum(y[0] ** 2)
