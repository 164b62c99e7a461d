"""What `.explain()` tells of each state a program can be in."""

import importlib.util

import numpy as np
import pytest

import srcad
from srcad.pipeline import machine
from srcad.pipeline.calls import takeover
from srcad.pipeline.disk import background

X = np.linspace(-1, 2, 50)


def loss(x):
    s = 0.0
    for k in range(len(x)):
        s = s + np.sin(x[k]) * np.sum(x @ x)
    return s


def quick(x):
    return np.cos(x) * (x @ x) + 2 * x * np.sum(np.sin(x))


@pytest.fixture
def numba(tmp_path, monkeypatch):
    """Plays Numba; gives the list of jobs for the thread."""
    jobs = []
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SRCAD_NATIVE", raising=False)
    monkeypatch.setattr(machine, "why_not", lambda: "")
    monkeypatch.setattr(machine, "load", lambda _, path: machine.Loaded(quick, path, 0.012))
    monkeypatch.setattr(machine, "compile_seconds", lambda path: 3.2)
    monkeypatch.setattr(background, "submit", jobs.append)
    monkeypatch.setattr(takeover, "WORTH_S", 0.0)
    return jobs


def test_a_pinned_backend():
    told = srcad.grad(loss, backend="numpy").explain(X)
    assert (told.backend, told.runs, told.compiled, told.measured) == ("numpy", "numpy", (), ())
    assert str(told) == 'grad of loss\nruns      NumPy\nbecause   of backend="numpy"'
    assert repr(told) == str(told)


def test_without_numba(monkeypatch):
    monkeypatch.delenv("SRCAD_NATIVE", raising=False)
    monkeypatch.setattr(machine, "numba_version", lambda: None)
    told = srcad.grad(loss).explain(X)
    assert told.runs == "numpy"
    assert told.why == 'Numba is not installed: pip install "numba<0.69" scipy'


def test_from_the_first_call_to_the_last(numba):
    g = srcad.grad(loss)
    told = g.explain(X)
    assert "so far 0 calls" in told.why
    for _ in range(takeover.WORTH_CALLS):
        g(X)
    assert g.explain().why == "a compiled version is being made aside"
    numba[0]()
    assert "next calls run both" in g.explain().why
    for _ in range(12):
        np.testing.assert_allclose(g(X), quick(X))
    told = g.explain()
    assert (told.runs, told.compile_s, told.load_s) == ("native", 3.2, 0.012)
    ((name, n_lines),) = told.compiled
    text = g.source()
    start = text.index(f"def {name}(")
    assert text[start:].splitlines()[:n_lines] == text[start:].split("\n\n\n")[0].splitlines()
    (measured,) = told.measured
    assert measured.least <= X.size <= measured.most
    assert measured.faster == "native"
    assert measured.native_s < measured.numpy_s
    lines = str(told).splitlines()
    assert [line[:9].strip() for line in lines[1:]] == [
        "runs", "because", "compiles", "measured", "", "took", "", "file",
    ]  # fmt: skip
    assert "32 to 127" in str(told)
    assert "3.2 s to compile" in str(told)


def test_a_forked_process(numba, monkeypatch):
    g = srcad.grad(loss)
    for _ in range(takeover.WORTH_CALLS):
        g(X)
    monkeypatch.setattr("os.getpid", lambda: 0)
    assert "forked" in g.explain().why


def test_why_nothing_is_compiled(numba):
    def printing(x):
        print(x[0])
        return np.sum(x * x)

    g = srcad.grad(printing)
    for _ in range(takeover.WORTH_CALLS):
        g(X)
    numba[0]()
    assert "`print`" in g.explain().why


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_a_compiled_program_is_explained_without_compiling_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    g = srcad.grad(loss, backend="native")
    told = g.explain(X)
    assert (told.runs, told.file, told.load_s) == ("native", "", None)
    assert told.compiled
    assert not list((tmp_path / "cache").glob("*/"))
    g(X)
    assert g.explain().load_s > 0
    assert str(tmp_path) in g.explain().file
