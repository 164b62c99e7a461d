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
OTHERS_PACKAGES = ("srcad.kernels.compiled", "srcad.parallel.engines", "srcad.rules.scipy")
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


FIRST = """
import importlib, sys
import numpy as np
import srcad

def loss(x):
    return np.sum(np.tanh(x) ** 2)

def take(name):
    package = name.rpartition(".")[0]
    importlib.import_module(package)
    # As where the import of the package around it was interrupted.
    for loaded in [each for each in sys.modules if each.partition(".")[0] == "srcad"]:
        if loaded not in ("srcad", package):
            del sys.modules[loaded]
    importlib.import_module(name)

for name in sys.argv[1:]:
    try:
        take(name)
    except ModuleNotFoundError as problem:  # of a library that is not installed
        if problem.name.partition(".")[0] == "srcad":
            raise

print(srcad.grad(loss, backend="numpy")(np.zeros(1)))
"""


def inner():
    """Some modules of each package in a package of srcad."""
    for path in sorted((ROOT / "srcad").glob("*/*/__init__.py")):
        modules = sorted(path.parent.glob("[a-z]*.py"))
        yield from (".".join(m.relative_to(ROOT).with_suffix("").parts) for m in modules[::4])


def test_a_module_is_imported_though_the_package_around_its_own_was_taken_away(tmp_path):
    script = tmp_path / "first.py"
    script.write_text(FIRST)
    names = [name for name in inner() if not name.startswith(OTHERS_PACKAGES)]
    environment = {"PYTHONPATH": str(ROOT), "SRCAD_CACHE": "0"}
    command = [sys.executable, script, *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout == "[0.]\n", done.stderr
