"""Parameters with defaults, of functions of every kind: None is a default like others."""

import functools

import numpy as np
import pytest

import srcad


def attend(q, *, mask=None):
    return q if mask is None else q * mask


class Net:
    def __init__(self, *, scale=None, k=2.0):
        self.scale = scale
        self.k = k

    def __call__(self, q, /, *, mask=None):
        return np.sum(q * self.k) if mask is None else np.sum(mask * q)

    def twice(self, q, *, mask=None, w=(1, 2)):
        return self(q, mask=mask) * w[1]


def helper(q):
    return np.sum(attend(q) + attend(q, mask=3.0))


def nested(q):
    def inner(a, /, b=None, *, mask=None):
        return a if mask is None else a * mask

    return np.sum(inner(q) + inner(q, mask=2.0))


def lambdas(q):
    inner = lambda a, *, m=3.0, z=None: a * m if z is None else a
    return np.sum(inner(q) + inner(q, m=2.0) + inner(q, z=1))


def classes(q):
    net = Net(scale=1.0)
    return net(q) + net.twice(q, w=(2, 3)) + net(q, mask=q)


def derived(q):
    return np.sum(srcad.grad(lambda a, *, m=None: np.sum(a**3) if m is None else a)(q))


def only_by_position(q):
    return np.sum(srcad.grad(lambda a, b=2.0, /, *, m=None: np.sum(a**3) * b)(q, 3.0))


def every_kind(q, /, r=None, *args, mask=None, **more):
    return np.sum(q) * (1 if r is None and mask is None else 2) * (len(args) + len(more) + 1)


def of_many_kinds(q, *, f=np.sin, d={"a": 1.0}, w=[1.0, 2.0], s="a", t=None):
    return np.sum(f(q)) * d["a"] * w[1] * (2 if s == "a" and t is None else 3)


FUNCTIONS = [
    helper, nested, lambdas, classes, derived, only_by_position, every_kind, of_many_kinds,
    Net(), Net().twice, functools.partial(attend, mask=None), lambda q, *, m=None: np.sum(q * q),
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: getattr(f, "__name__", type(f).__name__))
def test_defaults(f):
    q = np.array([0.1, 0.2])
    np.testing.assert_array_equal(srcad.compile(f)(q), f(q))
    value, gradient = srcad.value_and_grad(lambda q: np.sum(f(q)))(q)
    assert value == np.sum(f(q))
    t, e = np.array([0.3, -0.7]), 1e-6
    slope = (np.sum(f(q + e * t)) - np.sum(f(q - e * t))) / (2 * e)
    assert gradient @ t == pytest.approx(slope, rel=1e-6)


def test_missing_argument_is_refused():
    def f(q):
        inner = lambda a, *, m: a * m
        return inner(q)

    with pytest.raises(srcad.SrcadError, match="no value for `m`"):
        srcad.compile(f)(1.0)


@pytest.mark.parametrize("fn", [np.sort, np.flip, np.cumsum, np.tril, np.triu, np.diff])
def test_axes_and_diagonals_may_be_arguments(fn):
    def loss(x, k):
        return np.sum(fn(x, k) ** 2 * np.arange(1.0, 4.0)[:, None][: fn(x, k).shape[0]])

    x = np.random.default_rng(0).random((3, 3))
    compiled = srcad.value_and_grad(loss)
    for k in (0, 1, 0) if fn is not np.diff else (1, 2):
        value, gradient = compiled(x, k)
        assert value == loss(x, k)
        step = np.random.default_rng(1).standard_normal(x.shape)
        slope = (loss(x + 1e-6 * step, k) - loss(x - 1e-6 * step, k)) / 2e-6
        assert np.sum(gradient * step) == pytest.approx(slope, rel=1e-5)


def test_a_function_itself_with_its_defaults():
    x = np.array([0.3, 1.2, 0.7])
    value, pullback = srcad.vjp(np.sort, x)
    assert value.tolist() == [0.3, 0.7, 1.2]
    assert pullback(np.arange(3.0))[0].tolist() == [0.0, 2.0, 1.0]
