"""NaN that a program makes is in a list by which object it is: told where that is known."""

import math

import numpy as np
import pytest
from conformance.outcome import difference
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError

NAN = float("nan")


def made():
    return float("nan")


def in_a_loop(y):
    v = w = float("nan")
    for _ in range(3):
        v = float("nan")
        w = v
    return v in [w]


def joined(y):
    a, b = float("nan"), float("nan")
    v = a if y[0] > 0 else b
    return v in [a], v in [b], v in [v]


def joined_in_tuples(y):
    b = float("nan") if y[0] > 0 else np.nan
    c = float("nan") if y[0] > 0 else np.nan
    return (b, 1.0) == (c, 1.0)


def joined_twice(y):
    a = float("nan") if y[0] > 0 else y[0] * 1
    b = float("nan") if y[0] > 0 else y[1] * 1
    return a in [b]


def given_back(y, x):
    return max(x, 1.0) in [x], float(x) in (x,), +x in (x,), min([x, 2.0]) in [x]


UNKNOWN = [
    lambda y: [float("nan")] == [float("nan")], lambda y: float("nan") in [float("nan")],
    lambda y: [float("nan")].count(float("nan")), lambda y: [float("nan")].index(float("nan")),
    lambda y: [math.nan] == [float("nan")], lambda y: [math.nan] == [np.nan],
    lambda y: {"a": float("nan")} == {"a": float("nan")}, lambda y: [-math.nan] == [-math.nan],
    lambda y: float("nan") in {float("nan")}, lambda y: [float("nan")] * 2 == [float("nan")] * 2,
    lambda y: [1e999 - 1e999] == [1e999 - 1e999], lambda y: float("nan") in (1.0, float("nan")),
    lambda y: (float("nan"),) == (float("nan"),), lambda y: {float("nan")} == {float("nan")},
    lambda y: float("nan") in {float("nan"): 1}, lambda y: (float("nan"), 1) < (float("nan"), 2),
    lambda y: [made()] == [made()], joined_in_tuples, in_a_loop, joined, joined_twice,
]  # fmt: skip
KNOWN = [
    lambda y: [math.nan] == [math.nan], lambda y: [np.nan] == [np.nan],
    lambda y: {"a": math.nan} == {"a": math.nan}, lambda y: [NAN] == [NAN],
    lambda y: (lambda v: [v, v] == [v] * 2)(float("nan")), lambda y: [float(NAN)] == [NAN],
    lambda y: [y[0], math.nan].index(math.nan), lambda y: [y[0] * math.nan] == [math.nan],
    lambda y: (math.nan, 2) < (math.nan, 3), lambda y: [np.float64("nan")] == [math.nan],
    lambda y: {math.nan} == {math.nan}, lambda y: (math.nan, 1) == (math.nan, 1),
    lambda y: math.nan in {math.nan: 1}, lambda y: (1.0, math.nan) == (math.nan, 1.0),
    lambda y: (lambda v: v in (v,))(np.float64("nan")),
]  # fmt: skip


def agree(f, backend, *args):
    found = difference(f(*args), srcad.compile(f, cache=False, backend=backend)(*args))
    assert found is None, found


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", UNKNOWN)
def test_two_nans_that_may_be_two_objects_are_refused(f, backend):
    with pytest.raises(SrcadError, match=r"E128|E132"):
        srcad.compile(f, cache=False, backend=backend)(np.array([1.0, 2.0]))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", KNOWN)
def test_nan_is_equal_to_itself_in_containers(f, backend):
    agree(f, backend, np.array([1.0, 2.0]))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("x", [math.nan, np.nan, NAN, 1.0])
def test_nan_of_the_caller(x, backend):
    y = np.array([1.0, 2.0])
    agree(given_back, backend, y, x)
    agree(lambda y, x: ([x] == [np.nan], [x] == [NAN], x in (1.0, x)), backend, y, x)
    with pytest.raises(SrcadError, match="E128"):  # all constants are written as `np.nan`
        srcad.compile(lambda x: [x] == [math.nan], cache=False, backend=backend)(x)
