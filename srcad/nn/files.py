"""Files of data sets: where they are, how they are downloaded, how they are recognised."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

_TIMEOUT_S = 30.0
_CHUNK_BYTES = 1 << 16


def data_folder(root: str | os.PathLike[str] | None) -> Path:
    """Return `root`, else `$SRCAD_DATA`, else `~/.cache/srcad/data`."""
    return Path(root or os.environ.get("SRCAD_DATA") or Path.home() / ".cache" / "srcad" / "data")


def sha256(parts: Iterable[bytes | memoryview]) -> str:
    """Return the checksum of the parts, one after another."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def partial_name(path: Path) -> Path:
    """Return the name of a file in the making, which no other thread or process uses."""
    return path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.part")


def download(url: str, path: Path, expected: str) -> None:
    """Put what `url` holds at `path`, whole and with this checksum, or raise and leave nothing."""
    from urllib.request import urlopen  # only here: it imports http, ssl and email

    path.parent.mkdir(parents=True, exist_ok=True)
    partial = partial_name(path)
    digest = hashlib.sha256()
    try:
        with partial.open("wb") as file, urlopen(url, timeout=_TIMEOUT_S) as answer:
            total = int(answer.headers.get("Content-Length") or 0)
            done, start = 0, time.monotonic()
            while chunk := answer.read(_CHUNK_BYTES):
                file.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                show_progress(path.name, done, total, time.monotonic() - start)
        if digest.hexdigest() != expected:
            raise ValueError(f"expected sha256 {expected}, got {digest.hexdigest()}")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def show_progress(name: str, done: int, total: int, seconds: float) -> None:
    """Redraw the download's line on a terminal; elsewhere say nothing."""
    if not sys.stderr.isatty() or not total:
        return
    filled = 30 * done // total
    left_s = seconds * (total - done) / done
    end = "\n" if done >= total else ""
    bar = "#" * filled + "." * (30 - filled)
    print(f"\r{name} [{bar}] {done / total:4.0%} {left_s:4.0f} s left", end=end, file=sys.stderr)
