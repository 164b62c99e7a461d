"""Analyses of programs on arrays: alias analysis, definedness, what is known of operations."""
