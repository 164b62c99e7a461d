"""Reductions with `where=`, `initial=` and `dtype=`, as functions and as methods."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 2.0, (3, 4))
MASK = RNG.random((3, 4)) > 0.4
MASK[0], MASK[:, 0] = True, True


def agrees(program, *args):
    np.testing.assert_allclose(srcad.vjp(program, *args)[0], program(*args), rtol=1e-12)
    check_grads(program, args, order=2)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True], ids=["dropped", "kept"])
@pytest.mark.parametrize("fn", [np.sum, np.prod, np.max, np.min, np.amax], ids=lambda f: f.__name__)
def test_a_mask_and_a_start(fn, axis, keepdims):
    agrees(lambda x: fn(x, axis=axis, keepdims=keepdims, initial=1.1, where=MASK), X)
    agrees(lambda x: fn(x, axis, keepdims=keepdims, initial=1.1), X)


@pytest.mark.parametrize("fn", [np.sum, np.prod, np.mean], ids=lambda f: f.__name__)
def test_a_mask_alone(fn):
    agrees(lambda x: fn(x, where=MASK), X)
    agrees(lambda x: fn(x, axis=0, keepdims=True, where=x > 1.0) * fn(x, where=True), X + 0.6)
    agrees(lambda x: fn(x, axis=1, where=MASK[0]), X)
    agrees(lambda x: fn(x, axis=0, where=MASK[:, :1]), X)


def test_methods():
    agrees(lambda x: x.sum(axis=1, where=MASK) * x.mean(axis=1, where=MASK), X)
    agrees(lambda x: x.prod(0, initial=2.0) + x.max(axis=0, initial=0.7, where=MASK), X)
    agrees(lambda x: x.min(initial=x[0, 0], where=MASK, axis=0) * x.sum(initial=x[1, 1]), X)


def test_masks_of_truths():
    def program(x):
        some, each = np.any(x > 1.9, axis=1, where=MASK), (x > 0.1).all(axis=1, where=MASK)
        return np.where(some, 1.0, 2.0) * np.where(each, x[:, 0], 0.0)

    agrees(program, X)


def test_a_masked_entry_counts_nothing():
    poles = np.array([1.0, 0.0, 2.0])
    for fn in (np.sum, np.mean):
        g = srcad.grad(lambda x, fn=fn: fn(np.log(x), where=x > 0))(poles)
        assert g[1] == 0
        assert np.isfinite(g).all()
    g = srcad.grad(lambda x: np.max(1 / x, initial=0.0, where=x != 0))(poles)
    np.testing.assert_array_equal(g, [-1.0, 0.0, 0.0])


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_a_start_of_what_is_empty(shape):
    value, g = srcad.value_and_grad(lambda x: np.max(x, initial=0.5))(np.ones(shape))
    assert value == 0.5
    assert g.shape == shape
    value, _ = srcad.vjp(lambda x: np.min(x, axis=0, initial=0.5), np.ones(shape))
    np.testing.assert_array_equal(value, np.min(np.ones(shape), axis=0, initial=0.5))


def test_ties_with_the_start_share():
    g = srcad.grad(lambda x: np.max(x, initial=1.0))(np.array([1.0, 0.0, 1.0]))
    np.testing.assert_allclose(g, [1 / 3, 0, 1 / 3])


@pytest.mark.parametrize("fn", [np.sum, np.mean, np.prod, np.max], ids=lambda f: f.__name__)
def test_single_precision_stays(fn):
    x = X.astype(np.float32)

    def program(x):
        options = {} if fn is np.mean else {"initial": 1.5}
        return fn(x, axis=0, where=MASK, **options)

    value, pullback = srcad.vjp(program, x)
    assert value.dtype == program(x).dtype == np.float32
    assert pullback(value)[0].dtype == np.float32


@pytest.mark.parametrize("fn", [np.prod, np.cumsum, np.cumprod], ids=lambda f: f.__name__)
def test_the_dtype_of_the_result(fn):
    x = X.astype(np.float32)
    value, pullback = srcad.vjp(lambda x: fn(x, axis=1, dtype=np.float64), x)
    np.testing.assert_allclose(value, fn(x, axis=1, dtype=np.float64), rtol=1e-15)
    assert value.dtype == np.float64
    assert pullback(value)[0].dtype == np.float32


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (lambda x: np.max(x, where=MASK), "E132"),  # NumPy wants a start too
        (lambda x: np.sum(x[0], where=MASK), "E132"),
        (lambda x: np.median(x, where=MASK), "E"),
    ],
)
def test_what_has_no_rule_is_refused(program, code):
    with pytest.raises(SrcadError, match=code):
        srcad.grad(program)(X)


def test_a_cotangent_that_is_a_constant_array_has_no_mask():
    """`TypeError: unhashable type`."""
    x = np.array([1.0, 4.0, np.nan, 2.0, 3.5])
    gradient = srcad.grad(lambda x: np.nanmedian(x))(x)
    np.testing.assert_array_equal(gradient, [0, 0, 0, 0.5, 0.5])
