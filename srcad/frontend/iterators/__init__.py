"""Iterators: generators, what is left of them, and loops that count."""
