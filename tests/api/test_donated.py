"""`out=`: gradients in arrays of the caller's, on all backends; what is refused."""

from __future__ import annotations

import importlib.util
from typing import Any, NamedTuple

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

HAS_NUMBA = importlib.util.find_spec("numba") is not None
native = pytest.param(
    "native", marks=pytest.mark.skipif(not HAS_NUMBA, reason="Numba is not installed")
)
BACKENDS = ["auto", "numpy", native]
RNG = np.random.default_rng(0)


class Pair(NamedTuple):
    a: Any
    b: Any


def loss(p: Any, x: Any) -> Any:
    h = np.tanh(x * p["w"] + p["b"])
    return np.sum(h[::-1] * h)


def swapped(x: Any, y: Any) -> Any:
    return np.sum(np.exp(x) * y[::-1] * x[::-1]) + np.sum(np.tanh(y) * y[::-1])


P = {"w": RNG.standard_normal(70), "b": RNG.standard_normal(70)}
X = RNG.standard_normal((40, 70))


def like(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: like(x) for key, x in tree.items()}
    if isinstance(tree, tuple):
        made = map(like, tree)
        return type(tree)(*made) if hasattr(tree, "_fields") else tuple(made)
    if isinstance(tree, list):
        return [like(x) for x in tree]
    return np.full_like(tree, np.nan)


def assert_trees(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            assert_trees(a[key], b[key])
    elif isinstance(a, tuple | list):
        for x, y in zip(a, b, strict=True):
            assert_trees(x, y)
    else:
        np.testing.assert_allclose(a, b, rtol=1e-12 if a.dtype == np.float64 else 1e-4)


CASES = [
    (lambda x: np.sum(np.exp(x) * x[::-1]), 0, (X,)),
    (lambda x: np.sum(np.exp(x) * x[::-1]), 0, (X[::2, ::-1],)),
    (lambda x: np.sum(np.exp(x) * x[::-1]), 0, (X.astype(np.float32).copy(),)),
    (lambda x: np.sum(x[:0]), 0, (X,)),
    (lambda x: x * x, 0, (np.array(3.0),)),
    (loss, 0, (P, X)),
    (loss, 1, (P, X)),
    (loss, (1, 0), (P, X)),
    (swapped, (0, 1), (X, X + 1.0)),
    (lambda p: np.sum(p[0] * p[1].a[::-1]) * p[1].b[0], 0, ([X, Pair(X + 1, np.ones(3))],)),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("k", range(len(CASES)))
def test_the_gradient_is_written_there(k: int, backend: str) -> None:
    f, argnums, args = CASES[k]
    g = srcad.grad(f, argnums, backend=backend)
    both = srcad.value_and_grad(f, argnums, backend=backend)
    wanted = srcad.grad(f, argnums, backend="numpy")(*args)
    out = like(wanted)
    leaves = id(out), [id(x) for x in out] if isinstance(out, tuple | list) else None
    for _ in range(3):
        assert g(*args, out=out) is out
        assert_trees(out, wanted)
        value, returned = both(*args, out=out)
        assert returned is out
        np.testing.assert_allclose(value, f(*args), rtol=1e-5)
        assert_trees(out, wanted)
    assert leaves == (id(out), [id(x) for x in out] if isinstance(out, tuple | list) else None)
    assert_trees(g(*args), wanted)  # a call without it leaves the arrays alone
    other = g(*[x + 1 if isinstance(x, np.ndarray) else x for x in args])
    assert other is not out
    assert_trees(out, wanted)


@pytest.mark.parametrize("backend", BACKENDS)
def test_with_aux(backend: str) -> None:
    def f(x: Any) -> Any:
        h = np.exp(x)
        return np.sum(h[::-1] * h), {"h": h * 2.0, "x": x}

    out = np.empty_like(X)
    for _ in range(3):
        gradient, aux = srcad.grad(f, has_aux=True, backend=backend)(X, out=out)
        assert gradient is out
        assert not np.shares_memory(aux["h"], out)
        np.testing.assert_allclose(aux["h"], 2 * np.exp(X))
        np.testing.assert_allclose(out, srcad.grad(lambda x: f(x)[0], backend="numpy")(X))
        (value, aux), gradient = srcad.value_and_grad(f, has_aux=True, backend=backend)(X, out=out)
        assert gradient is out
        assert value == pytest.approx(f(X)[0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_captured_array_may_be_the_gradients(backend: str) -> None:
    """It is read before it is written."""
    scale = np.linspace(1, 2, 70)
    factor = scale.copy()

    def f(w: Any) -> Any:
        t = np.exp(w)
        u = np.tanh(t[::-1] * t * scale)
        return np.sum(u * scale[::-1] * t)

    g = srcad.grad(f, backend=backend)
    w = np.linspace(-1, 1, 70)
    wanted = g(w)
    for _ in range(4):
        scale[:] = factor
        g(w, out=scale)
        np.testing.assert_allclose(scale, wanted, rtol=1e-12)


SCRATCH = np.zeros(70)


@srcad.rules.nondiff
def scratched() -> float:
    return float(np.sum(SCRATCH))


def reading(w: Any) -> Any:
    t = np.exp(w)
    total = np.sum(t[::-1] * t)
    return total * (scratched() + 1.0) + np.sum(np.tan(t) * t[::-1])


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_a_helper_reads_may_be_the_gradients(backend: str) -> None:
    w = np.linspace(-1, 1, 70)
    g = srcad.grad(reading, backend=backend)
    SCRATCH[:] = 0
    wanted = g(w)
    for _ in range(3):
        SCRATCH[:] = 0
        g(w, out=SCRATCH)
        np.testing.assert_allclose(SCRATCH, wanted, rtol=1e-12)


def test_the_primals_own_parameter_comes_first() -> None:
    def f(x: Any, out: float = 1.0) -> Any:
        return np.sum(x * x) * out

    def g(x: Any, **options: Any) -> Any:
        return np.sum(x * x) * options["out"]

    assert np.array_equal(srcad.grad(f)(np.ones(2), out=3.0), [6.0, 6.0])
    assert np.array_equal(srcad.grad(g)(np.ones(2), out=3.0), [6.0, 6.0])


def locked() -> Any:
    x = np.empty(3)
    x.flags.writeable = False
    return x


V = np.linspace(0, 1, 3)
TWICE = np.empty(5)


@pytest.mark.parametrize(
    ("args", "out", "told"),
    [
        ((V, V + 1), np.empty(2), "a container"),
        ((V, V + 1), [np.empty(3), np.empty(3)], "a container"),
        ((V, V + 1), (np.empty(3),), "a container"),
        ((V, V + 1), (np.empty(2), np.empty(3)), r"`out\[0\]`, of shape \(2,\)"),
        ((V, V + 1), (np.empty(3), np.empty((3, 1))), r"`out\[1\]`, of shape \(3, 1\)"),
        ((V, V + 1), (np.empty(3), np.empty(3, np.float32)), "dtype float32"),
        ((V, V + 1), (np.empty(3), 0.0), r"`out\[1\]`, no array"),
        ((V, V + 1), (np.empty(3), locked()), "read-only"),
        ((V, V + 1), (np.empty(3), V), "overlaps an argument"),
        ((V, V + 1), (TWICE[:3], TWICE[2:]), "overlaps another"),
        ((V, V + 1), None, "a container"),
    ],
)
def test_what_cannot_take_the_gradient(args: Any, out: Any, told: str) -> None:
    before = [x.copy() for x in args]
    for g in (srcad.grad(swapped, (0, 1)), srcad.value_and_grad(swapped, (0, 1))):
        with pytest.raises(SrcadError, match=told) as caught:
            g(*args, out=out)
        assert caught.value.code == "E319"
    assert all(np.array_equal(a, b) for a, b in zip(args, before, strict=True))
