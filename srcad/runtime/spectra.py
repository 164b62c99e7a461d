"""Helpers of emitted code for eigenvectors."""

from __future__ import annotations

from typing import Any

import numpy as np


def inverse_gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]) at [i, j], 0 on the diagonal; raises where two eigenvalues are equal."""
    gaps = w[..., None, :] - w[..., :, None]
    diagonal = np.eye(w.shape[-1], dtype=bool)
    if np.any((gaps == 0) & ~diagonal):
        raise np.linalg.LinAlgError("eigenvectors of equal eigenvalues have no derivative")
    return np.where(diagonal, 0, 1 / np.where(diagonal, 1, gaps)).astype(w.dtype)
