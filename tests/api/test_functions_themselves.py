"""A function of NumPy, SciPy or Python handed over itself, as if its lambda had been written."""

import functools
import math
import operator

import numpy as np
import pytest
from scipy import special, stats

import srcad

X = np.array([0.3, 0.9, 0.2])
M = np.arange(9.0).reshape(3, 3) / 7 + np.eye(3)

# A function, its arguments, and the one to differentiate by.
CALLS = [
    *((fn, (X,), 0) for fn in (np.ceil, np.exp, np.mean, np.std, np.prod, np.max, np.median)),
    *((fn, (X,), 0) for fn in (np.linalg.norm, np.cumsum, np.sort, np.average, np.diff, np.ptp)),
    *((fn, (X,), 0) for fn in (np.add.reduce, np.multiply.accumulate, special.logsumexp, sum, max)),
    *((fn, (X,), 0) for fn in (stats.norm.logpdf, special.gammaln, np.gradient, np.nan_to_num)),
    *((fn, (M,), 0) for fn in (np.trace, np.linalg.det, np.ravel, np.transpose, np.linalg.inv)),
    (np.clip, (X, 0.25, 0.8), 0),
    (np.bincount, (np.array([0, 1, 1]), X), 1),
    (np.convolve, (X, X[:2]), 1),
    (np.polyval, (X, 2.0), 1),
    (np.interp, (X, np.arange(3.0), X), 2),
    (np.average, (X, None, X), 2),
    (operator.matmul, (M, X), 1),
    (math.sin, (0.3,), 0),
    (pow, (0.3, 2.0), 1),
    (functools.partial(np.mean, axis=0), (M,), 0),
    (functools.partial(np.sum, axis=1, keepdims=True), (M,), 0),
    (functools.partial(np.tensordot, axes=1), (M, X), 0),
]


def name(call):
    fn = getattr(call[0], "func", call[0])
    return getattr(fn, "__qualname__", getattr(fn, "__name__", str(fn)))


@pytest.mark.parametrize("call", CALLS, ids=name)
def test_a_function_itself_is_its_lambda(call):
    fn, args, at = call
    written = srcad.jacobian(lambda *args: fn(*args), argnums=at)(*args)
    np.testing.assert_array_equal(srcad.jacobian(fn, argnums=at)(*args), written)


def test_an_option_that_was_left_out_may_be_given_later():
    jacobian = srcad.jacobian(np.mean)
    assert jacobian(M).shape == (3, 3)
    assert jacobian(M, axis=0).shape == (3, 3, 3)
    assert jacobian(M, 0, keepdims=True).shape == (1, 3, 3, 3)
    assert jacobian(M).shape == (3, 3)


def test_options_by_position_are_those_of_the_function():
    x = np.array([1.0, np.nan])
    np.testing.assert_array_equal(srcad.compile(np.nan_to_num)(x, True, 5.0), [1.0, 5.0])
    np.testing.assert_array_equal(srcad.jacobian(np.nan_to_num)(x, True, 5.0), np.diag([1.0, 0.0]))


def test_a_default_of_a_number_is_differentiated():
    by_loc = srcad.jacobian(stats.norm.logpdf, argnums=1)(X, 0.0)
    np.testing.assert_allclose(by_loc, X)


def test_a_called_object_without_hash_is_refused_by_its_class():
    polynomial = np.poly1d([1.0, 2.0, 3.0])
    with pytest.raises(srcad.SrcadError, match=r"E120.*`poly1d`, called"):
        srcad.grad(lambda x: polynomial(x))(2.0)
