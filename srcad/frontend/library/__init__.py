"""Calls of NumPy and SciPy that are read in place: other functions, loops, writes, generators."""
