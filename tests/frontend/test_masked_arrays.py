"""Masked arrays of `np.ma`: values, types, gradients are those of NumPy; the rest is refused."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.array([0.3, -1.2, 2.0, 0.7])
M = np.arange(6.0).reshape(2, 3) - 2.3

PROGRAMS = [
    (lambda x: np.ma.masked_array(x, [0, 1, 0, 0]).sum(), X),
    (lambda x: np.ma.array(x * 2, mask=x < 0).std(), X),
    (lambda x: np.ma.masked_where(x < 0, x).var(ddof=1), X),
    (lambda x: np.ma.masked_where(x < -9, x).mean() + np.ma.masked_less(x, -9).var(), X),
    (lambda x: np.sum(np.ma.masked_where(x < 0, x).filled(0.5) ** 2), X),
    (lambda x: (np.ma.masked_less(x, 0) * 2 + x).prod(), X),
    (lambda x: (2 / np.ma.masked_less(x, 0) - np.ma.masked_greater(x, 1) * x).sum(), X),
    (lambda x: (1 / np.ma.array(np.where(x > 1, 0.0, x))).sum() + np.ma.log(x).sum(), X),
    (lambda x: (np.ma.masked_less(x, 0) ** 0.5).sum() + (np.ma.array(x) ** 1.5).max(), X),
    (lambda x: np.ma.sqrt(np.ma.masked_greater(x, 1)).mean() + np.ma.exp(x).min(), X),
    (lambda x: np.sum(np.ma.masked_less(x, 0)) + np.ma.mean(np.ma.masked_less(x, 0)), X),
    (lambda x: np.max(np.ma.masked_greater(x, 1)) * np.ma.masked_less(x, 0)[0], X),
    (lambda x: np.sum(np.ma.masked_less(x, 0)[1:].compressed() ** 2), X),
    (lambda x: np.sum(x[~np.ma.masked_array(x, x < 0).mask]), X),
    (lambda x: np.sum(x * np.ma.getmaskarray(-abs(np.ma.masked_less(x, 0)))), X),
    (lambda x: (np.ma.masked_less(x, 0).mean(axis=0) * 2).sum(), M),
    (lambda x: np.sum(np.ma.masked_less(x, 0).sum(axis=1).filled(-1.0) * np.arange(2.0)), M),
    (lambda x: np.ma.masked_less(x, 0).T.reshape(-1)[2:].std(), M),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "x"), PROGRAMS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_masked_arrays(f, x, backend):
    value, gradient = srcad.value_and_grad(f, backend=backend)(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-14)
    assert type(value) is type(f(x))
    t = np.cos(np.arange(x.size)).reshape(x.shape)
    slope = (f(x + 1e-6 * t) - f(x - 1e-6 * t)) / 2e-6
    np.testing.assert_allclose(np.sum(gradient * t), slope, rtol=1e-6, atol=1e-8)


GIVEN = {
    "some": np.ma.array(M, mask=M > 1),
    "none": np.ma.array(M, mask=M > 9),
    "no mask": np.ma.array(M),
}
OF_GIVEN = [
    lambda m, w: (m * w).mean(),
    lambda m, w: np.mean((np.sin(m) - w) ** 2),
    lambda m, w: np.sum(np.exp(w * m).sum(axis=0).filled(0.0)),
    lambda m, w: np.sum(np.where(m.mask, w, m.data)) + m.count(),
    lambda m, w: (abs(m).std() + m.max() + m.compressed()[0]) * w,
]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("f", OF_GIVEN)
def test_masked_arguments(f, given):
    m = GIVEN[given]
    value, (dm, dw) = srcad.value_and_grad(f, argnums=(0, 1))(m, 0.7)
    np.testing.assert_allclose(value, f(m, 0.7), rtol=1e-14)
    assert type(value) is type(f(m, 0.7))
    np.testing.assert_allclose(dw, (f(m, 0.7 + 1e-6) - f(m, 0.7 - 1e-6)) / 2e-6, rtol=1e-7)
    assert type(dm) is np.ma.MaskedArray
    assert np.array_equal(dm.mask, m.mask)
    t = np.cos(np.arange(m.size)).reshape(m.shape)
    slope = (f(m + 1e-6 * t, 0.7) - f(m - 1e-6 * t, 0.7)) / 2e-6
    np.testing.assert_allclose(np.sum(dm.filled(0.0) * t), slope, rtol=1e-6)
    tangent = srcad.jvp(lambda m: f(m, 0.7), (m,), (np.ma.array(t, mask=m.mask),))[1]
    np.testing.assert_allclose(tangent, slope, rtol=1e-6)


def test_a_captured_masked_array_and_its_next_mask():
    data = np.ma.masked_invalid([1.0, np.nan, 3.0])

    def misfit(w):
        return ((data * w - 1.0) ** 2).mean()

    gradient = srcad.grad(misfit)
    assert gradient(0.5) == 1.0
    data[0] = np.ma.masked
    assert gradient(0.5) == 3.0


def test_the_mask_of_a_derivative_is_its_own():
    m = np.ma.array([1.0, 2.0], mask=[False, True])
    g = srcad.grad(lambda m: (m**2).sum())(m)
    g[0] = np.ma.masked
    assert m.mask.tolist() == [False, True]


def test_a_number_that_is_masked_in_the_next_call():
    def f(m, w):
        return np.where(m.mask, 7.0, m.data) * w

    compiled = srcad.compile(f)
    for m in (np.ma.array(3.0), np.ma.array(3.0, mask=True), np.ma.array(4.0, mask=False)):
        assert compiled(m, 2.0) == f(m, 2.0)


def test_powers_of_integers_stay_integers():
    m = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    found = srcad.compile(lambda m: (m**2).sum())(m)
    assert found == 10
    assert type(found) is np.int64


def test_what_is_not_finite_does_not_count():
    def mean(x):
        return np.ma.masked_invalid(np.where(x > 0, x**2, np.nan)).mean()

    np.testing.assert_allclose(srcad.grad(mean)(X), np.where(X > 0, 2 * X / 3, 0.0))


def test_the_data_are_shared_as_numpys_are():
    def shared(x):
        y = x * 1.0
        given, copied = np.ma.array(y, mask=x < 0), np.ma.masked_where(x < 0, y)
        y[0] = x[1]
        return given.sum() + 2.0 * copied.sum()

    assert srcad.value_and_grad(shared)(X)[0] == shared(X)


def changed(x):
    m = np.ma.masked_less(x, 0)
    m[0] = 2.0
    return m.sum()


@pytest.mark.parametrize(
    "f",
    [
        changed,
        lambda x: np.sum(np.ma.masked_less(x, 0).data),
        lambda x: np.sum(np.ma.masked_less(x, 0).mask),
        lambda x: np.ma.median(np.ma.masked_less(x, 0)),
        lambda x: np.tan(np.ma.masked_less(x, 0)).sum(),
        lambda x: np.sum(np.ma.masked_less(x, 0).count()),
    ],
)
def test_what_is_refused(f):
    with pytest.raises(srcad.SrcadError, match=r"E120.*mask"):
        srcad.grad(f)(X)


def test_what_numpy_makes_of_masked_entries_alone():
    for f in (lambda x: np.ma.masked_less(x, 9).sum(), lambda x: np.ma.masked_less(x, 0)[1] * x[0]):
        with pytest.raises(NotImplementedError, match="masked"):
            srcad.grad(f)(X)
    with pytest.raises(srcad.SrcadError, match="E306"):
        srcad.compile(lambda x: np.ma.masked_less(x, 0))(X)


def test_functions_that_numpy_and_its_masked_arrays_share():
    def spread(x):
        return np.sum(np.ma.expand_dims(x, 0) * x)

    np.testing.assert_allclose(srcad.grad(spread)(X), 2 * X)


@pytest.mark.parametrize(
    "f",
    [
        lambda m: np.sum(srcad.grad(lambda q: (q**2).sum())(m).filled(0.0)),
        lambda m: srcad.jvp(lambda q: (q**2).sum(), (m,), (m,))[1],
        lambda m: np.sum(srcad.grad(lambda qs: (qs[0] ** 2).sum())([m])[0].filled(0.0)),
    ],
)
def test_derivatives_by_one_inside_are_refused(f):
    with pytest.raises(srcad.SrcadError, match=r"E308.*a masked array, in another function"):
        srcad.compile(f)(GIVEN["some"])


TRUTHS = np.ma.array([True, False, True, True], mask=[False, False, True, False])


@pytest.mark.parametrize(
    "f",
    [
        lambda m, b: np.sqrt(b).filled(0.5),
        lambda m, b: np.ma.log(b).compressed(),
        lambda m, b: (np.sum(m.data) ** m).filled(0.25),
        lambda m, b: (np.float64(-2.0) ** m).filled(0.25),
        lambda m, b: (np.float64(np.inf) / m).filled(0.25),
        lambda m, b: (2.0 / m).filled(0.25),
        lambda m, b: np.ma.filled(np.sum(m), 0.25),
        lambda m, b: np.ma.filled(m.shape, 0.25),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_hidden_and_of_which_dtype(f):
    m = np.ma.array([0.5, 0.0, 3.0, -1.5], mask=[False, False, True, False])
    found, wanted = srcad.compile(f)(m, TRUTHS), f(m, TRUTHS)
    assert (type(found), found.dtype, found.shape) == (np.ndarray, wanted.dtype, wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
