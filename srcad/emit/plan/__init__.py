"""Decisions before printing: names, nesting, which values share a variable."""
