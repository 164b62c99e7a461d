import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from srcad.nn import data, texts

VOCABULARY = ["<pad>", "<start>", "<oov>", "<unused>", "good", "film", "it's", "bad"]
PRAISE = "Good film.<br />It&#39;s GOOD - good!"
BLAME = "bad film, it\u2019s"
UNKNOWN = "Bad sequel"


def checksum(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """A folder like aclImdb with four reviews, and the checksums of what is to come of it."""
    kinds = {
        "train/pos/0_9": PRAISE, "train/neg/0_2": BLAME,
        "test/pos/0_10": "good", "test/neg/0_1": UNKNOWN,
    }  # fmt: skip
    for name, text in kinds.items():
        path = tmp_path / "aclImdb" / f"{name}.txt"
        path.parent.mkdir(parents=True)
        path.write_text(text, "utf-8")
    sums = {"words": checksum("".join(f"{word}\n" for word in VOCABULARY).encode())}
    of_files = {"train": ([7, 5, 6], [4, 5, 6, 4, 4]), "test": ([7, 2], [4])}
    for stem, seed in (("train", 113), ("test", 114)):
        order = np.random.RandomState(seed).permutation(2)
        flat = [word for i in order for word in of_files[stem][i]]
        offsets = np.cumsum([0, *(len(of_files[stem][i]) for i in order)])
        sums[stem] = checksum(
            np.array(flat, np.uint16).tobytes(),
            offsets.astype(np.int32).tobytes(),
            order.astype(np.uint8).tobytes(),
        )
    monkeypatch.setattr(texts, "_SHA256", sums)
    return tmp_path / "aclImdb"


@pytest.fixture
def made(archive, tmp_path):
    data.make_imdb(archive, tmp_path)
    return tmp_path


def by_label(read, stem):
    x, y = getattr(read, f"x_{stem}"), getattr(read, f"y_{stem}")
    return {int(label): row.tolist() for row, label in zip(x, y, strict=True)}


def test_reviews_become_numbers_of_words_and_shorter_ones_begin_with_zeros(made):
    read = data.imdb(made, length=4)
    assert read.words == tuple(VOCABULARY)
    assert read.x_train.dtype == np.int32
    assert read.y_train.dtype == np.int64
    # The longer review keeps its last words.
    assert by_label(read, "train") == {1: [5, 6, 4, 4], 0: [0, 7, 5, 6]}
    assert by_label(read, "test") == {1: [0, 0, 0, 4], 0: [0, 0, 7, 2]}


def test_rarer_words_become_one_number(made):
    read = data.imdb(made, words=6, length=5)
    assert read.words == tuple(VOCABULARY[:6])
    assert by_label(read, "train") == {1: [4, 5, 2, 4, 4], 0: [0, 0, 2, 5, 2]}


def test_the_folder_is_that_of_the_environment(made, monkeypatch):
    monkeypatch.setenv("SRCAD_DATA", str(made))
    np.testing.assert_array_equal(data.imdb().x_train, data.imdb(made).x_train)


def test_files_are_moved_into_place_whole(made, archive, monkeypatch):
    names = sorted(path.name for path in (made / "imdb").iterdir())
    assert names == ["imdb.npz", "vocab.txt"]
    before = (made / "imdb/imdb.npz").read_bytes()

    def interrupted(file, **arrays):
        file.write(b"PK")
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", interrupted)
    with pytest.raises(KeyboardInterrupt):
        data.make_imdb(archive, made)
    assert sorted(path.name for path in (made / "imdb").iterdir()) == names
    assert (made / "imdb/imdb.npz").read_bytes() == before


@pytest.mark.parametrize("name", ["imdb.npz", "vocab.txt"])
def test_a_missing_file_is_named_with_the_way_to_make_it(made, name):
    (made / "imdb" / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"{name} is missing") as caught:
        data.imdb(made)
    for way in ("aclImdb_v1.tar.gz", "make_imdb", "SRCAD_DATA"):
        assert way in str(caught.value)


def rewrite(path, **changes):
    """Write the arrays of a file again, some changed, some (None) left out."""
    with np.load(path) as stored:
        arrays = {**stored, **changes}
    np.savez(path, **{name: x for name, x in arrays.items() if x is not None})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:200]), "not a whole file"),
        (lambda path: path.write_bytes(b""), "not a whole file"),
        (lambda path: path.write_bytes(b"<html>"), "not a whole file"),
        (lambda path: np.save(path.open("wb"), np.ones(3)), "not a whole file"),
        (lambda path: rewrite(path, y_test=None), r"not \['y_test'\]"),
        (lambda path: np.savez(path, x_train=1, x_test=1), "x_train_flat"),
        (lambda path: rewrite(path, y_test=np.uint8([1, 1])), "test differ from those"),
        (lambda path: rewrite(path, x_train_flat=np.zeros(8, np.uint16)), "train differ from"),
    ],
    ids=["cut", "empty", "page", "array", "part", "keras", "labels", "words"],
)
def test_torn_or_wrong_files_are_refused_by_name(made, change, message):
    change(made / "imdb/imdb.npz")
    with pytest.raises(ValueError, match=message) as caught:
        data.imdb(made)
    assert "imdb" in str(caught.value)
    assert "make_imdb" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"<pad>\nfilm\n", "words differ from those"), (b"\xff\xfe", "no text in UTF-8")],
)
def test_a_wrong_vocabulary_is_refused(made, content, message):
    (made / "imdb/vocab.txt").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        data.imdb(made)


def test_other_texts_are_refused_and_leave_nothing(archive, tmp_path):
    (archive / "train/pos/0_9.txt").write_text("good good", "utf-8")
    with pytest.raises(ValueError, match=r"differ from those of the published reviews"):
        data.make_imdb(archive, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(FileNotFoundError, match="make_imdb wants the folder aclImdb"):
        data.make_imdb(archive / "train", tmp_path / "new")


def test_numbers_out_of_range_are_refused():
    with pytest.raises(ValueError, match="words must be from 5 to 10000, got 4"):
        data.imdb(words=4)
    with pytest.raises(ValueError, match="got 10001"):
        data.imdb(words=10001)
    with pytest.raises(ValueError, match="length must be at least 1, got 0"):
        data.imdb(length=0)


@pytest.mark.skipif(
    not Path(os.environ.get("SRCAD_DATA", ""), "imdb").is_dir(),
    reason="the reviews are not here: set SRCAD_DATA",
)
def test_the_published_reviews():
    read = data.imdb()
    assert read.x_train.shape == read.x_test.shape == (25000, 130)
    assert read.y_train.sum() == read.y_test.sum() == 12500
    last = " ".join(read.words[word] for word in read.x_train[0, -10:])
    assert last == "a bad joke on anyone who wastes money on it"
    assert read.y_train[0] == 0
    assert max(read.x_train.max(), read.x_test.max()) < len(read.words) == 10000


def test_made_up_reviews_say_by_pairs_of_words_what_they_mean():
    read = data.reviews(np.random.default_rng(0), 300, 100, length=30)
    assert read.x_train.shape == (300, 30)
    assert read.x_test.shape == (100, 30)
    assert (read.x_train.dtype, read.y_train.dtype) == (np.int32, np.int64)
    assert {*read.y_train} == {0, 1}
    names = np.array(read.words)
    praised = blamed = 0
    for row, label in zip(read.x_train, read.y_train, strict=True):
        said = " ".join(names[row])
        found = sum(said.count(f" {word}") for word in texts._PRAISE.split())
        turned = sum(said.count(f" not {word}") for word in texts._PRAISE.split())
        praised, blamed = praised + found * label, blamed + found * (1 - label)
        assert turned <= found
    # "not good" is blame: words of praise alone do not tell.
    assert 2 < praised / blamed < 4


def test_made_up_reviews_are_those_of_their_generator():
    first, again, other = (data.reviews(np.random.default_rng(seed), 20, 5) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.x_train, again.x_train)
    assert not np.array_equal(first.x_train, other.x_train)
