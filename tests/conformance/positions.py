"""Index arrays, masks and numbers of axes by data, at which NumPy raises, or does not.

x[k], x[m], np.add.at(x, k, v)      read in a loop and outside of one, and not read
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from conformance.case import Case
from conformance.kinds import Kind

EXPRESSIONS = (
    "addat(x, k, v)", "addat2(a, k, v)", "subat(x, k, v)", "np.sum(np.bincount(k, v))",
    "np.sum(np.bincount(k, v, minlength=3) * x[:3])", "np.sum(np.choose(k, [v, v * 2.0]))",
    "np.sum(np.choose(k, [v, v * 2.0], mode='wrap'))", "np.sum(np.take(x, k, mode='clip'))",
    "np.sum(np.take(x, k, mode='wrap'))", "put(x, k, v)", "putalong(a, k, v)", "np.sum(a[k, k])",
    "np.sum(a[k])", "np.sum(a[:, k])", "np.sum(a[i, k])", "np.sum(a[k, i])",
    "np.sum(np.eye(3)[k])", "np.sum(np.eye(3)[k] * a[0, :3])", "np.sum(x[m])", "maskset(x, m)",
    "maskset2(x, m, v)", "maskadd(x, m)", "np.sum(np.compress(m, x))", "np.sum(np.extract(m, x))",
    "np.sum(np.where(m, x, 0.0))", "np.sum(a[m[:3]])", "np.sum(a[:, m])", "np.sum(x[~m])",
    "np.sum(x * m)", "np.sum(np.maximum.accumulate(x)[k])", "setrows(a, k, v)", "setcol(a, i, x)",
    "augrow(a, k)", "iadd(x, k, v)", "imul(x, k, v)", "swap(x, k)", "np.sum(x[k][::-1] * v)",
    "np.sum(x[k[k]])", "np.sum(x[np.argsort(k)])", "float(np.unravel_index(k[1], (2, 3))[0])",
    "float(np.ravel_multi_index((k[0], k[1]), (2, 3)))", "np.sum(np.repeat(v, k))",
    "np.sum(np.split(x, k)[1])", "np.sum(np.roll(a, k[1], axis=1)[0] * x[:4])",
    "np.sum(np.triu(a, i))", "np.sum(np.diag(a, i))", "np.sum(np.diagonal(a, i))",
    "np.trace(a, i)", "np.sum(np.rot90(a, i)[0])", "np.sum(x[::i])", "np.sum(x[k[0]::-1])",
    "np.sum(x[k[0]:k[1]])", "np.sum(a[k[0]:k[1], i:])", "np.partition(x, i)[0]",
    "float(np.argpartition(x, i)[0])", "np.sum(np.moveaxis(a, i, 0)[0])",
    "np.sum(np.expand_dims(x, i))", "np.sum(np.sum(a, axis=i))", "np.sum(np.tri(i))",
    "np.sum(np.vander(v, i))", "np.sum(np.linalg.matrix_power(a[:3, :3], i))",
    "float(np.lexsort((x, x))[i])", "float(np.searchsorted(x, v, sorter=k).sum())",
    "float(np.digitize(v, x[k]).sum())", "np.sum(np.interp(v, x[k], x[k]))",
    "float(np.histogram(x, i)[0][0])", "np.sum(np.cross(a[:, :3], a[k, :3]))",
    "np.einsum('ij,j->', a, x[k])", "np.sum(np.add.reduceat(x, k))",
    "np.sum(np.logspace(0, 1, i))", "np.sum(np.arange(0.0, 3.0, i))", "np.sum(np.cov(a[k]))",
    "np.sum(np.correlate(x, v[:i]))", "np.trapezoid(a, axis=i).sum()",
    "np.sum(np.gradient(x[:i]))", "np.sum(np.unwrap(x[:i]))", "np.sum(np.abs(np.fft.rfft(x, i)))",
    "np.percentile(x, i * 60)", "np.nanmax(x[:i])", "float(np.argmin(a[:, :i], axis=1).sum())",
    "np.sum(np.max(a[:, :i], axis=1))", "np.sum(np.flip(a, i)[0])", "np.sum(np.stack([x[k], v]))",
    "np.sum(np.concatenate([a[k], a[:, :i]]))", "np.sum(np.subtract.outer(v, x)[i])",
    "at2(a, k, v)", "(x[0], x[1])[i]", "[x[0], x[1], x[2]][k[1]]", "lstset(x, i)",
    "listdel(x, i)", "np.sum(x[1::2][k])", "np.sum(a.T[k])", "np.sum(a.reshape(4, 3)[k])",
    "np.sum(a.ravel()[k * 3])", "np.sum(x[None][i])", "np.sum(a[..., k])", "np.sum(a[k][:, k])",
    "np.sum(a[np.ix_(k, k)])",
)  # fmt: skip
PLACES = (
    "r = {}\nreturn r * x[0] + np.sum(x)",
    "s = 0.0\nfor t in range(x.shape[0]):\n    s = s + {} * x[t]\nreturn s",
    "s = 0.0\nfor t in range(x.shape[0]):\n    {}\n    s = s + x[t]\nreturn s",
)
# Index arrays, masks, and ints.
GIVEN = (
    ([1, 2], [1, 0, 1, 0, 1], 1), ([1, 1], [1, 1, 0, 0, 0], 2), ([0, 3], [1, 0, 1], 0),
    ([1, 7], [1, 0, 1, 0, 1, 1], 7), ([-1, 2], [0] * 5, -1), ([0, -9], [0] * 4, -9),
    ([2, 0], [1] * 5, 3),
)  # fmt: skip


def addat(x, k, v):
    b = x * 1.0
    np.add.at(b, k, v)
    return np.sum(b * b)


def addat2(a, k, v):
    b = a * 1.0
    np.add.at(b, (k, k), v)
    return np.sum(b * b)


def subat(x, k, v):
    b = np.zeros(5)
    np.subtract.at(b, k, v)
    return np.sum(b * b)


def put(x, k, v):
    b = x * 1.0
    np.put(b, k, v)
    return np.sum(b * b)


def putalong(a, k, v):
    b = a * 1.0
    np.put_along_axis(b, k[None], v[None], 1)
    return np.sum(b[0] * b[0])


def maskset(x, m):
    b = x * 1.0
    b[m] = 7.0
    return np.sum(b * b)


def maskset2(x, m, v):
    b = x * 1.0
    b[m] = v
    return np.sum(b * b)


def maskadd(x, m):
    b = x * 1.0
    b[m] += x[m]
    return np.sum(b * b)


def setrows(a, k, v):
    b = a * 1.0
    b[k] = v[:, None]
    return np.sum(b * b)


def setcol(a, i, x):
    b = a * 1.0
    b[:, i] = x[:3]
    return np.sum(b * b)


def augrow(a, k):
    b = a * 1.0
    b[k] += 1.0
    return np.sum(b * b)


def iadd(x, k, v):
    b = x * 1.0
    b[k] += v
    return np.sum(b * b)


def imul(x, k, v):
    b = x * 1.0
    b[k] *= v
    return np.sum(b * b)


def swap(x, k):
    b = x * 1.0
    b[k[0]], b[k[1]] = b[k[1]], b[k[0]]
    return np.sum(b * x)


def at2(a, k, v):
    b = np.zeros((3, 4))
    np.add.at(b, k, a[:2])
    return np.sum(b * b)


def lstset(x, i):
    s = [x[0], x[1], x[2]]
    s[i] = x[3]
    return s[0] * s[1] + s[2]


def listdel(x, i):
    s = [x[0], x[1], x[2]]
    del s[i]
    return s[0] * s[1]


SCOPE = {
    "addat": addat, "addat2": addat2, "subat": subat, "put": put, "putalong": putalong,
    "maskset": maskset, "maskset2": maskset2, "maskadd": maskadd, "setrows": setrows,
    "setcol": setcol, "augrow": augrow, "iadd": iadd, "imul": imul, "swap": swap, "at2": at2,
    "lstset": lstset, "listdel": listdel,
}  # fmt: skip
VECTOR, VALUES = np.arange(5.0) + 1.0, np.array([0.5, 2.5])
MATRIX = np.arange(12.0).reshape(3, 4) ** 1.5 + np.eye(3, 4)


def _array(values: object, dtype: type) -> np.ndarray:
    return np.array(values, dtype)


MAKERS = (
    lambda x: partial(_array, x, int), lambda x: partial(_array, x, bool), lambda x: lambda: x,
)  # fmt: skip


def cases() -> Iterator[Case]:
    """Each for all that is given; a program made for one is called with the next."""
    same = {"x": VECTOR, "a": MATRIX, "v": VALUES}
    fixed = {name: Kind(name, x.copy, partial(np.add, x, 0.25)) for name, x in same.items()}
    following = zip(GIVEN, (*GIVEN[1:], GIVEN[0]), strict=True)
    for (here, there), expression, place in product(following, EXPRESSIONS, PLACES):
        k, m, i = (
            Kind(f"{name} = {first}, then {second}", make(first), make(second))
            for name, make, first, second in zip("kmi", MAKERS, here, there, strict=True)
        )
        yield Case(place.format(expression), {**fixed, "k": k, "m": m, "i": i}, scope=SCOPE)
