"""Open lists: what stands for a list in an iteration of a loop that appends to it.

ys = [a]                                     last = [1, a]         its length, its last items
for v in x:                            ->    slots = [False, ...]  what the iteration appends
    ys.append(0.5 * ys[-1] + v)              last[1] is read; slots[:2] = [True, item]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NoReturn

from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.objects import FILLER, UNBOUND, Abstract, AbstractObject
from srcad.ir.affine import Affine

MAX_SLOTS = 4  # items that an iteration may append
MAX_DEPTH = 8  # items from the end that an iteration may read


@dataclass(slots=True)
class Reads:
    """What the loop reads of a list, as far as it has been lowered: how many of its last items, and
    whether its length. Nothing else is kept up to date.

    `by_position`: one is found by the number of the iteration, so each has to append one.
    """

    depth: int = 0
    length: bool = False
    by_position: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Open(AbstractObject):
    """A list in an iteration of a loop that appends to it.

    `first`: the items that it had before the loop; `last`: its length and its last items, the last
    one first, which the loop carries; `slots`: for each item that the iteration may append whether
    it has, and what. `position`: how many iterations there were before, where that is known.
    `entered`: the number of loops that are being lowered. `decline` lowers again, without an open
    list; `split` with `Pieces`.
    """

    noun: ClassVar[str] = "a list that grows in the loop around"
    first: tuple[Abstract, ...]
    last: ListObj
    slots: ListObj
    reads: Reads
    position: Affine | None
    entered: int
    decline: Callable[[], NoReturn]
    split: Callable[[], NoReturn]

    @property
    def appended(self) -> list[tuple[Abstract, Abstract]]:
        """The flags and items of what the iteration may have appended."""
        items = self.slots.items
        pairs = zip(items[::2], items[1::2], strict=True)
        return [(flag, item) for flag, item in pairs if flag is not False]


@dataclass(frozen=True, eq=False, slots=True)
class Pieces(AbstractObject):
    """A list in an iteration of a loop with loops inside that append to it: what this iteration
    appends is a `piece`, a list of its own. Nothing is read of the list.
    """

    noun: ClassVar[str] = "a list that grows in the loops around"
    piece: ListObj
    decline: Callable[[], NoReturn]


def no_slots() -> ListObj:
    """The slots of an iteration that has not appended anything."""
    return ListObj([False, FILLER] * MAX_SLOTS)


def last_items(items: tuple[Abstract, ...]) -> ListObj:
    """The length and the last items of a list with these."""
    last = items[::-1][:MAX_DEPTH]
    return ListObj([len(items), *last, *(UNBOUND,) * (MAX_DEPTH - len(last))])


__all__ = ["MAX_DEPTH", "Open", "Pieces", "Reads", "last_items", "no_slots"]
