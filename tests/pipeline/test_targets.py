"""A further target: registered, it compiles and runs programs by the public API."""

import ast
import math
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from native import plain_functions

import srcad
from srcad.emit.module import emit
from srcad.emit.native import NUMBA, Dialect
from srcad.errors import SrcadError
from srcad.pipeline.artifact import Loaded
from srcad.pipeline.targets import NATIVE, NUMPY, TARGETS, Target, targets_of

X = np.linspace(-1.0, 2.0, 7)


def loss(x):
    s = 0.0
    for k in range(len(x)):
        s = s + math.sin(x[k]) * np.tanh(x[k])
    return s


class Counted(Target):
    """Compiled functions are the Python that they are; their calls are counted."""

    name, title = "counted", "counted Python"
    compiles = True

    def __init__(self):
        self.calls = []
        self.reason = ""

    def why_not(self):
        return self.reason

    def versions(self):
        return ("counted", 1)

    def emit(self, program, doc):
        def decorator(fn, imported):
            counts = imported(__name__, "COUNTED")
            return ast.Attribute(counts, "function" if fn else "helper", ast.Load())

        return emit(program, doc=doc, dialect=Dialect(decorator, plain_functions.__name__))

    def load(self, artifact, keep):
        return Loaded(artifact.load("<counted>"), "<counted>", 0.0)

    def function(self, fn):
        """The decorator of a compiled function."""

        def call(*args):
            self.calls.append(fn.__name__)
            return fn(*args)

        return call

    def helper(self, fn):
        return fn


COUNTED = Counted()


@pytest.fixture
def counted(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    monkeypatch.setitem(TARGETS, "counted", COUNTED)
    monkeypatch.setattr(COUNTED, "calls", [])
    return COUNTED


def test_a_program_runs_on_a_further_target(counted):
    g = srcad.grad(loss, backend="counted")
    wanted = srcad.grad(loss, backend="numpy")(X)
    np.testing.assert_allclose(g(X), wanted, rtol=1e-12)
    text = g.source(X)
    assert "@COUNTED.function\n" in text
    assert "njit" not in text
    assert f"from {plain_functions.__name__} import" in text
    assert counted.calls == ["loss_grad_1"]
    told = g.explain(X)
    assert (told.runs, told.why) == ("counted", 'of backend="counted"')
    assert "runs      counted Python" in str(told)
    np.testing.assert_allclose(g(2 * X), srcad.grad(loss, backend="numpy")(2 * X), rtol=1e-12)
    assert counted.calls == ["loss_grad_1"] * 2


class Toy(Target):
    """Programs call a module that has NumPy's functions."""

    name, title = "toy", "a toy"

    def emit(self, program, doc):
        return emit(program, doc=doc, dialect=replace(NUMBA, numpy="toy"))


def test_a_program_runs_on_another_module_of_arrays(tmp_path, monkeypatch):
    calls = []
    toy = types.ModuleType("toy")
    toy.__getattr__ = lambda name: calls.append(name) or getattr(np, name)
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setitem(sys.modules, "toy", toy)
    monkeypatch.setitem(TARGETS, "toy", Toy())
    g = srcad.grad(loss, backend="toy")
    np.testing.assert_array_equal(g(X), srcad.grad(loss, backend="numpy")(X))
    assert "import toy as np\n" in g.source(X)
    assert {"tanh", "empty_like"} <= set(calls)
    assert g.explain(X).runs == "toy"


def test_one_that_cannot_load_leaves_it_to_numpy(counted, monkeypatch):
    def load(artifact, keep):
        raise OSError("no device")

    monkeypatch.setattr(counted, "load", load)
    g = srcad.grad(loss, backend="counted")
    with pytest.warns(RuntimeWarning, match="runs on NumPy: it cannot be compiled: .*no device"):
        found = g(X)
    np.testing.assert_array_equal(found, srcad.grad(loss, backend="numpy")(X))


def test_one_that_is_not_there_is_refused(counted, monkeypatch):
    monkeypatch.setattr(counted, "reason", "there is no device: buy one")
    with pytest.raises(SrcadError, match="E314") as refused:
        srcad.grad(loss, backend="counted")
    assert "there is no device" in str(refused.value)
    assert 'fix: buy one; or backend="auto"' in str(refused.value)


def test_auto_is_a_policy_over_two_targets():
    assert targets_of("auto") == (NUMPY, NATIVE)
    assert targets_of("numpy") == (NUMPY,)
    assert "auto" not in TARGETS


def test_no_other_file_names_targets():
    """What a target means is asked of it, never of its name."""
    named = {}
    home = srcad.__path__[0]
    for path in Path(home).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                texts = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
                names = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
                if texts & {"numpy", "native", "auto"} and names & {"backend", "runs"}:
                    named[str(path)] = node.lineno
    assert not named
