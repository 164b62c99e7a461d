"""Scalarisation: array operations become loops over numbers."""

from srcad.native import rows

__all__ = ["rows"]  # native operations have rows of the table from here on
