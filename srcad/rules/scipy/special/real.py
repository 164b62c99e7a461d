"""Elementwise rules that hold for real arguments, of functions that take complex ones too."""

from __future__ import annotations

from typing import Any

from srcad.rules.core.facts import real_only, ufunc_type
from srcad.rules.core.registry import elementwise


def elementwise_of_real(fn: Any, *partials: Any, **about: Any) -> None:
    """Declare an elementwise function of real arguments; complex ones are refused."""
    elementwise(fn, *partials, type_of=real_only(ufunc_type(fn)), **about)


__all__ = ["elementwise_of_real"]
