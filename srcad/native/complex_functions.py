"""Functions of complex numbers that compiled code calls, copied into the module as `helpers` are.

Their arguments are finite. Where a result is not, compiled code refuses it: Python raises there.
The branches and the signs of zeros are those of C (Kahan, "Branch cuts for complex elementary
functions", 1987).
"""

from __future__ import annotations

import numpy as np


def complex_sqrt(z: complex) -> complex:
    """The square root of a finite number, however large it is."""
    a, b, scale = z.real, z.imag, 1.0
    if a == 0.0 and b == 0.0:
        return complex(0.0, b)
    if abs(a) > 4e307 or abs(b) > 4e307:
        a, b, scale = 0.25 * a, 0.25 * b, 2.0
    t = np.sqrt(0.5 * (abs(a) + np.hypot(a, b)))
    if a >= 0.0:
        return complex(scale * t, scale * b / (2.0 * t))
    return complex(scale * abs(b) / (2.0 * t), scale * np.copysign(t, b))


def complex_tanh(z: complex) -> complex:
    """The hyperbolic tangent of a finite number, with the signs of zeros."""
    x, y = z.real, z.imag
    if abs(x) > 22.0:
        e = np.exp(-abs(x))
        return complex(np.copysign(1.0, x), 4.0 * np.sin(y) * np.cos(y) * e * e)
    t, s = np.tan(y), np.sinh(x)
    beta = 1.0 + t * t
    d = 1.0 + beta * s * s
    return complex(beta * np.sqrt(1.0 + s * s) * s / d, t / d)


def complex_tan(z: complex) -> complex:
    """The tangent: that of `1j * z` is hyperbolic."""
    w = complex_tanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def complex_asinh(z: complex) -> complex:
    """The inverse of the hyperbolic sine."""
    a = complex_sqrt(complex(1.0 + z.imag, -z.real))
    b = complex_sqrt(complex(1.0 - z.imag, z.real))
    real = np.arcsinh(a.real * b.imag - b.real * a.imag)
    return complex(real, np.arctan2(z.imag, a.real * b.real - a.imag * b.imag))


def complex_asin(z: complex) -> complex:
    """The inverse of the sine: that of `1j * z` is hyperbolic."""
    w = complex_asinh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


def complex_acos(z: complex) -> complex:
    """The inverse of the cosine."""
    a = complex_sqrt(complex(1.0 - z.real, -z.imag))
    b = complex_sqrt(complex(1.0 + z.real, z.imag))
    imag = np.arcsinh(b.real * a.imag - b.imag * a.real)
    return complex(2.0 * np.arctan2(a.real, b.real), imag)


def complex_acosh(z: complex) -> complex:
    """The inverse of the hyperbolic cosine."""
    a = complex_sqrt(complex(z.real - 1.0, z.imag))
    b = complex_sqrt(complex(z.real + 1.0, z.imag))
    real = np.arcsinh(a.real * b.real + a.imag * b.imag)
    return complex(real, 2.0 * np.arctan2(a.imag, b.real))


def complex_atanh(z: complex) -> complex:
    """The inverse of the hyperbolic tangent, infinite at 1 and -1."""
    sign = np.copysign(1.0, z.real)
    x, y = sign * z.real, sign * z.imag
    if x > 6e153 or abs(y) > 6e153:
        h = np.hypot(0.5 * x, 0.5 * y)
        return complex(sign * (0.25 * x / h / h), sign * np.copysign(0.5 * np.pi, y))
    if x == 1.0 and abs(y) < 1e-154:
        if y == 0.0:
            return complex(np.inf, y)
        real = -np.log(np.sqrt(abs(y)) / np.sqrt(np.hypot(y, 2.0)))
        return complex(sign * real, sign * np.copysign(0.5 * np.arctan2(2.0, -abs(y)), y))
    real = 0.25 * np.log1p(4.0 * x / ((1.0 - x) * (1.0 - x) + y * y))
    imag = -0.5 * np.arctan2(-2.0 * y, (1.0 - x) * (1.0 + x) - y * y)
    return complex(sign * real, sign * imag)


def complex_atan(z: complex) -> complex:
    """The inverse of the tangent: that of `1j * z` is hyperbolic."""
    w = complex_atanh(complex(-z.imag, z.real))
    return complex(w.imag, -w.real)


__all__ = [
    "complex_acos",
    "complex_acosh",
    "complex_asin",
    "complex_asinh",
    "complex_atan",
    "complex_atanh",
    "complex_sqrt",
    "complex_tan",
    "complex_tanh",
]
