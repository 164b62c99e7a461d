"""Film reviews as numbers of words: IMDB's, and made-up ones.

`imdb()` reads the "Large Movie Review Dataset" (Maas et al., "Learning Word Vectors for Sentiment
Analysis", ACL-HLT 2011) as `make_imdb()` writes it: words instead of characters. No server has that
file, and its authors give no leave to pass their texts on, so that the way to it is

    wget https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz
    tar xzf aclImdb_v1.tar.gz
    python -c "from srcad.nn import data; data.make_imdb('aclImdb')"

Numbers of words are as in Keras: 0 pads, 2 stands for every rarer word, 4 is the most frequent one.
"""

from __future__ import annotations

import collections
import html
import os
import re
import time
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from srcad.nn.files import data_folder, partial_name, sha256, show_progress

PAD, OTHER = 0, 2
_SPECIAL = ("<pad>", "<start>", "<oov>", "<unused>")
_VOCABULARY = 10000
# The order of the reviews is drawn once, from these seeds.
_SEEDS = {"train": 113, "test": 114}
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_PARTS = ("x_{}_flat", "x_{}_offsets", "y_{}")
_SHA256 = {
    "words": "b2ac1eb0e561a7e6e4fd92c2ed4de22879c42f847903e88aa2e2db139a6d99fd",
    "train": "18124a9a0a3f8602844aaa86bd2572dcd2461d2ab4208693bdb6934503fd4fb1",
    "test": "98f6bfb99e31b1c111837c7b6aa54d172c005cedbe4bf8bf3e812fc3564d1226",
}


class TextSet(NamedTuple):
    """Texts as rows of numbers of words, and their classes.

    x_train: (n, length) int32; y_train: (n,) int64, 1 for praise and 0 for blame; x_test, y_test:
    the same for m texts; words: what the numbers stand for.
    """

    x_train: NDArray[np.int32]
    y_train: NDArray[np.int64]
    x_test: NDArray[np.int32]
    y_test: NDArray[np.int64]
    words: tuple[str, ...]


def imdb(
    root: str | os.PathLike[str] | None = None, words: int = _VOCABULARY, length: int = 130
) -> TextSet:
    """Return IMDB: 25000 and 25000 reviews, half of them praise, from `root/imdb/`.

    Args:
        root: the folder that holds `imdb/`; by default `$SRCAD_DATA`, else the cache folder.
        words: how many numbers there are; rarer words become the number 2.
        length: the last so many words are kept, and zeros put before a shorter review's: how a
            review ends says most.

    Returns:
        A `TextSet`: numbers of words (n, length), labels (n,), 1 for praise.

    Raises:
        ValueError: a file is torn or is not what `make_imdb` writes, or a number is out of range.
        OSError: a file is missing; the message says how to make it.
    """
    if not len(_SPECIAL) < words <= _VOCABULARY:
        raise ValueError(f"imdb: words must be from 5 to {_VOCABULARY}, got {words}")
    if length < 1:
        raise ValueError(f"imdb: length must be at least 1, got {length}")
    folder = data_folder(root) / "imdb"
    vocabulary, stored = _read(folder / "vocab.txt", folder / "imdb.npz")
    sets: list[Any] = []
    for stem in _SEEDS:
        flat, offsets, y = (stored[part.format(stem)] for part in _PARTS)
        x = _last_words(flat, offsets, length)
        x[x >= words] = OTHER
        sets += [x, y.astype(np.int64)]
    x_train, y_train, x_test, y_test = sets
    return TextSet(x_train, y_train, x_test, y_test, vocabulary[:words])


def make_imdb(texts: str | os.PathLike[str], root: str | os.PathLike[str] | None = None) -> Path:
    """Write the file that `imdb` reads, from the texts of aclImdb_v1.tar.gz, and return its path.

    Args:
        texts: the folder `aclImdb` of the unpacked archive.
        root: where to put the folder `imdb`; by default as of `imdb`.

    Returns:
        The path of the file.

    Raises:
        ValueError: the texts are not those of the archive.
        OSError: a text is missing, or the file cannot be written.
    """
    read = {stem: _read_texts(Path(texts) / stem, seed) for stem, seed in _SEEDS.items()}
    counts = collections.Counter(word for review in read["train"][0] for word in review)
    frequent = sorted(counts, key=lambda word: (-counts[word], word))
    vocabulary = (*_SPECIAL, *frequent[: _VOCABULARY - len(_SPECIAL)])
    number = {word: n for n, word in enumerate(vocabulary)}
    arrays: dict[str, Any] = {}
    for stem, (of_stem, y) in read.items():
        flat = [number.get(word, OTHER) for review in of_stem for word in review]
        offsets = np.cumsum([0, *map(len, of_stem)])
        values = (np.array(flat, np.uint16), offsets.astype(np.int32), y)
        arrays |= {part.format(stem): x for part, x in zip(_PARTS, values, strict=True)}
    _check(vocabulary, arrays, Path(texts), "unpack aclImdb_v1.tar.gz again")
    return _write(data_folder(root) / "imdb", vocabulary, arrays)


def _read_texts(folder: Path, seed: int) -> tuple[list[list[str]], NDArray[np.uint8]]:
    """The words of each review below `folder`, in the order of `seed`, and its label."""
    files = [path for kind in ("neg", "pos") for path in _numbered(folder / kind)]
    files = [files[i] for i in np.random.RandomState(seed).permutation(len(files))]
    reviews, start = [], time.monotonic()
    for done, path in enumerate(files, 1):
        reviews.append(_words(path.read_text("utf-8")))
        if done % 500 == 0 or done == len(files):
            show_progress(f"imdb {folder.name}", done, len(files), time.monotonic() - start)
    return reviews, np.array([path.parent.name == "pos" for path in files], np.uint8)


def _words(text: str) -> list[str]:
    """The words of a review: letters and digits, with apostrophes within."""
    return _WORD.findall(html.unescape(text.replace("<br />", " ")).lower().replace("\u2019", "'"))


def _numbered(folder: Path) -> list[Path]:
    """The files `number_rating.txt` of a folder, by number."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is missing: make_imdb wants the folder aclImdb")
    return sorted(folder.glob("*_*.txt"), key=lambda path: int(path.stem.split("_")[0]))


def _write(folder: Path, vocabulary: Sequence[str], arrays: dict[str, Any]) -> Path:
    """Put both files into place, each whole."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "imdb.npz"
    partial = partial_name(path)
    try:
        partial.write_text("\n".join(vocabulary) + "\n", "utf-8")
        partial.replace(folder / "vocab.txt")
        with partial.open("wb") as file:
            np.savez_compressed(file, **arrays)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def _read(vocab: Path, npz: Path) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The vocabulary and the arrays, after all checks."""
    for path in (npz, vocab):
        if not path.exists():
            raise FileNotFoundError(
                f"{path} is missing, and no server has it. Unpack "
                "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz and call "
                "srcad.nn.data.make_imdb('aclImdb'), or name the folder that holds imdb/ as "
                "`root` or in the environment variable SRCAD_DATA"
            )
    way_out = "delete it and make it again by srcad.nn.data.make_imdb"
    names = [part.format(stem) for stem in _SEEDS for part in _PARTS]
    try:
        vocabulary = tuple(vocab.read_text("utf-8").split("\n")[:-1])
    except UnicodeDecodeError as error:
        raise ValueError(f"{vocab}: no text in UTF-8 ({error}); {way_out}") from error
    try:
        with np.load(npz, allow_pickle=False) as stored:
            if missing := set(names) - set(stored.files):
                raise ValueError(f"it has {stored.files}, not {sorted(missing)}")
            arrays = {name: stored[name] for name in names}
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, TypeError) as error:
        raise ValueError(f"{npz}: not a whole file of srcad's ({error}); {way_out}") from error
    _check(vocabulary, arrays, npz.parent, way_out)
    return vocabulary, arrays


def _check(vocabulary: Sequence[str], arrays: dict[str, Any], place: Path, way_out: str) -> None:
    """Compare contents, not files: other versions of zlib write other bytes."""
    contents = {"words": [("\n".join(vocabulary) + "\n").encode()]}
    for stem in _SEEDS:
        contents[stem] = [arrays[part.format(stem)].tobytes() for part in _PARTS]
    for name, parts in contents.items():
        if (got := sha256(parts)) != _SHA256[name]:
            raise ValueError(
                f"{place}: {name} differ from those of the published reviews "
                f"(expected sha256 {_SHA256[name]}, got {got}); {way_out}"
            )


def _last_words(flat: NDArray[Any], offsets: NDArray[Any], length: int) -> NDArray[np.int32]:
    """One row for each text, `flat[offsets[i]:offsets[i + 1]]`: its end, after zeros."""
    places = offsets[1:, None] + np.arange(-length, 0)
    inside = places >= offsets[:-1, None]
    return np.where(inside, flat[np.maximum(places, 0)], PAD).astype(np.int32)


# Made-up reviews: "the plot was really not boring". A sentence is about one of these ...
_SUBJECTS = """plot acting music camera ending story cast script pace humour dialogue
    hero"""
_VERBS = "was is felt seemed looked"
_BEFORE = "really quite rather truly simply often"
# ... and says one of these of it, or "not" one of the other kind.
_BLAME = "boring awful dull weak terrible clumsy poor bad messy lifeless"
_PRAISE = "brilliant lovely moving strong wonderful clever rich good gripping superb"
# Sentences that say nothing.
_FILLERS = (
    "i saw it on a sunday with my brother",
    "it runs for two hours",
    "the director made three films before",
    "much of it was shot in winter",
    "there is a book of the same name",
)


def reviews(
    rng: np.random.Generator, n_train: int = 2000, n_test: int = 500, length: int = 40
) -> TextSet:
    """Make up film reviews from a few dozen words, to try a program without IMDB.

    Nine of ten of a review's judgements are of its own opinion, and a quarter of them say so by
    "not": single words tell part of it, pairs the rest. Numbers are as of `imdb`.

    Args:
        rng: draws the reviews.
        n_train: how many to train on.
        n_test: how many to test on.
        length: the last so many words are kept, zeros come before.

    Returns:
        A `TextSet`, as of `imdb`.
    """
    spoken = " ".join(("the not", _SUBJECTS, _VERBS, _BEFORE, _BLAME, _PRAISE, *_FILLERS))
    words = (*_SPECIAL, *dict.fromkeys(spoken.split()))
    number = {word: n for n, word in enumerate(words)}
    n = n_train + n_test
    y = rng.integers(0, 2, n)
    texts = [[number[word] for word in _made_up(bool(praise), rng)] for praise in y]
    offsets = np.cumsum([0, *map(len, texts)])
    x = _last_words(np.concatenate(texts) if n else np.zeros(1), offsets, length)
    return TextSet(x[:n_train], y[:n_train], x[n_train:], y[n_train:], words)


def _made_up(praise: bool, rng: np.random.Generator) -> list[str]:
    """The words of a review of three to seven sentences."""
    said: list[str] = []
    for _ in range(rng.integers(3, 8)):
        if rng.random() < 0.3:
            said += _FILLERS[rng.integers(len(_FILLERS))].split()
            continue
        said += ["the", _one_of(_SUBJECTS, rng), _one_of(_VERBS, rng)]
        if rng.random() < 0.5:
            said.append(_one_of(_BEFORE, rng))
        praises, turned = praise ^ (rng.random() < 0.1), rng.random() < 0.25
        if turned:
            said.append("not")
        said.append(_one_of(_PRAISE if praises ^ turned else _BLAME, rng))
    return said


def _one_of(words: str, rng: np.random.Generator) -> str:
    choice = words.split()
    return choice[rng.integers(len(choice))]
