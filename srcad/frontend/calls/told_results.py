"""What kept calls give, as the source of the function tells, and the check of that in each call.

k = count(x)        as_told("int", count, x): a float would be another program's
m = known(x)        as_told("<f8[0:0:0]", known, x): an array as long as x
log(x)              log(x), where the source returns nothing
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.number_kinds import NumberKinds
from srcad.frontend.abstract.objects import Abstract, is_leaf
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, Dim, NumberType, ObjectType, Type
from srcad.rules.core.facts import unknown_extent

NONE = ObjectType("None")
_ANY = "any"
# By the symbol of an extent: where an argument has it, and how much shorter it is there.
_Extents = dict[str, tuple[str, int]]


def types_of(found: Abstract) -> Any:
    """The type of a result, or a tuple of types; none for None."""
    if found is None:
        return ()
    if isinstance(found, tuple):
        return tuple(NONE if x is None else types_of(x) or ObjectType() for x in found)
    return type_of_leaf(found) if is_leaf(found) else ObjectType()


def checked(types: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """The types of which each call is checked: with extents of arguments, the others unknown."""
    extents = _extents(args, kwargs)
    if isinstance(types, tuple):
        return tuple(checked(t, args, kwargs) for t in types)
    if isinstance(types, NumberType):
        return NumberType(types.kind)
    if not isinstance(types, ArrayType) or types.shape is None:
        return types
    shape = (e if _place(e, extents) else unknown_extent() for e in types.shape)
    return replace(types, shape=tuple(shape))


def told(
    found: Abstract, types: Any, kinds: NumberKinds, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Any:
    """What `srcad.runtime.effects.as_told` is told of a result with these types; "any" where
    nothing is to be checked.
    """
    extents = _extents(args, kwargs)
    if types == () and found is not None:
        return found  # an empty tuple

    def part(x: Abstract, t: Any) -> Any:
        if x is None:
            return None
        if isinstance(x, tuple) and isinstance(t, tuple):
            return tuple(part(*pair) for pair in zip(x, t, strict=True))
        several = kinds.of(x) if isinstance(x, Value) and x in kinds else None
        if several is not None:
            return " or ".join(sorted(_named(kind, t, extents) for kind in several))
        return _ANY if isinstance(x, Value) and x in kinds else _named(_kind(t), t, extents)

    return part(found, types)


def note_kinds(out: Value, found: Abstract, kinds: NumberKinds) -> None:
    """Note that a result is of several kinds, as the source tells."""
    if isinstance(found, Value) and found in kinds:
        kinds.put(out, [kinds.of(found)])


def _kind(t: Type) -> Any:
    if isinstance(t, NumberType):
        return t.kind
    return (t.dtype, t.scalar) if isinstance(t, ArrayType) else t


def _named(kind: Any, t: Type, extents: _Extents) -> str:
    if isinstance(kind, type):
        return kind.__name__
    if not isinstance(kind, tuple):
        return str(kind) if kind in (ObjectType("str"), ObjectType("bytes")) else _ANY
    dtype, is_scalar = kind
    if is_scalar:
        return f"np.{np.dtype(dtype).type.__name__}"
    if not isinstance(t, ArrayType) or t.shape is None:
        return f"{dtype.str}[...]"
    return f"{dtype.str}[{','.join(_place(e, extents) or '?' for e in t.shape)}]"


def _extents(args: Sequence[Any], kwargs: Mapping[str, Any]) -> _Extents:
    found: _Extents = {}
    for place, x in (*enumerate(args), *kwargs.items()):
        if isinstance(x, Value) and isinstance(x.type, ArrayType):
            for axis, extent in enumerate(x.type.shape or ()):
                if isinstance(extent, Dim):
                    found.setdefault(extent.symbol, (f"{place}:{axis}", extent.minus))
    return found


def _place(extent: Any, extents: _Extents) -> str:
    """How an extent is told; "" where no argument has it."""
    if not isinstance(extent, Dim):
        return str(extent)
    where, minus = extents.get(extent.symbol, ("", 0))
    return f"{where}:{minus - extent.minus}" if where else ""


__all__ = ["NONE", "checked", "note_kinds", "told", "types_of"]
