"""Transformations inside a transformed function."""
