"""Operators of the user's objects beside what is None or a number by data."""

import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.array([0.4, 1.1, 2.0])


class Vec:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def dot(self, other):
        return self.x * other.x + self.y * other.y


class Disc:
    def __init__(self, centre, radius):
        self.centre, self.radius = centre, radius

    def hit(self, d):
        b = self.centre.dot(d)
        inside = b * b - self.centre.dot(self.centre) + self.radius**2
        return None if inside < 0 else b - math.sqrt(inside)


class Strict:
    """It tells kinds apart itself."""

    def __init__(self, x):
        self.x = x

    def __mul__(self, k):
        if k is None:
            return NotImplemented
        return self.x * k


def nearest(x):
    scene = [Disc(Vec(3.0, x[0]), x[1]), Disc(Vec(5.0, 0.2), x[2])]
    d = Vec(1.0, 0.1)
    best, found = None, None
    for disc in scene:
        t = disc.hit(d)
        if t is not None and (best is None or t < best):
            best, found = t, disc
    if found is None:
        return 0.2
    return (d * best + found.centre).dot(found.centre)


def alone(x):
    best = None
    if x[0] < 1.0:
        best = x[1]
    return (Vec(3.0, x[2]) * best).dot(Vec(1.0, 2.0))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [nearest, alone])
@pytest.mark.parametrize("x", [X, np.array([0.9, 0.2, 1.5]), np.array([0.8, 0.1, 0.1])])
def test_is_given_to_the_method_as_it_is(f, x, backend):
    value, gradient = srcad.value_and_grad(f, backend=backend)(x)
    wanted = f(x)
    assert type(value) is type(wanted)
    assert value == pytest.approx(wanted, rel=1e-14)
    steps = 1e-6 * np.eye(3)
    assert gradient == pytest.approx([(f(x + e) - f(x - e)) / 2e-6 for e in steps], rel=1e-6)


def test_the_wrong_kind_raises_in_the_method():
    x = X + 1.0
    with pytest.raises(TypeError) as wanted:
        alone(x)
    with pytest.raises(TypeError) as found:
        srcad.grad(alone)(x)
    assert str(found.value) == str(wanted.value)


def test_an_operator_that_is_not_implemented_by_data():
    def f(x):
        best = x[1] if x[0] < 1.0 else None
        return Strict(x[2]) * best

    with pytest.raises(srcad.SrcadError, match="another type") as caught:
        srcad.grad(f)(X)
    assert caught.value.code == "E129"
