"""Convolution, Fourier transforms, interpolation, and polynomials."""
