"""`backend="native"`: compiled once, loaded by the next process, run again by NumPy on errors."""

import importlib.util
import os
import subprocess
import sys
import traceback
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pipeline.threads import wrong_in_threads

import srcad
from srcad import cache
from srcad.pipeline.calls.refusal import Refused

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="Numba is not installed"
)

X = np.array([0.5, -1.0, 2.0])
scale = 2.0


def gather(x, index):
    s = 0.0
    for k in range(len(index)):
        s = s + np.sin(x[index[k]]) * scale
    return s


def native(fn, **options):
    return srcad.grad(fn, backend="native", **options)


def chosen(transformed):
    return transformed._specializer.newest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SRCAD_CACHE", raising=False)
    return tmp_path / "cache"


def test_compiled_and_numpy_agree(folder):
    g = native(gather)
    index = np.array([0, 2, 2])
    np.testing.assert_allclose(g(X, index), srcad.grad(gather, backend="numpy")(X, index))
    assert chosen(g).artifact.compiled
    path = Path(chosen(g).filename)
    assert path.read_text() == g.source() == chosen(g).artifact.text
    assert path.parent.parent == folder
    assert list((path.parent / "__pycache__").glob("*.nbc"))


def test_the_callers_arrays_are_as_before(folder):
    def smooth(u):
        for _ in range(3):
            u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return np.sum(u * u)

    u = np.arange(6.0)
    native(smooth)(u)
    np.testing.assert_array_equal(u, np.arange(6.0))


def test_an_error_is_numpys_with_the_users_line(folder):
    g = native(gather)
    g(X, np.array([0, 1]))
    for _ in range(5):  # it would fail with NumPy too: that is no reason to leave it
        with pytest.raises(IndexError, match=r"test_machine\.py:\d+:.*E405") as caught:
            g(X, np.array([0, 7]))
        assert "a position" not in "".join(traceback.format_exception(caught.value))
    assert chosen(g).artifact.compiled


def test_the_first_call_may_raise(folder):
    with pytest.raises(IndexError, match="E405"):
        native(gather)(X, np.array([0, 7]))


def test_what_only_the_compiled_program_refuses(folder, monkeypatch):
    g = native(gather)
    index = np.array([0, 1])
    want = g(X, index)

    def refuse(*args):
        raise Refused("ValueError: not today")

    failing = replace(chosen(g), dispatch=refuse)
    monkeypatch.setattr(g._specializer, "_specialisations", (failing,))
    for _ in range(2):
        np.testing.assert_array_equal(g(X, index), want)
    assert chosen(g).artifact.compiled
    assert "2 times" in g.explain().failed
    assert "not today" in str(g.explain())
    np.testing.assert_array_equal(g(X, index), want)
    assert not chosen(g).artifact.compiled
    assert "ValueError" in chosen(g).why
    assert "not today" in chosen(g).why
    np.testing.assert_array_equal(g(X, index), want)


def test_read_only_arrays_are_copied(folder):
    def total(x, tables):
        s = 0.0
        for k in range(len(x)):
            s = s + np.sin(x[k]) * tables["w"][k] + tables["v"][k]
        return s

    g = native(total)
    tables = {"w": X.copy(), "v": X.copy()}
    tables["w"].flags.writeable = False
    for _ in range(6):
        np.testing.assert_allclose(g(X, tables), np.cos(X) * X)
    assert g.explain().failed == ""
    assert chosen(g).artifact.compiled
    assert not tables["w"].flags.writeable
    np.testing.assert_allclose(chosen(g).dispatch(X, tables), np.cos(X) * X)


def test_what_numba_refuses_runs_on_numpy(folder, monkeypatch):
    from srcad.pipeline import machine

    def refuse(artifact, path):
        raise TypeError("cannot type it")

    monkeypatch.setattr(machine, "load", refuse)
    g = native(gather)
    with pytest.warns(RuntimeWarning, match="cannot type it"):
        got = g(X, np.array([0, 1]))
    np.testing.assert_allclose(got, 2 * np.cos(X) * [1, 1, 0])
    assert "cannot type it" in chosen(g).why


def test_a_changed_global_is_seen(folder, monkeypatch):
    g = native(gather)
    index = np.array([0, 1, 2])
    np.testing.assert_allclose(g(X, index), 2 * np.cos(X))
    monkeypatch.setitem(globals(), "scale", 3.0)
    np.testing.assert_allclose(g(X, index), 3 * np.cos(X))
    monkeypatch.setitem(globals(), "scale", np.float32(0.5))
    np.testing.assert_allclose(g(X, index), np.cos(X) / 2, rtol=1e-6)
    assert g.cache_info().misses == 2


def test_without_the_disk(folder, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE", "0")
    g = native(gather)
    np.testing.assert_allclose(g(X, np.array([0, 1, 2])), 2 * np.cos(X))
    assert chosen(g).artifact.compiled
    assert not folder.exists()
    assert Path(chosen(g).filename).exists()


def test_a_folder_that_cannot_be_written(folder):
    folder.write_text("a file")
    g = native(gather)
    with pytest.warns(RuntimeWarning, match="E502"):
        got = g(X, np.array([0, 1, 2]))
    np.testing.assert_allclose(got, 2 * np.cos(X))
    assert chosen(g).artifact.compiled


def test_threads(folder):
    g = native(gather)
    assert not wrong_in_threads(
        lambda i: np.allclose(g(np.full(50, float(i)), np.arange(50)), 2 * np.cos(float(i))), 50
    )
    assert g.cache_info().size == 1


PROGRAM = """
import sys
import numpy as np
import srcad

def f(x):
    s = 0.0
    for k in range(len(x)):
        s = s * 0.5 + np.tanh(x[k])
    return s

g = srcad.grad(f, backend="native")
print(g(np.ones(3)))
fn = sys.modules[[n for n in sys.modules if n.startswith("srcad_f_grad_")][0]].f_grad_1
print(sum(fn.stats.cache_hits.values()), sum(fn.stats.cache_misses.values()))
print({".".join(name.split(".")[:3]) for name in sys.modules if name.startswith("srcad.")})
"""


def run(path, **environment):
    home = str(Path(srcad.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, path], env={**os.environ, "PYTHONPATH": home, **environment},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_a_second_process_compiles_nothing(folder, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    first, second = run(path), run(path)
    assert first[0] == second[0]
    assert (first[1], second[1]) == ("0 1", "1 0")
    compilers = ("srcad.frontend.", "srcad.emit.", "srcad.native.")
    imported = {name for name in eval(second[2]) if name.startswith(compilers)}
    assert imported <= {f"srcad.native.{name}" for name in ("blas", "functions", "vectorised")}
    assert cache.info().files == 2
    cache.clear()
    assert list(folder.iterdir()) == []


def test_the_folder_of_a_process_goes_with_it(folder, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + "\nprint(g._specializer.newest.filename)\n")
    where = Path(run(path, SRCAD_CACHE="0")[-1])
    assert not where.exists()
    assert not where.parent.parent.exists()
    assert not folder.exists()
