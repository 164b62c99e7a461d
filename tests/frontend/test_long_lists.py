"""Loops over many known numbers that may be left after each: the numbers are Python's own."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([0.3, 0.9, 1.4])


def halved(x):
    for k in [0.5] * 50:
        x = x * k
        if np.sum(x) < 1e-3:
            break
    return np.sum(x), k


def never_left(x):
    s = 0.0
    for k in [1.0 + 0.1 * i for i in range(60)]:
        s = s * 0.9 + x[0] * k
        if s > 1e9:
            break
    else:
        s = s * 2
    return s


def returned(x):
    s = 0.0
    for k in tuple(range(50)):
        s = s + x[k % 3] * k
        if s > 20:
            return s * k, k
    return s, 0


def of_their_class(x):
    s = 0.0
    for k in [0.5] * 50:
        s = s + (x[1] * k if isinstance(k, float) else 100.0)
        if s > 3:
            break
    return s


@pytest.mark.parametrize("fn", [halved, never_left, returned, of_their_class])
def test_as_python(fn):
    found, wanted = srcad.compile(fn)(X), fn(X)
    assert found == wanted
    if isinstance(wanted, tuple):
        assert [type(each) for each in found] == [type(each) for each in wanted]


def changed(x):
    ks = [0.5] * 50
    for k in ks:
        if x[0] * k > 10:
            ks[-1] = 2.0
            break
        x = x * k
    return np.sum(x)


def test_a_list_that_changes_meanwhile_is_refused():
    with pytest.raises(SrcadError):
        srcad.grad(changed)(X)


def test_a_shape_that_is_set_has_a_way_out():
    def f(x):
        y = x.copy()
        z = y
        y.shape = (3, 1)
        return np.sum(z)

    with pytest.raises(SrcadError, match=r"y = y\.reshape\(\.\.\.\)") as caught:
        srcad.grad(f)(X)
    assert caught.value.code == "E116"
