"""Attributes that `__getattr__` or `__dict__` gives, of modules in disguise and of records."""

import dataclasses
import functools
import importlib
import math
import types

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


class Lazy:
    """A module in disguise, as packages put in place of themselves."""

    def __init__(self, module, changes):
        self._module = module
        self._changes = changes

    def __getattr__(self, name):
        if name in self._changes:
            name = self._changes[name]
        return getattr(self._module, name)


class ByName:
    def __getattr__(self, name):
        return getattr(importlib.import_module("numpy"), name)


lazy = Lazy(np, {"power_of": "power"})
xp = ByName()


@dataclasses.dataclass
class Inputs:
    x: object
    rate: float = 0.5
    unit: str = dataclasses.field(default="SI", metadata={"allowed": ("SI", "IP")})

    def __post_init__(self):
        self.x = self.x * self.rate


@dataclasses.dataclass
class Narrow(Inputs):
    def __init__(self, x, rate=2.0):
        super().__init__(x, rate=rate)
        self.shift = 1.0


SETTINGS = types.MappingProxyType({"rate": 0.5, "kind": "plain"})


class Parameters:
    def __init__(self, w, b):
        self.w = w
        self.b = b


def module_in_disguise(x):
    return np.sum(lazy.exp(x) * lazy.power_of(x, 2.0))


def module_by_name(x):
    return xp.sum(xp.sin(x))


def dataclass_behind(x):
    made = Narrow(x)
    return np.sum(made.x) * made.shift * made.rate


def fields_and_metadata(x):
    known = {f.name: f.metadata.get("allowed") for f in dataclasses.fields(Inputs(x))}
    return np.sum(x) * len(known["unit"])


def read_only_mapping(x):
    rest = [k for k in SETTINGS if k != "rate"]
    return np.sum(x) * SETTINGS["rate"] * SETTINGS.get("scale", 3.0) * len(rest)


def attributes_of_a_record(x):
    made = Parameters(x, 0.5)
    return sum(np.sum(v) for v in made.__dict__.values()) * len(made.__dict__)


def renamed(fn):
    @functools.wraps(fn)
    def wrapper(*args):
        return fn(*args) * 2.0

    return wrapper


sine = renamed(np.sin)
root = renamed(math.sqrt)


def decorated_function_of_a_library(x):
    return np.sum(sine(x)) + root(x[0])


@pytest.mark.parametrize(
    "fn",
    [
        *(module_in_disguise, module_by_name, dataclass_behind, fields_and_metadata),
        *(read_only_mapping, attributes_of_a_record, decorated_function_of_a_library),
    ],
    ids=lambda fn: fn.__name__,
)
def test_values_and_gradients_are_python_s(fn):
    x = np.array([0.3, 0.9, 1.4])
    value, _ = srcad.value_and_grad(fn)(x)
    np.testing.assert_allclose(value, fn(x), rtol=1e-14)
    srcad.testing.check_grads(fn, (x,))


def test_attributes_of_an_argument_have_a_gradient():
    def f(p):
        return np.sum(p.__dict__["w"] ** 2) * p.b

    p = Parameters(np.array([0.5, 1.5]), 0.2)
    gradient = srcad.grad(f)(p)
    np.testing.assert_allclose(gradient.w, 2 * p.w * p.b)
    assert gradient.b == pytest.approx(2.5)


def test_an_attribute_that_comes_to_be_is_seen():
    class Late:
        def __getattr__(self, name):
            return 2.0

    late = Late()
    gradient = srcad.grad(lambda x: x * late.rate)
    assert gradient(1.0) == 2.0
    late.rate = 3.0
    assert gradient(1.0) == 3.0
    del late.rate
    Late.rate = 4.0
    assert gradient(1.0) == 4.0


def test_attributes_that_come_to_be_are_seen_in_the_dict():
    class Bag:
        pass

    bag = Bag()
    bag.a = 1.0
    gradient = srcad.grad(lambda x: x * sum(bag.__dict__.values()))
    assert gradient(1.0) == 1.0
    bag.b = 2.0
    assert gradient(1.0) == 3.0


def test_the_dict_of_an_object_changes_with_it():
    def f(x):
        made = Parameters(x, 0.5)
        known = made.__dict__
        made.b = 2.0
        known["c"] = x * 3.0
        return np.sum(x) * known["b"] * np.sum(made.c)

    x = np.array([1.0, 2.0])
    value, gradient = srcad.value_and_grad(f)(x)
    assert value == f(x)
    np.testing.assert_allclose(gradient, 12.0 * np.sum(x))


class Hidden:
    def __init__(self, w):
        self.__dict__["w"] = w

    @property
    def w(self):
        return 3.0


def test_a_property_hides_what_the_dict_holds():
    hidden = Hidden(2.0)
    for f in (
        lambda x: x * hidden.__dict__["w"],
        lambda x: x * vars(hidden)["w"],
        lambda x: x * Hidden(x).w,
    ):
        with pytest.raises(SrcadError, match=r"E121|E118"):
            srcad.grad(f)(1.0)


def test_whether_an_attribute_is_there_is_not_asked_of_a_changed_object():
    class Switch:
        on = False

        def __getattr__(self, name):
            if self.on:
                return 2.0
            raise AttributeError(name)

    def f(x, switch):
        switch.on = True
        return x * getattr(switch, "rate", 1.0)

    with pytest.raises(SrcadError, match=r"E123"):
        srcad.grad(f)(1.0, Switch())


def test_an_object_without_a_dict_has_none():
    class Slots:
        __slots__ = ("w",)

    slots = Slots()
    slots.w = 2.0
    with pytest.raises(SrcadError, match=r"E121"):
        srcad.grad(lambda x: x * slots.__dict__["w"])(1.0)
