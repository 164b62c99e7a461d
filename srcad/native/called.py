"""The functions in `srcad.native.functions.called`, as twins: names only, without Numba."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad.native.vectorised import Twin

# Transforms by the number that compiled code knows them by, and norms.
KINDS = (np.fft.fftn, np.fft.ifftn, np.fft.rfftn, np.fft.irfftn)
NORMS: Final = ("backward", "forward", "ortho")


def _plain(array: Any) -> np.ndarray:
    return array.view(np.ndarray)  # type: ignore[no-any-return]  # of anything


def _parted_into(places: Any, x: Any, kth: int, axis: int) -> None:
    _plain(places)[...] = np.argpartition(_plain(x), kth, axis)


def _eigenvalues_into(w: Any, a: Any) -> None:
    _plain(w)[...] = np.linalg.eigvals(_plain(a))


def _eigenvectors_into(w: Any, v: Any, a: Any) -> None:
    _plain(w)[...], _plain(v)[...] = np.linalg.eig(_plain(a))


def _transformed_into(out: Any, x: Any, kind: int, lengths: Any, axes: Any, norm: int) -> None:
    _plain(out)[...] = KINDS[kind](_plain(x), lengths, axes, NORMS[norm])


PARTED = Twin("parted_into", _parted_into, writes=1)
EIGENVALUES = Twin("eigenvalues_into", _eigenvalues_into, writes=1)
EIGENVECTORS = Twin("eigenvectors_into", _eigenvectors_into, writes=2)
TRANSFORMED = Twin("transformed_into", _transformed_into, writes=1)
CALLED = (PARTED, EIGENVALUES, EIGENVECTORS, TRANSFORMED)

__all__ = [
    "CALLED", "EIGENVALUES", "EIGENVECTORS", "KINDS", "NORMS", "PARTED", "TRANSFORMED",
]  # fmt: skip
