"""Arrays with fields, read in place of NumPy's."""
