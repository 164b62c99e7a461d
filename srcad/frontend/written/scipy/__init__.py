"""Functions and classes of SciPy's in terms of NumPy's: read in place of them."""
