"""Functions of CuPy's that NumPy has not, as those of programs in which NumPy is CuPy."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np


def get_array_module(*args: Any) -> ModuleType:
    """`cupy.get_array_module(x)`: the module whose functions a program is written with."""
    return np


__all__ = ["get_array_module"]
