"""`vars(x)` and `x.__dict__`: the dict and the object change together."""

import concurrent.futures
import dataclasses
import functools
import threading

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([0.3, 0.9, 1.4])


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b


class Options:
    def __init__(self, **options):
        self.__dict__.update(options)


@dataclasses.dataclass
class Point:
    a: float
    b: float


def seen_in_the_dict(x):
    pair = Pair(x[0], x[1])
    d = vars(pair)
    pair.a = 5.0 * x[2]
    pair.c = x[2]
    return d["a"] * d["c"] + len(d)


def seen_in_the_object(x):
    pair = Pair(x[0], x[1])
    d = pair.__dict__
    d["a"] = x[2] * 2
    d["z"] = 3.0
    return pair.a * pair.z * pair.b


def by_branches_and_loops(x):
    pair = Pair(x[0], x[1])
    d = vars(pair)
    if x[0] > 0:
        pair.a = x[2]
    for i in range(3):
        d["a"] = d["a"] * x[i]
        pair.b = pair.b + pair.a
    return d["a"] * pair.b + d["b"]


def from_options(x):
    options = Options(a=x[0], b=x[1])
    return options.a * options.b + sum(vars(Point(x[1], x[2])).values())


def passed_on(x):
    def f(a, b):
        return a * b

    pair = Pair(x[0], x[1])
    d = dict(vars(pair))
    pair.a = 5.0
    return f(**vars(pair)) + d["a"] + (1.0 if vars(pair) is pair.__dict__ else 2.0)


@pytest.mark.parametrize(
    "fn",
    [seen_in_the_dict, seen_in_the_object, by_branches_and_loops, from_options, passed_on],
)
def test_as_python(fn):
    value, x_bar = srcad.value_and_grad(fn)(X)
    assert value == fn(X)
    differences = [(fn(X + h) - fn(X - h)) / 2e-6 for h in np.eye(3) * 1e-6]
    np.testing.assert_allclose(x_bar, differences, rtol=1e-6, atol=1e-8)


def of_an_argument(x, pair):
    return np.sum(x) * sum(np.sum(v) for v in vars(pair).values()) * len(pair.__dict__)


def test_an_object_of_the_caller():
    f = srcad.value_and_grad(of_an_argument)
    pair = Pair(1.5, X)
    for _ in range(2):
        assert f(X, pair)[0] == of_an_argument(X, pair)
        pair.c = 2.0  # another attribute is another program


settings = threading.local()
settings.scale = 2.0


def of_this_thread(x):
    return np.sum(x**2) * settings.__dict__.get("scale", 1.0) * settings.__dict__.get("shift", 3.0)


def test_attributes_of_this_thread():
    f = srcad.value_and_grad(of_this_thread)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            assert f(X)[0] == of_this_thread(X)
            assert pool.submit(f, X).result()[0] == 3.0 * np.sum(X**2)
    np.testing.assert_allclose(f(X)[1], 12.0 * X)


def set_after(x, pair):
    d = vars(pair)
    pair.a = 3.0
    return np.sum(x) * d["a"]


def set_before(x, pair):
    pair.a = 3.0
    return np.sum(x) * vars(pair)["a"]


def set_by_the_dict(x, pair):
    vars(pair)["a"] = 2.0
    return np.sum(x) * pair.a


@pytest.mark.parametrize(
    ("fn", "code"), [(set_after, "E118"), (set_before, "E121"), (set_by_the_dict, "E118")]
)
def test_what_the_caller_would_see_is_refused(fn, code):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(X, Pair(1.5, X))
    assert caught.value.code == code


class Scaled:
    def __init__(self, **options):
        self.__dict__.update(options)

    @property
    def total(self):
        return self.a + self.b


def beside_a_property(x):
    made = Scaled(a=x[0], b=x[1])
    vars(made)["c"] = x[2]
    made.__dict__.setdefault("d", 2.0)
    d = vars(made)
    d |= {"b": x[0] * x[2]}
    return made.total * made.c * made.d


def test_a_class_with_a_property():
    value, x_bar = srcad.value_and_grad(beside_a_property)(X)
    assert value == beside_a_property(X)
    differences = [
        (beside_a_property(X + h) - beside_a_property(X - h)) / 2e-6 for h in np.eye(3) * 1e-6
    ]
    np.testing.assert_allclose(x_bar, differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(total=1.0), lambda d: d.setdefault("total", 1.0),
        lambda d: d.__setitem__("total", 1.0), lambda d: d.update({"total": 1.0}),
    ],
)  # fmt: skip
def test_an_item_that_a_property_hides_is_refused(change):
    def f(x):
        made = Scaled(a=x[0], b=x[1])
        change(vars(made))
        return made.total

    with pytest.raises(SrcadError):
        srcad.grad(f)(X)


class Lazy:
    @functools.cached_property
    def a(self):
        return 1.0


def test_what_is_computed_once_is_refused():
    with pytest.raises(SrcadError) as caught:
        srcad.grad(lambda x: np.sum(x) * len(vars(Lazy())))(X)
    assert caught.value.code == "E121"


def test_names_of_the_function_are_refused():
    with pytest.raises(SrcadError) as caught:
        srcad.grad(lambda x: np.sum(x) * len(vars()))(X)
    assert caught.value.code == "E204"
