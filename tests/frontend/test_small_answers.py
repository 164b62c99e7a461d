"""Questions about classes, texts and lists, answered as Python does."""

import functools
import inspect
import types

import numpy as np
import pytest

import srcad

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])


class Scaled:
    def __init__(self, rate):
        self.rate = rate

    def total(self, x):
        return self.rate * np.sum(x)


class Tripled(Scaled):
    def total(self, x):
        return 3.0 * np.sum(x)


def union_with_none(x):
    return np.sum(x) * (2 if isinstance(None, Scaled | Tripled | None) else 1)


def optional(x):
    return np.sum(x) * (2 if isinstance(3.0, int | None) else 1)


def method_made(x):
    return types.MethodType(Scaled.total, Tripled(2.0))(x)


def classes_behind(x):
    scaled = Tripled(2.0)
    names = [each.__name__ for each in scaled.__class__.__mro__ if each is not object]
    return np.sum(x) * len(names) * (names[0] == "Tripled")


def parameters_of_a_method(x):
    return np.sum(x) * len(inspect.getfullargspec(Scaled(2.0).total).args)


def largest_extent(x):
    return np.sum(x) * functools.reduce(max, x.shape)


def chosen_rows(x):
    return np.sum(np.choose(np.array([0, 1, 1]), x))


def chosen_of_stacked(x):
    which = np.array([[0, 1, 1], [2, 0, 2]])
    return np.sum(np.choose(which, np.stack([x, x**2, x**3])))


def grid_of_a_list(x):
    rows, columns = np.mgrid[[slice(0, n) for n in x.shape]]
    return np.sum(x * rows + x * x * columns)


def clipped(x):
    return np.sum(np.clip(x, 1.5, 4.5, casting="no"))


def broadcast(x):
    both = np.broadcast_arrays(x, x[:1], subok=True)
    return np.sum(both[0] * both[1])


def part_of_a_text(x):
    return np.sum(x) * (2 if "4.0" in f"{x[1, 0]:.1f}" else 1)


def text_in_a_constant(x):
    return np.sum(x) * (2 if f"{x[1, 0]:.1f}" in "3.0 4.0" else 1)


def largest_pair(x):
    def power(k):
        return x[0, k] * x[1, k] * (-1) ** k

    best, k = max((power(k), k) for k in (2, 0, 1))
    least = min([(x[1, 1], "b"), (x[0, 2], "a")])
    return best * k + least[0]


@pytest.mark.parametrize(
    "f",
    [
        union_with_none, optional, method_made, classes_behind, parameters_of_a_method,
        largest_extent, chosen_rows, chosen_of_stacked, grid_of_a_list, clipped, broadcast,
        largest_pair, part_of_a_text, text_in_a_constant,
    ],
)  # fmt: skip
def test_as_in_python(f):
    value, gradient = srcad.value_and_grad(f)(X)
    assert value == f(X)
    for i in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[i] = 1e-6
        np.testing.assert_allclose(gradient[i], (f(X + step) - f(X - step)) / 2e-6, rtol=1e-6)


def test_a_clip_that_casts_is_refused():
    low = np.float32([0.5])
    with pytest.raises(srcad.MissingRule, match="E203"):
        srcad.grad(lambda x: np.sum(np.clip(x, low, None, casting="no")))(X)


def test_no_method_of_nothing():
    with pytest.raises(srcad.UnsupportedSyntax, match="E120"):
        srcad.grad(lambda x: types.MethodType(Scaled.total, None)(x))(X)
