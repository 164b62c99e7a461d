"""Options of the functions that make arrays: what comes out is what NumPy makes, also in memory."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

FUNCTIONS = [
    lambda x: np.array(x, ndmin=1) * 1.0,
    lambda x: np.array(x, ndmin=3) * 1.0,
    lambda x: np.array(x[0, 0], ndmin=2) * 1.0,
    lambda x: np.array([x[0], x[1]], ndmin=3),
    lambda x: np.array(x.T, order="C"),
    lambda x: np.array(x, order="F"),
    lambda x: np.array(x, None, copy=True, subok=True, order="K"),
    lambda x: np.array(x, dtype=np.float32, ndmin=1),
    lambda x: np.asarray(x, float, "C") * 1.0,
    lambda x: np.asarray(x * 2.0, order="F"),
    lambda x: np.asarray(x * 2.0, order=None, dtype=None),
    lambda x: np.asarray([1.0, 2.0], device="cpu") * x[0, 0],
    lambda x: np.asanyarray((x * 2.0).T, order="C", dtype=None, copy=None),
    lambda x: np.ascontiguousarray(x.T, dtype=float) * 1.0,
    lambda x: np.asfortranarray(x, dtype=np.float32) * 1.0,
    lambda x: np.zeros(x.shape, float, "F") + x,
    lambda x: np.ones(3, None, "C") * x[0, 0],
    lambda x: np.empty(x.shape, order="F") * 0.0 + x,
    lambda x: np.full(x.shape, x[0, 0], float, "F"),
    lambda x: np.zeros_like(x, device="cpu") + x,
    lambda x: np.linspace(0.0, 1.0, 3, device="cpu") * x[0, 0],
    lambda x: np.arange(3.0, device=None) * x[0, 0],
    lambda x: np.asarray(x.shape),
    lambda x: np.array(x.shape) * 2,
]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_the_array_is_what_numpy_makes(fn):
    x = np.arange(6.0).reshape(2, 3) + 0.5
    expected, found = fn(x), srcad.compile(fn)(x)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.flags.c_contiguous == expected.flags.c_contiguous
    assert found.flags.f_contiguous == expected.flags.f_contiguous
    np.testing.assert_array_equal(found, expected)


def written(x, order):
    y = np.asarray(x, order=order)
    y[0] = 2.0 * x[1]
    return np.sum(x * x)


@pytest.mark.parametrize("order", ["C", "K", None])
def test_writes_go_where_numpy_writes(order):
    found = srcad.grad(written)(np.array([0.3, 0.9, 1.4]), order)
    assert found.tolist() == pytest.approx([0.0, 2 * 0.9 * 5, 2 * 1.4])


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: np.sum(np.array(x, order="A")),
        lambda x: np.sum(np.asarray(x, like=[1.0])),
    ],
)
def test_what_is_not_covered_is_named(fn):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(np.ones(3))
    assert caught.value.code == "E203"
    assert "is not covered" in str(caught.value)


def of_a_number(x):
    return np.array(x[0], order=ORDER) * x


def like_a_number(x):
    return np.asarray(x[0], order=ORDER) * x


def zeros(x):
    return np.zeros(3, order=ORDER) + x


def ones(x):
    return np.ones(3, order=ORDER) * x


def full(x):
    return np.full(3, 2.0, order=ORDER) * x


def cast(x):
    return x.astype(float, order=ORDER)


ORDER = "C"
OF_ORDER = [of_a_number, like_a_number, zeros, ones, full, cast]


@pytest.mark.parametrize("order", [None, "C", "F", "c", "K", "A", "Q", 0, 2, "fortran"])
@pytest.mark.parametrize("f", OF_ORDER, ids=lambda f: f.__name__)
def test_orders_are_those_of_numpy(f, order, monkeypatch):
    monkeypatch.setitem(globals(), "ORDER", order)
    x = np.array([0.5, 1.5, 2.5])
    try:
        want = f(x)
    except (TypeError, ValueError):
        with pytest.raises((srcad.SrcadError, TypeError, ValueError)):
            srcad.compile(f, backend="numpy", cache=False)(x)
        return
    try:
        found = srcad.compile(f, backend="numpy", cache=False)(x)
    except srcad.SrcadError:
        assert order not in (None, "C", "F")
        return
    np.testing.assert_array_equal(found, want)


_IF_NEEDED = np._CopyMode.IF_NEEDED


def no_copy(x):
    z = x * 2.0
    y = np.array(z, copy=None)
    y[0] = 5.0
    return np.sum(z)


def if_needed(x):
    z = x * 2.0
    y = np.array(z, copy=_IF_NEEDED)
    y[0] = 5.0
    return np.sum(z * y)


def always(x):
    z = x * 2.0
    y = np.array(z, copy=np._CopyMode.ALWAYS)
    y[0] = 5.0
    return np.sum(z * y)


def never(x):
    z = x * 2.0
    y = np.asarray(z, copy=np._CopyMode.NEVER)
    y[0] = 5.0
    return np.sum(z)


@pytest.mark.parametrize("f", [no_copy, if_needed, always, never])
def test_modes_of_copying(f):
    x = np.array([1.0, 2.0, 3.0])
    value, gradient = srcad.value_and_grad(f)(x)
    assert value == f(x)
    step = 1e-6 * np.array([1.0, -2.0, 0.5])
    assert gradient @ step == pytest.approx((f(x + step) - f(x - step)) / 2.0, rel=1e-6)
