"""Which of the arrays that there are a joined one is: what follows a branch may write them.

y = a if c else t[0].copy()        `a` if c else memory of its own
if c:
    i = np.argmax(x)
    y = m[i]                       `m[i_2]` if c else `a`, with i_2 of the branch: If(c): yield i
else:                                                                            else: yield 0
    y = a

It is not known of an array that was made on one path and is held by several names after it. What a
loop carries: `frontend/loops/carried_choices.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcad.frontend.abstract.objects import Abstract, is_nothing
from srcad.frontend.abstract.state import State, made_in
from srcad.frontend.memory.chosen import Candidate, Choices, Chosen
from srcad.frontend.memory.views import View
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, rank_of
from srcad.ir.walk import map_values

# Takes a value out of the block of a path, by its number.
Lift = Callable[[Value, int], Value]


class UnknownArray(Exception):  # noqa: N818 -- the array, where it is not known
    """Which array it is cannot be said after the branch."""


class PathEnd:
    """The end of one path of a branch, or of an iteration, and what can be said there of arrays.

    made: all values of its own; roots: the memory among them that was asked for, which `own` stands
    for where there is such a value.
    """

    def __init__(
        self, number: int, body: list[Any], before: State, lift: Lift, own: Value | None = None
    ) -> None:
        self.number, self.lift, self.own = number, lift, own
        self.memory: Choices = before.memory
        self.clock = before.clock
        self.made = made_in(body)
        self.roots: set[Value] = set()

    def candidate(self, x: Abstract) -> Candidate:
        """What an array of this path is after it: `own` or itself, if its memory was made here. So
        is what stands where a name is None or unbound.

        Raises:
            UnknownArray: neither that nor one that can be named.
        """
        if is_nothing(x) and self.own is not None:
            self.roots.add(self.own)
            return self.own
        if not is_array(x):
            raise UnknownArray
        handle = self.memory.handle(x)
        if self.is_older(handle):
            return handle
        root = self.memory.root(handle)
        if root not in self.memory.joined and not self.is_older(root):
            self.roots.add(root)
            return handle if self.own is None else self.own
        if handle in self.memory.views:
            return self._view(self.memory.views[handle])
        if handle in self.memory.chosen:
            return self._chosen(self.memory.chosen[handle])
        raise UnknownArray

    def is_older(self, x: Value) -> bool:
        """Whether an array was there before."""
        return x not in self.made and self.memory.is_older(x, self.clock)

    def _chosen(self, choice: Chosen) -> Chosen:
        sides = [
            self.candidate(side) if isinstance(side, Value) else self._chosen(side)
            for side in (choice.then, choice.orelse)
        ]
        return Chosen(self._out(choice.cond), sides[0], sides[1])

    def _view(self, view: View) -> Value:
        """The view, made outside of the block."""
        base = self.candidate(view.base)
        if not isinstance(base, Value) or base is self.own:
            raise UnknownArray
        rest, options = map_values(self._out, (view.rest, view.options))
        out = Value(view.out.name, view.out.type)
        self.memory.views[out] = View(view.fn, base, rest, options, out)
        self.memory.born[out] = self.memory.clock
        return out

    def _out(self, x: Value) -> Value:
        if x not in self.made:
            return x
        if is_array(x):
            raise UnknownArray
        return self.lift(x, self.number)


def kind_of_array(x: Value) -> tuple[Any, ...]:
    """What arrays have in common of which data chooses one: dtype and rank."""
    return dtype_of(x.type), rank_of(x.type)


def find_choices(
    cond: Value,
    joined: dict[Value, tuple[Any, Any]],
    bodies: list[list[Any]],
    before: State,
    lift: Lift,
) -> dict[Value, tuple[Chosen, Value | None]]:
    """The choice that each joined array is, with what stands for memory of its own."""
    memory: Choices = before.memory
    found: dict[Value, tuple[Chosen, Value | None]] = {}
    for out, pair in joined.items():
        arrays = [x for x in (*pair, out) if not is_nothing(x)]
        if not all(map(is_array, arrays)) or len({rank_of(x.type) for x in arrays}) > 1:
            continue
        own = Value(out.name, out.type)
        paths = [PathEnd(k, body, before, lift, own) for k, body in enumerate(bodies)]
        try:
            sides = [path.candidate(x) for path, x in zip(paths, pair, strict=True)]
        except UnknownArray:
            continue
        owned = [k for k, path in enumerate(paths) if path.roots]
        if owned and len(set(map(kind_of_array, arrays))) > 1:
            continue  # what stands for memory of a path's own has the dtype of all
        others = [each for other, each in joined.items() if other is not out]
        if len(owned) < 2 and not any(
            memory.overlaps(pair[k], each[k]) for k in owned for each in others
        ):
            found[out] = Chosen(cond, sides[0], sides[1]), own if owned else None
    return found


__all__ = ["PathEnd", "UnknownArray", "find_choices", "kind_of_array"]
