"""`grad`, `value_and_grad`, `derivative`, `elementwise_grad`: values, structures, refusals."""

from __future__ import annotations

import importlib.util
import itertools
import operator
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.api.arguments.trees import leaves
from srcad.errors import ArgumentTypeError, ArgumentValueError

X = np.array([0.3, -1.2, 2.0])


def loss(w: Any, x: Any) -> Any:
    return np.sum(np.tanh(w * x) ** 2)


def difference(f: Any, x: Any, h: float = 1e-5) -> Any:
    """Central differences of a scalar function of one array."""
    found = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = h
        found[i] = (f(x + step) - f(x - step)) / (2 * h)
    return found


def test_gradient_is_that_of_differences() -> None:
    w = np.array([1.0, 0.5, -0.7])
    np.testing.assert_allclose(
        srcad.grad(loss)(w, X), difference(lambda w: loss(w, X), w), rtol=1e-7
    )


def test_value_and_gradient() -> None:
    w = np.array([1.0, 0.5, -0.7])
    value, gradient = srcad.value_and_grad(loss)(w, X)
    assert value == loss(w, X)
    np.testing.assert_array_equal(gradient, srcad.grad(loss)(w, X))


@pytest.mark.parametrize("argnums", [1, -1, "x"])
def test_argnums_choose_a_parameter(argnums: Any) -> None:
    w = np.array([1.0, 0.5, -0.7])
    found = srcad.grad(loss, argnums)(w, X)
    np.testing.assert_allclose(found, difference(lambda x: loss(w, x), X), rtol=1e-7)


def test_a_tuple_of_argnums_gives_a_tuple() -> None:
    w = np.array([1.0, 0.5, -0.7])
    both = srcad.grad(loss, ("x", 0))(w, X)
    assert isinstance(both, tuple)
    np.testing.assert_array_equal(both[0], srcad.grad(loss, 1)(w, X))
    (only,) = srcad.grad(loss, (0,))(w, X)
    np.testing.assert_array_equal(only, both[1])


def test_decorators_bare_and_with_options() -> None:
    @srcad.grad
    def square(x: Any) -> Any:
        """Docs."""
        return np.sum(x * x)

    @srcad.grad(argnums=1)
    def product(x: Any, y: Any) -> Any:
        return np.sum(x * y)

    @srcad.value_and_grad(argnums="y", has_aux=True)
    def with_aux(x: Any, y: Any) -> Any:
        return np.sum(x * y), {"x": x}

    np.testing.assert_array_equal(square(X), 2 * X)
    np.testing.assert_array_equal(product(X, 2 * X), X)
    (value, aux), gradient = with_aux(X, 2 * X)
    assert value == np.sum(2 * X * X)
    np.testing.assert_array_equal(gradient, X)
    np.testing.assert_array_equal(aux["x"], X)
    assert (square.__name__, square.__doc__) == ("square", "Docs.")


def test_has_aux_with_grad() -> None:
    gradient, aux = srcad.grad(lambda x: (np.sum(x**3), x.shape), has_aux=True)(X)
    np.testing.assert_allclose(gradient, 3 * X**2)
    assert aux == (3,)


Pair = namedtuple("Pair", "a b")


@dataclass(frozen=True)
class Layer:
    w: Any
    b: Any


def test_gradients_have_the_structure_of_their_argument() -> None:
    def f(p: Any) -> Any:
        return np.sum(p["l"][0] * p["l"][1].w + p["q"].a * p["q"].b) + p["l"][1].b

    p = {"l": [X, Layer(2 * X, 1.0)], "q": Pair(X, 3 * X), "unused": (X, None)}
    g = srcad.grad(f)(p)
    assert list(g) == ["l", "q", "unused"]
    assert isinstance(g["l"], list)
    assert isinstance(g["l"][1], Layer)
    assert isinstance(g["q"], Pair)
    np.testing.assert_array_equal(g["l"][0], 2 * X)
    np.testing.assert_array_equal(g["l"][1].w, X)
    assert g["l"][1].b == 1.0
    np.testing.assert_array_equal(g["q"].a, 3 * X)
    np.testing.assert_array_equal(g["unused"][0], np.zeros(3))
    assert g["unused"][1] is None


def test_dtype_and_shape_are_kept() -> None:
    for x in (X.astype(np.float32), np.float32(2), np.ones((2, 1)), np.ones(()), 2.0):
        g = srcad.grad(lambda x: np.sum(x * np.float64(3) + x))(x)
        assert np.shape(g) == np.shape(x)
        assert np.asarray(g).dtype == np.asarray(x).dtype


def test_functions_without_source_have_rules() -> None:
    np.testing.assert_array_equal(srcad.grad(np.sum)(X), np.ones(3))
    assert srcad.grad(operator.mul)(2.0, 5.0) == 5.0
    assert srcad.grad(operator.mul, argnums=1)(2.0, 5.0) == 2.0


def test_second_derivatives() -> None:
    second = srcad.grad(srcad.grad(lambda x: x**4))
    assert second(2.0) == pytest.approx(48.0)
    assert srcad.derivative(lambda x: x**4, order=3)(2.0) == pytest.approx(48.0)
    assert srcad.derivative(np.sin, order=4)(0.3) == pytest.approx(np.sin(0.3))


def test_elementwise() -> None:
    np.testing.assert_allclose(srcad.elementwise_grad(np.tanh)(X), 1 - np.tanh(X) ** 2)
    np.testing.assert_allclose(
        srcad.derivative(lambda x: np.sin(x) * x)(X), np.cos(X) * X + np.sin(X)
    )


def test_kwargs_and_defaults() -> None:
    def f(x: Any, scale: float = 2.0, *, shift: float = 1.0) -> Any:
        return np.sum(scale * x + shift * x)

    g = srcad.grad(f)
    assert g(X)[0] == 3.0
    assert g(X, shift=5.0)[0] == 7.0
    assert g(x=X, scale=1.0)[0] == 2.0
    with pytest.raises(ArgumentTypeError, match="E315"):
        g(X, wrong=1.0)
    with pytest.raises(ArgumentTypeError, match="E315"):
        g()


def test_star_arguments() -> None:
    def f(*xs: Any, **weights: Any) -> Any:
        return sum(np.sum(x) for x in xs) * weights["a"]

    np.testing.assert_array_equal(srcad.grad(f, 1)(X, 2 * X, a=3.0), np.full(3, 3.0))
    with pytest.raises(ArgumentValueError, match="E303"):
        srcad.grad(f, 2)(X, 2 * X, a=3.0)
    first, second = srcad.grad(f, "xs")(X, 2 * X, a=3.0)
    np.testing.assert_array_equal(first, np.full(3, 3.0))
    np.testing.assert_array_equal(second, np.full(3, 3.0))


@pytest.mark.parametrize(
    ("make", "code", "cls"),
    [
        (lambda: srcad.grad(loss, 2), "E303", ArgumentValueError),
        (lambda: srcad.grad(loss, "q"), "E304", ArgumentValueError),
        (lambda: srcad.grad(loss, 1.5), "E305", ArgumentTypeError),
        (lambda: srcad.grad(3.0), "E313", ArgumentTypeError),
        (lambda: srcad.derivative(loss, 0), "E312", ArgumentValueError),
        (lambda: srcad.grad(loss, backend="gpu"), "E314", ArgumentValueError),
        (lambda: srcad.grad(loss)(1, X), "E301", ArgumentTypeError),
        (lambda: srcad.grad(lambda x: x * 2)(X), "E302", ArgumentTypeError),
        (lambda: srcad.grad(lambda x: len(x))(X), "E306", ArgumentTypeError),
        (lambda: srcad.grad(lambda x: np.sum(x), has_aux=True)(X), "E307", ArgumentTypeError),
        (lambda: srcad.grad(loss).source(), "E315", ArgumentTypeError),
    ],
)
def test_refusals(make: Any, code: str, cls: type) -> None:
    with pytest.raises(cls, match=code):
        make()


def test_a_backend_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ArgumentValueError, match=r'E314.*(\n.*)*pip install "numba<'):
        srcad.grad(loss, backend="native")


def test_the_arguments_are_left_alone() -> None:
    w, x = np.array([1.0, 2.0, 3.0]), X.copy()
    before = w.tobytes(), x.tobytes()
    g = srcad.grad(lambda w, x: np.sum(w * x), (0, 1))(w, x)
    for each in g:
        each += 1.0
    assert (w.tobytes(), x.tobytes()) == before


def test_results_share_no_memory() -> None:
    a, b = srcad.grad(lambda a, b: np.sum((a + b) ** 2), (0, 1))(X, X)
    assert not np.shares_memory(a, b)
    a += 1.0
    ones = srcad.grad(lambda x: np.sum(x))(X)
    ones *= 2.0
    assert ones.tolist() == [2.0, 2.0, 2.0]


def test_differences_of_too_few_entries() -> None:
    g = srcad.grad(lambda x: np.sum(np.diff(x, n=2) ** 2))
    for n in (5, 2, 0):
        assert g(np.ones(n)).shape == (n,)
    assert srcad.grad(lambda x: np.sum(np.diff(x) ** 2))(np.zeros(0)).shape == (0,)


def test_holomorphic_functions_have_a_complex_derivative() -> None:
    z = np.array([1.0 + 2.0j, 0.5 - 1.0j])
    wanted = [complex(np.cos(w)) for w in z]
    found = srcad.grad(lambda z: np.sum(np.sin(z)), holomorphic=True)(z)
    assert np.allclose(found, wanted)
    value, found = srcad.value_and_grad(lambda z: np.prod(z), holomorphic=True)(z)
    assert value == np.prod(z)
    assert np.allclose(found, z[::-1])
    assert srcad.derivative(lambda z: z**3, 2, holomorphic=True)(2j) == 12j
    single = srcad.elementwise_grad(np.exp, holomorphic=True)(z.astype(np.complex64))
    assert single.dtype == np.complex64
    assert np.allclose(single, np.exp(z))
    assert srcad.grad(lambda z: z * z, holomorphic=True).source(1j).count("complex") > 0


def test_holomorphic_inside_a_function() -> None:
    slope = srcad.grad(lambda w: w**3, holomorphic=True)
    inner = srcad.grad(lambda z: slope(z).real)
    assert inner(1.0 + 2.0j) == 6 * (1.0 + 2.0j)
    written = srcad.grad(lambda z: np.real(srcad.grad(lambda w: w**3, holomorphic=True)(z)))
    assert written(1.0 + 2.0j) == 6 * (1.0 + 2.0j)


@pytest.mark.parametrize(
    ("f", "z", "holomorphic", "code"),
    [
        (lambda z: z * z, 1j, False, "E306.*\n.*holomorphic=True"),
        (lambda z: abs(z), 1j, True, "E318"),
        (lambda x: x * 1j, 1.0, True, "E317"),
        (lambda x: x * x, 1.0, True, "E317"),
    ],
)
def test_holomorphic_wants_complex_numbers(f: Any, z: Any, holomorphic: bool, code: str) -> None:
    with pytest.raises(ArgumentTypeError, match=code):
        srcad.grad(f, holomorphic=holomorphic)(z)


def test_the_gradient_by_a_complex_argument() -> None:
    """df/dx - i df/dy."""
    assert np.allclose(srcad.grad(abs)(3.0 + 4.0j), 0.6 - 0.8j, rtol=1e-15)
    assert srcad.grad(lambda z: z.imag)(3.0 + 4.0j) == -1j


@pytest.mark.parametrize("argnums", [(0, 0), (0, -2, "a"), (1, 1, 0), ("b", 1)])
@pytest.mark.parametrize("kind", ["grad", "jacobian", "jacrev", "jacfwd", "hessian"])
def test_an_argument_asked_for_twice_has_two_gradients(kind: str, argnums: Any) -> None:
    a, b = np.array([1.0, 2.0, 3.0]), np.array([2.0, 0.5, -1.0])

    def f(a: Any, b: Any) -> Any:
        return np.sum(a * b**2 + a**2) if kind in ("grad", "hessian") else a * b**2 + a**2

    found = leaves(getattr(srcad, kind)(f, argnums)(a, b))
    once = getattr(srcad, kind)(f, (0, 1))(a, b)
    at = [{"a": 0, "b": 1}.get(k, k) for k in argnums]
    expected = [once[i] for i in at] if kind != "hessian" else [once[i][j] for i in at for j in at]
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y)
    for x, y in itertools.combinations(found, 2):
        assert not np.shares_memory(x, y)


def test_positions_and_names_that_overlap() -> None:
    f = srcad.grad(lambda *xs: np.sum(xs[0] * xs[1]), ("xs", 0))
    (first, second), again = f(np.ones(2), np.full(2, 3.0))
    again[...] = 0.0
    assert (first[0], second[0]) == (3.0, 1.0)
    with pytest.raises(srcad.SrcadError, match=r"E310.*two vectors for one argument"):
        srcad.hvp(lambda x: np.sum(x**3), (0, 0))(np.ones(2), (np.ones(2), np.ones(2)))
