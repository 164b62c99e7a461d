"""Rules of `scipy.linalg`."""
