"""`argnums`: which parameters a function is differentiated by."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.api.arguments.binding import signature_parameters
from srcad.errors import error


def find_argnums(f: Callable[..., Any], argnums: Any) -> tuple[tuple[int | str, ...], bool]:
    """Positions of arguments, and whether one gradient is to be returned instead of a tuple.

    For a function with `*args`, positions reach into them, and names stay names.
    """
    parameters = signature_parameters(f)
    single = not isinstance(argnums, tuple | list)
    wanted = (argnums,) if single else tuple(argnums)
    return tuple(_position(each, parameters) for each in wanted), single


def _position(wanted: Any, parameters: list[inspect.Parameter]) -> int | str:
    names = [p.name for p in parameters]
    known = (f"parameters: {', '.join(names)}",)
    open_ended = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if isinstance(wanted, str):
        if wanted not in names:
            raise error("E304", None, what=repr(wanted), notes=known)
        return wanted if open_ended else names.index(wanted)
    if isinstance(wanted, float | np.ndarray):
        fix = "call the gradient with the arguments: srcad.grad(f)(x)"
        raise error("E305", None, what=repr(wanted), fix=fix)
    if isinstance(wanted, bool) or not hasattr(type(wanted), "__index__"):
        raise error("E305", None, what=repr(wanted))
    index = int(wanted.__index__())
    if open_ended and index >= 0:
        return index
    if open_ended or not -len(names) <= index < len(names):
        raise error("E303", None, what=str(index), notes=known)
    return index % len(names)


__all__ = ["find_argnums"]
