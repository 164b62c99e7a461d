"""Which modules can be imported where srcad is not."""

from __future__ import annotations

import importlib
import sys


def needs_srcad(name: str) -> bool:
    """Whether a module has something of srcad's."""
    top = name.split(".")[0]
    if top == "srcad":
        return True
    if top in ("numpy", "scipy", "numba", "llvmlite") or top in sys.stdlib_module_names:
        return False
    return any(
        str(getattr(value, "__name__", "")).split(".")[0] == "srcad"
        or str(getattr(value, "__module__", "")).split(".")[0] == "srcad"
        or type(value).__module__.split(".")[0] == "srcad"
        for value in vars(importlib.import_module(name)).values()
    )


__all__ = ["needs_srcad"]
