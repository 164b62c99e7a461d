"""Derivatives of `np.linalg`."""
