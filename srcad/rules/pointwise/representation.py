"""Functions of how numbers are stored: the spacing of floats, bits, complex numbers in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.rules.core.facts import real_only, ufunc_type
from srcad.rules.core.registry import composed, nondiff, zero
from srcad.rules.core.staged import is_complex
from srcad.rules.core.table import Case

zero(np.spacing, type_of=real_only(ufunc_type(np.spacing)), domain=(0.6, 0.9))

_BITS = Case.made(lambda rng: rng.integers(0, 2, (3, 8)).astype(np.uint8))
nondiff(np.packbits, np.unpackbits, cases=(Case(_BITS), Case(_BITS, axis=1)))


def _sort_complex(a: Any) -> Any:
    found = np.sort(a)
    return found if is_complex(a) else found.astype(np.complex128)


composed(np.sort_complex, _sort_complex, cases=(Case((4,)), Case((2, 3))))
