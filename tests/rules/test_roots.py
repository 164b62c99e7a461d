"""`np.roots`: derivatives of simple roots, what raises where there are none, and values."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.testing import check_grads


def size(p):
    r = np.roots(p)
    return np.sum(np.abs(r) ** 2) + np.sum(r.real**3) + len(r)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "p",
    [
        [1.0, -3.0, 2.5, 1.0],
        [2.0, 1.0],
        [1.0, -2.5, 0.7, 0.0],
        [1.0, 2.0 - 1.0j, 3.0j, 0.3],
        [3.0],
    ],
)
def test_simple_roots(p, backend):
    p = np.array(p)
    value, gradient = srcad.value_and_grad(size, backend=backend)(p)
    np.testing.assert_allclose(value, size(p), rtol=1e-14)
    for t in np.eye(len(p)):
        slope = (size(p + 1e-6 * t) - size(p - 1e-6 * t)) / 2e-6
        np.testing.assert_allclose((gradient @ t).real, slope, rtol=1e-6, atol=1e-6)


def test_second_derivatives():
    check_grads(size, (np.array([1.0, -3.0, 2.5, 1.0]),))
    check_grads(lambda a: np.sum(np.roots([1.0, a[0], 2 * a[1]]).real ** 2), ([-3.5, 1.0],))


@pytest.mark.parametrize("p", [[1.0, -2.0, 1.0], [0.0, 1.0, 2.0], [1.0, 2.0, 0.0, 0.0], [0.0, 0.0]])
def test_roots_without_a_derivative(p):
    p = np.array(p)
    assert srcad.compile(size)(p) == size(p)
    with pytest.raises(np.linalg.LinAlgError, match="roots of a polynomial"):
        srcad.grad(size)(p)


def test_whether_roots_are_real_is_not_known():
    with pytest.raises(srcad.SrcadError, match="E123"):
        srcad.compile(np.roots)(np.ones(3))
    found = srcad.compile(lambda p: np.roots(p + 0j))(np.array([1.0, -3.0, 2.5, 1.0]))
    np.testing.assert_array_equal(found, np.roots(np.array([1.0, -3.0, 2.5, 1.0]) + 0j))
