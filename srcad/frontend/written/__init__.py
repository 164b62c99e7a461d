"""Functions of NumPy's in terms of others: read in place, as a user's function is."""
