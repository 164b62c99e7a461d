"""`jacfwd`, `jacrev`, `jacobian`, `hessian`, `hvp`: against differences, and their conventions."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import math
import pickle
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.errors import ArgumentTypeError, ArgumentValueError

RNG = np.random.default_rng(5)
A = RNG.normal(size=(4, 3))
X = RNG.normal(size=3)
MODES = [srcad.jacfwd, srcad.jacrev, srcad.jacobian]
each_mode = pytest.mark.parametrize("mode", MODES, ids=["jacfwd", "jacrev", "jacobian"])
Pair = namedtuple("Pair", "left right")


@dataclass
class Layer:
    w: Any
    b: float


def differences(f: Any, x: Any, h: float = 1e-6) -> Any:
    """The Jacobian of a function of one array, of shape `y.shape + x.shape`."""
    x = np.asarray(x, float)
    columns = []
    for i in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[i] = h
        columns.append((np.asarray(f(x + step)) - np.asarray(f(x - step))) / (2 * h))
    shape = np.shape(f(x))
    if not columns:
        return np.zeros((*shape, *x.shape))
    return np.stack(columns, -1).reshape((*shape, *x.shape))


def straight(x: Any) -> Any:
    return np.tanh(A @ x) * np.sum(x * x)


def looped(x: Any) -> Any:
    h = x
    for i in range(3):
        h = np.sin(h) * (i + 1) + h[0]
    return h


def exits(x: Any) -> Any:
    h = x
    while np.sum(h * h) < 50.0:
        h = h * 1.5 + x[1]
        if h[0] > 20.0:
            break
    return h


def written(x: Any) -> Any:
    y = np.zeros(4)
    for i in range(3):
        y[i] = x[i] * x[2 - i]
        y[3] += y[i] ** 2
    x[0] = x[1] * 3.0
    return y * x[0]


def branched(x: Any) -> Any:
    return x * x if np.sum(x) > 0 else np.exp(x)


def to_matrix(x: Any) -> Any:
    return np.outer(np.sin(x), x)


def appended(x: Any) -> Any:
    rows = []
    for i in range(3):
        rows.append(np.sin(x[i]) * x)
    return np.array(rows)


def called(x: Any) -> Any:
    def inner(h: Any, n: int) -> Any:
        return np.cos(h) if n == 0 else inner(h * h[0], n - 1) + h

    return inner(x, 2)


PROGRAMS = [
    straight, looped, exits, written, branched, to_matrix, appended, called,
    lambda x: x[1], lambda x: np.sum(x), lambda x: x.reshape(3, 1) * 2.0,
    lambda x: np.linalg.solve(np.eye(3) * 3 + np.outer(x, x), x), lambda x: np.sort(x)[::-1] ** 2,
    lambda x: np.cumsum(x)[1:] * x[:-1], lambda x: x[np.array([0, 0, 2, 1])] ** 2,
]  # fmt: skip
each_program = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)


@each_program
@each_mode
def test_against_differences(mode: Any, f: Any) -> None:
    x = X.copy()
    found = mode(f)(x)
    np.testing.assert_array_equal(x, X)
    wanted = differences(lambda x: f(x.copy()), X)
    assert np.shape(found) == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


@each_program
def test_second_derivatives_against_differences_of_the_first(f: Any) -> None:
    def loss(x: Any) -> Any:
        return np.sum(np.sin(f(x)))

    found = srcad.hessian(loss)(X)
    wanted = differences(lambda x: srcad.grad(loss)(x), X)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found, found.T, rtol=1e-12, atol=1e-12)
    v = np.array([0.3, -1.0, 2.0])
    np.testing.assert_allclose(srcad.hvp(loss)(X, v), found @ v, rtol=1e-10, atol=1e-10)


@each_mode
@pytest.mark.parametrize("shape", [(), (1,), (2,), (2, 3), (1, 1), (0,), (2, 0)])
def test_shapes_of_arguments_and_results(mode: Any, shape: Any) -> None:
    x = np.asarray(np.arange(1.0, 1 + np.prod(shape, dtype=int))).reshape(shape)
    for f in (
        lambda x: np.sin(x),
        lambda x: np.sum(x * x),
        lambda x: np.stack([x, x * x]),
        lambda x: np.ravel(x)[:1],
        lambda x: np.array([np.sum(x), 2.0]),
        lambda x: np.ones((2, 2)),
    ):
        found = mode(f)(x)
        wanted = differences(f, x)
        assert np.shape(found) == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7)


@each_mode
def test_one_program_for_all_sizes(mode: Any) -> None:
    jac = mode(lambda x: x[1:] * x[:-1])
    for n in (2, 3, 7):
        assert jac(np.arange(float(n))).shape == (n - 1, n)
    assert jac.cache_info().misses == 1


@each_mode
def test_numbers(mode: Any) -> None:
    assert mode(lambda x: x**3)(2.0) == 12.0
    assert np.shape(mode(lambda x: x**3)(2.0)) == ()
    np.testing.assert_allclose(mode(lambda t: np.array([np.cos(t), np.sin(t)]))(0.0), [0.0, 1.0])
    both = mode(lambda x, y: {"y": x * y}, argnums=(0, 1))(2.0, 5.0)["y"]
    assert both == (5.0, 2.0)
    assert not any(isinstance(each, np.ndarray) for each in both)
    assert mode(lambda x: 3.0)(1.0) == 0.0


@each_mode
def test_containers(mode: Any) -> None:
    def f(p: Any, x: Any) -> Any:
        h = np.tanh(x @ p["layer"].w + p["layer"].b)
        return {"h": h, "pair": Pair(np.sum(h), (p["s"] * h[0], None)), "all": [x * 2.0]}

    p = {"layer": Layer(RNG.normal(size=(3, 2)), 0.3), "s": 2.0}
    found = mode(f)(p, X)
    assert set(found) == {"h", "pair", "all"}
    assert type(found["pair"]) is Pair
    assert found["pair"].right[1] is None
    by_h = found["h"]
    assert type(by_h["layer"]) is Layer
    assert by_h["layer"].w.shape == (2, 3, 2)
    assert by_h["layer"].b.shape == (2,)
    assert found["pair"].left["layer"].w.shape == (3, 2)
    np.testing.assert_array_equal(found["all"][0]["layer"].w, np.zeros((3, 3, 2)))

    def h_of(w: Any, b: Any) -> Any:
        return f({"layer": Layer(w, b), "s": 2.0}, X)

    layer = p["layer"]
    wanted = differences(lambda w: h_of(w, layer.b)["h"], layer.w)
    np.testing.assert_allclose(by_h["layer"].w, wanted, atol=1e-8)
    wanted = differences(lambda b: h_of(layer.w, b)["pair"].right[0], layer.b)
    np.testing.assert_allclose(found["pair"].right[0]["layer"].b, wanted, atol=1e-8)
    p_jac, x_jac = mode(f, argnums=("p", "x"))(p, X)["h"]
    np.testing.assert_allclose(p_jac["layer"].w, by_h["layer"].w)
    wanted = differences(lambda x: f(p, x)["h"], X)
    np.testing.assert_allclose(x_jac, wanted, atol=1e-8)


@each_mode
def test_argnums_aux_keywords_and_decorators(mode: Any) -> None:
    @mode(argnums="a", has_aux=True)
    def f(x: Any, a: Any, *, k: float = 2.0) -> Any:
        """Says something."""
        return a @ x * k, {"x": x, "n": 3}

    found, aux = f(X, A, k=3.0)
    np.testing.assert_allclose(found, differences(lambda a: a @ X * 3.0, A), atol=1e-7)
    assert aux["n"] == 3
    np.testing.assert_array_equal(aux["x"], X)
    assert f.__name__ == "f"
    assert f.__doc__ == "Says something."
    assert list(inspect.signature(f).parameters) == ["x", "a", "k"]
    np.testing.assert_allclose(f(x=X, a=A)[0], f(X, A, k=2.0)[0])

    @mode
    def g(x: Any) -> Any:
        return x * x

    np.testing.assert_array_equal(g(X), np.diag(2 * X))
    assert "jac" in repr(g)
    (one,) = mode(lambda *xs: xs[0] * xs[1], argnums=(1,))(X, 2 * X)
    np.testing.assert_array_equal(one, np.diag(X))
    for wrong in ({"argnums": 3}, {"argnums": "nothing"}):
        with pytest.raises(ArgumentValueError, match="E30"):
            mode(straight, **wrong)
    with pytest.raises(TypeError, match="unexpected option"):
        mode(straight, wrong=True)


@each_mode
def test_dtypes(mode: Any) -> None:
    x = X.astype(np.float32)
    assert mode(lambda x: x * x)(x).dtype == np.float32
    assert mode(lambda x: np.sum(x * x))(x).dtype == np.float32
    assert mode(lambda p: p[0] * p[1])((x, np.float32(2.0)))[0].dtype == np.float32
    by_both = mode(lambda a, b: a * b, argnums=(0, 1))(x, X)
    np.testing.assert_allclose(by_both[0], np.diag(X), rtol=1e-6)
    np.testing.assert_allclose(by_both[1], np.diag(x), rtol=1e-6)


@each_mode
def test_refusals(mode: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="E301"):
        mode(lambda x: x * 2)(3)
    with pytest.raises(ArgumentTypeError, match="E301"):
        mode(lambda x: x * 2)(np.arange(3))
    with pytest.raises(ArgumentTypeError, match="E306"):
        mode(lambda x: np.argsort(x))(X)
    with pytest.raises(ArgumentTypeError, match="E306"):
        mode(lambda x: (x, 3))(X)
    with pytest.raises(ArgumentTypeError, match="E306"):
        mode(lambda x: "text")(X)
    with pytest.raises(ArgumentTypeError, match="E316"):
        mode(lambda x: None)(X)
    with pytest.raises(ArgumentTypeError, match="E307"):
        mode(lambda x: x, has_aux=True)(X)
    with pytest.raises(ArgumentTypeError, match="E313"):
        mode(3.5)


def test_complex_numbers() -> None:
    def waves(x: Any) -> Any:
        return np.exp(1j * x) * x[0]

    wanted = differences(waves, X)
    np.testing.assert_allclose(srcad.jacfwd(waves)(X), wanted, atol=1e-8)
    np.testing.assert_allclose(srcad.jacobian(waves)(X), wanted, atol=1e-8)
    with pytest.raises(ArgumentTypeError, match="E306"):
        srcad.jacrev(waves)(X)
    z = X + 1j
    for mode in MODES:
        found = mode(lambda z: z * z * z[0], holomorphic=True)(z)
        np.testing.assert_allclose(found, np.diag(2 * z * z[0]) + np.outer(z * z, [1, 0, 0]))
    with pytest.raises(ArgumentTypeError, match="E306"):
        srcad.jacfwd(lambda z: z * 2)(z)


def test_the_mode_with_fewer_sweeps_is_chosen() -> None:
    jac = srcad.jacobian(lambda x, n: np.sum(x.reshape(n, -1), axis=1) ** 2)
    for _ in range(2):  # the size of the result is known after the first call
        assert jac(np.ones(6), 2).shape == (2, 6)
    assert "_jacrev" in jac.source(np.ones(6), 2)
    wide, tall = srcad.jacobian(lambda x: x[1:] * x[0]), srcad.jacobian(lambda x: A @ x)
    wide(X)
    assert "_jacrev" in wide.source()
    tall(X)
    assert "_jacfwd" in tall.source()
    assert tall.cache_info() == (0, 1, 1)
    tall.cache_clear()
    assert tall.cache_info() == (0, 0, 0)


def test_effects_take_place_once(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        h = x
        for i in range(2):
            print("turn", i)
            h = np.sin(h)
        return h

    for mode in MODES:
        found = mode(f)(X)
        assert capsys.readouterr().out == "turn 0\nturn 1\n"
        np.testing.assert_allclose(found, np.diag(np.cos(np.sin(X)) * np.cos(X)))


def test_hessian_of_several_arguments() -> None:
    def f(x: Any, s: Any) -> Any:
        return np.sum(np.sin(x) * s**2) * x[0]

    (xx, xs), (sx, ss) = srcad.hessian(f, argnums=(0, 1))(X, 2.0)
    first = srcad.grad(f, argnums=(0, 1))
    np.testing.assert_allclose(xx, differences(lambda x: first(x, 2.0)[0], X), atol=1e-6)
    np.testing.assert_allclose(xs, differences(lambda s: first(X, float(s))[0], 2.0), atol=1e-6)
    np.testing.assert_allclose(sx, xs)
    np.testing.assert_allclose(ss, differences(lambda s: first(X, float(s))[1], 2.0), atol=1e-6)
    x_v, s_v = srcad.hvp(f, argnums=(0, 1))(X, 2.0, (X, 3.0))
    np.testing.assert_allclose(x_v, xx @ X + xs * 3.0)
    np.testing.assert_allclose(s_v, sx @ X + ss * 3.0)
    tree = srcad.hessian(lambda p: f(p["x"], p["s"]))({"x": X, "s": 2.0})
    np.testing.assert_allclose(tree["s"]["x"], sx)
    whole, aux = srcad.hessian(lambda x: (f(x, 2.0), x), has_aux=True)(X)
    np.testing.assert_allclose(whole, xx)
    np.testing.assert_array_equal(aux, X)


def test_hessian_of_an_array() -> None:
    found = srcad.hessian(lambda x: np.array([x[0] * x[1], x[2] ** 3]))(X)
    wanted = differences(srcad.jacrev(lambda x: np.array([x[0] * x[1], x[2] ** 3])), X)
    np.testing.assert_allclose(found, wanted, atol=1e-7)


def test_where_the_vector_of_a_product_stands() -> None:
    def f(x: Any, a: Any, k: float = 2.0, *, p: int = 3) -> Any:
        return np.sum((a @ x) ** p) * k

    v = np.array([1.0, 0.0, -1.0])
    wanted = srcad.hessian(f)(X, A, 3.0) @ v
    product = srcad.hvp(f)
    assert list(inspect.signature(product).parameters) == ["x", "v", "a", "k", "p"]
    np.testing.assert_allclose(product(X, v, A, 3.0), wanted)
    np.testing.assert_allclose(product(X, v, a=A, k=3.0), wanted)
    np.testing.assert_allclose(product(X, A, 3.0, v=v), wanted)
    np.testing.assert_allclose(product(x=X, a=A, k=3.0, v=v), wanted)
    np.testing.assert_allclose(product(X, np.array([1, 0, -1]), A, 3.0), wanted)
    by_a = srcad.hvp(f, argnums="a")(X, A, np.ones_like(A))
    np.testing.assert_allclose(by_a, np.sum(srcad.hessian(f, "a")(X, A), axis=(2, 3)))
    with pytest.raises(ArgumentTypeError, match="E310"):
        product(X, np.ones(4), A)
    with pytest.raises(ArgumentTypeError, match="E315"):
        product(X)
    last = srcad.hvp(lambda *xs: np.sum(xs[0] ** 2 * xs[1]), argnums=1)
    np.testing.assert_array_equal(last(X, 2 * X, v), 0 * X)
    named = srcad.hvp(lambda x, v: np.sum(x**3) * v)
    np.testing.assert_allclose(named(X, v, 2.0), 12 * X * v)
    np.testing.assert_allclose(named(X, v=2.0, v_=v), 12 * X * v)


def scaled(x: Any, k: float = 2.0) -> Any:
    return np.sin(x) * x[0] * k


def energy(x: Any, k: float = 2.0) -> Any:
    return np.sum(np.sin(x) ** 2) * k


@pytest.mark.parametrize("transform", [*MODES, srcad.hessian, srcad.hvp])
def test_objects(transform: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    f = energy if transform in (srcad.hessian, srcad.hvp) else scaled
    made = transform(f)
    args = (X, X) if transform is srcad.hvp else (X,)
    wanted = made(*args)
    assert made.primal is f
    assert made.__wrapped__ is f
    assert made.__name__ == f.__name__
    assert made.cache_info()[1:] == (1, 1)
    text = made.source(*args)
    assert text == made.source()
    assert "srcad" not in text
    made.show()
    assert capsys.readouterr().out == text
    again = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(again(*args), wanted)
    assert copy.deepcopy(made) is made
    path = tmp_path / "alone.py"
    made.save(path, *args)
    *_, body = path.read_text().split("\n", 2)  # behind what says where it comes from
    assert "srcad" not in body
    spec = importlib.util.spec_from_file_location("alone", path)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    (name,) = module.__all__
    np.testing.assert_array_equal(getattr(module, name)(*args, 3.0), made(*args, 3.0))


def test_as_methods() -> None:
    class Model:
        k = 3.0

        @srcad.jacobian(argnums=1)
        def residuals(self, x: Any) -> Any:
            return self.k * x

        @srcad.hvp(argnums=1)
        def curvature(self, x: Any) -> Any:
            return np.sum(self.k * x**2)

    np.testing.assert_array_equal(Model().residuals(X), 3 * np.eye(3))
    np.testing.assert_array_equal(Model().curvature(X, X), 6 * X)


# Nothing to differentiate by ---------------------------------------------------------------------

NOTHING: list[Any] = [{}, [], (), {"a": None}, {"a": {}, "b": ()}]


@each_mode
@pytest.mark.parametrize("empty", NOTHING, ids=repr)
def test_by_an_argument_without_arrays(mode: Any, empty: Any) -> None:
    def f(p: Any, x: Any) -> Any:
        return x**3

    assert mode(f)(empty, X) == empty
    left, right = mode(f, (0, 1))(empty, X)
    assert left == empty
    np.testing.assert_allclose(right, np.diag(3 * X**2))
    assert mode(lambda x: ())(X) == mode(lambda p: ())(empty) == ()
    assert srcad.hessian(lambda p: 3.0)(empty) == empty
    with pytest.raises(ArgumentTypeError, match="E321"):
        srcad.jacobian(f, sparse=True)(empty, X)


def _in_a_loop(x):
    out = np.zeros(3)
    for i in range(3):
        out[i] = np.sqrt(x[i]) * 2.0
    return out


STEEP = [
    np.sqrt,
    lambda x: x**0.5 * 2.0 + np.sin(x),
    lambda x: np.arccos(1.0 - x),
    lambda x: np.log(x),
    lambda x: np.cumsum(np.sqrt(x)),
    lambda x: np.sqrt(np.sqrt(x)),
    lambda x: x[1:] / x[:-1],
    lambda x: np.array([np.sqrt(x[0]), x[1] * np.sqrt(x[2]), x[0] + x[1]]),
    lambda x: np.array([math.sqrt(x[1]), x[2] / x[1], np.sqrt(x[0])]),
    lambda x: np.stack([np.sqrt(x), x**3]),
    _in_a_loop,
]


@pytest.mark.parametrize("f", STEEP)
@pytest.mark.parametrize("way", [srcad.jacfwd, srcad.jacrev, srcad.jacobian])
@pytest.mark.parametrize("n_more", [0, 70])
def test_an_infinite_slope_has_no_part_in_other_rows(f, way, n_more):
    x = np.array([0.0, 1.0, 0.25, *np.linspace(0.5, 0.9, n_more)])
    with np.errstate(all="ignore"):
        got = way(f)(x)
        value = f(x)
        for k in np.ndindex(value.shape):
            wanted = srcad.grad(lambda x, k=k: f(x)[k])(x)
            assert not np.isnan(wanted).any()
            np.testing.assert_allclose(got[k], wanted, rtol=1e-12, atol=1e-13)


def test_a_hessian_is_diagonal_where_the_slope_is_infinite():
    with np.errstate(all="ignore"):
        got = srcad.hessian(lambda x: np.sum(np.sqrt(x)))(np.array([0.0, 1.0]))
    assert np.array_equal(got, [[-np.inf, 0.0], [0.0, -0.25]])
