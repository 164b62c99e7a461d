"""Type checkers and `help()` know parameters, results and options."""

from __future__ import annotations

import importlib.util
import inspect
import json
import pickle
import pydoc
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.pipeline.targets import backends

ROOT = Path(__file__).parents[2]
CALLS = Path(__file__).parent / "typed" / "calls.py"
TRANSFORMATIONS = (
    *("grad", "value_and_grad", "elementwise_grad", "derivative", "jacrev", "jacfwd", "jacobian"),
    *("hessian", "hvp", "vmap", "compile", "jvp", "vjp", "linearize", "pushforward", "pullback"),
)


PYRIGHT = shutil.which("pyright") or shutil.which("basedpyright")


@pytest.mark.skipif(PYRIGHT is None, reason="Pyright is not installed")
def test_pyright_accepts_right_calls_and_refuses_wrong_ones(tmp_path: Path) -> None:
    options = {
        "typeCheckingMode": "standard",
        "include": [CALLS.name],  # Pyright looks at no file outside of the folder
        "extraPaths": [str(Path(srcad.__file__).parents[1])],
    }
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps(options))
    shutil.copy(CALLS, tmp_path)
    command = [PYRIGHT, "--outputjson", "-p", config, "--pythonpath", sys.executable]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(run.stdout)["generalDiagnostics"]
    lines = CALLS.read_text().splitlines()
    wrong = {k for k, line in enumerate(lines, 1) if "  # error: " in line}
    told = {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}
    assert told == wrong, run.stdout


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_mypy_accepts_right_calls_and_refuses_wrong_ones() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", CALLS],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    told = re.findall(r"calls\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    found = {int(line): code for line, code in told}
    marks = enumerate(CALLS.read_text().splitlines(), 1)
    wanted = {n: text.partition("  # error: ")[2] for n, text in marks if "  # error: " in text}
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert found == wanted, "\n".join([*errors, done.stderr])


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_signatures_and_help_name_all_options(name: str) -> None:
    transformation = getattr(srcad, name)
    parameters = inspect.signature(transformation).parameters
    assert "options" not in parameters
    for option, default in (("backend", "auto"), ("fast_math", False), ("cache", True)):
        assert parameters[option].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[option].default == default
    shown = pydoc.plain(pydoc.render_doc(transformation))
    assert "backend: 'Backend' = 'auto', fast_math: 'bool' = False, cache: 'bool' = True" in shown


def test_the_backends_of_the_types_are_those_there_are() -> None:
    from typing import get_args

    from srcad.api.arguments.options import Backend

    assert set(get_args(Backend)) == set(backends())


def f(w: Any, /, x: float = 2.0, *, k: int = 1) -> Any:
    """What it does."""
    return np.sum(w) * x * k


def test_a_transformed_function_has_the_signature_of_its_primal() -> None:
    for transformed in (
        srcad.grad(f),
        srcad.value_and_grad(f),
        srcad.compile(f),
        srcad.jacobian(f),
    ):
        assert inspect.signature(transformed) == inspect.signature(f)
        assert "What it does." in str(pydoc.render_doc(transformed))
        copied = pickle.loads(pickle.dumps(transformed))
        assert inspect.signature(copied) == inspect.signature(f)


def test_the_class_can_be_subscripted() -> None:
    def of(g: srcad.Transformed[[Any], float]) -> Any:
        return g

    assert of(srcad.grad(f)) is not None
    assert isinstance(srcad.grad(f), srcad.Transformed)
