"""NumPy's own functions, called by compiled code, where no loop computes what they do.

    parted_into(places, x, 5, -1)       places[...] = np.argpartition(x, 5, -1)

The order that a partition leaves depends on the machine. A call takes the interpreter's lock and
some microseconds: little beside what is called, and the loop around it stays compiled. What is
raised leaves the call to NumPy's program, which raises it.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, objmode

__all__ = ["eigenvalues_into", "eigenvectors_into", "parted_into", "transformed_into"]


@njit(error_model="numpy")
def parted_into(places: Any, x: Any, kth: int, axis: int) -> None:
    """The places in the order of `np.argpartition(x, kth, axis)`."""
    with objmode():
        places[...] = np.argpartition(x, kth, axis)


@njit(error_model="numpy")
def eigenvalues_into(w: Any, a: Any) -> None:
    """`np.linalg.eigvals(a)`, as complex numbers."""
    with objmode():
        w[...] = np.linalg.eigvals(a)


@njit(error_model="numpy")
def eigenvectors_into(w: Any, v: Any, a: Any) -> None:
    """`np.linalg.eig(a)`, as complex numbers."""
    with objmode():
        w[...], v[...] = np.linalg.eig(a)


@njit(error_model="numpy")
def transformed_into(out: Any, x: Any, kind: int, lengths: Any, axes: Any, norm: int) -> None:
    """The discrete Fourier transform of a kind, from 0: complex, its inverse, of real numbers, its
    inverse; with one of the norms of NumPy's, in the order of the alphabet.
    """
    with objmode():
        transform = (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)[kind]
        out[...] = transform(x, lengths, axes, ("backward", "forward", "ortho")[norm])
