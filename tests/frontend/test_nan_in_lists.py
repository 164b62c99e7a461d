"""NaN is in a list by which object it is: where arrays stand for lists, that is refused.

The exception is no ValueError, which is what Python raises where nothing is found.
"""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([1.5, np.nan, 0.5])


def its_place(x):
    items = list(x)
    return items.index(items[1])


def after_a_sort(x):
    items = list(x)
    items.sort(reverse=True)
    return items.index(items[1])


def how_many(x):
    items = [2.0 * v for v in x]
    return items.count(items[1])


def whether(x):
    items = sorted(x)
    return items[1] in items


def taken_out(x):
    items = [2.0 * v for v in x]
    items.remove(items[1])
    return items


def of_some(x):
    items = [v for v in x if v != 0.0]
    return items.index(items[1])


FUNCTIONS = [its_place, after_a_sort, how_many, whether, taken_out, of_some]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_nan_is_refused_when_the_program_runs(f):
    compiled = srcad.compile(f, backend="numpy")
    numbers = np.array([1.5, 2.5, 0.5])
    assert compiled(numbers) == f(numbers)
    with pytest.raises(NotImplementedError, match="by which object"):
        compiled(np.array([np.nan, np.nan, np.nan]))


def test_no_except_takes_that():
    def f(x):
        items = list(x)
        try:
            return items.index(items[1])
        except ValueError:
            return -1

    def g(x):
        items = list(x)
        try:
            return items.index(items[1])
        except Exception:
            return -1

    def h(x):
        items = [v for v in x if v != 0.0]
        try:
            return items.index(items[1])
        except Exception:
            return -1

    compiled = srcad.compile(f, backend="numpy")
    assert compiled(np.array([1.5, 2.5, 0.5])) == 1
    with pytest.raises(NotImplementedError, match="by which object"):
        compiled(X)
    assert srcad.compile(g, backend="numpy")(X) == 1  # its items are known one by one
    with pytest.raises(SrcadError):
        srcad.compile(h, backend="numpy")(X)


def of_ints(x):
    items = [int(v) for v in x]
    try:
        return items.index(int(x[0])) + items.index(7)
    except Exception:
        return 3 in items


def of_a_constant(x):
    items = [2.0 * v for v in x]
    try:
        return items.index(1.0)
    except Exception:
        return -1


@pytest.mark.parametrize("f", [of_ints, of_a_constant])
def test_what_is_never_nan_may_stand_in_any_try(f):
    x = np.array([1.5, 2.5, 0.5])
    assert srcad.compile(f, backend="numpy")(x) == f(x)
