"""Parameters and their gradient, leaf by leaf: what an optimiser changes, and by what."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.api.trees import Structure, flatten, leaves, paths

Array = NDArray[Any]


def updated_leaves(params: Any, gradient: Any) -> tuple[list[Array], list[Any]]:
    """The arrays in the parameters, and the parts of the gradient, one for each.

    In a compiled function the types of both are compared while compiling (`srcad.frontend.inside`).

    Raises:
        TypeError: the parameters have what cannot be changed in place, or the structures differ.
        ValueError: the shapes differ.
    """
    arrays = arrays_of(params)
    return arrays, _changes(params, arrays, gradient)


def arrays_of(params: Any) -> list[Array]:
    """The arrays in the parameters; what cannot be changed in place is named."""
    arrays = leaves(params)
    for k, x in enumerate(arrays):
        if not isinstance(x, np.ndarray) or x.dtype.kind not in "fc":
            raise TypeError(
                f"params{paths(params)[k]}: expected an array of floats, got {_kind(x)}; "
                "wrap numbers by np.array, so that they can be changed in place"
            )
    return arrays


def _changes(params: Any, arrays: list[Array], gradient: Any) -> list[Any]:
    """The parts of the gradient, one for each array."""
    parts = leaves(gradient)
    shapes = [np.shape(g) for g in parts]
    if shapes == [p.shape for p in arrays] and _are_alike(params, gradient):
        return parts
    places, wanted = paths(gradient), paths(params)
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


def _are_alike(a: Any, b: Any) -> bool:
    """Whether two containers have one structure: by their order alone, arrays meet by chance."""
    if type(a) is dict and type(b) is dict and not any(map(_is_container, a.values())):
        return a.keys() == b.keys()
    return _meet(flatten(a)[1], flatten(b)[1])


def _meet(a: Structure, b: Structure) -> bool:
    """Whether the items of two containers go together: by name, those of sequences by position."""
    both = [cls is not None and issubclass(cls, tuple | list | deque) for cls in (a.cls, b.cls)]
    same = len(a.items) == len(b.items) if all(both) else a.keys == b.keys and both[0] == both[1]
    return same and all(map(_meet, a.items, b.items))


def _is_container(x: Any) -> bool:
    return not isinstance(x, np.ndarray)


def _kind(x: Any) -> str:
    return f"one of {x.dtype}" if isinstance(x, np.ndarray) else f"{type(x).__name__} {x!r}"


__all__ = ["arrays_of", "updated_leaves"]
