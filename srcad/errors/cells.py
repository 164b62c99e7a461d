"""Names for the cells of notebooks, whose files IPython names itself.

/tmp/ipykernel_4711/2871359.py      cell 3      the third that was run
<ipython-input-3-d41d8cd98f00>      cell 3
"""

from __future__ import annotations

import re
import sys
from typing import Any

_NUMBERED = re.compile(r"<ipython-input-(\d+)-")
_UNNUMBERED = re.compile(r"[/\\]ipykernel_\d+[/\\]-?\d+\.py$")


def cell_name(file: str) -> str:
    """What to call the cell that `file` is, as the numbers beside the cells do; "" of a file."""
    if found := _NUMBERED.match(file):
        return f"cell {found[1]}"
    if not _UNNUMBERED.search(file):
        return ""
    number = _number(file)
    return f"cell {number}" if number else "a cell"


def _number(file: str) -> str:
    """IPython numbers the cells that it runs; "" where it is not there, or of an old cell."""
    python: Any = sys.modules.get("IPython")
    shell = python.get_ipython() if python is not None else None
    named = getattr(getattr(shell, "compile", None), "format_code_name", None)
    label = named(file) if named is not None else None
    found = re.search(r"\d+", label[1]) if label else None
    return found[0] if found else ""


__all__ = ["cell_name"]
