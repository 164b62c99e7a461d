"""Files of others are never read: by modes, by links, by folders above, and for real as root."""

import os
import stat
import threading
from pathlib import Path

import pytest

from srcad import ownership
from srcad.ownership import NotOwnError, inspect, read_own, write_own

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
OTHER = 12345
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files to others"
)


@pytest.fixture
def home(tmp_path):
    """A folder that others may enter, as `/home/me` often is."""
    path = tmp_path / "me"
    path.mkdir(mode=0o755)
    return path


@pytest.fixture
def open_way(monkeypatch, home):
    """The folders above are no hindrance: pytest's own are closed to others."""
    monkeypatch.setattr(ownership, "_OTHERS_ENTER", 0o777777)
    return home


# Folders -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o700, 0o701, 0o710, 0o711, 0o750, 0o755, 0o500])
def test_a_folder_that_others_may_only_read_is_the_users(home, mode):
    home.chmod(mode)
    assert inspect(str(home)).reason == ""


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o722, 0o770, 0o777, 0o1777, 0o2775])
def test_one_that_others_may_write_to_is_not(home, mode):
    home.chmod(mode)
    found = inspect(str(home))
    assert found.unsafe
    assert found.reason == f"its mode is {mode:04o}: others may write to it"


def test_one_of_another_user_is_not(home, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: OTHER)
    found = inspect(str(home))
    assert found.unsafe
    assert "belongs to user" in found.reason


@as_root
def test_one_given_to_another_user_is_not(home):
    os.chown(home, OTHER, -1)
    assert inspect(str(home)) == ownership.Finding(f"it belongs to user {OTHER}", True)


def test_what_does_not_exist_may_be_made(home):
    assert inspect(str(home / "a" / "b")).reason == ""


def test_a_file_is_no_folder(home):
    (home / "file").write_text("")
    assert inspect(str(home / "file")).reason == "it is no folder"
    assert inspect(str(home / "file" / "a")).reason == "it cannot be read: Not a directory"


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_above_where_others_exchange_it(open_way, mode):
    inside = open_way / "open" / "mine"
    inside.mkdir(parents=True, mode=0o700)
    inside.chmod(0o700)
    inside.parent.chmod(mode)
    found = inspect(str(inside))
    assert found.unsafe
    assert "others may put another in its place" in found.reason
    inside.parent.chmod(mode | stat.S_ISVTX)  # as /tmp is
    assert inspect(str(inside)).reason == ""


def test_a_folder_above_that_nobody_else_reaches(home):
    inside = home / "cache" / "srcad"
    inside.mkdir(parents=True, mode=0o700)
    inside.chmod(0o700)
    inside.parent.chmod(0o775)  # as a umask of 002 has it
    home.chmod(0o700)
    assert inspect(str(inside)).reason == ""


def test_dots_lead_out_of_a_closed_folder(home, monkeypatch):
    """What is in a closed folder is out of reach; what is beside it is not."""
    inside = home / "open" / "mine"
    inside.mkdir(parents=True)
    inside.parent.chmod(0o777)
    (home / "closed").mkdir(mode=0o700)
    os.symlink("closed/../open/mine", home / "link")
    plain = os.lstat

    def lstat(path):  # pytest's folders above are closed
        return plain("/") if home.parent.is_relative_to(path) else plain(path)

    monkeypatch.setattr(os, "lstat", lstat)
    assert inspect(str(inside)).unsafe
    assert inspect(str(home / "link")).unsafe


@as_root
def test_a_folder_above_of_another_user(open_way):
    inside = open_way / "theirs" / "mine"
    inside.mkdir(parents=True, mode=0o700)
    os.chown(inside.parent, OTHER, -1)
    found = inspect(str(inside))
    assert found.unsafe
    assert f"belongs to user {OTHER}" in found.reason
    # Theirs, and sticky: its owner may rename what lies in it all the same.
    inside.parent.chmod(0o1777)
    assert inspect(str(inside)).unsafe


def test_links_of_the_user_are_followed(home):
    (home / "real").mkdir(mode=0o700)
    os.symlink("real", home / "one")
    os.symlink(home / "one", home / "two")
    assert inspect(str(home / "two")).reason == ""
    (home / "real").chmod(0o777)
    assert inspect(str(home / "two")).unsafe


@as_root
def test_links_of_others_are_not(home):
    (home / "real").mkdir(mode=0o700)
    os.symlink("real", home / "link")
    os.lchown(home / "link", OTHER, -1)
    found = inspect(str(home / "link"))
    assert found.unsafe
    assert f"is a link of user {OTHER}" in found.reason


def test_a_link_to_itself_ends(home):
    os.symlink("loop", home / "loop")
    assert inspect(str(home / "loop")).reason == "it cannot be read: too many links"


def test_a_link_leads_to_an_unsafe_place(open_way):
    inside = open_way / "open" / "mine"
    inside.mkdir(parents=True, mode=0o700)
    inside.chmod(0o700)
    inside.parent.chmod(0o777)
    os.symlink(inside, open_way / "link")
    assert inspect(str(open_way / "link")).unsafe


# Files -------------------------------------------------------------------------------------------


def test_what_was_written_is_read(home):
    path = str(home / "file")
    write_own(path, b"one")
    write_own(path, b"two")
    assert read_own(path) == b"two"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.listdir(home) == ["file"]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
def test_a_file_that_others_may_write_to_is_not_read(home, mode):
    path = home / "file"
    path.write_bytes(b"x")
    path.chmod(mode)
    with pytest.raises(NotOwnError, match=f"mode {mode:04o}"):
        read_own(str(path))


def test_a_file_of_another_user_is_not_read(home, monkeypatch):
    path = home / "file"
    path.write_bytes(b"x")
    owner = os.stat(path).st_uid
    monkeypatch.setattr(os, "geteuid", lambda: OTHER)
    with pytest.raises(NotOwnError, match=f"belongs to user {owner}"):
        read_own(str(path))
    assert read_own(str(path), owners=frozenset({owner})) == b"x"


@as_root
def test_a_file_given_to_another_user_is_not_read(home):
    path = home / "file"
    path.write_bytes(b"x")
    os.chown(path, OTHER, -1)
    with pytest.raises(NotOwnError):
        read_own(str(path))


def test_links_pipes_and_folders_are_no_files(home):
    (home / "file").write_bytes(b"x")
    os.symlink("file", home / "link")
    with pytest.raises(OSError, match="symbolic links"):
        read_own(str(home / "link"))
    os.mkfifo(home / "pipe")
    with pytest.raises(NotOwnError, match="no regular file"):  # and does not wait for a writer
        read_own(str(home / "pipe"))
    with pytest.raises(OSError):
        read_own(str(home))


def test_the_file_that_was_asked_is_the_file_that_is_read(home, monkeypatch):
    """It is exchanged behind its opening: the name is not looked up again."""
    path, theirs = home / "file", home / "theirs"
    path.write_bytes(b"mine")
    theirs.write_bytes(b"theirs")
    plain = os.open

    def exchanged(name, flags, *rest):
        descriptor = plain(name, flags, *rest)
        os.replace(theirs, path)
        return descriptor

    monkeypatch.setattr(os, "open", exchanged)
    assert read_own(str(path)) == b"mine"


def test_a_full_disk_leaves_the_file_as_it_was(home, monkeypatch):
    path = str(home / "file")
    write_own(path, b"one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_own(path, b"two")
    assert read_own(path) == b"one"
    assert os.listdir(home) == ["file"]


def test_threads_write_at_once(home):
    path = str(home / "file")
    wrong = []

    def work(letter):
        for _ in range(50):
            write_own(path, letter * 10000)
            data = read_own(path)
            if len(data) != 10000 or len(set(data)) != 1:
                wrong.append(letter)

    threads = [threading.Thread(target=work, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert os.listdir(home) == ["file"]


def test_folders_are_made_for_the_user_alone(home):
    before = os.umask(0o002)
    try:
        ownership.make_own(str(home / "a" / "b"))
        ownership.make_own(str(home / "a" / "b"))
    finally:
        os.umask(before)
    assert [stat.S_IMODE(Path(home, p).stat().st_mode) for p in ("a", "a/b")] == [0o700, 0o700]
