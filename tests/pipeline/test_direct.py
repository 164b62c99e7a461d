"""Calls past the specializer give what calls through it give."""

import functools
import sys
import types

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([1.0, 2.0, 3.0])
grad = functools.partial(srcad.grad, backend="numpy")


def is_direct(g):
    return g.__call__ != g._general


def warm(g, *args):
    """Call until the newest program is called directly."""
    for _ in range(3):
        g(*args)
    assert is_direct(g)
    return g


def test_the_second_call_that_a_program_serves_is_direct():
    g = grad(lambda x, k: k * np.sum(x**2))
    g(X, 2.0)
    assert not is_direct(g)
    for _ in range(4):
        np.testing.assert_allclose(g(X, 2.0), 4 * X)
    assert is_direct(g)
    assert g.cache_info() == (4, 1, 1)


def test_other_ways_to_give_arguments():
    g = warm(grad(lambda x, k=3.0: k * np.sum(x**2)), X, 2.0)
    np.testing.assert_allclose(g(X), 6 * X)
    np.testing.assert_allclose(g(X, k=1.0), 2 * X)
    np.testing.assert_allclose(g(k=1.0, x=X), 2 * X)
    out = np.empty(3)
    assert g(X, 2.0, out=out) is out
    np.testing.assert_allclose(out, 4 * X)
    for args, named in [((), {}), ((X, 1.0, 2.0), {}), ((X,), {"z": 1}), ((X,), {"x": X})]:
        with pytest.raises(SrcadError, match="E315"):
            g(*args, **named)


def test_other_types_get_their_own_program_and_are_served_by_it():
    g = warm(grad(lambda x: np.sum(x**2)), X)
    assert g(2.0) == 4.0
    assert g(X.astype("f4")).dtype == np.float32
    for _ in range(3):
        np.testing.assert_allclose(g(X), 2 * X)
        assert g(2.0) == 4.0
    assert g.cache_info() == (8, 3, 3)
    assert is_direct(g)


def test_what_is_captured_is_read_at_each_call():
    def make():
        rate = 2.0

        def set_rate(value):
            nonlocal rate
            rate = value

        return lambda x: rate * np.sum(x**2), set_rate

    loss, set_rate = make()
    g = warm(grad(loss), X)
    set_rate(5.0)
    np.testing.assert_allclose(g(X), 10 * X)
    set_rate(np.ones(3))
    np.testing.assert_allclose(grad(lambda x: np.sum(np.ones(3) * x**2))(X), 2 * X)


def helper(x):
    return np.sum(x**2)


def uses_helper(x):
    return helper(x)


def test_a_function_that_was_replaced(monkeypatch):
    g = warm(grad(uses_helper), X)
    monkeypatch.setattr(sys.modules[__name__], "helper", lambda x: np.sum(x**3))
    np.testing.assert_allclose(g(X), 3 * X**2)


def test_code_that_was_replaced():
    def loss(x):
        return np.sum(x**2)

    def other(x):
        return np.sum(x**3)

    g = warm(grad(loss), X)
    loss.__code__ = other.__code__
    np.testing.assert_allclose(g(X), 3 * X**2)


def test_rules_that_are_stated_later():
    def twice(x):
        return 2 * x

    g = warm(grad(lambda x: np.sum(twice(x))), X)
    kept = g.__call__
    srcad.rules.elementwise(twice, lambda y, x: 7.0 + 0 * x)
    np.testing.assert_allclose(g(X), np.full(3, 7.0))
    np.testing.assert_allclose(kept(X), np.full(3, 7.0))


def test_a_call_that_somebody_keeps_follows():
    g = warm(grad(lambda x: np.sum(x**2)), X)
    kept = g.__call__
    g.cache_clear()
    assert not is_direct(g)
    assert g.cache_info() == (0, 0, 0)
    np.testing.assert_allclose(kept(X), 2 * X)
    assert g.cache_info().misses == 1


def test_what_a_program_raises_is_told_alike():
    def loss(x):
        if x[0] < 0:
            raise ValueError("negative")
        return np.sum(x**2)

    g = grad(loss)
    problems = []
    for _ in range(4):
        g(X)
        with pytest.raises(ValueError, match="negative") as found:
            g(-X)
        problems.append(found.value)
    assert is_direct(g)
    assert {str(problem) for problem in problems} == {"negative"}


def test_parameters_of_other_kinds_are_never_called_directly():
    starred = grad(lambda *xs: np.sum(xs[0] ** 2))
    named = grad(lambda x, *, k: k * np.sum(x**2))
    product = srcad.hvp(lambda x: np.sum(x**3), backend="numpy")
    for _ in range(4):
        np.testing.assert_allclose(starred(X), 2 * X)
        np.testing.assert_allclose(named(X, k=2.0), 4 * X)
        np.testing.assert_allclose(product(X, X), 6 * X * X)
    assert not is_direct(starred)
    assert not is_direct(named)
    assert not is_direct(product)
    with pytest.raises(SrcadError):
        starred((X,))


def test_methods():
    class Model:
        scale = 3.0

        @grad(argnums=1)
        def slope(self, x):
            return self.scale * np.sum(x**2)

    model = Model()
    for _ in range(4):
        np.testing.assert_allclose(model.slope(X), 6 * X)
    assert is_direct(Model.slope)
    model.scale = 1.0
    np.testing.assert_allclose(model.slope(X), 2 * X)


def test_the_call_is_each_objects_own():
    first, second = grad(np.sin), grad(np.cos)
    warm(first, 0.5)
    assert not is_direct(second)
    assert second(0.5) == -np.sin(0.5)
    assert isinstance(vars(srcad.Transformed)["__call__"], types.MemberDescriptorType)
