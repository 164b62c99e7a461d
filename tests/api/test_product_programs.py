"""The programs of `jvp` and `vjp`: run, read, saved; auxiliary results; `linearize`."""

from __future__ import annotations

import copy
import importlib.util
import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus.all import PROGRAMS

import srcad
from srcad.api.arguments.forms import is_inexact
from srcad.api.arguments.trees import flatten, leaves, unflatten
from srcad.api.products import Linearized
from srcad.cli import main
from srcad.pipeline import machine
from srcad.pipeline.request import Request

BACKENDS = [
    "numpy",
    pytest.param("native", marks=pytest.mark.skipif(bool(machine.why_not()), reason="no Numba")),
]
X, V = np.array([0.3, -0.5, 1.2]), np.array([1.0, 0.5, -2.0])


def values(x: Any, k: float = 2.0) -> Any:
    return {"y": np.sin(x) * k, "s": np.sum(x * x)}


def with_aux(x: Any, k: float = 2.0) -> Any:
    y = np.tanh(x) * k
    return np.sum(y * x), {"y": y, "n": len(x), "name": "run"}


def difference(f: Any, x: Any, v: Any, h: float = 1e-5) -> Any:
    return (f(x + h * v) - f(x - h * v)) / (2 * h)


def module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_pushforward_runs_what_jvp_runs(backend: str, tmp_path: Path) -> None:
    product = srcad.pushforward(values, backend=backend)
    assert "def values_jvp(x, k, x_dot, k_dot):" in product.source(X, 2.0)
    for _ in range(3):
        y, y_dot = product((X,), (V,))
        np.testing.assert_allclose(y_dot["y"], difference(lambda x: values(x)["y"], X, V), 1e-8)
        np.testing.assert_allclose(y_dot["s"], difference(lambda x: values(x)["s"], X, V), 1e-8)
        np.testing.assert_array_equal(y["y"], values(X)["y"])
    assert product.source() == product.source(X)
    assert "jvp of values" in str(product.explain())
    product.save(tmp_path / "pushed.py", X, 2.0)
    saved = module(tmp_path / "pushed.py").values_jvp(X, 2.0, V, 0.0)
    np.testing.assert_allclose(saved[1]["y"], y_dot["y"], 1e-14)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_pullback_runs_what_vjp_runs(backend: str, tmp_path: Path) -> None:
    program = srcad.pullback(values, backend=backend)
    assert "def pullback(y_bar):" in program.source(X, 2.0)
    for _ in range(3):
        _, pull = program(X, 2.0)
        x_bar, k_bar = pull({"y": V, "s": 1.0})
        along = difference(lambda x: values(x)["y"] @ V + values(x)["s"], X, V)
        np.testing.assert_allclose(x_bar @ V, along, 1e-7)
        np.testing.assert_allclose(k_bar, np.sin(X) @ V, 1e-12)
    with pytest.raises(srcad.SrcadError, match="E311"):
        pull({"y": V})
    assert "vjp of values" in str(program.explain())
    program.save(tmp_path / "pulled.py", X, 2.0)
    _, pull = module(tmp_path / "pulled.py").values_vjp(X)
    np.testing.assert_allclose(pull({"y": V, "s": 1.0})[0], x_bar, 1e-14)


def test_a_pushforward_of_keyword_parameters_is_not_saved(tmp_path: Path) -> None:
    def keyword(x: Any, *, k: float = 2.0) -> Any:
        return x * k

    product = srcad.pushforward(keyword)
    assert product((3.0,), (1.0,)) == (6.0, 2.0)
    with pytest.raises(srcad.CacheError, match="not all passed by position"):
        product.save(tmp_path / "keyword.py", 3.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_auxiliary_results(backend: str) -> None:
    y, y_dot, aux = srcad.jvp(with_aux, (X,), (V,), has_aux=True, backend=backend)
    np.testing.assert_allclose(y_dot, difference(lambda x: with_aux(x)[0], X, V), 1e-8)
    pulled, pull, other = srcad.vjp(with_aux, X, has_aux=True, backend=backend)
    np.testing.assert_allclose(pull(1.0)[0] @ V, y_dot, 1e-12)
    np.testing.assert_allclose([y, pulled], with_aux(X)[0], 1e-14)
    for found in (aux, other):
        assert (found["n"], found["name"]) == (3, "run")
        np.testing.assert_allclose(found["y"], with_aux(X)[1]["y"], 1e-14)
    assert len(srcad.vjp(lambda x: (x, x), X)) == 2


@pytest.mark.parametrize("run", [
    lambda f: srcad.jvp(f, (X,), (V,), has_aux=True),
    lambda f: srcad.vjp(f, X, has_aux=True),
    lambda f: srcad.pushforward(f, has_aux=True)((X,), (V,)),
    lambda f: srcad.pullback(f, has_aux=True)(X),
])  # fmt: skip
def test_a_function_without_a_pair_is_refused(run: Any) -> None:
    with pytest.raises(srcad.SrcadError, match="E307"):
        run(np.sin)
    with pytest.raises(srcad.SrcadError, match="E307"):
        run(lambda x: (x, x, x))


def test_auxiliary_results_inside_a_differentiated_function() -> None:
    def outer(x: Any) -> Any:
        y, y_dot, aux = srcad.jvp(with_aux, (x,), (V,), has_aux=True)
        _, pull, more = srcad.vjp(with_aux, x, has_aux=True)
        return y_dot * aux["n"] + np.sum(pull(y)[0] * aux["y"]) + np.sum(more["y"])

    srcad.testing.check_grads(outer, (X,), order=1)


def test_nans_are_found_beside_auxiliary_results() -> None:
    def rooted(x: Any) -> Any:
        return np.sum(np.sqrt(x)), x

    with srcad.debug_nans():
        _, pull, _ = srcad.vjp(rooted, np.zeros(2), has_aux=True)
        with pytest.raises(srcad.NotFinite, match="E702"):
            pull(1.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_linearize(backend: str) -> None:
    x = X.copy()
    y, product = srcad.linearize(values, x, 2.0, backend=backend)
    x[:] = 9.0  # what was linearized stays
    np.testing.assert_allclose(y["y"], values(X)["y"], 1e-14)
    for v in (V, 2 * V, np.zeros(3)):
        wanted = srcad.jvp(values, (X, 2.0), (v, 0.0))[1]
        found = product(v, 0.0)
        assert list(found) == list(wanted)
        np.testing.assert_allclose(found["y"], wanted["y"], 1e-14)
    with pytest.raises(srcad.SrcadError, match="E310"):
        product(np.ones(2), 0.0)
    with pytest.raises(srcad.SrcadError, match="E310"):
        product(V)


def test_what_does_not_depend_on_tangents_is_computed_once() -> None:
    def straight(x: Any) -> Any:
        return np.exp(x) * np.sin(x)

    text = Linearized(Request("linearize", straight, (), backend="numpy")).source(X)
    before, _, inner = text.partition("def f_jvp(x_dot):")
    assert "np.exp" in before
    assert "np.exp" not in inner


@pytest.mark.parametrize("program", PROGRAMS[::60], ids=lambda program: program.name)
def test_linearize_gives_what_jvp_gives(program: Any) -> None:
    args = program.arguments(1)[0]
    dots = [tangent_of(x) for x in args]
    with np.errstate(all="ignore"):
        _, wanted = srcad.jvp(program.fn, copy.deepcopy(args), dots, backend="numpy")
        _, product = srcad.linearize(program.fn, *copy.deepcopy(args), backend="numpy")
        for _ in range(2):
            for a, b in zip(leaves(product(*dots)), leaves(wanted), strict=True):
                np.testing.assert_allclose(a, b, 1e-9, 1e-12)


def tangent_of(x: Any) -> Any:
    flat, structure = flatten(x)
    ones = [np.ones_like(leaf)[()] if is_inexact(leaf) else leaf for leaf in flat]
    return unflatten(structure, ones)


def test_pickling_and_names() -> None:
    for program in (srcad.pushforward(values), srcad.pullback(values)):
        copied = pickle.loads(pickle.dumps(program))
        assert type(copied) is type(program)
        assert program.primal is values
        assert program.__name__ == "values"
    assert pickle.loads(pickle.dumps(srcad.pullback(values)))(X)[1]({"y": V, "s": 0.0})


@pytest.mark.parametrize("transform", ["jvp", "vjp"])
def test_the_command_line(
    transform: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "model.py"
    file.write_text("import numpy as np\n\ndef loss(w, x):\n    return np.sum(w * x)\n")
    arguments = [f"{file}:loss", "--transform", transform, "--signature", "f64[3], f64[3]"]
    assert main(["show", *arguments]) == 0
    assert f"def loss_{transform}(w, x" in capsys.readouterr().out
    assert main(["save", *arguments, "-o", str(tmp_path / "saved.py")]) == 0
    assert hasattr(module(tmp_path / "saved.py"), f"loss_{transform}")
    assert main(["show", *arguments, "--argnums", "w"]) != 0
    assert "is by all arguments" in capsys.readouterr().err


def powers(x: Any, n: int = 2, a: float = 3.0, w: Any = np.ones(3), kind: str = "plain") -> Any:
    return np.sum(w * x**n) * a if kind == "plain" else 0.0


@pytest.mark.parametrize(
    ("args", "signature"),
    [
        ((X,), "(x, x_dot, *, n=2, a=3.0, w=array([1., 1., 1.]), kind='plain')"),
        ((X, 2), "(x, n, x_dot, *, a=3.0, w=array([1., 1., 1.]), kind='plain')"),
        ((X, 3, 2.0), "(x, n, a, x_dot, a_dot, *, w=array([1., 1., 1.]), kind='plain')"),
        ((X, 2, 3.0, 2.0 * X, "plain"), "(x, n, a, w, kind, x_dot, a_dot, w_dot)"),
    ],
)
def test_a_saved_pushforward_keeps_defaults(args: Any, signature: str, tmp_path: Path) -> None:
    product = srcad.pushforward(powers)
    product.save(tmp_path / "powers.py", *args)
    function = module(tmp_path / "powers.py").powers_jvp
    assert str(inspect.signature(function)) == signature
    varied = [x for x in args if isinstance(x, float | np.ndarray)]
    dots = tuple(x if isinstance(x, float | np.ndarray) else 0 for x in args)
    np.testing.assert_allclose(function(*args, *varied), product(args, dots), 1e-14)


def test_what_is_left_out_may_be_given_by_name(tmp_path: Path) -> None:
    srcad.pushforward(powers).save(tmp_path / "powers.py", X)
    function = module(tmp_path / "powers.py").powers_jvp
    want = srcad.jvp(lambda x: powers(x, 3, 2.0, 2.0 * X), (X,), (V,))
    np.testing.assert_allclose(function(X, V, n=3, a=2.0, w=2.0 * X), want, 1e-14)
    with pytest.raises(TypeError, match="this module needs"):
        function(X, V, kind="other")


def test_a_linear_map_takes_a_tangent_for_each_item_of_star() -> None:
    def product(x: Any, *more: Any) -> Any:
        return x * more[0]

    y, along = srcad.linearize(product, 2.0, 3.0)
    assert (y, along(1.0, 0.0), along(0.0, 1.0)) == (6.0, 3.0, 2.0)
    _, along = srcad.linearize(lambda *xs: xs[0] * xs[1], 2.0, 3.0)
    assert (along(1.0, 0.0), along(0.0, 1.0)) == (3.0, 2.0)
