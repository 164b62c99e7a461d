"""Composed functions stay calls where a function is run, and are taken apart to be derived."""

import numpy as np
import pytest

import srcad

X = np.array([3.0, 1.0, 2.0])


def spread(x):
    return np.quantile(x, 0.3) + np.median(x) * np.max(x, initial=0.5) + np.add.reduce(x)


def training_step(x):
    value, x_bar = srcad.value_and_grad(spread)(x)
    _, x_dot = srcad.jvp(spread, (x,), (x,))
    _, pullback = srcad.vjp(spread, x)
    return np.median(x), value, x_bar, x_dot, pullback(1.0)[0]


def test_calls_stay_where_a_function_is_run():
    compiled = srcad.compile(spread, backend="numpy")
    assert compiled(X) == spread(X)
    text = compiled.source(X)
    assert "np.quantile(x, 0.3)" in text
    assert "np.median(x)" in text
    assert "initial=0.5" in text


def test_derivatives_inside_are_those_of_the_bodies():
    compiled = srcad.compile(training_step, backend="numpy")
    for a, b in zip(compiled(X), training_step(X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


@pytest.mark.parametrize(
    ("f", "problem"),
    [
        (lambda x: np.geomspace(x, 0.0, 3), ValueError),
        (lambda x: np.quantile(x, x), ValueError),
        (lambda x: np.gradient(x[:1]), ValueError),
        (lambda x: np.histogram(x / 0.0, 3), ValueError),
        (lambda x: np.correlate(x[0], x), ValueError),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_numpy_raises_is_raised(f, problem):
    with pytest.raises(problem):
        f(X)
    with pytest.raises(problem):
        srcad.compile(f, backend="numpy")(X)


@pytest.mark.parametrize(
    "f",
    [np.copy, np.array, np.unwrap, lambda a: np.vstack([a, a]), lambda a: np.percentile(a, 50, 0),
     lambda a: np.gradient(a)[0], lambda a: np.isclose(a, 1.0), lambda a: a.copy(),
     lambda a: np.cumulative_sum(a, axis=0, include_initial=True)],
)  # fmt: skip
def test_results_lie_in_memory_as_those_of_numpy(f):
    a = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    found, wanted = srcad.compile(lambda a: f(a), backend="numpy")(a), f(a)
    np.testing.assert_array_equal(found, wanted)
    assert found.strides == wanted.strides


@pytest.mark.parametrize(
    "f",
    [lambda x: np.split(x, 3), lambda x: np.broadcast_arrays(x, 1.0), np.ix_, np.require,
     lambda x: np.reshape(x, (3, 1), order="F"), np.real_if_close, lambda x: np.diff(x, n=0),
     lambda x: np.array(x, copy=None), lambda x: [np.split(x, 1)[0], x], np.asarray_chkfinite,
     lambda x: np.histogram(x, x)],
)  # fmt: skip
def test_results_share_memory_as_those_of_numpy(f):
    def aliases(found, x):
        parts = found if isinstance(found, list | tuple) else (found,)
        return [(part is x, np.shares_memory(part, x)) for part in parts]

    x = np.arange(3.0)
    assert aliases(srcad.compile(lambda x: f(x), backend="numpy")(x), x) == aliases(f(x), x)
