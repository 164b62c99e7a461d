"""Iteration by `__getitem__`, and classes of arrays with ways of their own to be gone through."""

import numpy as np
import pytest
from like_python import check_like_python
from optional import BACKENDS

import srcad

X = np.array([3.0, 1.0, 2.0])


class Rows:
    """It has a length and items, as a data set has."""

    def __init__(self, data):
        self.data = data

    def __len__(self):
        return len(self.data)

    def __getitem__(self, k):
        return self.data[k] * 2


class DataSet(Rows):
    """Its items are by place, by slice and by pair."""

    def __getitem__(self, k):
        if isinstance(k, slice):
            return DataSet(self.data[k])
        if type(k) is tuple:
            return self.data[k[0]] * self.data[k[1]]
        return super().__getitem__(k)


class Ending:
    def __init__(self, data):
        self.data = data

    def __getitem__(self, k):
        if k >= 2:
            raise IndexError(k)
        return self.data[k] * (k + 1)


class Doubled(np.ndarray):
    def __getitem__(self, k):
        found = super().__getitem__(k)
        return 2.0 * float(found) if isinstance(k, int) else np.asarray(found)


class Weighted(np.ndarray):
    def __iter__(self):
        for k in range(len(self)):
            yield self[k] * k


class First(np.ndarray):
    def __array_finalize__(self, source):
        self.made_of = type(source).__name__


class Other(np.ndarray):
    pass


class Below(First):
    __array_priority__ = 5.0


class Head(np.ndarray):
    """The first two entries of what it is made of."""

    def __new__(cls, buffer):
        return super().__new__(cls, (2,), float, buffer)


def _rows(x):
    rows = Rows(np.outer(x, x))
    total = sum(np.sum(row) for row in rows)
    for k, row in enumerate(rows):
        total = total + row[k] * len(rows)
    return total


def _batches(x):
    data, total = DataSet(x), 0.0
    for start in range(0, len(data), 2):
        batch = data[start : start + 2]
        total = total + len(batch) * batch.data.sum() ** 2
    return total + data[0, 1] + data[-1] + sum(data[1:])


def _items(x):
    first, second = Ending([x[0], x[1], x[2]])
    return first * second + sum(list(Ending([x[1], x[0]]))) + max(Rows([x[0], x[2]]))


def _pairs(x):
    return sum(a * b for a, b in zip(Rows([x[0], x[1], x[2]]), Ending([x[1], x[2]])))


def _doubled(x):
    total = 0.0
    for k, v in enumerate(x.view(Doubled)):
        total += v * k
    return total


def _weighted(x):
    return sum(v**2 for v in x.view(Weighted))


def _two_classes(x):
    a, b, c = x.view(First), x.view(Other), x.view(Below)
    made = (a + b, b * a, a * c, c - a, np.maximum(b, a), c * b, b * c)
    weights = {"First": 1.0, "Other": 2.0, "Below": 3.0}
    return sum(float(np.sum(np.asarray(m))) * weights[type(m).__name__] for m in made)


def _what_it_was_made_of(x):
    a, c = x.view(First), x.view(Below)
    return x[0] * ((a * c).made_of == "Below") + x[1] * ((c + a).made_of == "Below")


def _head(x):
    return float((Head(x * 1.0) ** 2).sum())


_USED = (
    _rows, _batches, _items, _pairs, _doubled, _weighted, _two_classes, _what_it_was_made_of, _head,
)  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", _USED)
def test_is_as_in_python(f, backend):
    check_like_python(f, srcad.value_and_grad(f, backend=backend), X)


def test_numpy_may_not_ask_for_their_own_iteration():
    with pytest.raises(srcad.SrcadError, match="E120"):
        srcad.grad(lambda x: np.fromiter(x.view(Weighted), float).sum())(X)
