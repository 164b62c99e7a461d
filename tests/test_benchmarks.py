"""The benchmarks of training steps and of numerical programs run, and their systems agree."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


def run(code, *argv):
    """Run a program with the benchmarks' modules, without data sets; return what it prints."""
    environment = {key: value for key, value in os.environ.items() if key != "SRCAD_DATA"}
    path = os.pathsep.join([str(BENCHMARKS), str(BENCHMARKS.parent)])
    done = subprocess.run(
        [sys.executable, *code, *argv],
        env={**environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("model", ["cnn", "rnn", "imdb", "ae", "aeb", "tr", "tra"])
def test_two_steps_agree_with_those_by_hand(model):
    script = [str(BENCHMARKS / "models.py"), "--model", model]
    printed = run(script, "--peers", "", "--steps", "2", "--no-memory")
    assert "| by hand" in printed
    assert "| srcad" in printed


# A step off by a hundredth of what it should be must not pass for rounding.
WRONG = """
import numpy as np
from training import measure, systems
right = systems.by_hand
def wrong(model, p):
    t = right(model, p)
    def step(batch):
        value = t.step(batch)
        p["w2"] *= np.float32(1.001)
        return value
    return systems.Trainer(t.feed, step, t.weights)
systems.SYSTEMS["srcad"] = wrong
try:
    measure.compare(measure.MODELS["ae"], ["hand", "srcad"], 0.1, 4)
except AssertionError:
    print("seen")
"""


def test_a_wrong_step_is_seen():
    assert run(["-c", WRONG]) == "seen\n"


REPLACED = """
from training.report import replaced
start, end = "<!-- a: made by benchmarks/models.py -->", "<!-- end of a -->"
print(replaced(f"x\\n{start}\\nold\\n{end}\\ny", "a", "new"))
"""


def test_only_the_section_is_replaced():
    lines = run(["-c", REPLACED]).splitlines()
    assert [line for line in lines if line and "<!--" not in line] == ["x", "new", "y"]


def programs_of(table):
    """The rows of a printed table whose second cell is a number."""
    cells = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("|")]
    return {row[0].strip() for row in cells if row[1].strip().replace(".", "").isdigit()}


def kernels(systems, programs=""):
    script = str(BENCHMARKS / "kernels.py")
    return run(
        [script, "--sizes", "T", "--rounds", "1"], "--systems", systems, "--programs", programs
    )


def test_numerical_programs_agree_with_the_adjoints_in_c():
    assert len(programs_of(kernels("numpy,c"))) == 20


def test_numerical_programs_agree_with_those_compiled():
    pytest.importorskip("numba")
    printed = kernels("numpy,native", "lu,convolution,sparse_product")
    assert len(programs_of(printed)) == 3
    assert "srcad, native" in printed


def test_numerical_programs_agree_with_jax():
    pytest.importorskip("jax")
    printed = kernels("numpy,loops,best")
    assert len(programs_of(printed)) == 20
    assert "JAX, loops" in printed
    assert "JAX, best" in printed


def test_the_choice_between_backends_is_measured():
    pytest.importorskip("numba")
    argv = ["--programs", "covariance", "--models", "", "--size", "T", "--seconds", "0.05"]
    printed = run([str(BENCHMARKS / "auto.py")], *argv)
    assert programs_of(printed) == {"covariance"}
    assert "slower by more than 5%: " in printed


WRONG_GRADIENT = """
from numerical import measure, systems
from numerical.programs import PROGRAMS
right = systems.gradient
def wrong(name, program, args):
    call = right("numpy", program, args)
    def off():
        value, (a_bar,) = call()
        a_bar[-1, -1] *= 1 + 1e-6
        return value, (a_bar,)
    return call if name == "numpy" else off
systems.gradient = wrong
try:
    measure.compare(PROGRAMS["lu"], "T", 1, ["numpy", "best"])
except AssertionError as error:
    print(str(error).split(": off")[0])
"""


def test_a_wrong_gradient_is_seen():
    assert run(["-c", WRONG_GRADIENT]) == "lu: best\n"
