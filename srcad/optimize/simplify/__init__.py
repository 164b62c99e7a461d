"""Simplifications of programs on values: the same results from fewer and cheaper operations."""
