"""`np.broadcast(x, y)`: the shape that arrays have together.

np.zeros(np.broadcast(x, y).shape)      np.zeros(np.broadcast_shapes(x.shape, y.shape))
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, AbstractObject, Ref
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.operators import binary
from srcad.frontend.loops.iteration import items_of


@dataclass(eq=False, slots=True)
class Broadcast(AbstractObject):
    """`np.broadcast(x, y)`, of which the shape is read; it is not iterated over."""

    noun: ClassVar[str] = "an `np.broadcast`"
    shape: Abstract
    extents: tuple[Abstract, ...]


def broadcast(frame: Frame, *arrays: Abstract) -> Broadcast:
    """`np.broadcast(*arrays)`."""
    shapes = tuple(call(frame, Ref(np.shape, ""), (x,)) for x in arrays)
    shape = call(frame, Ref(np.broadcast_shapes, ""), shapes)
    return Broadcast(shape, tuple(items_of(frame, shape, "a shape")))


def attribute_of_broadcast(frame: Frame, x: Broadcast, name: str) -> Abstract:
    """What `np.broadcast` tells of the arrays together."""
    match name:
        case "shape":
            return x.shape
        case "ndim" | "nd":
            return len(x.extents)
        case "size":
            return reduce(lambda a, b: binary(frame, operator.mul, a, b), x.extents, 1)
    raise error("E121", None, what=f"attribute `{name}` of {x.noun}")


__all__ = ["Broadcast", "attribute_of_broadcast", "broadcast"]
