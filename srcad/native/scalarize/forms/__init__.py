"""Functions of NumPy's as loops and simpler operations, for compiled loops; by kind."""
