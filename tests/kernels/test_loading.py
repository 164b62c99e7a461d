"""Code that is on disk is loaded without what Numba needs to compile; the rest of Numba works."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import srcad

pytest.importorskip("numba")

PROGRAM = """
import sys
import numpy as np
import srcad

def loss(x, index):
    s = 0.0
    for k in range(len(index)):
        s = s + np.tanh(x[index[k]]) / (1 + np.exp(x[k]))
    return s

g = srcad.grad(loss, backend="native")
print(g(np.ones(3), np.array([0, 2, 2])))
try:
    g(np.ones(3), np.array([7]))
except IndexError as problem:
    print("E405" in str(problem))
# What only compiling takes: Numba's functions of NumPy arrays.
print("numba.np.arraymath" in sys.modules)

import numba

@numba.njit
def own(x):
    return np.dot(x, x) + np.sum(np.sort(x)) + len({1: 2.0}) + hash("a") * 0

print(own(np.arange(3.0)))
# A program that is compiled after others were loaded.
print(srcad.grad(lambda x: np.sum(np.exp(x) * x), backend="native", cache=False)(np.ones(2)))
"""

OF_OTHERS = """
import sys
import numba
from srcad.kernels.loading import load_before_compiling

load_before_compiling()

@numba.njit("float64(float64)", cache=True)
def twice(x):
    return 2 * x

print(twice(4.0), "numba.np.arraymath" in sys.modules)
"""


def run(path, tmp_path, home=Path(srcad.__file__).parents[1]):
    folders = {"SRCAD_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": str(tmp_path / "nb")}
    done = subprocess.run(
        [sys.executable, path], env={**os.environ, "PYTHONPATH": str(home), **folders},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_a_second_process_needs_numbas_runtime_alone(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    first, second = run(path, tmp_path), run(path, tmp_path)
    assert first[2] == "True"
    assert second == [*first[:2], "False", *first[3:]]
    assert first[1] == "True"
    assert first[3] == "9.0"


def test_functions_of_others_are_left_to_numba(tmp_path):
    path = tmp_path / "others.py"
    path.write_text(OF_OTHERS)
    assert [run(path, tmp_path), run(path, tmp_path)] == [["8.0 True"]] * 2


OF_PARTS = """
import numpy as np
from srcad import kernels
from srcad.kernels import compiled
from srcad.kernels.compiled import vectors

x, w = np.arange(800.0).reshape(32, 1, 5, 5), np.arange(9.0).reshape(1, 1, 3, 3)
print(vectors.BYTES, np.array_equal(compiled.conv2d(x, w), kernels.conv2d(x, w)))
"""


def test_code_on_disk_is_not_taken_where_its_parts_have_changed(tmp_path):
    """The loop's own file stays as it is: it alone is what Numba looks at."""
    home = tmp_path / "srcad"
    shutil.copytree(Path(srcad.__file__).parent, home, ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "program.py"
    path.write_text(OF_PARTS)
    before = run(path, tmp_path, tmp_path)[0].split()
    parts = home / "kernels" / "compiled" / "vectors.py"
    parts.write_text(parts.read_text() + "\nBYTES //= 2\n")
    assert before[1] == "True"
    assert run(path, tmp_path, tmp_path) == [f"{int(before[0]) // 2} True"]
