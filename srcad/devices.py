"""Arrays that lie elsewhere than in the host's memory: those of CuPy, on a GPU.

No module is imported for it: of one that nobody has imported there are no arrays.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np

LIBRARY = "cupy"


def library() -> ModuleType | None:
    """CuPy, where it is in use."""
    module = sys.modules.get(LIBRARY)
    return module if hasattr(module, "ndarray") else None


def device_class() -> type | None:
    """The class of arrays on a device, where there can be any."""
    module = library()
    found: type | None = None if module is None else module.ndarray
    return found


def is_on_device(x: Any) -> bool:
    """Whether `x` is an array on a device."""
    cls = device_class()
    return cls is not None and isinstance(x, cls)


def is_array(x: Any) -> bool:
    """Whether `x` is an array, wherever it lies."""
    return isinstance(x, np.ndarray) or is_on_device(x)


def generator_classes() -> tuple[type, ...]:
    """The classes of random generators: NumPy's, and CuPy's where it is in use."""
    module = library()
    own = () if module is None else (module.random.Generator,)
    return (np.random.Generator, np.random.RandomState, *own)
