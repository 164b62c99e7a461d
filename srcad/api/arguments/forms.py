"""What a (co)tangent must look like: structure, shapes and types of its primal."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.api.arguments.trees import (
    Structure,
    flatten,
    map_leaves,
    paths_of,
    unflatten,
    with_leaves,
)
from srcad.devices import is_on_device
from srcad.errors import error
from srcad.runtime.outside import is_array_class
from srcad.runtime.records import zeros


def as_like(x: Any, t: Any, code: str, what: str) -> Any:
    """A (co)tangent in the types of its primal; refused where its structure or shapes differ."""
    return Form(x).take(t, code, what)


class Form:
    """What a primal is at the time: its structure, and the shapes and types of its leaves."""

    def __init__(self, x: Any) -> None:
        self.flat, self.structure = flatten(x)

    def take(self, t: Any, code: str, what: str) -> Any:
        """A (co)tangent in the types of the primal; that of an int may be None, as in a gradient,
        and that of an array of a class a plain one.

        Raises:
            ArgumentTypeError: `code`, its structure or shapes differ.
        """
        given, other = flatten(t)
        if self.structure != other and _are_alike(self.structure, other):
            t, other = unflatten(self.structure, given), self.structure
        if self.structure != other:
            ints = [None if is_inexact(x) else x for x in self.flat]
            t = with_leaves(t, self.structure, ints)
            given, other = flatten(t)
        if self.structure != other:
            raise error(code, None, what=f"{what}, of another structure,")
        for i, (a, b) in enumerate(zip(self.flat, given, strict=True)):
            problem = _difference(a, b) if is_inexact(a) else ""
            if problem:
                path = paths_of(self.structure)[i]
                raise error(code, None, what=f"{what}{path}{problem}")
        if all(map(_has_type_of, self.flat, given)):
            return t
        return unflatten(self.structure, list(map(_in_type_of, self.flat, given)))


def _are_alike(form: Structure, other: Structure) -> bool:
    """Whether structures differ at most in plain arrays where `form` has arrays of classes."""
    if form.cls is not None and other.cls is None:
        return is_array_class(form.cls)
    if form.cls is not other.cls or form.keys != other.keys:
        return False
    return all(map(_are_alike, form.items, other.items))


def zeros_in_objects(x: Any) -> Any:
    """Cotangents that are zero, of an argument in which there are plain objects; else None."""
    flat, structure = flatten(x)
    return unflatten(structure, list(map(_zero_cotangent, flat))) if structure.has_objects else None


def _zero_cotangent(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype) if is_inexact(x) else None
    if is_on_device(x):
        return np.zeros_like(x) if is_inexact(x) else None
    if isinstance(x, int | np.generic) and not isinstance(x, bool | np.bool_):
        return zeros(x) if is_inexact(x) else None
    return zeros(x)


def _difference(a: Any, b: Any) -> str:
    """Why `b` cannot be a (co)tangent of the leaf `a`; empty where it can."""
    if is_on_device(b) or (is_on_device(a) and isinstance(b, np.ndarray)):
        return _difference_on_device(a, b)
    if not isinstance(b, int | float | complex | np.generic | np.ndarray):
        return f" of type {type(b).__name__}"
    if isinstance(b, np.ndarray) and type(b) not in (np.ndarray, np.memmap):
        return f" of type {type(b).__name__}"
    if np.asarray(b).dtype.kind not in "biufc":
        return f" of dtype {np.asarray(b).dtype}"
    if np.shape(a) != np.shape(b):
        return f" of shape {np.shape(b)} (wanted: {np.shape(a)})"
    return ", complex for a real value," if np.iscomplexobj(b) > np.iscomplexobj(a) else ""


def _difference_on_device(a: Any, b: Any) -> str:
    """The same where one of them is an array of CuPy's."""
    if not (is_on_device(a) and is_on_device(b)):
        return ", an array of NumPy's beside one of CuPy's,"
    if a.shape != b.shape:
        return f" of shape {b.shape} (wanted: {a.shape})"
    return ", complex for a real value," if b.dtype.kind == "c" != a.dtype.kind else ""


def _has_type_of(x: Any, t: Any) -> bool:
    same = type(x) is type(t) and getattr(x, "dtype", None) == getattr(t, "dtype", None)
    return same or not is_inexact(x)


def _in_type_of(x: Any, t: Any) -> Any:
    if _has_type_of(x, t):
        return t
    if is_on_device(x):
        return t.astype(x.dtype) if is_on_device(t) else np.full_like(x, t)
    if isinstance(x, np.ndarray):
        return np.asarray(t, x.dtype)
    return x.dtype.type(t) if isinstance(x, np.generic) else type(x)(t)


def is_inexact(x: Any) -> bool:
    """Whether a leaf carries a derivative."""
    if isinstance(x, np.ndarray | np.generic | float | complex):
        return np.asarray(x).dtype.kind in "fc"
    return is_on_device(x) and x.dtype.kind in "fc"


def zero_like(x: Any) -> Any:
    """The zero tangent of an argument."""
    return map_leaves(lambda leaf: np.zeros_like(leaf)[()] if is_inexact(leaf) else leaf, x)


__all__ = ["Form", "as_like", "is_inexact", "zero_like", "zeros_in_objects"]
