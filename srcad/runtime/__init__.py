"""What emitted code may call besides NumPy and the standard library.

Each helper is self-contained NumPy: its source is copied into the emitted module, which then needs no srcad.
"""

from srcad.runtime.arrays import index_add, scatter, unbroadcast

__all__ = ["index_add", "scatter", "unbroadcast"]
