"""Functions that make, reshape, join, split, and index arrays."""
