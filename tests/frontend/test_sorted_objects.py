"""`sorted` and `list.sort` of objects by their own `<`."""

from dataclasses import dataclass
from functools import total_ordering

import numpy as np
import pytest
from like_python import check_like_python
from optional import BACKENDS

import srcad

X = np.array([3.0, 1.0, 2.0])


class Route:
    def __init__(self, cost, value):
        self.cost, self.value = cost, value

    def __lt__(self, other):
        return self.cost < other.cost


@dataclass(order=True)
class Pair:
    first: float
    second: float


@total_ordering
class Ranked:
    def __init__(self, x, name):
        self.x, self.name = x, name

    def __eq__(self, other):
        return self.x == other.x

    def __lt__(self, other):
        return self.x < other.x


class Counted(Route):
    asked = 0

    def __lt__(self, other):
        self.cost = self.cost + 1.0
        return self.cost < other.cost


def _routes(x):
    first, second, third = sorted(Route(c, c**2 + k) for k, c in enumerate(x))
    return first.value + 2 * second.value + 3 * third.value


def _in_place(x):
    routes = [Route(x[k % 3], (k + 1) * x[0]) for k in range(5)]
    routes.sort(reverse=True)
    return sum((k + 1) * r.value for k, r in enumerate(routes))


def _pairs(x):
    low, *_, high = sorted([Pair(x[0], x[1]), Pair(x[0], x[2]), Pair(x[1], x[2])])
    return high.second**2 + low.first


def _ranked(x):
    found = sorted([Ranked(x[0], 1.0), Ranked(x[1], 2.0), Ranked(x[2], 3.0)])
    return sum(r.x * r.name * (k + 1) for k, r in enumerate(found))


def _by_key(x):
    found = sorted([x[0], x[1], x[2]], key=lambda v: Route(v, 0.0))
    return found[0] * 2 + found[1] * 3


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [_routes, _in_place, _pairs, _ranked, _by_key])
def test_is_in_pythons_order(f, backend):
    compiled = srcad.value_and_grad(f, backend=backend)
    for x in (X, X[::-1].copy(), np.array([1.0, 5.0, 0.3])):
        check_like_python(f, compiled, x)


@pytest.mark.parametrize("f", [_routes, _in_place])
def test_equal_ones_stay_in_their_order(f):
    x = np.array([2.0, 1.0, 2.0])
    assert srcad.value_and_grad(f)(x)[0] == f(x)


def test_what_is_not_followed_is_told():
    with pytest.raises(NotImplementedError, match="gives no order"):
        srcad.grad(_routes)(np.array([1.0, np.nan, 0.5]))

    def counted(x):
        return sorted(Counted(c, c) for c in x)[0].value

    with pytest.raises(srcad.SrcadError, match="more than compare"):
        srcad.grad(counted)(X)
