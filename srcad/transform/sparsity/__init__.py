"""Sparsity patterns: which entries of a Jacobian may not be zero."""
