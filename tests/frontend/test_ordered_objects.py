"""Objects with an order of their own: `max`, `min`, `total_ordering`, `dataclass(order=True)`."""

import dataclasses
import functools

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax


class ByCost:
    def __init__(self, cost, place):
        self.cost, self.place = cost, place

    def __lt__(self, other):
        return self.cost < other.cost


@functools.total_ordering
class Total:
    def __init__(self, size):
        self.size = size

    def __eq__(self, other):
        return self.size == other.size

    def __lt__(self, other):
        return self.size < other.size


@dataclasses.dataclass(order=True)
class Pair:
    size: float
    number: int
    name: str = dataclasses.field(default="", compare=False)


def extremes(x):
    nodes = [ByCost(x[k] ** 2, k) for k in range(3)]
    return max(nodes).cost * 3.0 + min(nodes).cost * min(nodes[0], nodes[2]).place


def by_all_six(x):
    a, b = Total(x[0]), Total(x[1])
    found = [a < b, a <= b, a > b, a >= b, a == b, a != b]
    return sum((k + 1.0) * x[2] * is_so for k, is_so in enumerate(found)) + max(a, b).size


def of_dataclasses(x):
    a, b, c = Pair(x[0], 1), Pair(x[0], 2, "b"), Pair(x[2], 0)
    first = a.size * 2.0 if a < b else b.size
    return first + max(a, b, c).size * max(a, b, c).number + (c.size if c >= b else b.size)


@pytest.mark.parametrize("f", [extremes, by_all_six, of_dataclasses])
@pytest.mark.parametrize("x", [[0.3, 0.7, 0.5], [0.8, 0.2, -0.9], [0.4, -0.6, 0.1]])
def test_as_python_orders_them(f, x):
    x = np.array(x)
    value, gradient = srcad.value_and_grad(f)(x)
    assert value == f(x)
    slopes = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6)


def test_equal_objects_stay_in_their_order():
    def first(x):
        return max([ByCost(x[0], 1), ByCost(x[0], 2)]).place * x[1]

    x = np.array([0.5, 2.0])
    assert srcad.compile(first)(x) == first(x)


def test_two_classes_of_dataclasses_have_no_order():
    @dataclasses.dataclass(order=True)
    class Other:
        size: float

    with pytest.raises(TypeError):
        Pair(1.0, 2) < Other(1.0)
    with pytest.raises(srcad.SrcadError, match="E132"):
        srcad.compile(lambda x: Pair(x, 2) < Other(x))(1.0)


def test_many_objects_are_sorted_by_a_key():
    with pytest.raises(UnsupportedSyntax, match=r"E120.*(?s:.*)key="):
        srcad.compile(lambda x: sorted([ByCost(x[0] * k, 1) for k in range(17)])[0].cost)(
            np.ones(2)
        )
