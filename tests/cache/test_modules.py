"""Programs as files: in folders of the user's alone, or in one of this process."""

import os
import stat
from pathlib import Path

import pytest

from srcad import cache

KEY = "heat_grad-" + "5e" * 16
TEXT = "x = 1\n"
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to others"
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SRCAD_CACHE", raising=False)
    return tmp_path / "cache"


def test_a_program_stands_in_a_folder_of_its_key(folder):
    path = Path(cache.module_file(KEY, TEXT))
    assert path == folder / KEY / "heat_grad.py"
    assert path.read_text() == TEXT
    modes = [stat.S_IMODE(p.stat().st_mode) for p in (folder, path.parent, path)]
    assert modes == [0o700, 0o700, 0o600]
    assert (path.parent / "__pycache__").is_dir()


def test_a_umask_that_lets_the_group_write_makes_no_difference(folder):
    before = os.umask(0o002)
    try:
        path = Path(cache.module_file(KEY, TEXT))
    finally:
        os.umask(before)
    assert {stat.S_IMODE(p.stat().st_mode) for p in path.parent.iterdir() if p.is_dir()} == {0o700}


def test_it_is_not_touched_when_it_is_there(folder):
    path = Path(cache.module_file(KEY, TEXT))
    os.utime(path, (1, 1))
    cache.module_file(KEY, TEXT)
    assert path.stat().st_mtime == 1


@pytest.mark.parametrize("damage", [b"", b"x =", b"\0" * 6, b"x = 2\n", None])
def test_a_damaged_file_is_written_anew(folder, damage):
    path = Path(cache.module_file(KEY, TEXT))
    path.unlink() if damage is None else path.write_bytes(damage)
    assert Path(cache.module_file(KEY, TEXT)).read_text() == TEXT


def is_elsewhere(path, folder):
    """Whether a program was put into a folder of this process, whole."""
    return not Path(path).is_relative_to(folder) and Path(path).read_text() == TEXT


@posix
@pytest.mark.parametrize("inside", ["", "__pycache__"])
@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_a_folder_that_others_may_write_to_is_left(folder, mode, inside):
    place = Path(cache.module_file(KEY, TEXT)).parent / inside
    place.chmod(mode)
    with pytest.warns(RuntimeWarning, match="others may write"):
        path = cache.module_file(KEY, TEXT)
    assert is_elsewhere(path, folder)
    place.chmod(0o700)
    assert Path(cache.module_file(KEY, TEXT)).is_relative_to(folder)


@as_root
@pytest.mark.parametrize("inside", ["", "__pycache__"])
def test_a_folder_of_another_user_is_left(folder, inside):
    place = Path(cache.module_file(KEY, TEXT)).parent / inside
    os.chown(place, 12345, -1)
    with pytest.warns(RuntimeWarning, match="belongs to user 12345"):
        path = cache.module_file(KEY, TEXT)
    assert is_elsewhere(path, folder)


@as_root
def test_a_file_of_another_user_is_replaced(folder):
    path = Path(cache.module_file(KEY, TEXT))
    os.chown(path, 12345, -1)
    again = Path(cache.module_file(KEY, TEXT))
    assert again == path
    assert (again.stat().st_uid, again.read_text()) == (os.geteuid(), TEXT)


@posix
@pytest.mark.parametrize("inside", ["", "__pycache__"])
def test_a_link_in_place_of_a_folder_is_left(folder, tmp_path, inside):
    place = Path(cache.module_file(KEY, TEXT)).parent / inside
    os.rename(place, tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    before = sorted(tmp_path.joinpath("elsewhere").rglob("*"))
    with pytest.warns(RuntimeWarning, match="it is a link"):
        path = cache.module_file(KEY, TEXT)
    assert is_elsewhere(path, folder)
    assert sorted(tmp_path.joinpath("elsewhere").rglob("*")) == before


@posix
def test_a_link_in_place_of_the_file_is_replaced(folder, tmp_path):
    path = Path(cache.module_file(KEY, TEXT))
    os.rename(path, tmp_path / "theirs.py")
    path.symlink_to(tmp_path / "theirs.py")
    assert Path(cache.module_file(KEY, TEXT)) == path
    assert not path.is_symlink()


def test_a_file_in_place_of_the_folder_is_no_end(folder):
    folder.mkdir(mode=0o700)
    (folder / KEY).write_text("")
    with pytest.warns(RuntimeWarning, match="no folder"):
        path = cache.module_file(KEY, TEXT)
    assert is_elsewhere(path, folder)


def test_without_a_folder_that_is_safe(folder):
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="E501"):
        path = cache.module_file(KEY, TEXT)
    assert is_elsewhere(path, folder)
    assert not list(folder.iterdir())
