"""Arrays with the bytes of their numbers the other way round, as files of instruments have them."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad


def copied_and_filled(y):
    z = y.copy()
    z[:] = 2 * y
    return z


def added_on_a_path(y):
    z = np.array(y)
    if y[0] > 0:
        z += np.ones(3, y.dtype)
    return z


def stored_in_a_loop(y):
    z = y.copy()
    for i in range(3):
        z[i] = z[i] * 2
    return z


def computed(y):
    return y.copy() * 2


def order(y):
    return y.copy().dtype.byteorder


def is_double(y):
    return y.copy().dtype == np.float64


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [">f8", ">f4", "<f8"])
@pytest.mark.parametrize(
    "f", [copied_and_filled, added_on_a_path, stored_in_a_loop, computed, order, is_double]
)
def test_copies_keep_the_order(f, dtype, backend):
    y = np.array([1.0, 2.0, 3.0], dtype)
    wanted, found = f(y.copy()), srcad.compile(f, backend=backend)(y.copy())
    assert type(found) is type(wanted)
    assert np.array_equal(found, wanted)
    if isinstance(wanted, np.ndarray):
        assert found.dtype.str == wanted.dtype.str


def test_gradient():
    y = np.array([1.0, 2.0, 3.0], ">f8")
    np.testing.assert_array_equal(srcad.grad(lambda y: np.sum(copied_and_filled(y) ** 2))(y), 8 * y)
