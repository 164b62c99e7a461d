"""Derivatives of arrays that only some paths bind: where a loop is left early, or a helper."""

import importlib.util
import math

import numpy as np
import pytest

import srcad

HAS_NUMBA = importlib.util.find_spec("numba") is not None


def assigned_before_break(x):
    for v in x:
        if v > 1:
            y = x * v
            break
    else:
        return np.sum(x)
    return np.sum(y)


def scaled(x):
    for v in x:
        if v > 1:
            return x * v
    return x - 1


def returned_by_a_helper(x):
    return np.sum(scaled(x) ** 2)


def with_its_factor(x):
    for v in x:
        if v > 1:
            return {"y": x * v, "by": v}
    return {"y": x, "by": 0.5}


def returned_in_a_dict(x):
    found = with_its_factor(x)
    return np.sum(found["y"]) * found["by"]


def scaled_or_none(x):
    for v in x:
        if v > 1:
            return x * v
    return None


def returned_or_none(x):
    y = scaled_or_none(x)
    return np.sum(x) if y is None else np.sum(y)


def next_of_slices(x):
    y = next((x[i:] * x[i] for i in range(len(x)) if x[i] > 1), None)
    return np.sum(x) if y is None else np.sum(y)


def slice_by_a_while(x):
    i = 0
    while i < len(x):
        if x[i] > 1:
            y = x[i:] * x[i]
            break
        i += 1
    else:
        return np.sum(x)
    return np.sum(y * y)


def slice_by_a_flag(x):
    found = False
    for i in range(len(x)):
        if x[i] > 1:
            y = x[i:] * x[i]
            found = True
    return np.sum(y * y) if found else np.sum(x)


def slice_of_an_inner_loop(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            if x[j] > x[i] + 0.3:
                y = x[j:] * x[i]
                break
        else:
            continue
        s = s + np.sum(y * y)
    return s


def slice_of_an_earlier_iteration(x):
    s = 0.0
    for i in range(len(x)):
        if i and x[i] > x[i - 1]:
            s = s + np.sum(y * x[i])  # noqa: F821
        if x[i] > 1:
            y = x[i:]
        elif i == 0:
            y = x[1:] * x[0]  # noqa: F841
    return s


def newton(x):
    z = x
    for _ in range(10):
        f = z * z - 2
        if np.max(np.abs(f)) < 1e-3:
            return z * f
        z = z - f / (2 * z)
    return z - x


def newton_returning_inside(x):
    return np.sum(newton(x) ** 2)


def halved(x, n):
    for i in range(len(x)):
        if x[i] > 1:
            y = x[i:] * x[i]
            break
    else:
        return np.sum(x) if n == 0 else halved(x * 0.9, n - 1) * 2
    return np.sum(y * y)


def recursive(x):
    return halved(x, 2)


def number(x):
    for v in x:
        if v > 1:
            y = math.sin(v)
            break
    else:
        return np.sum(x)
    return y * y


def last_of_no_iterations(x):
    for v in x[2:]:
        y = x[1:] * v
    return np.sum(y * y) if len(x) > 2 and x[0] < 1 else np.sum(x)


PROGRAMS = [
    assigned_before_break,
    returned_by_a_helper,
    returned_in_a_dict,
    returned_or_none,
    next_of_slices,
    slice_by_a_while,
    slice_by_a_flag,
    slice_of_an_inner_loop,
    slice_of_an_earlier_iteration,
    newton_returning_inside,
    recursive,
    number,
    last_of_no_iterations,
]
ARRAYS = [np.array([0.9, 0.7]), np.array([0.5, 2.0, 3.0]), np.array([2.0, 0.5]), np.array([1.5])]


def differences(f, x, h):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f):
    for x in ARRAYS:
        want = differences(f, x, 1e-6)
        np.testing.assert_allclose(srcad.grad(f, backend="numpy")(x), want, atol=1e-7)
        np.testing.assert_allclose(srcad.jacrev(f, backend="numpy")(x), want, atol=1e-7)
        inside = srcad.compile(lambda x: srcad.grad(f)(x), backend="numpy")
        np.testing.assert_allclose(inside(x), want, atol=1e-7)
        again = srcad.grad(lambda x: srcad.checkpoint(f)(x), backend="numpy")
        np.testing.assert_allclose(again(x), want, atol=1e-7)


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f):
    for x in ARRAYS:
        want = differences(lambda x: differences(f, x, 1e-4), x, 1e-4)
        for made in (srcad.hessian(f), srcad.jacrev(srcad.grad(f))):
            np.testing.assert_allclose(made(x), want, rtol=1e-5, atol=1e-5)


@pytest.mark.skipif(not HAS_NUMBA, reason="Numba is not installed")
@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    for x in ARRAYS[:2]:
        want = differences(f, x, 1e-6)
        np.testing.assert_allclose(srcad.grad(f, backend="native")(x), want, atol=1e-7)


def copied_where_it_is_bound(x, c):
    if c > 1:
        y = x * 2.0
        kept = y
    for v in x:
        if c > 1:
            y = y + v
    return np.sum(kept * y) if c > 1 else np.sum(x)


@pytest.mark.parametrize("c", [2.0, 0.5])
def test_a_loop_that_starts_from_nothing_copies_nothing(c):
    compiled = srcad.compile(copied_where_it_is_bound, backend="numpy")
    assert compiled(np.ones(2), c) == copied_where_it_is_bound(np.ones(2), c)
