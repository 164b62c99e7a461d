import os
import subprocess
import sys
import threading
import time

import pytest

from srcad import cache
from srcad.cache import Entry, entries

KEY = "loss-" + "0123456789abcdef" * 2
OTHER = "loss-" + "f" * 32
ENTRY = Entry(
    "import numpy as np\n\nwide = '\u03b1'\n", {"entry": "loss", "numbers": [1, 2.5, None]}
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    path = tmp_path / "cache"
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(path))
    monkeypatch.delenv("SRCAD_CACHE", raising=False)
    return path


def test_what_was_stored_is_loaded(folder):
    assert cache.load(KEY) is None
    assert cache.store(KEY, ENTRY)
    assert cache.load(KEY) == ENTRY
    assert cache.load(OTHER) is None


def test_the_folder_and_its_files_are_the_users_alone(folder):
    cache.store(KEY, ENTRY)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [f.stat().st_mode & 0o777 for f in folder.iterdir()] == [0o600]


def test_the_file_is_python_that_starts_with_the_text(folder):
    cache.store(KEY, ENTRY)
    text = (folder / f"{KEY}.py").read_text(encoding="utf-8")
    assert text.startswith(ENTRY.text)
    compile(text, KEY, "exec")


@pytest.mark.parametrize("text", ["", "x = 1", "x = 1\r\n", "# srcad {}\n# sha256 0\n", "\n\n"])
def test_any_text_comes_back_as_it_was(folder, text):
    cache.store(KEY, Entry(text, {"text": text}))
    assert cache.load(KEY) == Entry(text, {"text": text})


def test_no_torn_file_is_trusted(folder):
    cache.store(KEY, ENTRY)
    path = folder / f"{KEY}.py"
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert cache.load(KEY) is None
    path.write_bytes(whole + b"x = 1\n")
    assert cache.load(KEY) is None


def test_no_changed_file_is_trusted(folder):
    cache.store(KEY, ENTRY)
    path = folder / f"{KEY}.py"
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert cache.load(KEY) is None, whole[: at + 1]
    path.write_bytes(whole)
    assert cache.load(KEY) == ENTRY


def test_a_renamed_file_is_not_trusted(folder):
    cache.store(KEY, ENTRY)
    os.rename(folder / f"{KEY}.py", folder / f"{OTHER}.py")
    assert cache.load(OTHER) is None


def test_a_corrupt_file_is_written_anew(folder):
    cache.store(KEY, ENTRY)
    (folder / f"{KEY}.py").write_bytes(b"\xff\xfe")
    assert cache.load(KEY) is None
    assert cache.store(KEY, ENTRY)
    assert cache.load(KEY) == ENTRY


def test_a_key_is_no_path(folder):
    with pytest.raises(ValueError, match="is no key"):
        cache.store("../evil", ENTRY)


def test_info_and_clear_touch_only_the_caches_files(folder):
    cache.store(KEY, ENTRY)
    cache.store(OTHER, ENTRY)
    (folder / "notes.py").write_text("mine")
    (folder / f".{KEY}.12-34.tmp").write_text("left by a process that was killed")
    found = cache.info()
    assert found.directory == folder
    assert found.files == 3
    assert found.bytes == sum(f.stat().st_size for f in folder.iterdir()) - len("mine")
    assert found.usable
    cache.clear()
    assert [f.name for f in folder.iterdir()] == ["notes.py"]
    assert cache.info().files == 0


def test_info_of_a_folder_that_does_not_exist_yet(folder):
    assert cache.info() == cache.CacheFolder(folder, 0, 0, True, "")
    assert not folder.exists()


def test_a_full_disk_loses_nothing(folder, monkeypatch):
    cache.store(KEY, ENTRY)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        assert not cache.store(KEY, Entry("x = 2", {}))
    assert cache.load(KEY) == ENTRY
    assert len(list(folder.iterdir())) == 1


def test_the_oldest_files_make_room(folder, monkeypatch):
    monkeypatch.setattr(entries, "LIMIT_BYTES", 3500)
    monkeypatch.setattr(entries, "_WRITES_BETWEEN_EVICTIONS", 1)
    keys = [f"f-{i:032x}" for i in range(6)]
    for age, key in enumerate(keys):
        cache.store(key, Entry("#" * 900, {}))
        os.utime(folder / f"{key}.py", (age, age))
    assert cache.store("g-" + "0" * 32, Entry("", {}))
    assert [cache.load(key) is not None for key in keys] == [False, False, False, True, True, True]
    assert cache.info().bytes <= 3500


def test_threads_and_processes_write_and_read_at_once(folder):
    program = f"""
import sys
from srcad import cache
for i in range(150):
    cache.store({KEY!r}, cache.Entry(sys.argv[1] * 20000, {{}}))
    found = cache.load({KEY!r})
    assert found is not None and len(set(found.text)) == 1 and len(found.text) == 20000
"""
    processes = [subprocess.Popen([sys.executable, "-c", program, mark]) for mark in "ab"]

    def write(mark):
        for _ in range(50):
            assert cache.store(KEY, Entry(mark * 20000, {}))

    threads = [threading.Thread(target=write, args=(mark,)) for mark in "cd"]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    seen = set()
    while any(p.poll() is None for p in processes) and time.monotonic() < deadline:
        found = cache.load(KEY)
        if found is not None:
            assert len(set(found.text)) == 1
            assert len(found.text) == 20000
            seen.add(found.text[0])
    for thread in threads:
        thread.join()
    assert [p.wait() for p in processes] == [0, 0]
    assert seen
    assert [f.name for f in folder.iterdir()] == [f"{KEY}.py"]
