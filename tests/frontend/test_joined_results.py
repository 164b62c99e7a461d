"""What a compiled function returns after a branch is the object that Python returns, or refused."""

import numpy as np
import pytest
from conformance.kinds import Plain
from conformance.outcome import disagreement, run

import srcad
from srcad.errors import SrcadError


def check(f, *calls):
    """The same value, type, dtype and aliases for each call; each is a maker of arguments."""
    compiled = srcad.compile(f, cache=False, backend="numpy")
    for make in calls:
        want, got = run(f, make()), run(compiled, make())
        assert got.raised is None
        fault = disagreement(want, got, make())
        assert fault is None, fault


def ones(*rest):
    return lambda: (np.ones(2), *rest)


def test_an_argument_or_something_new():
    check(lambda a, b: a if b > 0 else 2 * a, ones(1.0), ones(-1.0))
    check(lambda a, b: a if b > 0 else b, ones(1.0), ones(-1.0))
    check(lambda a, b: b or a, ones(2.5), ones(0.0))
    check(lambda a, b: 2.0 * a if b > 0 else 1.0, ones(1.0), ones(-1.0))


def test_the_object_of_this_call():
    check(lambda p: p, lambda: (Plain(1.0),), lambda: (object(),), lambda: (object(),))
    check(lambda p, q: [p, q], lambda: (object(), {1, 2}), lambda: (object(), {1, 2}))
    check(lambda p, q: p or q, lambda: (object(), {1, 2}), lambda: (object(), {1, 2}))


def test_an_array_beside_a_list_is_added():
    def extended(a, b):
        a += b
        return a

    check(extended, lambda: ([1.0, 2.0], np.ones(2)), lambda: ([1.0], np.ones(2)))
    check(extended, lambda: ([1.0, 2.0], [np.ones(2)]))


@pytest.mark.parametrize(
    "f",
    [
        lambda x, c: np.zeros(2, int) if c > 0 else x,
        lambda x, c: (x.astype(np.float32) if c > 0 else x) * 2,
        lambda x, c: [1, np.zeros(2, np.int8) if c > 0 else np.zeros(2, int)],
    ],
)
@pytest.mark.parametrize("c", [1.0, -1.0])
def test_dtypes_that_are_not_known_are_refused(f, c):
    with pytest.raises(SrcadError) as caught:
        srcad.compile(f, cache=False, backend="numpy")(np.ones(2), c)
    assert caught.value.code == "E129"


def test_gradients_do_not_return_a_number_as_an_array():
    def f(x, c):
        return np.sum(x**2), (2.0 * x if c > 0 else c)

    value, gradient = srcad.value_and_grad(f, has_aux=True, cache=False)(np.ones(2), -1.0)
    assert type(value[1]) is float
    assert np.array_equal(gradient, [2.0, 2.0])


@pytest.mark.parametrize(
    "f", [lambda a: +a, lambda a: a.copy(), np.copy, lambda a: 1 * a, lambda a: a, abs, np.positive]
)
def test_order_of_new_arrays(f):
    def call(a):
        return f(a)

    check(call, lambda: (np.asfortranarray(np.eye(2)),), lambda: (np.eye(3),))


def test_dtypes_of_one_class_that_differ_are_refused():
    def one_of(a, b):
        return a and b

    with pytest.raises(SrcadError):
        srcad.compile(one_of, cache=False)(np.int64(1), np.ones(2, np.uint8))
