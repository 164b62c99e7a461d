"""Rows of NaN of which nothing is asked have no part in derivatives."""

import numpy as np
import pytest

import srcad

A = np.array([[1.0, 2.0], [np.nan, 1.0]])

ROWS = [
    lambda a: np.std(a, axis=1)[0],
    lambda a: np.std(a, axis=1, keepdims=True)[0, 0],
    lambda a: np.std(a, axis=-1)[:1].sum(),
    lambda a: np.var(a, axis=1, ddof=1)[0],
    lambda a: np.linalg.norm(a, axis=1)[0],
    lambda a: np.linalg.norm(a, 1, axis=1)[0],
    lambda a: np.linalg.norm(a, 3, axis=1)[0],
    lambda a: np.prod(a, axis=1)[0],
    lambda a: np.sqrt(np.sum(a * a, axis=1))[0],
    lambda a: np.sqrt(np.mean(a**2, axis=1))[0],
    lambda a: np.logaddexp.reduce(a, axis=1)[0],
    lambda a: np.std(a.T, axis=0)[0],
    lambda a: np.var(np.stack((a, a)), axis=(0, 2))[0],
    lambda a: np.std(a[None], axis=2)[0, 0],
    lambda a: np.mean(a, axis=1)[0],
    lambda a: np.max(a, axis=1)[0],
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", ROWS)
def test_a_row_of_nan_beside_the_one_that_counts(f):
    row = A.copy()
    row[1] = 3.0, 1.0
    for derive in (srcad.grad, srcad.jacfwd):
        found, wanted = derive(f)(A), derive(f)(row)
        np.testing.assert_allclose(found, wanted)
        assert np.all(found[1] == 0)
    h = srcad.hessian(f)(row)
    np.testing.assert_allclose(np.nan_to_num(srcad.hessian(f)(A)), h, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("k", [0, 1, -1])
def test_a_place_that_the_program_computes(k):
    def f(a, k):
        return np.std(a, axis=1)[k] + np.linalg.norm(a, axis=0)[k]

    x = np.array([[1.0, 2.0, 0.5], [3.0, 1.0, 4.0]])
    value, slope = srcad.value_and_grad(f)(x, k)
    assert value == f(x, k)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = 1e-6
        wanted = (f(x + step, k) - f(x - step, k)) / 2e-6
        assert slope[i] == pytest.approx(wanted, abs=1e-7)


def test_no_part_is_asked_of_an_empty_slice():
    slope = srcad.grad(lambda a: np.sum(np.std(a, axis=1, keepdims=True)[:, 0:0]))(A[:1])
    np.testing.assert_array_equal(slope, np.zeros((1, 2)))


@pytest.mark.parametrize("fn", [np.max, np.min, np.ptp, np.nanmax])
@pytest.mark.parametrize("x", [A, A * np.nan])
@pytest.mark.filterwarnings("ignore")
def test_no_entry_is_the_extremum_of_nan(fn, x):
    for f in (lambda a: fn(a, axis=1), lambda a: fn(a)):
        forward, reverse = srcad.jacfwd(f)(x), srcad.jacrev(f)(x)
        np.testing.assert_array_equal(forward, reverse)
        assert np.all(np.isfinite(forward))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "f",
    [
        lambda w: np.median(w[np.nonzero(w > 9.0)]),
        lambda w: np.mean(np.outer(w, w[w > 9.0]), axis=1)[0],
        lambda w: np.var(np.outer(w, w[w > 9.0]), axis=1)[0],
    ],
)
def test_means_of_nothing_are_nan(f):
    value, slope = srcad.value_and_grad(f)(np.array([1.0, 2.0]))
    assert np.isnan(value)
    assert slope.shape == (2,)
