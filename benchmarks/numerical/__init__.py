"""Numerical programs as scientists write them in NumPy, and the same on other systems."""
