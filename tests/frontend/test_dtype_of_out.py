"""Sums with `out=` compute in the dtype in which NumPy computes them, or are refused."""

import numpy as np
import pytest

import srcad

NARROW = np.array([1e8, 1.0, 1.0, -1e8, 1.25, 1e20, 1e20], np.float32)
WHOLE = np.array([100, 100, 100, -3, 7, 8, 9], np.int8)
WIDE = NARROW.astype(np.float64)

SUMS = [
    lambda x, y: np.sum(x, out=y[0, ...]),
    lambda x, y: np.sum(x, None, None, out=y[0, ...]),
    lambda x, y: np.prod(x, out=y[0, ...]),
    lambda x, y: np.mean(x, out=y[0, ...]),
    lambda x, y: np.nansum(x, out=y[0, ...]),
    lambda x, y: np.nanmean(x, out=y[0, ...]),
    lambda x, y: np.add.reduce(x, out=y[0, ...]),
    lambda x, y: np.multiply.reduce(x, out=y[0, ...]),
    lambda x, y: np.logaddexp.reduce(x[:5], out=y[0, ...]),
    lambda x, y: np.add.reduceat(x, [0, 2], out=y[:2]),
    lambda x, y: np.trace(x[:4].reshape(2, 2), out=y[0, ...]),
    lambda x, y: np.cumsum(x, out=y),
    lambda x, y: np.cumprod(x, out=y),
    lambda x, y: np.nancumsum(x, out=y),
    lambda x, y: np.add.accumulate(x, out=y),
    lambda x, y: np.var(x, out=y[0, ...]),
    lambda x, y: np.std(x, out=y[0, ...]),
    lambda x, y: np.median(x[:4], out=y[0, ...]),
    lambda x, y: np.round(x, 1, out=y),
    lambda x, y: np.einsum("i,i->", x, x, out=y[0, ...]),
    lambda x, y: np.max(x, out=y[0, ...]),
    lambda x, y: np.argmax(x, out=y[0, ...]),
    lambda x, y: x.sum(out=y[0, ...]),
    lambda x, y: x.mean(out=y[0, ...]),
    lambda x, y: x.cumsum(out=y),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "i1", "c16"])
@pytest.mark.parametrize("x", [NARROW, WHOLE, WIDE], ids=["f4", "i1", "f8"])
@pytest.mark.parametrize("fill", SUMS)
def test_a_sum_is_that_of_numpy_or_refused(fill, x, dtype):
    def f(x, y):
        fill(x, y)
        return y

    y = np.zeros(x.size, dtype)
    try:
        wanted = f(x, y.copy())
    except TypeError:
        with pytest.raises(TypeError):
            srcad.compile(f, backend="numpy")(x, y)
        return
    try:
        got = srcad.compile(f, backend="numpy")(x, y)
    except srcad.SrcadError:
        return
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("fill", SUMS[:13])
def test_sums_into_wider_arrays_are_not_refused(fill):
    def f(x, y):
        fill(x, y)
        return y

    srcad.compile(f, backend="numpy")(NARROW, np.zeros(NARROW.size))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.square(x, np.ones(1)),
        lambda x: np.add(x, 1, out=np.zeros(())),
        lambda x: np.square(x[0], np.ones((2, 1))),
        lambda x: np.add(x[0], 1, out=np.zeros(1)),
        lambda x: np.multiply(x, np.ones(3), out=np.zeros((1, 1))),
    ],
)
def test_axes_of_out(f):
    x = np.ones((1, 1))
    try:
        wanted = f(x)
    except ValueError:
        with pytest.raises(ValueError, match=r"broadcast|larger"):
            srcad.compile(f)(x)
    else:
        np.testing.assert_array_equal(srcad.compile(f)(x), wanted)
