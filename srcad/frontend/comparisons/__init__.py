"""Comparisons: order, equality, identity, membership."""
