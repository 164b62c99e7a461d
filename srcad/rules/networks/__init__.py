"""Kernels of networks: images, tables."""
