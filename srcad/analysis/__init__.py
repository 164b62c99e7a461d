"""Analyses of programs on arrays: alias analysis, what is known of operations."""
