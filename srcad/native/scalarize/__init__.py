"""Scalarisation: array operations become loops over numbers."""
