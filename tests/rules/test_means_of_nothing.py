"""Means, variances and medians of no entries are NaN; their derivative is 0 in both modes."""

import numpy as np
import pytest

import srcad

X = np.array([1.0, 2.0, 3.0])


def selected(x):
    return np.mean(x[x > 9])


def sliced(x):
    return x[:0].mean()


def sliced_by_data(x):
    return x[len(x) :].mean() + np.sum(x)


def of_rows(x):
    return np.sum(x.reshape(-1, 1)[x > 9].mean(axis=0))


def variance(x):
    return np.var(x[x > 9])


def deviation(x):
    return np.std(x[:0], keepdims=True)[0]


def sample_deviation(x):
    return np.std(x[x > 9], ddof=1)


def average(x):
    return np.average(x[x > 9])


def median(x):
    return np.median(x[x > 9])


def of_a_list(x):
    return np.mean([v for v in x if v > 9])


def known(x):
    return np.nanmean(np.where(x > 9, x, np.nan))


def variance_of_known(x):
    return np.nanvar(np.where(x > 9, x, np.nan))


def deviation_of_known(x):
    return np.nanstd(np.where(x > 9, x, np.nan), ddof=1)


def median_of_known(x):
    return np.nanmedian(np.where(x > 9, x, np.nan))


def known_rows(x):
    return np.nansum(np.nanmean(np.where(x > 2, x, np.nan).reshape(3, 1), axis=1))


def marked(x):
    return np.mean(x, where=x > 9)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "f",
    [
        selected, sliced, sliced_by_data, of_rows, variance, deviation, sample_deviation, average,
        median, of_a_list, known, variance_of_known, deviation_of_known, median_of_known,
        known_rows, marked,
    ],
)  # fmt: skip
def test_both_modes_agree(f):
    value, slope = srcad.value_and_grad(f)(X)
    np.testing.assert_array_equal(value, f(X))
    wanted = {sliced_by_data: [1.0, 1.0, 1.0], known_rows: [0.0, 0.0, 1.0]}.get(f, [0.0, 0.0, 0.0])
    np.testing.assert_array_equal(slope, wanted)
    np.testing.assert_array_equal(srcad.jacfwd(f)(X), wanted)
    assert srcad.jvp(f, (X,), (np.ones(3),))[1] == sum(wanted)


@pytest.mark.parametrize("fn", [np.mean, np.var, np.std, np.nanmean, np.nanvar, np.nanstd])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_of_some(fn, dtype):
    x = np.array([1.0, 2.5, 3.0], dtype)
    forward = srcad.jacfwd(lambda x: fn(x[x > 1]))(x)
    reverse = srcad.jacrev(lambda x: fn(x[x > 1]))(x)
    assert forward.dtype == reverse.dtype == dtype
    np.testing.assert_allclose(forward, reverse, rtol=1e-3 if dtype == np.float16 else 1e-6)
