"""The calls at which the rules of Fourier transforms are tested: `np.fft` and `scipy.fft`."""

from __future__ import annotations

from typing import Any

from srcad.rules.core.table import Case


def extents(*shape: int) -> Any:
    """For cases: random real arrays."""
    return shape


def spectrum(*shape: int) -> Any:
    """For cases: random complex arrays."""

    def make(rng: Any) -> Any:
        return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)

    make.__name__ = f"complex{shape}"
    return make


def one_axis_cases(array: Any) -> list[Case]:
    """Of transforms along one axis; `array(3, 4)` says what is drawn."""
    return [
        *(Case(array(3, 4), norm=norm) for norm in ("ortho", "forward", "backward")),
        *(Case(array(3, 4), n) for n in (1, 2, 3, 5, 8)),
        Case(array(5)),
        Case(array(3, 4), axis=0),
        Case(array(2, 3, 4), axis=1, n=5),
    ]


def more_axes_cases(array: Any, axes: Any) -> list[Case]:
    """Of transforms along several axes, of which `axes` are meant where none are given."""
    return [
        *(Case(array(3, 4), norm=norm) for norm in ("ortho", "forward", "backward")),
        Case(array(3, 5)),
        Case(array(2, 3, 4)),
        Case(array(2, 3, 4), axes=(2, 0)),
        Case(array(3, 4), s=(2, 6), axes=(0, 1)),
        Case(array(2, 3, 4), s=(4, 3), axes=(0, -1)),
        *([Case(array(3, 4), axes=(1,)), Case(array(5))] if axes is None else []),
    ]


__all__ = ["extents", "more_axes_cases", "one_axis_cases", "spectrum"]
