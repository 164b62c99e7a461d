"""What tests need that may not be installed, as marks that tell it."""

from __future__ import annotations

import importlib.util

import pytest

HAS_NUMBA = importlib.util.find_spec("numba") is not None
needs_numba = pytest.mark.skipif(not HAS_NUMBA, reason="Numba is not installed")
NATIVE = pytest.param("native", marks=needs_numba)
BACKENDS = ("numpy", NATIVE)
