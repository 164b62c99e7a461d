"""Parameters and their gradient, leaf by leaf: what an optimiser changes, and by what."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.api.arguments.trees import Structure, flat_keys, flatten, paths_of, unflatten
from srcad.devices import is_array
from srcad.kernels import SparseRows

Array = NDArray[Any]

_PARTS: frozenset[type] = frozenset((np.ndarray, SparseRows))


def updated_leaves(params: Any, gradient: Any) -> tuple[list[Array], list[Any]]:
    """The arrays in the parameters, and the parts of the gradient, one for each.

    Ints among the parameters stay: their gradient is None.

    In a compiled function the types of both are compared while compiling
    (`srcad.frontend.nested.public_calls`).

    Raises:
        TypeError: the parameters have what cannot be changed in place, or the structures differ.
        ValueError: the shapes differ.
    """
    keys = flat_keys(params, _PARTS)
    if keys is not None and keys == flat_keys(gradient, _PARTS):
        arrays, parts = [params[key] for key in keys], [gradient[key] for key in keys]
        if all(map(_is_changeable, arrays)) and _have_shapes(parts, arrays):
            return arrays, parts
    arrays, form = _arrays_of(params)
    parts, other = flatten(gradient)
    if _have_shapes(parts, arrays) and _meet(form, other):
        return arrays, parts
    shapes = list(map(np.shape, parts))
    places, wanted = paths_of(other), paths_of(form)
    if places != wanted:
        missing = sorted({*wanted} ^ {*places})
        raise TypeError(
            f"gradient: expected one part for each of {len(arrays)} parameters, got {len(parts)}; "
            f"parameters and gradient differ at {missing[0] if missing else 'their order'}"
        )
    place, p, shape = next(
        (place, p, shape)
        for place, p, shape in zip(places, arrays, shapes, strict=True)
        if p.shape != shape
    )
    raise ValueError(f"gradient{place}: expected shape {p.shape}, got {shape}")


def zeros_of(params: Any) -> Any:
    """The parameters with zeros in the places of their arrays, and None in those of ints.

    Raises:
        TypeError: the parameters have what cannot be changed in place.
    """
    arrays, form = _arrays_of(params)
    return unflatten(form, list(map(np.zeros_like, arrays)))


def _arrays_of(params: Any) -> tuple[list[Array], Structure]:
    """The arrays and the structure of the parameters, with None for ints; names what cannot be
    changed in place.
    """
    leaves, form = flatten(params)
    if any(map(_is_int, leaves)):
        leaves, form = flatten(unflatten(form, [None if _is_int(x) else x for x in leaves]))
    for k, x in enumerate(leaves):
        if not _is_changeable(x):
            raise TypeError(
                f"params{paths_of(form)[k]}: expected an array of floats, got {_kind(x)}; "
                "wrap numbers by np.array, so that they can be changed in place"
            )
    return leaves, form


def _is_changeable(x: Any) -> bool:
    return is_array(x) and x.dtype.kind in "fc"


def _is_int(x: Any) -> bool:
    return type(x) is int or ((isinstance(x, np.generic) or is_array(x)) and x.dtype.kind in "iu")


def _have_shapes(parts: list[Any], arrays: list[Array]) -> bool:
    return [np.shape(g) for g in parts] == [p.shape for p in arrays]


def _meet(a: Structure, b: Structure) -> bool:
    """Whether the items of two containers go together, by name, those of sequences by position: by
    their order alone, arrays meet by chance.
    """
    both = [cls is not None and issubclass(cls, tuple | list | deque) for cls in (a.cls, b.cls)]
    same = len(a.items) == len(b.items) if all(both) else a.keys == b.keys and both[0] == both[1]
    return same and all(map(_meet, a.items, b.items))


def _kind(x: Any) -> str:
    return f"one of {x.dtype}" if isinstance(x, np.ndarray) else f"{type(x).__name__} {x!r}"


__all__ = ["updated_leaves", "zeros_of"]
