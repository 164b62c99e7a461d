"""Expressions: operators, comparisons, attributes, methods."""
