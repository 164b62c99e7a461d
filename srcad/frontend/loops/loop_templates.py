"""Joined states of a loop with holes for what it carries, and the same states with values in them.

y, k, (z, 1)   ->   Hole(y), k, (Hole(z), 1)   ->   param of y, k, (param of z, 1)   at the entry
                                                    out of y, k, (out of z, 1)       afterwards
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from srcad.frontend.abstract.containers.containers import MUTABLE, Grown
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.kinds_by_data import mapped
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Conflict, Either
from srcad.frontend.abstract.paths import Path
from srcad.frontend.abstract.session import Names
from srcad.frontend.abstract.state import State


@dataclass(frozen=True, slots=True)
class Hole:
    """Stands in a joined state for what is carried at this path."""

    path: Path


def filled_state(template: State, of: Callable[[Path], Abstract], entry: State | None) -> State:
    """A state with its holes filled; at the `entry` only what was bound before the loop or in
    an earlier iteration is.
    """

    def fill(x: Abstract) -> Abstract:
        if isinstance(x, Hole):
            return of(x.path)
        if isinstance(x, Either):
            return mapped(x, fill)
        if isinstance(x, Grown) and any(isinstance(c, Hole) for c in x.columns):
            return replace(x, columns=tuple(map(fill, x.columns)))
        if isinstance(x, Laid) and _has_hole(x.arrays):
            marks = None if x.marks is None else fill(x.marks)
            return replace(x, numbers=fill(x.numbers), marks=marks)
        if isinstance(x, LaidRow) and _has_hole(x.at):
            return replace(x, at=tuple(map(fill, x.at)))
        if isinstance(x, slice):
            return slice(fill(x.start), fill(x.stop), fill(x.step))
        return tuple(map(fill, x)) if isinstance(x, tuple) and _has_hole(x) else x

    def is_kept(frame: Names, name: str, x: Abstract) -> bool:
        known = entry is None or entry.envs[frame].get(name, UNBOUND) is not UNBOUND
        held = template.heap.get(x, {}) if isinstance(x, MUTABLE) else {}
        carried = isinstance(x, Conflict) or _has_hole((x,)) or _has_hole(tuple(held.values()))
        return known or carried

    envs = {
        frame: {name: fill(x) for name, x in env.items() if is_kept(frame, name, x)}
        for frame, env in template.envs.items()
    }
    heap = {obj: {k: fill(x) for k, x in items.items()} for obj, items in template.heap.items()}
    arrays = {array: fill(x) for array, x in template.arrays.items()}
    which = {obj: fill(x) for obj, x in template.which.items()}
    return replace(template, envs=envs, heap=heap, arrays=arrays, which=which)


def _has_hole(x: tuple[Abstract, ...]) -> bool:
    return any(
        isinstance(item, Hole | slice | Either) or (isinstance(item, tuple) and _has_hole(item))
        for item in x
    )


__all__ = ["Hole", "filled_state"]
