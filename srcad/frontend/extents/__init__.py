"""Extents and integers that are known while a function is lowered."""
