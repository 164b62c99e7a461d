"""Elementwise functions of one or more numbers."""
