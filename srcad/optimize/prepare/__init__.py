"""Rewrites ahead of differentiation, which choose the operations that are differentiated."""
