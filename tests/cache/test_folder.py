import os
from pathlib import Path

import pytest

import srcad
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


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o755, 0o777])
def test_a_folder_open_to_others_is_not_used(home, mode):
    cache.store(KEY, ENTRY)
    where = cache.info().directory
    where.chmod(mode)
    assert cache.load(KEY) is None
    assert not cache.store(KEY, ENTRY)
    assert not cache.info().usable
    assert cache.info().reason == f"its mode is {mode:04o} instead of 0700"
    where.chmod(0o700)
    assert cache.load(KEY) == ENTRY


def test_one_that_was_asked_for_is_refused(home, monkeypatch):
    where = home / "open"
    where.mkdir()
    where.chmod(0o777)
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(where))
    for call in (lambda: cache.load(KEY), lambda: cache.store(KEY, ENTRY)):
        with pytest.raises(srcad.CacheError, match="0777 instead of 0700") as caught:
            call()
        assert caught.value.code == "E501"
    assert not list(where.iterdir())


def test_a_folder_of_another_user_is_not_used(home, monkeypatch):
    cache.store(KEY, ENTRY)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache.load(KEY) is None
    assert not cache.store(KEY, ENTRY)
    assert cache.info().reason == f"it belongs to user {Path(home).stat().st_uid}"


def test_a_file_of_another_user_is_not_trusted(home, monkeypatch):
    cache.store(KEY, ENTRY)
    monkeypatch.setattr("srcad.cache.entries.is_own", lambda descriptor: False)
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
