"""Two ranks of MPI: the sum over both, and what happens if one fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("mpi_program.py")


def mpiexec(what):
    pytest.importorskip("mpi4py")
    if shutil.which("mpiexec") is None:
        pytest.skip("mpiexec is not installed")
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    more |= {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        ["mpiexec", "-n", "2", sys.executable, PROGRAM, what],
        env={**os.environ, **more}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_ranks_get_the_result_of_all():
    found = mpiexec("agrees")
    assert found.stdout.count("agreed") == 2, found.stderr


def test_one_rank_that_fails_ends_all():
    found = mpiexec("fails")
    assert found.returncode != 0
    assert "went on" not in found.stdout
    assert "AssertionError: too large" in found.stderr
    assert "RuntimeError: rank 1 of 2 has failed" in found.stderr
    assert "on rank 1 of 2" in found.stderr


def test_a_signal_on_one_rank_ends_all():
    found = mpiexec("interrupted")
    assert found.returncode != 0
    assert "went on" not in found.stdout
    assert "TimeoutError: too late" in found.stderr
    assert "RuntimeError: rank 1 of 2 has failed" in found.stderr


def test_a_rank_that_is_killed_ends_all():
    found = mpiexec("killed")
    assert found.returncode != 0
    assert "went on" not in found.stdout


def test_ranks_with_other_arguments_are_told():
    found = mpiexec("differs")
    assert found.stdout.count("different arguments that are not split: 1 of 2 differ") == 6
