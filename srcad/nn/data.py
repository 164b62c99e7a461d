"""Data sets for examples and benchmarks: digits in the package, MNIST from disk or the web.

`digits()` is the test set of "Optical Recognition of Handwritten Digits" (E. Alpaydin, C. Kaynak,
UCI Machine Learning Repository, 1998), licence CC BY 4.0; `digits.txt` beside it tells more.

`mnist()` and `fashion_mnist()` read the original `.gz` files in the folders `mnist/` and `fashion/`
of `root`, else of `$SRCAD_DATA`, else of `~/.cache/srcad/data`. What is not there is downloaded
there, compared with the published checksum and moved into place whole, so that an interrupted
download leaves nothing behind.

`imdb()` reads film reviews from `imdb/` there; `reviews(rng)` makes up some, which need no file.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from srcad.nn.files import data_folder, download
from srcad.nn.texts import TextSet, imdb, make_imdb, reviews

_DType = TypeVar("_DType", bound=np.generic)

_TRAIN_DIGITS = 1437

_MIRRORS = {
    "mnist": (
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
    ),
    "fashion": (
        "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/",
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    ),
}
_SHA256 = {
    "mnist": {
        "train-images": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        "train-labels": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        "t10k-images": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        "t10k-labels": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    },
    "fashion": {
        "train-images": "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        "train-labels": "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        "t10k-images": "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        "t10k-labels": "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
    },
}


class DataSet(NamedTuple):
    """Images as rows of pixels in [0, 1] and their classes.

    x_train: (n, pixels) float32; y_train: (n,) int64; x_test, y_test: the same for m images.
    """

    x_train: NDArray[np.float32]
    y_train: NDArray[np.int64]
    x_test: NDArray[np.float32]
    y_test: NDArray[np.int64]


def digits() -> DataSet:
    """Return the 8x8 digits shipped with srcad: 1437 images to train on, 360 to test.

    Returns:
        A `DataSet`: images (n, 64) from 0 to 1, labels (n,) from 0 to 9.

    >>> from srcad.nn import data
    >>> data.digits().x_train.shape
    (1437, 64)
    """
    with np.load(Path(__file__).with_name("digits.npz")) as stored:
        x = stored["images"].reshape(-1, 64).astype(np.float32) / np.float32(16)
        y = stored["labels"].astype(np.int64)
    n = _TRAIN_DIGITS
    return DataSet(x[:n], y[:n], x[n:], y[n:])


def mnist(root: str | os.PathLike[str] | None = None) -> DataSet:
    """Return MNIST: 60000 and 10000 images of 784 pixels, from `root/mnist/` or downloaded there.

    Args:
        root: the folder of the data; by default `$SRCAD_DATA`, else the cache folder.

    Returns:
        A `DataSet`: images (n, 784) from 0 to 1, labels (n,) from 0 to 9.

    Raises:
        ValueError: a file is torn or is not what its name says.
        OSError: a file is missing and cannot be downloaded or written.
    """
    return _read_set("mnist", root)


def fashion_mnist(root: str | os.PathLike[str] | None = None) -> DataSet:
    """Return Fashion-MNIST, in the sizes of `mnist`, from `root/fashion/` or downloaded there.

    Args:
        root: the folder of the data; by default `$SRCAD_DATA`, else the cache folder.

    Returns:
        A `DataSet`: images (n, 784) from 0 to 1, labels (n,) from 0 to 9.

    Raises:
        ValueError: a file is torn or is not what its name says.
        OSError: a file is missing and cannot be downloaded or written.
    """
    return _read_set("fashion", root)


def batches(
    x: NDArray[_DType], y: NDArray[Any], size: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[_DType], NDArray[Any]]]:
    """Yield `(x_batch, y_batch)` of `size` rows each, in an order drawn from `rng`, each row once.

    The last batch is shorter where `size` does not divide the number of rows.

    Args:
        x: (n, ...).
        y: (n, ...).
        size: rows of a batch.
        rng: draws the order.

    Returns:
        An iterator of pairs.
    """
    if size < 1:
        raise ValueError(f"batches: size must be at least 1, got {size}")
    if len(x) != len(y):
        raise ValueError(f"batches: x and y must have as many rows, got {len(x)} and {len(y)}")
    order = rng.permutation(len(x))
    for start in range(0, len(x), size):
        rows = order[start : start + size]
        yield x[rows], y[rows]


def _read_set(name: str, root: str | os.PathLike[str] | None) -> DataSet:
    folder = data_folder(root) / name
    parts: list[NDArray[np.uint8]] = []
    for stem in ("train", "t10k"):
        images = _read_idx(_find(folder, f"{stem}-images"), 3)
        labels = _read_idx(_find(folder, f"{stem}-labels"), 1)
        if len(images) != len(labels):
            raise ValueError(
                f"{folder}: {len(images)} {stem} images but {len(labels)} labels; "
                "the files belong to different data sets: delete them, srcad downloads them again"
            )
        parts += [images.reshape(len(images), -1), labels]
    x_train, y_train, x_test, y_test = parts
    scale = np.float32(1 / 255)
    return DataSet(
        x_train * scale, y_train.astype(np.int64), x_test * scale, y_test.astype(np.int64)
    )


def _read_idx(path: Path, rank: int) -> NDArray[np.uint8]:
    """Return the array in a gzipped idx file of unsigned bytes."""
    way_out = "delete it, srcad downloads it again"
    try:
        raw = gzip.decompress(path.read_bytes())
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path}: not a whole gzip file ({error}); {way_out}") from error
    magic, head_bytes = bytes([0, 0, 8, rank]), 4 * (rank + 1)
    if not raw.startswith(magic) or len(raw) < head_bytes:
        raise ValueError(
            f"{path}: expected an idx file that starts with {magic.hex()}, "
            f"got {raw[:4].hex() or 'nothing'}; {way_out}"
        )
    shape = tuple(int(extent) for extent in np.frombuffer(raw[4:head_bytes], ">u4"))
    body = np.frombuffer(raw, np.uint8, offset=head_bytes)
    if body.size != int(np.prod(shape)):
        raise ValueError(
            f"{path}: its header says {shape}, which is {int(np.prod(shape))} bytes, "
            f"got {body.size}; {way_out}"
        )
    return body.reshape(shape)


def _find(folder: Path, stem: str) -> Path:
    """Return the path of a data file; a missing one comes from the first mirror that has it."""
    file = f"{stem}-idx{3 if stem.endswith('images') else 1}-ubyte.gz"
    path = folder / file
    if path.exists():
        return path
    failures = []
    for mirror in _MIRRORS[folder.name]:
        try:
            download(mirror + file, path, _SHA256[folder.name][stem])
        except (OSError, ValueError) as error:
            failures.append(f"  {mirror}{file}: {error}")
        else:
            return path
    raise OSError(
        "\n".join(
            [
                f"{path} is missing and could not be downloaded:",
                *failures,
                f"put the file there, or name the folder that holds {folder.name}/ "
                "as `root` or in the environment variable SRCAD_DATA",
            ]
        )
    )


__all__ = [
    "DataSet",
    "TextSet",
    "batches",
    "digits",
    "fashion_mnist",
    "imdb",
    "make_imdb",
    "mnist",
    "reviews",
]
