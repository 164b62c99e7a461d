"""Covariances with weights, which NumPy checks by their values and in part writes."""

import numpy as np
import pytest
from frontend.as_numpy import as_numpy, value_as_numpy

import srcad

X = np.array([[1.0, 2.0, 4.0], [3.0, 1.0, 5.0]])
COUNTS = np.array([1.0, 2.0, 1.0])


def test_it_is_computed_once():
    f = srcad.compile(lambda x, w: np.cov(x, fweights=w), backend="numpy")
    assert f.source(X, COUNTS).count("np.cov") == 1


@pytest.mark.parametrize("counts", [COUNTS, COUNTS + 0.5, COUNTS.astype(int)])
def test_counts(counts):
    def f(x, w):
        return np.cov(x, fweights=w)[0, 1]

    as_numpy(f, X, counts)
    value_as_numpy(f, X, counts)


def test_weights_that_numpy_writes_are_refused():
    def f(x, w):
        return np.cov(x, fweights=w, aweights=x[0])[0, 1] + w[0]

    as_numpy(f, X, COUNTS.astype(int))
    for run in (srcad.compile(f), srcad.grad(f)):
        with pytest.raises(srcad.SrcadError):
            run(X, COUNTS)
