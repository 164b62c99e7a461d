"""Objects, dicts, functions and the like of a list or tuple, at an index that data gives."""

import numpy as np
import pytest
from like_python import check_like_python
from optional import BACKENDS

import srcad

X = np.array([0.7, 0.2, 0.9, 0.4, 0.5])


class Bid:
    def __init__(self, price, kinds):
        self.price, self.kinds = price, kinds


def _bids(x):
    return [Bid(v, [v**2, np.sin(v)]) for v in x]


def _best(x):
    bid = _bids(x)[int(np.argmax(x))]
    return bid.price * bid.kinds[1]


def _in_order(x):
    bids, total = _bids(x), 0.0
    for i in np.argsort(x):
        total += bids[i].price * np.sin(total) + bids[i].kinds[0]
    return total


def _walk(x):
    bids, total = _bids(x), 0.0
    for k in range(10):
        i = int(10 * abs(np.sin(total + k))) % 5
        total += bids[-i].price * bids[i].kinds[1]
    return total


def _of_dicts(x):
    return ({"m": x[0]}, {"m": x[1]}, {"m": x[2] ** 2})[int(np.argmin(x[:3]))]["m"]


def _named(x):
    name, v = [("low", x[0]), ("high", x[1]), ("mid", x[2] * 3)][int(np.argmin(x[:3]))]
    return v * (2.0 if name == "high" else 5.0)


def _of_functions(x):
    return [np.sin, np.cos, np.exp, np.tanh, np.sqrt][int(np.argmax(x))](x[1])


def _followed(x):
    before, total, at = [None, 0, 1, 1, 2], 0.0, int(np.argmax(x))
    while at is not None:
        total += x[at] * (total + 1.0)
        at = before[at]
    return total


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "f", [_best, _in_order, _walk, _of_dicts, _named, _of_functions, _followed]
)
def test_is_the_item(f, backend):
    compiled = srcad.value_and_grad(f, backend=backend)
    for x in (X, X[::-1].copy(), np.array([1.0, 5.0, 0.3, 0.2, 2.0])):
        check_like_python(f, compiled, x)


def test_an_index_out_of_range():
    def beyond(x):
        return _bids(x)[int(x[0] * 10)].price

    with pytest.raises(IndexError, match="list index out of range"):
        srcad.grad(beyond)(X)


def _written(x):
    bids = _bids(x)
    bids[int(np.argmax(x))].price = 3.0
    return sum(bid.price for bid in bids)


def _written_beside(x):
    bids = _bids(x)
    best = bids[int(np.argmax(x))]
    bids[0].price = 3.0
    return best.price


@pytest.mark.parametrize("f", [_written, _written_beside])
def test_one_that_may_be_each_is_not_written(f):
    with pytest.raises(srcad.SrcadError, match="E118"):
        srcad.grad(f)(X)
