import hashlib
import sys
from pathlib import Path

import pytest

from srcad.nn import files


@pytest.fixture
def served(tmp_path):
    """A file of more than one chunk, its address and its checksum."""
    path = tmp_path / "served.gz"
    path.write_bytes(bytes(range(256)) * 1000)
    return path.as_uri(), hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_folder_is_the_argument_then_the_environment_then_the_cache(monkeypatch):
    monkeypatch.setenv("SRCAD_DATA", "/somewhere")
    assert files.data_folder("/here") == Path("/here")
    assert files.data_folder(None) == Path("/somewhere")
    monkeypatch.delenv("SRCAD_DATA")
    assert files.data_folder(None) == Path.home() / ".cache/srcad/data"


def test_a_download_is_moved_into_place_whole(served, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(files, "show_progress", lambda name, done, *_: seen.append(done))
    files.download(served[0], tmp_path / "new/file.gz", served[1])
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["file.gz"]
    assert (tmp_path / "new/file.gz").stat().st_size == seen[-1] == 256000
    assert len(seen) > 1


def test_an_interrupted_download_leaves_nothing(served, tmp_path, monkeypatch):
    def interrupt(*_):
        assert [path.suffix for path in (tmp_path / "new").iterdir()] == [".part"]
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "show_progress", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.download(served[0], tmp_path / "new/file.gz", served[1])
    assert not list((tmp_path / "new").iterdir())


def test_a_wrong_download_leaves_the_old_file(served, tmp_path):
    (tmp_path / "file.gz").write_bytes(b"old")
    with pytest.raises(ValueError, match="expected sha256 00"):
        files.download(served[0], tmp_path / "file.gz", "00")
    assert (tmp_path / "file.gz").read_bytes() == b"old"


def test_progress_is_drawn_on_a_terminal_only(capsys, monkeypatch):
    files.show_progress("x.gz", 1, 4, 2.0)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    files.show_progress("x.gz", 1, 4, 2.0)
    assert capsys.readouterr().err == f"\rx.gz [{'#' * 7}{'.' * 23}]  25%    6 s left"
    files.show_progress("x.gz", 4, 4, 8.0)
    assert capsys.readouterr().err.endswith("100%    0 s left\n")
    files.show_progress("x.gz", 5, 0, 8.0)  # a server that does not say how much there is
    assert capsys.readouterr().err == ""


def test_checksums_are_of_all_parts_in_order():
    assert files.sha256([b"a", b"bc"]) == hashlib.sha256(b"abc").hexdigest()
