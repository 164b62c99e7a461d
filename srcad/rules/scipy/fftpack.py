"""`scipy.fftpack`: older names of what `scipy.fft` computes. Its `rfft`, in an order of its own,
has no rule.
"""

from __future__ import annotations

from typing import Any

from scipy import fft, fftpack

from srcad.rules.core.registry import composed
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.signal.fourier_cases import spectrum

_PLANE = (-2, -1)
# Inverses are the transforms of these types: they have no factor.
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _along_one(name: str) -> None:
    def body(x: Any, n: Any = None, axis: Any = -1) -> Any:
        return call(getattr(fft, name), x, n=n, axis=axis)

    cases = (Case((3, 4)), Case((3, 4), 5), Case((3, 4), axis=0), Case(spectrum(3, 4)))
    composed(getattr(fftpack, name), body, cases=cases)


def _along_several(name: str, over: Any) -> None:
    def body(x: Any, shape: Any = None, axes: Any = over) -> Any:
        return call(getattr(fft, name), x, s=shape, axes=axes)

    cases = (Case((3, 4)), Case((3, 4), axes=(0, 1)), Case((3, 4), shape=(2, 5), axes=(0, 1)))
    composed(getattr(fftpack, name), body, cases=cases)


def _real(kind: str, is_inverse: bool) -> None:
    def kind_of(type: Any) -> Any:
        return _INVERSE.get(type, type) if is_inverse else type

    def one(x: Any, type: Any = 2, n: Any = None, axis: Any = -1, norm: Any = None) -> Any:
        return call(getattr(fft, kind), x, type=kind_of(type), n=n, axis=axis, norm=norm)

    def several(
        x: Any, type: Any = 2, shape: Any = None, axes: Any = None, norm: Any = None
    ) -> Any:
        options = {"type": kind_of(type), "s": shape, "axes": axes, "norm": norm}
        return call(getattr(fft, f"{kind}n"), x, **options)

    name, cases = f"i{kind}" if is_inverse else kind, (Case((3, 4)), Case((3, 4), 3, norm="ortho"))
    sizes = Case((3, 4), 1, 5, axis=0), Case((3, 4), shape=(5, 3), axes=(0, 1))
    composed(getattr(fftpack, name), one, cases=(*cases, sizes[0]))
    composed(getattr(fftpack, f"{name}n"), several, cases=(*cases, sizes[1]))


for _inverse in ("", "i"):
    _along_one(f"{_inverse}fft")
    _along_several(f"{_inverse}fft2", _PLANE)
    _along_several(f"{_inverse}fftn", None)
    for _kind in ("dct", "dst"):
        _real(_kind, bool(_inverse))
