"""Freed memory is kept in the process where the program asks for it."""

import platform
import subprocess
import sys

import pytest

from srcad import kernels

FAULTS = """
import resource
import numpy as np
from srcad import kernels

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        arrays = [np.ones(200_000) for _ in range(8)]
        del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
before = faults()
assert kernels.keep_memory()
faults()
print(before, faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="GNU's C library can be told")
def test_pages_are_asked_for_once():
    run = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    before, after = map(int, run.stdout.split())
    assert before > 20 * 8 * 10  # arrays of some 400 pages
    assert after < 20


@pytest.mark.parametrize("n_bytes", [-1, 1 << 31])
def test_sizes_out_of_range_are_refused(n_bytes):
    with pytest.raises(ValueError, match=f"got {n_bytes}"):
        kernels.keep_memory(n_bytes)


def test_a_library_that_cannot_be_told_leaves_all_as_it_is(monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    assert not kernels.keep_memory()
