"""`scipy.fft`: Fourier transforms as in `srcad.rules.signal.fourier`; cosine and sine transforms.

Up to the scale of their ends, the cosine transforms of types 1 and 4 are symmetric, and those of
types 2 and 3 are transposes of each other. The factors are those of the definitions in SciPy's
manual ("Fourier Transforms", section "Discrete Cosine Transforms"): with C_t the unscaled matrix
of type t, and E the diagonal one of ones that has ½ at the first entry (and at the last, for t =
1),

    C1^T = E C1 E^-1      C2^T = C3 E^-1      C3^T = E C2      C4^T = C4

The sine transforms of types 2 and 3 have the ½ at the last entry; those of types 1 and 4 are
symmetric. With norm="ortho" all are orthogonal. `orthogonalize=`, `overwrite_x=` and `plan=` are
refused.
"""

from __future__ import annotations

from typing import Any

from scipy import fft

from srcad import runtime
from srcad.errors import error
from srcad.ir.types import Type
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import NOTHING_TO_DO, has_no_axes
from srcad.rules.core.facts import UncoveredError, as_type, normalize_axes
from srcad.rules.core.registry import linear, nondiff
from srcad.rules.core.staged import call, rank_or_none
from srcad.rules.core.table import Case
from srcad.rules.signal.fourier import as_declared, declare, fit, frequencies, shifts, swapped
from srcad.rules.signal.fourier_cases import spectrum
from srcad.rules.signal.fourier_types import half_extent, same_extent, transform_type

_WORKERS: dict[str, Any] = {"workers": None}
_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}

declare(fft, "x", _WORKERS, ("", "2", "n"))
frequencies(fft.fftfreq, same_extent)
frequencies(fft.rfftfreq, half_extent)
shifts(fft.fftshift, fft.ifftshift)
nondiff(fft.next_fast_len, fft.prev_fast_len, cases=(Case(7), Case(7, True)))


def _ends(kind: str, variant: int) -> tuple[bool, bool]:
    """Whether the first entry has a factor of its own, and the last, in types 1, 2 and 3."""
    if kind == "dct":
        return variant in (1, 2, 3), variant == 1
    return False, variant in (2, 3)


def _transposed(kind: str, g: Any, variant: int, axes: Any, norm: Any, more: Any) -> Any:
    """The transposed transform of this type over `axes`, of all entries of `g`."""
    transform = {"dct": fft.dctn, "dst": fft.dstn}[kind]
    first, last = _ends(kind, variant)
    has_ends = norm != "ortho" and (first or last)
    if has_ends and variant in (1, 2):
        g = call(runtime.scale_ends, g, True, axes, first, last)
    x_bar = call(transform, g, type=_INVERSE[variant], axes=axes, norm=norm, **more)
    if has_ends and variant in (1, 3):
        x_bar = call(runtime.scale_ends, x_bar, False, axes, first, last)
    return x_bar


def _checked(variant: Any, norm: Any) -> int:
    if variant not in _INVERSE:
        raise error("E132", None, what=f"a cosine or sine transform of type {variant!r}")
    swapped(norm)  # refuses what is none
    return int(variant)


def _over(x: Any, axes: Any, s: Any) -> tuple[int, ...]:
    """The axes of a transform in several dimensions."""
    if axes is None and s is not None:
        return tuple(range(-len(s), 0))
    rank = rank_or_none(x)
    if axes is None and rank is None:
        raise error("E123", None, what="the number of axes of a transform")
    return tuple(range(rank or 0)) if axes is None else normalize_axes(axes, rank or 0)


def _back(kind: str, is_inverse: bool, is_along_one: bool) -> Any:
    """The transpose of `dct`, `dst`, their inverses and their forms in several dimensions."""

    def x_bar(
        g: Any, y: Any, x: Any, type: Any, norm: Any, n: Any = None, s: Any = None, **options: Any
    ) -> Any:
        variant = _checked(type, norm)
        if is_inverse:  # the transform of the inverse type with the other scale
            variant, norm = _INVERSE[variant], swapped(norm)
        axes = (options.pop("axis"),) if is_along_one else _over(x, options.pop("axes"), s)
        more = {k: v for k, v in options.items() if v is not None}
        return fit(cast_like(_transposed(kind, g, variant, axes, norm, more), x), x)

    return x_bar


def _type(fn: Any, is_along_one: bool) -> Any:
    plain = transform_type(fn, same_extent, -1 if is_along_one else None)

    def type_of(x: object, type: object = 2, **options: Any) -> Type:
        if as_type(x) is not None and type not in _INVERSE:
            raise UncoveredError(f"type={type!r}")
        found: Type = plain(x, **options)
        return found

    return type_of


_ONE = {"type": 2, "n": None, "axis": -1, "norm": None}
_ALL = {"type": 2, "s": None, "axes": None, "norm": None}


def _cases(is_along_one: bool) -> list[Case]:
    found = []
    for variant in (1, 2, 3, 4):
        for norm in (None, "ortho", "forward"):
            found.append(Case((3, 4), variant, norm=norm))
        size = {"n": 5} if is_along_one else {"s": (5, 3), "axes": (0, 1)}
        found.append(Case((3, 4), variant, **size))
        found.append(Case(spectrum(3, 4), type=variant))
    fewer: list[dict[str, Any]] = (
        [{"axis": 0, "n": 2}] if is_along_one else [{"axes": (0,)}, {"axes": ()}]
    )
    return [*found, *(Case((3, 4), **axes) for axes in fewer), Case((2, 3, 4), workers=1)]


for _kind in ("dct", "dst"):
    for _name in (_kind, f"i{_kind}", f"{_kind}n", f"i{_kind}n"):
        _one = not _name.endswith("n")
        _fn = getattr(fft, _name)
        _body = _back(_kind, _name.startswith("i"), _one)
        if not _one:
            NOTHING_TO_DO[_fn] = has_no_axes
        linear(
            _fn,
            x=as_declared(_body, "x", _ONE if _one else _ALL, _WORKERS),
            type_of=_type(_fn, _one),
            cases=_cases(_one),
        )
