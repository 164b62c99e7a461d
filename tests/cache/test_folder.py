import os

import pytest

from srcad import cache
from srcad.cache import Entry, folder

KEY = "loss-" + "a" * 32
ENTRY = Entry("x = 1\n", {})


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home of the test's own, and no folder named by the environment."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("SRCAD_CACHE", "SRCAD_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("platform", "path"),
    [
        ("linux", ".cache/srcad"),
        ("darwin", "Library/Caches/srcad"),
        ("win32", "AppData/Local/srcad/cache"),
    ],
)
def test_the_platforms_folder(home, monkeypatch, platform, path):
    monkeypatch.setattr(folder.sys, "platform", platform)
    assert cache.info().directory == home / path
    assert cache.store(KEY, ENTRY)
    assert (home / path / f"{KEY}.py").exists()


def test_xdg_cache_home(home, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "elsewhere"))
    assert cache.info().directory == home / "elsewhere" / "srcad"


def test_zero_turns_it_off(home, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE", "0")
    assert not cache.store(KEY, ENTRY)
    assert cache.load(KEY) is None
    assert not cache.info().directory.exists()
    assert (cache.info().usable, cache.info().reason) == (False, "SRCAD_CACHE=0")


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o755])
def test_a_folder_that_others_may_read_is_used(home, mode):
    cache.store(KEY, ENTRY)
    cache.info().directory.chmod(mode)
    assert cache.load(KEY) == ENTRY
    assert cache.info().usable


def test_a_folder_made_by_plain_mkdir_is_used(home, monkeypatch):
    where = home / "plain"
    before = os.umask(0o022)
    where.mkdir()
    os.umask(before)
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(where))
    assert cache.store(KEY, ENTRY)
    assert cache.load(KEY) == ENTRY


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_open_to_others_is_not_used(home, mode):
    cache.store(KEY, ENTRY)
    where = cache.info().directory
    where.chmod(mode)
    for call in (lambda: cache.load(KEY), lambda: cache.store(KEY, ENTRY)):
        with pytest.warns(RuntimeWarning, match=f"E501(.|\n)*{mode:04o}: others may write"):
            assert not call()
    assert not cache.info().usable
    assert cache.info().reason == f"its mode is {mode:04o}: others may write to it"
    where.chmod(0o700)
    assert cache.load(KEY) == ENTRY


def test_one_that_was_asked_for_is_passed_over(home, monkeypatch):
    where = home / "open"
    where.mkdir()
    where.chmod(0o777)
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(where))
    for call in (lambda: cache.load(KEY), lambda: cache.store(KEY, ENTRY)):
        with pytest.warns(RuntimeWarning, match="E501"):
            assert not call()
    assert not list(where.iterdir())


def test_a_folder_of_another_user_is_not_used(home, monkeypatch):
    cache.store(KEY, ENTRY)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.warns(RuntimeWarning, match="E501"):
        assert cache.load(KEY) is None
    with pytest.warns(RuntimeWarning, match="E501"):
        assert not cache.store(KEY, ENTRY)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_what_another_user_planted_while_the_folder_was_open(home):
    """E501's advice is followed: the folder is closed again. The file is whole, and theirs."""
    cache.store(KEY, ENTRY)
    where = cache.info().directory
    os.chown(where / f"{KEY}.py", 12345, -1)
    with pytest.warns(RuntimeWarning, match="belongs to user 12345"):
        assert cache.load(KEY) is None
    assert cache.store(KEY, ENTRY)
    assert cache.load(KEY) == ENTRY


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no modes here")
def test_a_file_that_others_may_write_to_is_not_trusted(home):
    cache.store(KEY, ENTRY)
    path = cache.info().directory / f"{KEY}.py"
    path.chmod(0o666)
    with pytest.warns(RuntimeWarning, match="has mode 0666"):
        assert cache.load(KEY) is None
    assert cache.store(KEY, ENTRY)
    assert cache.load(KEY) == ENTRY


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="links are rare here")
def test_a_link_is_not_followed(home):
    cache.store(KEY, ENTRY)
    path = cache.info().directory / f"{KEY}.py"
    os.rename(path, home / "elsewhere.py")
    path.symlink_to(home / "elsewhere.py")
    assert cache.load(KEY) is None


def test_a_folder_that_cannot_be_made_loses_nothing(home, monkeypatch):
    (home / "file").write_text("")
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(home / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="E502"):
        assert not cache.store(KEY, ENTRY)
    assert cache.load(KEY) is None
    assert cache.info().reason == "it cannot be read: Not a directory"
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(home / "file"))
    with pytest.warns(RuntimeWarning, match="it is no folder"):
        assert not cache.store(KEY, ENTRY)
    assert cache.info().reason == "it is no folder"


def test_the_platforms_own_folder_is_passed_over_in_silence(home, recwarn):
    (home / ".cache").write_text("")
    assert not cache.store(KEY, ENTRY)
    assert not recwarn.list
    assert not cache.info().usable


def test_a_relative_folder(home, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setenv("SRCAD_CACHE_DIR", "here")
    assert cache.store(KEY, ENTRY)
    assert cache.info().directory == home / "here"
