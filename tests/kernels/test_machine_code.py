"""Machine code on disk: whatever happens to the files, it is as if they were not there."""

import os
import pickle
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import srcad
from srcad.kernels.machine_code import MachineCode

KEY = (("float64",), ("x86_64", "znver4"), "abc")
CODE = ("code", b"\x00\x01" * 500, {"a": 1.5})
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to others"
)


def files_in(folder, stamp="source", **options):
    options = {"closed": True, **options}
    return MachineCode(str(folder), "heat.f-3.py311", stamp, pickle.dumps, **options)


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "__pycache__"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def saved(folder):
    """Files of which one holds `CODE`; its path."""
    files_in(folder).save(KEY, CODE)
    (path,) = folder.iterdir()
    return path


def test_what_was_saved_is_loaded(folder, saved):
    assert files_in(folder).load(KEY) == CODE
    assert files_in(folder).load((*KEY, "other")) is None
    assert files_in(folder, "other source").load(KEY) is None
    assert saved.suffix == ".nbc"


def test_every_length_and_every_byte_counts(folder, saved):
    whole, files = saved.read_bytes(), files_in(folder)
    lengths = {*range(120), *range(0, len(whole), 37), len(whole) - 1}
    damaged = [whole[:n] for n in lengths] + [whole + b"x", b"\0" * len(whole), whole * 2]
    damaged += [
        whole[:k] + bytes([whole[k] ^ 64]) + whole[k + 1 :] for k in range(0, len(whole), 7)
    ]
    for data in damaged:
        saved.write_bytes(data)
        assert files.load(KEY) is None
        files.save(KEY, CODE)
        assert files.load(KEY) == CODE
    assert saved.read_bytes() == whole


def test_the_file_of_another_function_is_not_taken(folder, saved):
    other = MachineCode(str(folder), "heat.g-9.py311", "source", pickle.dumps, closed=True)
    other.save(KEY, "other code")
    (path,) = set(folder.iterdir()) - {saved}
    os.replace(path, saved)
    assert files_in(folder).load(KEY) is None


class Planted:
    """Pickled, it makes a folder when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


@as_root
@pytest.mark.parametrize("closed", [True, False])
def test_what_another_user_has_written_is_not_unpickled(folder, saved, tmp_path, closed):
    files = files_in(folder, closed=closed)
    files.save(KEY, Planted(str(tmp_path / "planted")))
    os.chown(saved, 12345, -1)
    with pytest.warns(RuntimeWarning, match="belongs to user 12345"):
        assert files.load(KEY) is None
    assert not (tmp_path / "planted").exists()
    files.save(KEY, CODE)
    assert files.load(KEY) == CODE
    assert files_in(folder, closed=False, owners=frozenset({12345})).load(KEY) == CODE


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no modes here")
@pytest.mark.parametrize("mode", [0o777, 0o720])
def test_nothing_is_taken_from_or_put_into_a_folder_of_others(folder, saved, mode):
    folder.chmod(mode)
    with pytest.warns(RuntimeWarning, match="others may write to it"):
        assert files_in(folder).load(KEY) is None
    with pytest.warns(RuntimeWarning, match="is not kept"):
        files_in(folder).save("another", CODE)
    assert list(folder.iterdir()) == [saved]
    assert files_in(folder, closed=False).load(KEY) == CODE


def test_links_are_not_followed(folder, saved, tmp_path):
    os.rename(saved, tmp_path / "code")
    saved.symlink_to(tmp_path / "code")
    assert files_in(folder).load(KEY) is None
    files_in(folder).save(KEY, CODE)
    assert not saved.is_symlink()
    os.rename(folder, tmp_path / "real")
    folder.symlink_to(tmp_path / "real")
    with pytest.warns(RuntimeWarning, match="it is a link"):
        assert files_in(folder).load(KEY) is None
    with pytest.warns(RuntimeWarning, match="is not kept in .* it is a link"):
        files_in(folder).save("another", CODE)
    assert len(list(folder.iterdir())) == 1


def test_a_class_that_is_gone_is_no_end(folder, monkeypatch):
    files = files_in(folder)
    files.save(KEY, Planted("nowhere/at/all"))
    assert files.load(KEY) is None  # mkdir raises


def test_a_full_disk_is_told_and_no_end(folder, saved):
    _, hard = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.warns(RuntimeWarning, match="is not kept"):
            files_in(folder).save(KEY, ("other", b"x" * 1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files_in(folder).load(KEY) == CODE
    assert list(folder.iterdir()) == [saved]


def test_a_folder_that_is_gone_is_made_again(folder, saved):
    saved.unlink()
    folder.rmdir()
    assert files_in(folder).load(KEY) is None
    files_in(folder).save(KEY, CODE)
    assert files_in(folder).load(KEY) == CODE


# With Numba --------------------------------------------------------------------------------------

PROGRAM = '''
import glob, os, sys, warnings
from srcad import cache
from srcad.kernels.loading import load_before_compiling
from srcad.pipeline.disk import build

assert load_before_compiling()
TEXT = """
from numba import njit

@njit("float64(float64[::1])", cache=True)
def total(x):
    s = 0.0
    for k in range(len(x)):
        s += x[k]
    return s
"""
KEY = "total-" + "5e" * 16

def run():
    """A new import: the sum, whether the code came from disk."""
    import numpy as np
    path = cache.module_file(KEY, TEXT)
    module = build.new_module(path)
    exec(compile(TEXT, path, "exec"), vars(module))
    hits = sum(module.total.stats.cache_hits.values())
    return module.total(np.arange(5.0)), hits, os.path.dirname(path)

'''
DAMAGES = """
first, hits, folder = run()
assert (first, hits) == (10.0, 0)
(path,) = glob.glob(folder + "/__pycache__/*.nbc")
whole = open(path, "rb").read()
assert run()[:2] == (10.0, 1)

def damage(n):
    for data in (whole[:0], whole[:30], whole[:60], whole[: len(whole) // 2], whole[:-1],
                 b"\\0" * len(whole), whole[:200] + b"\\xff" * 100 + whole[300:], os.urandom(999)):
        yield lambda: open(path, "wb").write(data)
    yield lambda: os.unlink(path)
    yield lambda: os.chmod(path, 0)
    yield lambda: (os.unlink(path), os.mkfifo(path))

for k, harm in enumerate(damage(0)):
    harm()
    value, hits, _ = run()
    assert value == 10.0, k
    assert hits == (k == 9 and os.geteuid() == 0), k  # root reads what is forbidden
    assert run()[:2] == (10.0, 1), k
os.unlink(path)
os.mkdir(path)  # nothing is put in the place of a folder
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    assert run()[:2] == (10.0, 0)
assert "is not kept" in str(told[0].message)
print("whole")
"""
AT_ONCE = """
for _ in range(6):
    assert run()[0] == 10.0
    for name in glob.glob(run()[2] + "/__pycache__/*.nbc"):
        try:
            os.truncate(name, 50)
        except FileNotFoundError:
            pass
print("whole")
"""
FULL = """
import resource, warnings
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(run()[:2], sorted({str(w.message).split(":")[0].split("`")[0] for w in told}))
"""


def start(program, tmp_path, *args):
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(srcad.__file__).parents[1]),
        "SRCAD_CACHE_DIR": str(tmp_path / "cache"),
    }
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM + program, *args], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_any_damage_leads_to_a_repaired_file(tmp_path):
    pytest.importorskip("numba")
    out, err = start(DAMAGES, tmp_path).communicate()
    assert out == "whole\n", err


def test_processes_that_write_and_damage_at_once(tmp_path):
    pytest.importorskip("numba")
    both = [start(AT_ONCE, tmp_path) for _ in range(2)]
    assert [p.communicate() for p in both] == [("whole\n", "")] * 2


@pytest.mark.parametrize("room", ["0", "300"])
def test_a_full_disk_costs_compiling_and_no_more(tmp_path, room):
    pytest.importorskip("numba")
    out, err = start(FULL, tmp_path, room).communicate()
    assert out.startswith("(10.0, 0)"), err
    assert ("not kept" if room == "300" else "E502") in out


def test_numba_of_another_kind_is_given_no_file_of_the_cache(tmp_path):
    """Where its way to the disk is another, a program stands in a folder of this process."""
    pytest.importorskip("numba")
    program = """
from srcad.kernels import loading
from srcad.pipeline import machine
from srcad.pipeline.artifact import Artifact
loading.load_before_compiling = lambda: False
artifact = Artifact(TEXT, "total")
path = machine.path_of(artifact, True)
import numpy as np
print(machine.load(artifact, path).entry(np.arange(5.0)))
print(len(glob.glob(os.environ["SRCAD_CACHE_DIR"] + "/*/__pycache__/*")))
"""
    out, err = start(program, tmp_path).communicate()
    assert out == "10.0\n0\n", err
