"""Classes whose metaclass says how objects are made: its `__call__` is read as Python runs it."""

import numpy as np
import pytest

import srcad

X = np.array([0.3, 0.2, 1.0])


class Marked(type):
    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        made.extra = 2.0
        return made


class Weighted(metaclass=Marked):
    def __init__(self, x, k=1.0):
        self.x = x
        self.k = k


class Twice(Weighted):
    def __init__(self, x):
        super().__init__(x, 2.0)


class Scaling(type):
    def __call__(cls, a):
        return type.__call__(cls, a * cls.scale)


class Scaled(metaclass=Scaling):
    scale = 3.0

    def __init__(self, a):
        self.a = a


class Replacing(type):
    def __call__(cls, a):
        return a * 3


class Replaced(metaclass=Replacing):
    pass


def marked(x):
    made = Weighted(x, k=3.0)
    return np.sum(made.x**2) * made.extra * made.k


def inherited(x):
    made = Twice(x)
    return np.sum(made.x**2) * made.extra * made.k


def scaled(x):
    return np.sum(Scaled(x).a ** 2)


def replaced(x):
    return np.sum(Replaced(x) ** 2)


@pytest.mark.parametrize("f", [marked, inherited, scaled, replaced])
def test_objects_that_a_metaclass_makes(f):
    value, slope = srcad.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X))
    np.testing.assert_allclose(slope @ X, 2 * f(X))


def test_a_metaclass_that_changes_is_read_anew(monkeypatch):
    gradient = srcad.grad(scaled)
    np.testing.assert_allclose(gradient(X), 18 * X)
    monkeypatch.setattr(Scaling, "__call__", lambda cls, a: type.__call__(cls, a))
    np.testing.assert_allclose(gradient(X), 2 * X)
