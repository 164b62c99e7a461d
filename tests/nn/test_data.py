import gzip
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from srcad.nn import data


def idx(array):
    head = np.array([0x800 + array.ndim, *array.shape], ">u4")
    return gzip.compress(head.tobytes() + array.astype(np.uint8).tobytes())


@pytest.fixture
def tiny(tmp_path):
    """A folder laid out as SRCAD_DATA, with five and two images of 2x3 pixels."""
    rng = np.random.default_rng(0)
    (tmp_path / "mnist").mkdir()
    for stem, n in (("train", 5), ("t10k", 2)):
        images = rng.integers(0, 256, (n, 2, 3))
        images[0, 0, 0], images[0, 0, 1] = 0, 255
        (tmp_path / f"mnist/{stem}-images-idx3-ubyte.gz").write_bytes(idx(images))
        (tmp_path / f"mnist/{stem}-labels-idx1-ubyte.gz").write_bytes(idx(np.arange(n)))
    return tmp_path


@pytest.fixture
def mirror(tiny, monkeypatch):
    """`tiny`, served by two mirrors of which the first has nothing."""
    served = tiny / "mnist"
    monkeypatch.setitem(
        data._MIRRORS, "mnist", ((tiny / "none").as_uri() + "/", served.as_uri() + "/")
    )
    sums = {
        path.name.split("-idx")[0]: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in served.iterdir()
    }
    monkeypatch.setitem(data._SHA256, "mnist", sums)
    return served


def test_digits_are_the_published_ones():
    x_train, y_train, x_test, y_test = data.digits()
    assert x_train.shape == (1437, 64)
    assert x_test.shape == (360, 64)
    assert x_train.dtype == np.float32
    assert (x_train.min(), x_train.max()) == (0, 1)
    counts = np.bincount(np.concatenate([y_train, y_test]))
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert y_train[:12].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]
    # The first zero of the file, whose rows every text on this data set prints.
    assert (x_train[0].reshape(8, 8)[0] * 16).tolist() == [0, 0, 5, 13, 9, 1, 0, 0]


def test_reads_a_folder_named_by_root_or_by_the_environment(tiny, monkeypatch):
    by_root = data.mnist(tiny)
    assert by_root.x_train.shape == (5, 6)
    assert by_root.x_train.dtype == np.float32
    assert by_root.x_train[0, :2].tolist() == [0, 1]
    assert by_root.y_test.tolist() == [0, 1]
    monkeypatch.setenv("SRCAD_DATA", str(tiny))
    np.testing.assert_array_equal(data.mnist().x_test, by_root.x_test)


def test_downloads_what_is_missing_from_the_first_mirror_that_has_it(mirror, tmp_path):
    got = data.mnist(tmp_path / "new")
    np.testing.assert_array_equal(got.x_train, data.mnist(mirror.parent).x_train)
    names = sorted(path.name for path in (tmp_path / "new/mnist").iterdir())
    assert names == sorted(path.name for path in mirror.iterdir())


def test_a_wrong_download_is_refused_and_leaves_nothing(mirror, tmp_path):
    wrong = mirror / "t10k-labels-idx1-ubyte.gz"
    wrong.write_bytes(wrong.read_bytes() + b"x")
    with pytest.raises(OSError, match="expected sha256") as caught:
        data.mnist(tmp_path / "new")
    assert "SRCAD_DATA" in str(caught.value)
    assert not [p for p in (tmp_path / "new/mnist").iterdir() if "t10k-labels" in p.name]


def test_no_mirror_answers(tmp_path, monkeypatch):
    monkeypatch.setitem(data._MIRRORS, "fashion", ((tmp_path / "none").as_uri() + "/",))
    with pytest.raises(OSError, match="could not be downloaded"):
        data.fashion_mnist(tmp_path / "new")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: raw[: len(raw) // 2], "not a whole gzip file"),
        (lambda raw: b"<html>" + raw, "not a whole gzip file"),
        (lambda raw: idx(np.zeros(5)), "expected an idx file that starts with 00000803"),
        (lambda raw: gzip.compress(b""), "expected an idx file"),
        (lambda raw: gzip.compress(gzip.decompress(raw)[:-1]), "30 bytes, got 29"),
        (lambda raw: idx(np.zeros((4, 2, 3))), "4 train images but 5 labels"),
    ],
    ids=["cut", "page", "labels", "empty", "short", "fewer"],
)
def test_torn_or_wrong_files_are_refused_by_name(tiny, change, message):
    path = tiny / "mnist/train-images-idx3-ubyte.gz"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match=message) as caught:
        data.mnist(tiny)
    assert "mnist" in str(caught.value)
    assert "downloads" in str(caught.value)


@pytest.mark.skipif(
    not Path(os.environ.get("SRCAD_DATA", ""), "mnist").is_dir(),
    reason="the originals are not here: set SRCAD_DATA",
)
def test_the_published_mnist():
    mnist = data.mnist()
    assert mnist.x_train.shape == (60000, 784)
    assert mnist.x_test.shape == (10000, 784)
    assert mnist.y_train[:5].tolist() == [5, 0, 4, 1, 9]


def test_batches_give_each_row_once_with_its_label():
    x = np.arange(20.0).reshape(10, 2)
    parts = list(data.batches(x, np.arange(10), 4, np.random.default_rng(0)))
    assert [len(part) for part, _ in parts] == [4, 4, 2]
    labels = np.concatenate([labels for _, labels in parts])
    assert sorted(labels) == list(range(10))
    np.testing.assert_array_equal(np.concatenate([part for part, _ in parts]), x[labels])


def test_batches_refuse_a_wrong_call():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="got 0"):
        next(data.batches(np.ones(3), np.ones(3), 0, rng))
    with pytest.raises(ValueError, match="got 3 and 4"):
        next(data.batches(np.ones(3), np.ones(4), 1, rng))


def test_importing_the_module_loads_no_network_and_no_progress_bars():
    loaded = "import sys, srcad.nn.data; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert not {"urllib.request", "http.client", "rich", "matplotlib"} & set(out.stdout.split())
