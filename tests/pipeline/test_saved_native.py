"""Compiled programs saved as modules."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import srcad
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request
from srcad.pipeline.standalone.module import standalone_text
from srcad.pipeline.standalone.native_source import with_functions

X = np.linspace(0, 1, 20)
ir = 2.0
LANES = 3.0


def loss(x):
    s = 0.0
    for k in range(len(x)):
        s = s + np.tanh(x[k]) * np.exp(x[k]) * ir + LANES
    return s


def native(fn, *args):
    request = Request("grad", fn, backend="native")
    artifact, _ = compile_request(request, args, frozenset())
    return request, artifact


def test_imports_are_grouped_and_each_module_comes_once():
    _, artifact = native(loss, X)
    head = with_functions(artifact.text).split("\n\n__all__")[0].split("\n\n")
    assert head[0].splitlines()[0] == "import inspect"
    assert head[1] == "import numpy as np"
    lines = head[2].splitlines()
    assert len({line.split()[1] for line in lines}) == len(lines)
    assert "from numba import config, njit, types" in lines


def test_captured_values_whose_names_the_definitions_need():
    request, artifact = native(loss, X)
    text = standalone_text(artifact, request, (X,))
    assert "\n_ir = 2.0\n" in text
    assert "\nir = " not in text


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="Numba is not installed")
def test_a_saved_module_runs_without_srcad(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    g = srcad.grad(loss, backend="native")
    g.save(tmp_path / "saved.py", X)
    program = (
        "import sys, numpy as np, saved\n"
        "print(saved.loss_grad(np.linspace(0, 1, 20)).tolist())\n"
        "print('srcad' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    values, found = done.stdout.splitlines()
    np.testing.assert_allclose(eval(values), srcad.grad(loss, backend="numpy")(X))
    assert found == "False"
