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


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("", {"gast", "astunparse", "optree", "scipy", "concurrent", "srcad.rules"}),
        (USE, {"scipy", "concurrent", "tomllib", "numpy.f2py", "numpy.testing", "srcad.nn"}),
    ],
    ids=["imported", "used"],
)
def test_what_is_not_needed_is_not_imported(tmp_path, text, absent):
    program = tmp_path / "program.py"
    program.write_text(f"import sys, srcad\n{text}\nprint(*sys.modules)")
    environment = {"PYTHONPATH": str(ROOT), "SRCAD_CACHE": "0"}
    done = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert absent.isdisjoint({*loaded, *(name.split(".")[0] for name in loaded)})
