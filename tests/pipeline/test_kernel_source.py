"""Saved modules of programs that use kernels: they have these kernels, and do not need srcad."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import pickle
import pkgutil
import subprocess
import symtable
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import kernels, nn
from srcad.pipeline.standalone.kernel_source import with_kernels

RNG = np.random.default_rng(0)
PROCESS = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("srcad", "gast", "astunparse", "optree", "scipy"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import pickle
import saved
import numpy as np

arguments = pickle.load(open("args", "rb"))
value, gradient = getattr(saved, saved.__all__[0])(*arguments)
dense = {key: np.asarray(part) for key, part in gradient.items()}
pickle.dump((value, dense, type(gradient["table"]).__name__), open("result", "wb"))
"""


def network(p: Any, x: Any, ids: Any, y: Any, rng: Any) -> Any:
    h = nn.conv2d(x, p["k"], p["b"], stride=(1, 2), padding="same", dilation=(2, 1))
    h = nn.dropout(nn.max_pool2d(nn.relu(h), 2, 1), 0.25, rng)
    h = nn.flatten(nn.avg_pool2d(nn.conv2d(h, p["second"]), (2, 1)))
    words = np.mean(nn.embedding(p["table"], ids), axis=1)
    return nn.softmax_cross_entropy(nn.dense(h, p["w"]) + words, y)


def arguments() -> tuple[Any, ...]:
    p = {
        "k": RNG.standard_normal((3, 2, 3, 2)),
        "b": RNG.standard_normal(3),
        "second": RNG.standard_normal((2, 3, 1, 1)),
        "w": RNG.standard_normal((12, 4)),
        "table": RNG.standard_normal((9, 4)),
    }
    x = RNG.standard_normal((5, 2, 5, 8))
    ids, y = RNG.integers(0, 9, (5, 6)), RNG.integers(0, 4, 5)
    return p, x, ids, y, np.random.default_rng(1)


def test_a_process_without_srcad(tmp_path: Path) -> None:
    gradient = srcad.value_and_grad(network)
    args = arguments()
    (tmp_path / "args").write_bytes(pickle.dumps(args))
    gradient.save(tmp_path / "saved.py", *args)
    text = (tmp_path / "saved.py").read_text()
    assert "import srcad" not in text
    assert "from srcad" not in text
    (tmp_path / "run.py").write_text(PROCESS)
    environment = {**os.environ, "PYTHONPATH": ""}
    subprocess.run([sys.executable, "run.py"], cwd=tmp_path, env=environment, check=True)
    value, found, kind = pickle.loads((tmp_path / "result").read_bytes())
    expected = gradient(*args)
    assert value == expected[0]
    assert kind == "SparseRows"
    for key, part in expected[1].items():
        np.testing.assert_array_equal(found[key], np.asarray(part))


def _saved(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("saved_kernels", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_names_of_the_kernels_give_way_to_the_users(tmp_path: Path) -> None:
    def f(conv2d: Any, parallel: Any, _pair: Any) -> Any:
        scratch = conv2d * _pair
        os = nn.conv2d(scratch, parallel)  # noqa: F841 - named as a module that the kernels import
        return np.sum(nn.max_pool2d(nn.conv2d(scratch, parallel), 2)) * np.sum(scratch)

    args = (RNG.standard_normal((2, 1, 4, 4)), RNG.standard_normal((1, 1, 1, 1)), 2.0)
    gradient = srcad.grad(f, argnums=(0, 1, 2))
    gradient.save(tmp_path / "saved.py", *args)
    found = _saved(tmp_path / "saved.py").f_grad(*args)
    for a, b in zip(found, gradient(*args), strict=True):
        np.testing.assert_array_equal(a, b)


def test_only_what_is_called_is_copied(tmp_path: Path) -> None:
    x, w = RNG.standard_normal((2, 1, 4, 4)), RNG.standard_normal((1, 1, 2, 2))
    srcad.grad(lambda w, x: np.sum(nn.conv2d(x, w)), argnums="w").save(tmp_path / "saved.py", w, x)
    text = (tmp_path / "saved.py").read_text()
    assert "def conv2d_weights(" in text
    assert "def conv2d_input(" not in text
    assert "def max_pool2d(" not in text
    assert "class SparseRows" not in text


def test_compiled_kernels_are_numpys_in_a_saved_module() -> None:
    text = (
        "import numpy as np\nfrom srcad import kernels\nfrom srcad.kernels import compiled\n\n\n"
        "def f(table, ids, w):\n    x = kernels.embedding(table, ids)\n"
        "    return compiled.conv2d(x, w)\n"
    )
    made, definitions = with_kernels(text)
    assert "srcad" not in made
    assert "return conv2d(x, w)" in made
    assert "compiled" not in "\n".join([made, *definitions])
    table, ids = RNG.standard_normal((9, 4)), RNG.integers(0, 9, (2, 3, 5))
    w = RNG.standard_normal((2, 3, 2, 2))
    scope: dict[str, Any] = {}
    exec("\n".join([made, *definitions]), scope)
    expected = kernels.conv2d(kernels.embedding(table, ids), w)
    np.testing.assert_array_equal(scope["f"](table, ids, w), expected)


@pytest.mark.parametrize("together", ["together", "together_multiplying"])
def test_a_saved_module_has_threads_of_its_own(
    together: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRCAD_NUM_THREADS", "3")
    text = (
        "from srcad import kernels\n\n\n"
        f"def f(fn, x):\n    return kernels.{together}(fn, 1 << 40, x)\n"
    )
    made, definitions = with_kernels(text)
    assert "srcad" not in made
    scope: dict[str, Any] = {}
    exec("\n".join([made, *definitions]), scope)

    def count(team: Any, me: int, seen: Any) -> int:
        seen[me] = team[0]
        return me

    seen = np.zeros(3)
    assert scope["f"](count, seen) == 0
    np.testing.assert_array_equal(seen, 3)


def test_a_program_without_kernels_has_none(tmp_path: Path) -> None:
    srcad.grad(np.tanh).save(tmp_path / "saved.py", 1.0)
    assert "Kernels" not in (tmp_path / "saved.py").read_text()


@pytest.mark.parametrize(
    "name", [m.name for m in pkgutil.iter_modules(kernels.__path__) if not m.ispkg]
)
def test_module_level_names_of_kernels_are_nowhere_local(name: str) -> None:
    """They are renamed by their name alone, where another module of a saved file has it."""
    source = Path(kernels.__path__[0], f"{name}.py").read_text()
    table = symtable.symtable(source, name, "exec")
    symbols = [s for s in table.get_symbols() if s.is_assigned() and not s.is_imported()]
    outer = {s.get_name() for s in symbols}

    def check(inner: Any) -> None:
        if inner.get_type() == "function":
            local = {s.get_name() for s in inner.get_symbols() if s.is_local()}
            assert local.isdisjoint(outer), (name, inner.get_name(), local & outer)
        for each in inner.get_children():
            check(each)

    for child in table.get_children():
        check(child)
    assert ast.parse(source).body
