"""Discrete Fourier transforms and convolutions.

np.fft.fft(x)          transforms of parts, put together for one prime factor of n after the other
np.convolve(a, v)      each entry of one times each of the other
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op, Value
from srcad.ir.kinds import index_parts, is_python_int
from srcad.native.scalarize.forms.calls import (
    COMPLEX,
    FLOAT,
    Choice,
    Chosen,
    Formula,
    is_array,
    options,
    rank,
)


def transform(x: Any, sign: Any) -> Any:
    """The sums of `x[j] * exp(sign * 2j * pi * j * k / n)`.

    With a prime factor of n above 64 NumPy's algorithm is faster.
    """
    n = len(x)
    if n == 0:
        raise ValueError("nothing to transform")
    roots = np.empty(n, dtype=np.complex128)
    a, b = np.empty(n, dtype=np.complex128), np.empty(n, dtype=np.complex128)
    for k in range(n):
        roots[k] = np.exp(1j * (sign * 2.0 * np.pi * k / n))
        a[k] = x[k]
    done, rest, p = 1, n, 2
    while rest > 1:
        while rest % p != 0:
            p += 1
        if p > 64:
            raise ValueError("a large prime factor")
        m = rest // p
        for k in range(done):
            for q in range(p):
                row = k + done * q
                for s in range(m):
                    b[row * m + s] = a[k * rest + s]
                for r in range(1, p):
                    root = roots[row * r * m % n]
                    for s in range(m):
                        b[row * m + s] += root * a[k * rest + r * m + s]
        for k in range(n):
            a[k] = b[k]
        done, rest = done * p, m
    return a


def fitted(x: Any, n: Any) -> Any:
    """`runtime.fitted(x, (n,))`: the first n entries, or all and zeros after them."""
    if n < 1:
        raise ValueError("nothing to transform")
    out = np.zeros(n, dtype=x.dtype)
    for k in range(min(n, len(x))):
        out[k] = x[k]
    return out


def fourier_of_length(x: Any, n: Any, is_inverse: bool, is_scaled: bool) -> Any:
    """`np.fft.fft(x, n)` or `np.fft.ifft(x, n)` of a vector."""
    return fourier(fitted(x, n), is_inverse, is_scaled)


def half_spectrum_of_length(x: Any, n: Any, is_scaled: bool) -> Any:
    """`np.fft.rfft(x, n)` of a vector."""
    return half_spectrum(fitted(x, n), is_scaled)


def fourier(x: Any, is_inverse: bool, is_scaled: bool) -> Any:
    """`np.fft.fft(x)` or `np.fft.ifft(x)` of a vector."""
    y = transform(x, 1.0 if is_inverse else -1.0)
    return y / len(x) if is_scaled else y


def fourier_of_rows(x: Any, is_inverse: bool, is_scaled: bool) -> Any:
    """`np.fft.fft(x)` or `np.fft.ifft(x)` of each row of a matrix."""
    out = np.empty(x.shape, dtype=np.complex128)
    for i in range(x.shape[0]):
        row = fourier(x[i], is_inverse, is_scaled)
        for j in range(x.shape[1]):
            out[i, j] = row[j]
    return out


def fourier_of_columns(x: Any, is_inverse: bool, is_scaled: bool) -> Any:
    """`np.fft.fft(x, axis=0)` or `np.fft.ifft(x, axis=0)` of a matrix."""
    out = np.empty(x.shape, dtype=np.complex128)
    for j in range(x.shape[1]):
        column = fourier(x[:, j], is_inverse, is_scaled)
        for i in range(x.shape[0]):
            out[i, j] = column[i]
    return out


def fourier_of_both(x: Any, is_inverse: bool, is_scaled: bool) -> Any:
    """`np.fft.fft2(x)` or `np.fft.ifft2(x)` of a matrix."""
    return fourier_of_columns(fourier_of_rows(x, is_inverse, is_scaled), is_inverse, is_scaled)


def half_spectrum(x: Any, is_scaled: bool) -> Any:
    """`np.fft.rfft(x)` of a vector."""
    n = len(x)
    whole = transform(x, -1.0)
    out = np.empty(n // 2 + 1, dtype=np.complex128)
    for k in range(n // 2 + 1):
        out[k] = whole[k] / n if is_scaled else whole[k]
    return out


def of_half_spectrum(y: Any, n: Any, is_scaled: bool) -> Any:
    """`np.fft.irfft(y, n)` of a vector."""
    if len(y) != n // 2 + 1 or n < 1:
        raise ValueError("a spectrum of another length")
    whole = np.zeros(n, dtype=np.complex128)
    whole[0] = np.real(y[0])
    for k in range(1, (n + 1) // 2):
        whole[k] = y[k]
        whole[n - k] = np.conjugate(y[k])
    if n % 2 == 0:
        whole[n // 2] = np.real(y[n // 2])
    x = np.real(transform(whole, 1.0))
    return x / n if is_scaled else x


def convolved(a: Any, v: Any, mode: str) -> Any:
    """`np.convolve(a, v, mode)`."""
    n, m = len(a), len(v)
    if n == 0 or m == 0:
        raise ValueError("nothing to convolve")
    out = np.zeros(n + m - 1)
    for i in range(n):
        for j in range(m):
            out[i + j] += a[i] * v[j]
    if mode == "full":
        return out
    short, long = min(n, m), max(n, m)
    start, count = (short - 1) // 2, long
    if mode == "valid":
        start, count = short - 1, long - short + 1
    part = np.empty(count)
    for k in range(count):
        part[k] = out[start + k]
    return part


def symmetric(x: Any, **given: Any) -> Any:
    """`np.fft.hfft(x)`."""
    return np.fft.irfft(np.conj(x), **given)


def half(x: Any, **given: Any) -> Any:
    """`np.fft.ihfft(x)`."""
    return np.conj(np.fft.rfft(x, **given))


def _fourier(is_inverse: bool) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, n=None, axis=-1, norm=None)
        if found is None or not _is_transformed(op.args[0]):
            return None
        if found[0] is not None:
            return _fitted_to(fourier_of_length, op.args[0], found, is_inverse, is_inverse)
        forms = {
            (1, -1): fourier, (1, 0): fourier, (2, -1): fourier_of_rows, (2, 1): fourier_of_rows,
            (2, 0): fourier_of_columns,
        }  # fmt: skip
        return _chosen(forms.get((rank(op.args[0]), found[1])), op.args[0], is_inverse, found[2])

    return choose


def _fourier_of_two(is_inverse: bool) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, s=None, axes=(-2, -1), norm=None)
        if found is None or found[0] is not None or found[1] not in (None, (-2, -1), (0, 1)):
            return None
        if not _is_transformed(op.args[0]) or rank(op.args[0]) != 2:
            return None
        return _chosen(fourier_of_both, op.args[0], is_inverse, found[2])

    return choose


def _is_transformed(x: Any) -> bool:
    return is_array(x, FLOAT, 1, 2) or is_array(x, COMPLEX, 1, 2)


def _chosen(form: Any, x: Any, is_inverse: bool, norm: Any) -> Chosen | None:
    if form is None or norm not in (None, "backward", "forward"):
        return None
    return form, (x, is_inverse, is_inverse != (norm == "forward"))


def _fitted_to(form: Any, x: Any, found: Any, is_inverse: bool, *flags: bool) -> Chosen | None:
    """A transform of a vector with another length."""
    n, axis, norm = found
    is_int = is_python_int(n)
    is_fit = is_int and rank(x) == 1 and axis in (-1, 0)
    if not is_fit or norm not in (None, "backward", "forward"):
        return None
    return form, (x, n, *flags, is_inverse != (norm == "forward"))


def _fitted(op: Op) -> Chosen | None:
    x, shape = op.args
    is_fit = not op.kwargs and (is_array(x, FLOAT, 1) or is_array(x, COMPLEX, 1))
    parts = index_parts(shape)
    is_fit = is_fit and len(parts) == 1
    return (fitted, (x, *parts)) if is_fit else None


def _rfft(op: Op) -> Chosen | None:
    found = options(op, 1, n=None, axis=-1, norm=None)
    if found is not None and found[0] is not None and is_array(op.args[0], FLOAT, 1):
        return _fitted_to(half_spectrum_of_length, op.args[0], found, False)
    if found is None or found[:2] not in ((None, -1), (None, 0)):
        return None
    is_fit = is_array(op.args[0], FLOAT, 1) and found[2] in (None, "backward", "forward")
    return (half_spectrum, (op.args[0], found[2] == "forward")) if is_fit else None


def _irfft(op: Op) -> Chosen | None:
    found = options(op, 1, n=None, axis=-1, norm=None)
    if found is None or found[0] is None or found[1] not in (-1, 0):
        return None
    is_fit = is_array(op.args[0], COMPLEX, 1) and found[2] in (None, "backward", "forward")
    return (of_half_spectrum, (op.args[0], found[0], found[2] != "forward")) if is_fit else None


_OTHER_WAY: Final = {
    None: "forward",
    "backward": "forward",
    "ortho": "ortho",
    "forward": "backward",
}


def _of_half(fn: Callable[..., Any]) -> Choice:
    """`np.fft.hfft` and `ihfft`: transforms the other way, of conjugates."""

    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, n=None, axis=-1, norm=None)
        if found is None or found[2] not in _OTHER_WAY or not isinstance(op.args[0], Value):
            return None
        n, axis, norm = found
        return Formula(partial(fn, n=n, axis=axis, norm=_OTHER_WAY[norm])), op.args[:1]

    return choose


def _convolve(op: Op) -> Chosen | None:
    found = options(op, 2, mode="full")
    is_fit = found is not None and found[0] in ("full", "same", "valid")
    if not is_fit or not all(is_array(x, FLOAT, 1) for x in op.args[:2]):
        return None
    assert found is not None
    return convolved, (*op.args[:2], found[0])


TRANSFORMS: Final[dict[Any, Choice]] = {
    np.fft.fft: _fourier(False), np.fft.ifft: _fourier(True),
    np.fft.fft2: _fourier_of_two(False), np.fft.ifft2: _fourier_of_two(True),
    np.fft.rfft: _rfft, np.fft.irfft: _irfft,
    np.fft.hfft: _of_half(symmetric), np.fft.ihfft: _of_half(half),
    np.convolve: _convolve, runtime.fitted: _fitted,
}  # fmt: skip
