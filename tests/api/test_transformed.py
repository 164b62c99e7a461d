"""The object a transformation returns: its source, its caches, pickling, threads."""

from __future__ import annotations

import copy
import functools
import io
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad

X = np.array([0.3, -1.2, 2.0])


def energy(x: Any, scale: float) -> Any:
    return np.sum(np.sin(x) * scale)


decorated = srcad.grad(lambda x: np.sum(x))


@srcad.value_and_grad
def module_level(x: Any) -> Any:
    return np.sum(x**3)


def test_the_same_derivative_on_another_backend() -> None:
    g = srcad.grad(energy)
    pinned = g.on("numpy")
    assert pinned is g.on("numpy")
    assert g.on("auto") is g
    np.testing.assert_array_equal(pinned(X, 2.0), g(X, 2.0))
    assert pinned.explain().backend == "numpy"
    assert g.explain().backend == "auto"
    assert g.cache_info().misses == pinned.cache_info().misses == 1
    with pytest.raises(srcad.SrcadError, match="E314"):
        g.on("fortran")
    jacobian = srcad.jacobian(lambda x: x * x).on("numpy")
    np.testing.assert_array_equal(jacobian(X), np.diag(2 * X))


def test_the_compiled_program_is_read_under_auto() -> None:
    pytest.importorskip("numba")
    g = srcad.grad(energy)
    assert "@njit(" in g.on("native").source(X, 2.0)
    assert "njit" not in g.source(X, 2.0)


def test_source_is_the_program_that_runs() -> None:
    g = srcad.grad(energy)
    text = g.source(X, 2.0)
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    np.testing.assert_array_equal(namespace["energy_grad"](X, 2.0), g(X, 2.0))
    assert g.source() == text
    assert namespace["__all__"] == ["energy_grad"]
    assert "srcad" not in text


def test_show_prints_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    g = srcad.grad(energy)
    g.show(X, 2.0)
    assert capsys.readouterr().out == g.source()


def test_a_new_size_does_not_compile_again_a_new_kind_does() -> None:
    g = srcad.grad(energy)
    for x in (X, np.ones(7), np.ones(0), X[::2]):
        g(x, 2.0)
    assert g.cache_info() == (3, 1, 1)
    g(X.astype(np.float32), 2.0)
    g(np.ones((2, 3)), 2.0)
    g(np.ones(1), 2.0)
    assert g.cache_info().misses == 4
    g.cache_clear()
    assert g.cache_info() == (0, 0, 0)


def test_pickling_by_reference() -> None:
    again = pickle.loads(pickle.dumps(srcad.grad(energy)))
    np.testing.assert_array_equal(again(X, 2.0), np.cos(X) * 2.0)
    assert pickle.loads(pickle.dumps(module_level)) is module_level
    assert copy.deepcopy(module_level) is module_level
    with pytest.raises(srcad.CacheError, match="E504"):
        pickle.dumps(srcad.grad(lambda x: x))


class Holder:
    @srcad.grad
    def slope(x):
        return x**3


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_by_name(protocol: int) -> None:
    for made in (module_level, Holder.slope):
        assert pickle.loads(pickle.dumps(made, protocol)) is made
        assert pickle._loads(pickle._dumps(made, protocol)) is made
    both = pickle.loads(pickle.dumps([module_level, srcad.grad(srcad.grad(energy))], protocol))
    assert both[0] is module_level
    np.testing.assert_array_equal(srcad.grad(np.sin)(0.0), 1.0)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(srcad.grad(np.sin), protocol))(0.0), 1.0
    )


def test_unpickling_gives_no_object_by_name() -> None:
    """An unpickler that takes srcad's own functions alone has no way to others through them."""

    class Restricted(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if module.startswith("srcad.") or module == __name__:
                return super().find_class(module, name)
            raise pickle.UnpicklingError(f"{module}.{name}")

    data = pickle.dumps([srcad.grad(energy), module_level])
    assert Restricted(io.BytesIO(data)).load()[1] is module_level
    given = {
        "pickling\n_stands_at": "os system",
        "pickling\nname_of": "os os",
        "transformed\ncreate": "os",
    }
    for name, strings in given.items():
        arguments = "".join(f"S'{each}'\n" for each in strings.split())
        data = f"csrcad.api.{name}\n({arguments}tR.".encode()
        with pytest.raises((AttributeError, TypeError)):
            Restricted(io.BytesIO(data)).load()


def test_as_a_method() -> None:
    class Model:
        def __init__(self) -> None:
            self.k = 3.0

        @srcad.grad(argnums=1)
        def loss(self, x: Any) -> Any:
            return np.sum(self.k * x * x)

    model = Model()
    np.testing.assert_array_equal(model.loss(X), 6 * X)
    model.k = 1.0
    np.testing.assert_array_equal(model.loss(X), 2 * X)


def test_threads_share_one_program() -> None:
    g = srcad.grad(energy)
    inputs = [np.full(5, float(i)) for i in range(8)]
    results: dict[int, Any] = {}

    def work(i: int) -> None:
        for _ in range(20):
            results[i] = g(inputs[i], 1.0)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for i, x in enumerate(inputs):
        np.testing.assert_array_equal(results[i], np.cos(x))
    assert g.cache_info().size == 1


def test_same_bytes_under_every_hash_seed(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, srcad\n"
        "def f(p, x):\n"
        "    h = np.tanh(x @ p['w'] + p['b'])\n"
        "    for i in range(3):\n"
        "        h = h * p['s'] if h[0, 0] > 0 else np.sin(h)\n"
        "    return np.sum(h * h)\n"
        "p = {'w': np.ones((3, 4)), 'b': np.ones(4), 's': 2.0}\n"
        "print(srcad.value_and_grad(f).source(p, np.ones((2, 3))))\n"
    )
    texts = {
        subprocess.run(
            [sys.executable, str(program)],
            env={**os.environ, "PYTHONHASHSEED": seed, "SRCAD_CACHE": "0"},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }  # fmt: skip
    assert len(texts) == 1


def test_errors_at_run_time_name_the_users_line() -> None:
    def f(a: Any, b: Any) -> Any:
        return np.sum(a @ b)

    g = srcad.grad(f)
    g(np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(srcad.ShapeError, match="E402") as caught:
        g(np.ones((2, 3)), np.ones((4, 2)))
    assert "a @ b" in str(caught.value)

    def fails(x: Any) -> Any:
        assert x[0] < 1, "too large"
        return np.sum(x)

    with pytest.raises(AssertionError, match="too large") as failed:
        srcad.grad(fails)(X + 2)
    assert any("x[0] < 1" in note for note in failed.value.__notes__)


def test_changed_defaults_are_seen() -> None:
    def f(x: Any, k: float = 2.0) -> Any:
        return np.sum(k * x)

    g = srcad.grad(f)
    assert g(X)[0] == 2.0
    f.__defaults__ = (5.0,)
    assert g(X)[0] == 5.0


def test_a_wrapper_of_a_transformed_function_is_no_transformed_function() -> None:
    inner = srcad.value_and_grad(lambda x: np.sum(x * x))

    @functools.wraps(inner)
    def halved(x: Any) -> Any:
        value, gradient = inner(x)
        return value / 2 + np.sum(gradient)

    np.testing.assert_allclose(srcad.grad(halved)(X), X + 2)


def test_an_int_that_was_constant_may_become_an_array() -> None:
    def f(x: Any, n: Any) -> Any:
        return np.sum(x * np.sum(np.ones(3), axis=n)) if isinstance(n, int) else np.sum(x * n)

    g = srcad.grad(f)
    assert g(X, 0)[0] == 3.0
    assert g(X, 5.0)[0] == 5.0
    assert g(X, 2 * X)[1] == 2 * X[1]


def test_a_rule_stated_later_is_seen() -> None:
    def soft(x: Any) -> Any:
        return np.log1p(np.exp(x))

    g = srcad.grad(lambda x: np.sum(soft(x)))
    before = g(X)
    srcad.rules.elementwise(soft, lambda y, x: 42.0)
    np.testing.assert_array_equal(g(X), np.full(3, 42.0))
    srcad.rules.elementwise(soft, lambda y, x: 1 - np.exp(-y))
    np.testing.assert_allclose(g(X), before)
