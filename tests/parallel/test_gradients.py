"""Gradients in parts are those of all samples, or refused."""

import inspect

import numpy as np
import pytest
from parallel.models import made
from parallel.programs import REFUSED, RIGHT, arguments, over_of, unsplit_weights

import srcad
import srcad.parallel
from srcad.api.arguments.trees import flatten


def names(functions):
    return [f.__name__ for f in functions]


def assert_same(found, wanted):
    a, b = flatten(found)[0], flatten(wanted)[0]
    assert len(a) == len(b)
    for x, y in zip(a, b, strict=True):
        assert type(x) is type(y)
        assert np.shape(x) == np.shape(y)
        assert np.asarray(x).dtype == np.asarray(y).dtype
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("function", RIGHT, ids=names(RIGHT))
def test_parts_give_what_all_samples_give(function):
    over = over_of(function)
    argnums = (0, 1)
    for seed, n in ((0, 7), (1, 2), (2, 1), (3, 16)):
        given = arguments(function, np.random.default_rng(seed), n)
        before = [np.copy(x) for x in given]
        wanted = srcad.value_and_grad(function, argnums)(*given)
        for parts in (1, 2, 3, 50):
            step = srcad.parallel.value_and_grad(function, argnums, over=over, parts=parts)
            assert_same(step(*given), wanted)
        assert all(map(np.array_equal, given, before))
        assert_same(wanted[0], function(*map(np.copy, given)))


@pytest.mark.parametrize(("function", "over", "given"), made(), ids=[m[0].__name__ for m in made()])
def test_models_of_books_and_packages(function, over, given):
    wanted = srcad.value_and_grad(function)(*given)
    for parts in (2, 4):
        assert_same(srcad.parallel.value_and_grad(function, over=over, parts=parts)(*given), wanted)


@pytest.mark.parametrize("function", REFUSED, ids=names(REFUSED))
def test_what_is_not_made_of_parts_is_refused_at_its_line(function):
    given = arguments(function, np.random.default_rng(0))
    with pytest.raises(srcad.UnsupportedSyntax) as refusal:
        srcad.parallel.grad(function, over=over_of(function), parts=2)(*given)
    assert refusal.value.code == "E142"
    lines, start = inspect.getsourcelines(function)
    marked = [start + k for k, line in enumerate(lines) if "# <- here" in line]
    if marked:
        assert refusal.value.location is not None, str(refusal.value)
        assert refusal.value.location.shown.line in marked, str(refusal.value)


def test_an_array_that_belongs_to_the_samples_must_be_split():
    given = arguments(unsplit_weights, np.random.default_rng(0))
    with pytest.raises(srcad.UnsupportedSyntax, match="not split"):
        srcad.parallel.grad(unsplit_weights, over="x", parts=2)(*given)


def test_a_value_that_is_an_array_without_axes_stays_one():
    def loss(w, x, y):
        return np.tensordot(y, x @ w, axes=1)

    args = np.ones(2), np.ones((6, 2)), np.ones(6)
    for parts in (1, 2, 3):
        value, w_bar = srcad.parallel.value_and_grad(loss, over=("x", "y"), parts=parts)(*args)
        assert type(value) is type(loss(*args)) is np.ndarray
        np.testing.assert_array_equal(w_bar, [6.0, 6.0])
