"""What the forward form of a called function saves for its reverse form: a tuple, passed whole.

y, saved = f_forward(x)              in f_forward:   return y, (h, inner_saved)
x_bar = f_reverse(saved, y_bar)      in f_reverse:   h, inner_saved = saved
"""

from __future__ import annotations

from typing import Any


def pack(*items: Any) -> tuple[Any, ...]:
    """The items in one tuple."""
    return items


def unpack(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items of a tuple of two or more."""
    return saved


def unpack_one(saved: tuple[Any, ...]) -> Any:
    """The item of a tuple of one."""
    return saved[0]
