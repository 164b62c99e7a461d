"""Passes over loops: alignment, fusion, store forwarding, array contraction, bounds checks."""
