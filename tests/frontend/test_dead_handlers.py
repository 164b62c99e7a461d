"""Handlers whose exception has no name any more: Python looks for it when one is raised."""

import builtins
import math

import numpy as np
import pytest

import srcad

MATRICES = (np.eye(2), np.zeros((2, 2)))


def of_a_dropped_module(x):
    try:
        y = np.linalg.inv(x)
    except np.linalg.linalg.LinAlgError:
        y = x
    return np.sum(y)


def one_of_several(x):
    try:
        y = 1.0 / x
    except (ValueError, NoSuchError):  # noqa: F821
        y = x
    return y


def behind_one_that_fits(x):
    try:
        y = math.log(x)
    except ValueError:
        y = 2 * x
    except UnknownError:  # noqa: F821
        y = x
    return y


def before_one_that_fits(x):
    try:
        y = [x][3]
    except nothing.Here:  # noqa: F821
        y = x
    except Exception:
        y = 2 * x
    return y


def in_another_attempt(x):
    try:
        try:
            y = math.log(x)
        except np.linalg.linalg.LinAlgError:
            y = x
    except AttributeError:
        y = 5 * x
    return y


def that_is_not_needed(x):
    try:
        y = x * x
    except UnknownError:  # noqa: F821
        y = x
    finally:
        x = 2 * x
    return y * x


@pytest.mark.parametrize(
    ("f", "points"),
    [
        (of_a_dropped_module, MATRICES),
        (one_of_several, (2.0, 0.0)),
        (behind_one_that_fits, (2.0, -1.0)),
        (before_one_that_fits, (2.0,)),
        (in_another_attempt, (2.0, -1.0)),
        (that_is_not_needed, (2.0,)),
    ],
)
def test_values_and_exceptions_are_pythons(f, points):
    for x in points:
        try:
            wanted = f(x)
        except Exception as problem:
            for transform in (srcad.compile, srcad.grad, srcad.jacfwd):
                with pytest.raises(type(problem)):
                    transform(f)(x)
        else:
            value, x_bar = srcad.value_and_grad(f)(x)
            assert srcad.compile(f)(x) == value == wanted
            step = 1e-6 * np.ones_like(x)
            slope = (f(x + step) - f(x - step)) / 2e-6
            assert np.sum(x_bar) == pytest.approx(slope, rel=1e-6)


def test_a_name_that_is_defined_later_is_looked_for_again():
    compiled = srcad.compile(one_of_several)
    with pytest.raises(NameError):
        compiled(0.0)
    globals()["NoSuchError"] = ZeroDivisionError
    try:
        assert compiled(0.0) == 0.0
    finally:
        del globals()["NoSuchError"]
    with pytest.raises(NameError):
        compiled(0.0)


def without_a_profiler(x):
    try:
        return line_profile(x) * 2
    except NameError:
        return x**3


def test_a_name_that_nothing_has_raises_where_it_is_handled(monkeypatch):
    value, slope = srcad.value_and_grad(without_a_profiler)(2.0)
    assert (value, slope) == (8.0, 12.0)
    monkeypatch.setattr(builtins, "line_profile", lambda x: x, raising=False)
    value, slope = srcad.value_and_grad(without_a_profiler)(2.0)
    assert (value, slope) == (4.0, 2.0)
    monkeypatch.delattr(builtins, "line_profile")
    monkeypatch.setitem(globals(), "line_profile", lambda x: 5 * x)
    assert srcad.value_and_grad(without_a_profiler)(2.0) == (20.0, 10.0)
