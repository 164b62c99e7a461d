"""What else than arrays an operation is given."""

from __future__ import annotations

from typing import Any

from srcad.ir import Op, Value
from srcad.native.scalarize.arrays import Array
from srcad.native.scalarize.loop_builder import Unsuited


def only(op: Op, *names: str) -> None:
    """Refuse options other than `names`."""
    others = [f"`{name}=`" for name in op.kwargs if name not in names]
    if others:
        name = getattr(op.fn, "__name__", str(op.fn))
        raise Unsuited(f"`{name}` with {' and '.join(others)} has no form as loops")


def option(op: Op, name: str, position: int, default: Any) -> Any:
    """An option by its name or its position."""
    return op.kwargs.get(name, op.args[position] if len(op.args) > position else default)


def axes_of(x: Array, axis: Any) -> list[int]:
    """The axes that are meant: all of them by None; negative ones count from the last."""
    along = range(x.rank) if axis is None else [axis] if isinstance(axis, int) else axis
    if isinstance(along, Value) or any(isinstance(k, Value) for k in along):
        raise Unsuited("an axis that is not known")
    return sorted(k % x.rank for k in along)
