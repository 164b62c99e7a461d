"""Masked arrays: what stands for them, and their functions."""
