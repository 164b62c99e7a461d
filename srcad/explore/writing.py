"""Where the explorer's page goes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from srcad.explore.page import explorer_page
from srcad.pipeline.request import Request
from srcad.pipeline.specialisation import Specialisation


def write_page(
    path: str | PathLike[str] | None,
    request: Request,
    found: Specialisation,
    args: Sequence[Any] | None,
    n_primal: int,
) -> Path:
    """Write the page of `explorer_page` to a file; None: to a new temporary one."""
    text = explorer_page(request, found, args, n_primal)
    target = Path(path) if path is not None else _new_file(request.name)
    target.write_text(text, encoding="utf-8")
    return target


def _new_file(name: str) -> Path:
    known = "".join(char if char.isidentifier() else "_" for char in name)
    handle, path = tempfile.mkstemp(prefix=f"{known}-", suffix=".html")
    os.close(handle)
    return Path(path)


__all__ = ["write_page"]
