"""What is imported when: `import srcad` stays close to `import numpy`."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

USE = """
import numpy as np

def helper(x):
    return np.tanh(x)

def loss(x):
    return np.sum(helper(x) ** 2)

srcad.grad(loss)(np.ones(3))
"""


SCIPY = {"scipy", "concurrent"}
COMPILER = {"srcad.frontend", "srcad.rules", "srcad.optimize", "srcad.emit", "srcad.ir.nodes"}
FOR_SOME = {"srcad.native", "numba", "srcad.nn", "numpy.ma", "importlib.metadata"}
OTHERS = {"tomllib", "numpy.f2py", "numpy.testing"}


@pytest.mark.parametrize(
    ("text", "runs", "absent"),
    [
        ("", 1, {"gast", "astunparse", "optree", *SCIPY, *COMPILER}),
        (USE, 1, {*SCIPY, *OTHERS, *FOR_SOME}),
        (USE, 2, {*SCIPY, *OTHERS, *FOR_SOME, *COMPILER}),
    ],
    ids=["imported", "used", "read from disk"],
)
def test_what_is_not_needed_is_not_imported(tmp_path, text, runs, absent):
    program = tmp_path / "program.py"
    program.write_text(f"import sys, srcad\n{text}\nprint(*sys.modules)")
    environment = {"PYTHONPATH": str(ROOT), "SRCAD_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, program], env=environment, capture_output=True, text=True, check=True
        )
    loaded = set(done.stdout.split())
    assert "srcad" in loaded
    assert absent.isdisjoint({*loaded, *(name.split(".")[0] for name in loaded)})
