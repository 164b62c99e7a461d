"""Reductions, cumulative functions, statistics, and orders of entries."""
