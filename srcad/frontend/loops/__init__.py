"""Loops and comprehensions: unrolled, or lowered once with what they carry."""
