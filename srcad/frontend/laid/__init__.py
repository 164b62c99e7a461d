"""Laid lists: lists of numbers, and lists of lists, that stand in arrays."""
