"""What another user put into the folder while it was open does not run: with users for real."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import srcad

pytest.importorskip("numba")
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root can be several users"
)
VICTIM, OTHER = 4001, 4002

PROGRAM = """
import numpy as np
import srcad

def f(x):
    s = 0.0
    for k in range(len(x)):
        s = s * 0.5 + np.tanh(x[k])
    return s

g = srcad.grad(f, backend="native")
print(g(np.zeros(3)).tolist(), len(g._specializer.newest.artifact.compiled))
"""
# The same program, whose machine code makes a folder when it is unpickled.
PLANTING = """
import os, sys
from srcad.kernels.machine_code import MachineCode

class Planted:
    def __reduce__(self):
        return os.mkdir, (sys.argv[1],)

save = MachineCode.save
MachineCode.save = lambda self, key, code: save(self, key, Planted())
exec(compile(open("program.py").read(), "program.py", "exec"))
"""
# Root becomes a user, who may still read whatever Python is made of (CAP_DAC_READ_SEARCH).
BECOMING = """
import ctypes, os, sys

libc, user, read_all = ctypes.CDLL(None), int(sys.argv[1]), 1 << 2
libc.prctl(8, 1, 0, 0, 0)  # PR_SET_KEEPCAPS
os.setgroups([])
os.setresgid(user, user, user)
os.setresuid(user, user, user)
libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(read_all, read_all))
sys.argv[:2] = []
exec(compile(open(sys.argv[0]).read(), os.path.abspath(sys.argv[0]), "exec"))
"""


@pytest.fixture
def home():
    """A folder that every user may write to, as `/tmp` is."""
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        os.chmod(path, 0o1777)
        Path(path, "program.py").write_text(PROGRAM)
        Path(path, "planting.py").write_text(PLANTING)
        yield Path(path)


def run(program, user, home, cache, *args):
    """A process of another user: what it prints, and what it warns of."""
    root = Path(srcad.__file__).parents[1]
    own = home / f"of-{user}"
    own.mkdir(exist_ok=True)
    os.chown(own, user, user)
    environment = {
        "PYTHONPATH": str(root), "SRCAD_CACHE_DIR": str(cache), "HOME": str(own),
        "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", BECOMING, str(user), program, *map(str, args)],
        cwd=home, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout, done.stderr


def make_cache(home, mode):
    cache = home / "cache"
    cache.mkdir()
    cache.chmod(mode)
    os.chown(cache, VICTIM, VICTIM)
    return cache


def test_what_others_planted_in_an_open_folder_does_not_run(home):
    right, told = run("program.py", VICTIM, home, home / "first")
    assert right == "[0.25, 0.5, 1.0] 1\n", told

    cache, mine, sentinel = make_cache(home, 0o777), home / "mine", home / "it-ran"
    run("planting.py", OTHER, home, mine, sentinel)
    assert list(mine.glob("*/__pycache__/*.nbc"))
    copied = ["cp", "-r", *map(str, mine.iterdir()), str(cache)]
    subprocess.run(copied, user=OTHER, group=OTHER, extra_groups=(), check=True)

    got, told = run("program.py", VICTIM, home, cache, sentinel)
    assert got == right
    assert "E501" in told
    cache.chmod(0o700)  # as E501 advises
    got, told = run("program.py", VICTIM, home, cache, sentinel)
    assert got == right
    assert f"belongs to user {OTHER}" in told
    assert not sentinel.exists()

    # It is the owner alone that keeps them from running.
    for path in (cache, *cache.rglob("*")):
        os.chown(path, VICTIM, VICTIM)
    run("program.py", VICTIM, home, cache, sentinel)
    assert sentinel.exists()


def test_a_folder_made_by_mkdir_serves_the_next_process(home):
    cache = make_cache(home, 0o755)
    for _ in range(2):
        got, told = run("program.py", VICTIM, home, cache)
        assert (got, told) == ("[0.25, 0.5, 1.0] 1\n", "")
    assert list(cache.glob("*/__pycache__/*.nbc"))
    shutil.rmtree(cache)
