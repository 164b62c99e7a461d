"""Options that a rule leaves out; `tests/options` tries each of them alone."""

import numpy as np
import pytest

import srcad
from srcad.testing import check_grads

X = np.array([[0.3, -0.8, 0.5], [1.2, 0.1, -0.4]])


def moments(x):
    m = np.mean(x, axis=1, keepdims=True)
    spread = np.std(x, axis=1, correction=1, mean=m) + np.var(x, axis=1, where=x > -0.6)
    return np.sum(spread * np.nansum(x, axis=1, initial=0.5))


def joined(x):
    y = np.concatenate([x, x[:1] ** 2], dtype=np.float64, casting="same_kind")
    return np.sum(np.matmul(y, x.T, order="F") ** 2)


def taken(x):
    return np.sum(np.take(x**2, [5, -1, 7], mode="wrap") * np.take(x, [9], mode="clip"))


def stepped(x):
    points, step = np.linspace(x[0, 0], x[1, 0], 5, retstep=True)
    return np.sum(points**2) * step


def several_results(x):
    whole, part = np.zeros(x.shape), np.zeros(x.shape)
    np.modf(x * 3.0, out=(part, whole))
    return np.sum(part**2) + np.sum(whole)


def spent(x):
    y = x * 2.0
    return np.median(y, overwrite_input=True) ** 2


@pytest.mark.parametrize(
    "fn", [moments, joined, taken, stepped, several_results, spent], ids=lambda fn: fn.__name__
)
def test_as_numpy(fn):
    assert srcad.value_and_grad(fn)(X)[0] == pytest.approx(fn(X), rel=1e-14)
    check_grads(fn, (X,))


def test_what_was_overwritten_is_not_read():
    def f(x):
        y = x * 2.0
        return np.median(y, overwrite_input=True) + np.sum(y)

    with pytest.raises(srcad.SrcadError, match="E117"):
        srcad.grad(f)(X)


def test_two_words_for_one_option():
    def f(x):
        return np.sum(np.var(x, ddof=1, correction=1))

    with pytest.raises(ValueError, match="simultaneously"):
        srcad.grad(f)(X)


def test_an_array_without_axes_whose_nans_are_replaced_in_place_gives_its_entry():
    x = np.array(np.nan)
    y = srcad.compile(lambda x: np.nan_to_num(x, copy=False))(x)
    assert isinstance(y, np.float64)
    assert x == y == 0.0


@pytest.mark.parametrize("fn", [np.var, np.std, np.nanvar, np.nanstd])
def test_of_complex_data_only_the_mean_is_computed_in_a_real_dtype(fn):
    z = np.array([1 + 2j, 3 - 1j])
    with pytest.raises(srcad.SrcadError, match="complex128"):
        srcad.compile(lambda z: fn(z, dtype=np.float32))(z)
    assert srcad.compile(lambda x: fn(x, dtype=np.float32))(X) == fn(X, dtype=np.float32)


@pytest.mark.parametrize("part", [0.0, 1e-15, 0.25])
def test_real_if_close_of_complex_numbers(part):
    def size(z):
        y = np.real_if_close(z)
        return np.sum(np.abs(y) ** 2) + np.sum(y.real * z.imag)

    z = np.array([1.0 + 1j * part, 2.0])
    assert srcad.value_and_grad(size)(z)[0] == size(z)
    if part in (0.0, 0.25):
        check_grads(size, (np.array([1.0 + 0.25j, 2.0]),))
    assert srcad.value_and_grad(lambda z: np.sum(np.real_if_close(z).imag))(z)[0] == (
        part if part > 0.1 else 0.0
    )


def test_gradients_of_long_complex_numbers():
    z = np.array([1.0 + 0.5j, 2.0], np.clongdouble)
    found = srcad.grad(lambda z: np.real(np.sum(z**2)))(z)
    assert found.dtype == np.clongdouble
    np.testing.assert_allclose(found, 2 * z)
