"""`vmap`: values, dtypes and gradients are those of each sample alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError


def stacked(f, in_axes, args):
    """What a loop over the samples gives."""
    specs = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    n = next(x.shape[s] for x, s in zip(args, specs, strict=True) if s is not None)
    taken = (
        [x if s is None else np.take(x, i, axis=s) for x, s in zip(args, specs, strict=True)]
        for i in range(n)
    )
    return np.stack([f(*sample) for sample in taken])


def norm(x):
    return np.sqrt(x @ x)


def layer(x, w, b):
    return np.tanh(w @ x + b)


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def branch(x):
    return np.sum(x) if x[0] > 0 else np.sum(x**2)


def nested_branch(x):
    y = x * 2.0
    if x[0] > 0:
        z = np.log(x[0]) if x[1] > 0 else x[1]
    else:
        z = -x[0]
    return y * z


def newton(t):
    x = t
    while abs(x * x - t) > 1e-12:
        x = 0.5 * (x + t / x)
    return x


def recurrence(x):
    h = np.zeros(4)
    for i in range(3):
        h = np.tanh(0.5 * h + x * (i + 1))
    return h


def by_entry(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2 * i
    return total


def written(x):
    z = x.copy()
    z[0] = z[1] * 2
    z[2:] += 1
    return z


def listed(x):
    return np.array([np.sum(x) * i for i in range(3)])


def left_early(x):
    for i in range(4):
        if x[i] < 0:
            return x[i] * i
    return np.sum(x)


def caught(x):
    try:
        if x[0] < 0:
            raise ValueError("negative")
        return x[0]
    except ValueError:
        return -2 * x[0]


def clipped(t):
    return max(t, 0.0) + min(t, 1.0)


def of_library(t):
    return math.exp(t) + math.floor(t)


def looked_up(k, table):
    return table[k] * 2.0


def picked(x, k):
    return x[k] * np.sum(x)


def of_matrix(a):
    return np.linalg.solve(a + 3 * np.eye(3), a[0]) + np.linalg.det(a) * np.trace(a)


def summed(x):
    return (x - np.mean(x)) / np.std(x) + np.cumsum(x) + np.sort(x) + x[np.argmax(x)]


def measured(a):
    n = a.size + len(a) * a.shape[1]
    return np.sum(a) / n + np.zeros(a.size)


def to_whole(t):
    return int(t * 3.0) * t


def rows(a):
    return np.mean(a, axis=0) @ a.T + np.max(a, axis=-1) + np.einsum("ij->i", a)


rng = np.random.default_rng(0)
X, Y = rng.standard_normal((5, 4)), rng.standard_normal(5)
W, B, A = rng.standard_normal((3, 4)), rng.standard_normal(3), rng.standard_normal((6, 3, 3))
PROGRAMS = [
    (norm, 0, (X,)),
    (layer, (0, None, None), (X, W, B)),
    (lambda x, t: x * t + 1, 0, (X, Y)),
    (softmax, 0, (X,)),
    (softmax, 1, (X,)),
    (softmax, -1, (X,)),
    (branch, 0, (X,)),
    (nested_branch, 0, (X,)),
    (newton, 0, (np.abs(Y) + 0.5,)),
    (recurrence, 0, (X,)),
    (by_entry, 0, (X,)),
    (written, 0, (X,)),
    (listed, 0, (X,)),
    (left_early, 0, (X,)),
    (caught, 0, (X,)),
    (clipped, 0, (Y,)),
    (of_library, 0, (Y,)),
    (picked, 0, (X, np.array([0, 3, 1, 2, 0]))),
    (of_matrix, 0, (A,)),
    (summed, 0, (X,)),
    (rows, 0, (A,)),
    (measured, 0, (A,)),
    (to_whole, 0, (Y,)),
    (lambda x: np.outer(x, x) @ x, 0, (X,)),
    (lambda x: x.reshape(2, 2) @ x.reshape(2, 2).T, 0, (X,)),
    (lambda x: np.where(x > 0, x, 0.1 * x)[::-1], 0, (X,)),
    (lambda x: x * 2.0 + np.float32(1), 0, (X.astype(np.float32),)),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_results_are_those_of_each_sample(program, backend):
    f, in_axes, args = program
    got = srcad.vmap(f, in_axes, backend=backend, cache=False)(*args)
    want = stacked(f, in_axes, args)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-12 if got.dtype == float else 1e-6)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_gradients_are_those_of_each_sample(program):
    f, in_axes, args = program
    mapped = srcad.vmap(f, in_axes, backend="numpy", cache=False)
    want = mapped(*args)
    weights = np.cos(np.arange(want.size)).reshape(want.shape).astype(want.dtype)

    def total(*args):
        return np.sum(mapped(*args) * weights)

    got = srcad.grad(total, backend="numpy", cache=False)(*args)
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    alone = srcad.grad(lambda c, *xs: np.sum(f(*xs) * c), 1, backend="numpy", cache=False)
    samples = (
        [x if s is None else np.take(x, i, axis=s) for x, s in zip(args, axes, strict=True)]
        for i in range(len(want))
    )
    each = [alone(c, *sample) for c, sample in zip(weights, samples, strict=True)]
    tolerance = 1e-10 if got.dtype == float else 1e-5
    np.testing.assert_allclose(got, np.stack(each, axis=axes[0]), rtol=tolerance, atol=1e-12)


@pytest.mark.parametrize("kind", [srcad.grad, srcad.jacrev, srcad.jacfwd, srcad.hessian])
def test_derivatives_can_be_mapped(kind):
    def loss(w, x, t):
        return (np.tanh(w @ x) - t) ** 2

    derivative = kind(loss, backend="numpy")
    got = srcad.vmap(derivative, (None, 0, 0), backend="numpy", cache=False)(W[0], X, Y)
    np.testing.assert_allclose(got, [derivative(W[0], x, t) for x, t in zip(X, Y, strict=True)])


def test_forward_mode_and_second_derivatives_of_what_is_mapped():
    mapped = srcad.vmap(norm, backend="numpy")
    y, dot = srcad.jvp(mapped, (X,), (np.ones_like(X),))
    np.testing.assert_allclose(y, np.linalg.norm(X, axis=1))
    np.testing.assert_allclose(dot, np.sum(X, axis=1) / y)
    second = srcad.hvp(lambda x: np.sum(mapped(x) ** 2))(X, np.ones_like(X))
    np.testing.assert_allclose(second, 2 * np.ones_like(X))


def test_vmap_inside_a_function_and_of_what_it_defines():
    @srcad.grad
    def loss(w, x):
        def score(row):
            return np.tanh(row @ w)

        return np.sum(srcad.vmap(score)(x) ** 2)

    want = srcad.grad(lambda w, x: np.sum(np.tanh(x @ w) ** 2))(W[0], X)
    np.testing.assert_allclose(loss(W[0], X), want)


def test_vmap_of_vmap():
    pairs = srcad.vmap(srcad.vmap(lambda a, b: np.sum((a - b) ** 2), (None, 0)), (0, None))
    np.testing.assert_allclose(pairs(X, X), np.sum((X[:, None] - X[None]) ** 2, axis=-1))


def test_operations_with_a_form_need_no_loop():
    text = srcad.vmap(layer, (0, None, None), backend="numpy").source(X, W, B)
    assert "np.tanh(x @ w.T + b)" in text


def test_a_branch_runs_for_each_sample():
    text = srcad.vmap(branch, backend="numpy").source(X)
    assert "for i in range(n_samples):" in text


def test_containers_axes_and_defaults():
    def f(pair, p, scale=2.0, *, shift):
        return {"a": pair[0] * p["w"] * scale, "b": (np.sum(pair[1]) + shift, 1.0)}

    mapped = srcad.vmap(f, ((0, 1), {"w": None}), {"a": 1, "b": 0}, backend="numpy")
    got = mapped((X, X.T), {"w": W[0]}, shift=Y)
    np.testing.assert_allclose(got["a"], (X * W[0] * 2.0).T)
    np.testing.assert_allclose(got["b"][0], np.sum(X, axis=1) + Y)
    np.testing.assert_array_equal(got["b"][1], np.ones(5))


def test_decorator():
    @srcad.vmap(in_axes=(0, None))
    def f(x, c):
        return x * c

    np.testing.assert_array_equal(f(Y, 2.0), 2.0 * Y)
    assert f.__name__ == "f"


def power(x, n=2, kind="plain"):
    return x**n if kind == "plain" else -(x**n)


@pytest.mark.parametrize("given", [(), (2,), (3,), (2, "plain"), (3, "plain"), (2, "other")])
def test_arguments_that_equal_their_defaults_have_axes(given):
    in_axes = (0, *(None for _ in given))
    want = power(Y, *given)
    np.testing.assert_array_equal(srcad.vmap(power, in_axes)(Y, *given), want)
    np.testing.assert_array_equal(srcad.vmap(power, (0, None, None))(Y, *given), want)
    inside = srcad.compile(lambda y: srcad.vmap(power, in_axes)(y, *given))
    np.testing.assert_array_equal(inside(Y), want)


KNOWN_AXES = ({"q": 1, "p": [0, None]}, None)


def kicked(s, dt):
    return {"q": s["q"] + dt * s["p"][0], "p": s["p"][1] * dt}


def test_axes_of_dicts_and_lists_inside_of_another_function():
    state = {"q": X.T, "p": [X, 2.0]}
    want = srcad.vmap(kicked, KNOWN_AXES, {"q": 0, "p": None})(state, 0.1)

    def written_out(s):
        return srcad.vmap(kicked, ({"q": 1, "p": [0, None]}, None), {"q": 0, "p": None})(s, 0.1)

    def captured(s):
        return srcad.vmap(kicked, KNOWN_AXES, out_axes={"q": 0, "p": None})(s, 0.1)

    for inside in map(srcad.compile, (written_out, captured)):
        got = inside(state)
        np.testing.assert_array_equal(got["q"], want["q"])
        assert got["p"] == want["p"]


def test_results_without_an_axis():
    def f(x, c):
        return {"x": [x, c], "c": c @ c, "kind": "plain", "n": 2}

    out_axes = {"x": [0, None], "c": None, "kind": 0, "n": None}
    got = srcad.vmap(f, (0, None), out_axes)(Y, W[0])
    np.testing.assert_array_equal(got["x"][0], Y)
    np.testing.assert_array_equal(got["x"][1], W[0])
    assert (got["c"], got["kind"], got["n"]) == (W[0] @ W[0], "plain", 2)
    assert srcad.vmap(lambda x, c: c * 2.0, (0, None), None)(Y, 3.0) == 6.0

    def total(c):
        return srcad.vmap(lambda x, c: (x * c, c**2), (0, None), (0, None))(Y, c)[1]

    assert srcad.grad(total)(3.0) == 6.0


def test_what_does_not_depend_on_the_samples_is_repeated():
    np.testing.assert_array_equal(
        srcad.vmap(lambda x: np.arange(3.0))(X), np.arange(3.0) + 0 * A[:5, 0]
    )
    np.testing.assert_array_equal(
        srcad.vmap(lambda x, c: c * 2, (0, None))(X, 3.0), np.full(5, 6.0)
    )


def test_an_exception_of_one_sample_comes_out():
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return np.sqrt(x)

    mapped = srcad.vmap(f, backend="numpy")
    np.testing.assert_allclose(mapped(np.array([1.0, 4.0])), [1.0, 2.0])
    with pytest.raises(ValueError, match="negative"):
        mapped(np.array([1.0, -4.0]))


def test_what_raises_for_one_sample_of_pythons_numbers_raises():
    whole = srcad.vmap(lambda t: int(t) * 2.0, backend="numpy")
    np.testing.assert_array_equal(whole(np.array([1.5, 2.5])), [2.0, 4.0])
    with pytest.raises(ValueError, match="NaN"):
        whole(np.array([1.5, np.nan]))


def test_extents_that_the_program_states_may_be_those_of_an_argument():
    @srcad.grad
    def f(x):
        return np.sum(srcad.vmap(lambda t, k: t * k)(x, np.arange(5)))

    np.testing.assert_array_equal(f(Y), np.arange(5.0))


def test_arguments_of_unequal_length_raise():
    mapped = srcad.vmap(lambda x, y: (np.sum(x), np.sum(y)), backend="numpy")
    mapped(X, X)
    with pytest.raises(ValueError, match="differ in length"):
        mapped(X, X[:3])
    with pytest.raises((ValueError, SrcadError), match="differ in length"):
        mapped(X, X[:1])


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: srcad.vmap(lambda x: x, 1)(Y), "E320"),
        (lambda: srcad.vmap(lambda x, c: x * c)(Y, 2.0), "E320"),
        (lambda: srcad.vmap(lambda x, c: x * c, (0, None, 0))(Y, 2.0), "E320"),
        (lambda: srcad.vmap(lambda x: x, None)(Y), "E320"),
        (lambda: srcad.vmap(lambda x: x, 0, 1)(Y), "E320"),
        (lambda: srcad.vmap(lambda x: x * 2.0, 0, None)(Y), "E320"),
        (lambda: srcad.vmap(lambda x: (x, 1.0), 0, (None, 0))(Y), "E320"),
        (lambda: srcad.vmap(lambda x: x, "0")(Y), "E320"),
        (lambda: srcad.vmap(3.0), "E313"),
        (lambda: srcad.vmap(lambda x: x + np.random.rand())(Y), "E141"),
        (lambda: srcad.vmap(lambda x, r: x + r.normal(), (0, None))(Y, rng), "E141"),
    ],
)
def test_what_cannot_be_mapped_is_refused(call, code):
    with pytest.raises(SrcadError) as caught:
        call()
    assert caught.value.code == code


def test_samples_whose_arrays_have_other_lengths():
    def f(x):
        return np.sum(x[x > 0] ** 2)

    x = np.array([[1.0, -1.0, 2.0], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])
    np.testing.assert_array_equal(srcad.vmap(srcad.grad(f))(x), 2 * np.maximum(x, 0))
    np.testing.assert_array_equal(srcad.vmap(f)(x), [5.0, 3.0, 0.0])


def test_what_does_not_fit_is_told_at_the_function() -> None:
    with pytest.raises(srcad.SrcadError, match=r"test_vmap\.py:\d+:\d+: error\[E320\]"):
        srcad.vmap(lambda x, c: x * c, (0, None, 0))(Y, 2.0)
