"""What every object of a class raises: its handler follows in a `try`, else it is refused."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


class Plain:
    rate = 2.0


class Record:
    def __init__(self, x):
        self.x = x


def stores_an_attribute(x, o):
    try:
        x.name = "a"
    except AttributeError as problem:
        return np.sum(x) * len(str(problem))
    return np.sum(x)


def stores_an_attribute_of_a_number(x, o):
    s = np.sum(x)
    try:
        s.name = "a"
    except AttributeError as problem:
        return s * len(str(problem))
    return s


def reads_an_attribute(x, o):
    try:
        return x.scale * np.sum(x)
    except AttributeError as problem:
        return np.sum(x) * len(str(problem))


def reads_an_attribute_of_an_object(x, o):
    try:
        k = o.scale
    except AttributeError as problem:
        k = len(str(problem))
    return np.sum(x) * k


def reads_an_attribute_of_a_record(x, o):
    made = Record(x)
    try:
        k = made.scale
    except AttributeError as problem:
        k = len(str(problem))
    return np.sum(made.x) * k


def reads_an_attribute_of_a_module(x, o):
    try:
        k = np.no_such_function(x)
    except AttributeError as problem:
        k = len(str(problem))
    return np.sum(x) * k


def gets_an_attribute(x, o):
    try:
        k = getattr(o, "scale")
    except AttributeError:
        k = 3.0
    return np.sum(x) * k


def stores_an_item_of_a_number(x, o):
    s = x[0]
    try:
        s[0] = 0.0
    except TypeError as problem:
        s = s * len(str(problem))
    return s


def reads_an_item_of_a_number(x, o):
    s = x[0]
    try:
        s = s[0]
    except IndexError as problem:
        s = s * len(str(problem))
    return s


def reads_an_item_of_a_python_number(x, o):
    s = float(x[0])
    try:
        s = s[0]
    except TypeError as problem:
        s = s * len(str(problem))
    return s


def makes_a_number(x, o):
    try:
        r = float(x)
    except TypeError:
        r = np.sum(x * x)
    return r


def takes_a_function_of_numbers(x, o):
    try:
        r = math.sin(x)
    except TypeError:
        r = np.sum(np.sin(x))
    return r


def makes_a_number_of_none(x, o):
    try:
        r = float(None)
    except (TypeError, ValueError) as problem:
        r = len(str(problem))
    return np.sum(x) * r


def asks_for_a_length(x, o):
    try:
        n = len(x[0])
    except TypeError as problem:
        n = len(str(problem))
    return np.sum(x) * n


def iterates_over_a_number(x, o):
    try:
        total = sum(v for v in x[0])
    except TypeError:
        total = x[0] * 3.0
    return total


def unpacks_nothing(x, o):
    try:
        for v in float(x[0]):
            x = x * v
    except TypeError as problem:
        x = x * len(str(problem))
    return np.sum(x)


FUNCTIONS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
FUNCTIONS = [f for f in FUNCTIONS if not isinstance(f, type)]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_the_handler_follows(fn):
    x = np.array([0.3, 0.9, 1.4])
    value, x_bar = srcad.value_and_grad(fn)(x, Plain())
    expected = fn(x, Plain())
    assert value == expected
    assert type(value) is type(expected)
    steps = np.eye(3) * 1e-6
    differences = [(fn(x + h, Plain()) - fn(x - h, Plain())) / 2e-6 for h in steps]
    np.testing.assert_allclose(x_bar, differences, rtol=1e-6)


def test_an_attribute_that_comes_later_is_seen():
    o = Plain()
    x = np.array([0.3, 0.9])
    gradient = srcad.grad(reads_an_attribute_of_an_object)
    gradient(x, o)
    o.scale = 5.0
    assert gradient(x, o).tolist() == [5.0, 5.0]


def test_another_handler_does_not_catch_it():
    def f(x):
        try:
            r = float(x)
        except ValueError:
            r = np.sum(x)
        return r

    with pytest.raises(TypeError):
        srcad.grad(f)(np.array([0.3, 0.9]))


@pytest.mark.parametrize("fn", [lambda x: float(x), lambda x: x.scale, lambda x: len(x[0])])
def test_outside_of_a_try_it_is_refused(fn):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(np.array([0.3, 0.9]))
    assert caught.value.location is not None


def test_an_array_of_one_number_is_a_number():
    def f(x):
        try:
            r = float(x.reshape(()))
        except TypeError:
            r = np.sum(x * x)
        return r

    assert srcad.grad(f)(np.array([3.0])).tolist() == [1.0]


def test_an_object_that_may_have_the_attribute_is_asked_at_each_call():
    def f(x, o):
        try:
            k = o.scale
        except AttributeError:
            k = 2.0
        return x * k

    gradient = srcad.grad(f)
    assert gradient(1.0, SimpleNamespace()) == 2.0
    assert gradient(1.0, SimpleNamespace(scale=7.0)) == 7.0


def test_what_srcad_does_not_read_of_a_method_is_refused_in_a_try_too():
    items = []

    def f(x):
        add = items.append
        try:
            name = add.__name__
        except AttributeError:
            name = ""
        return x * len(name)

    with pytest.raises(SrcadError, match="E123"):
        srcad.grad(f)(1.0)
