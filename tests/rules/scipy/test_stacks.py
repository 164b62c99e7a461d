"""SciPy gives the results of one matrix in a tuple, those of a stack of them in a list."""

import numpy as np
import pytest
from scipy import linalg

import srcad

ONE = np.array([[4.0, 1.0], [1.0, 3.0]])


@pytest.mark.parametrize("a", [ONE, np.stack([ONE, 2 * ONE])], ids=["one", "stack"])
@pytest.mark.parametrize("function", [linalg.svd, linalg.qr, linalg.eig])
def test_results_are_in_what_scipy_gives(function, a):
    def f(a):
        return function(a)

    found, wanted = srcad.compile(f)(a), f(a)
    assert type(found) is type(wanted)
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(x, y)


def test_the_gradient_of_a_stack_is_that_of_each_matrix():
    def f(a):
        singular = linalg.svd(a, full_matrices=False)[1]
        return np.sum(np.log(singular) ** 2)

    a = np.stack([ONE, 2 * ONE])
    np.testing.assert_allclose(srcad.grad(f)(a), [srcad.grad(f)(each) for each in a])
