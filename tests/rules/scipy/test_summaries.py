"""Summaries of samples: parameters that must be known, and what is not covered."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import distance

import srcad
from srcad.errors import SrcadError

X = np.array([1.3, 0.4, 2.2, 0.9, 1.7])


def trimmed(x):
    return stats.trim_mean(x, 0.2)


def power_mean(x):
    return stats.pmean(x, 1.7)


def in_bits(x):
    return stats.entropy(x, base=2.0)


def in_other_units(x):
    return distance.jensenshannon(x, x[::-1] ** 2, 2.5)


def weighted(x):
    return stats.gmean(x, weights=x**2) + stats.hmean(x, weights=np.sqrt(x))


@pytest.mark.parametrize("fn", [trimmed, power_mean, in_bits, in_other_units, weighted])
def test_parameters_that_stand_in_the_program(fn):
    value, _ = srcad.value_and_grad(fn)(X)
    np.testing.assert_allclose(value, fn(X), rtol=1e-13)
    srcad.testing.check_grads(fn, (X,))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: stats.skew(x, nan_policy="omit"),
        lambda x: np.sum(stats.moment(x, [2, 3])),
        lambda x: stats.iqr(x, interpolation="lower"),
        lambda x: np.sum(distance.cdist(x[:, None], x[:, None], "canberra")),
        lambda x: distance.euclidean(x[None], x[None]),
    ],
)
def test_what_is_not_covered_is_refused(fn):
    with pytest.raises(SrcadError, match=r"E203"):
        srcad.grad(fn)(X)


def test_points_that_lie_together_have_a_distance_without_nan():
    x = np.array([[0.3, 0.1], [0.3, 0.1], [1.2, 0.4]])
    assert np.all(np.isfinite(srcad.grad(lambda x: np.sum(distance.pdist(x)))(x)))
