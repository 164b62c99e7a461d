"""Arrays of which data says which of several they are.

y = a if c else a * 2.0      y = If(c): yield a          `a`, or an array with memory of its own
                                 else: yield mul(a, 2.0)
y[0] = 5.0                   a_2, own = If(c): yield index_update(a, 0, 5.0), y
                                       else: yield a, index_update(y, 0, 5.0)
a                            a_2
y                            If(c): yield a_2 else: yield own

So they are derived anew from their candidates when these were written, as views are from a base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.errors import Location
from srcad.frontend.memory.aliases import Aliases
from srcad.frontend.memory.views import View
from srcad.ir.nodes import Block, If, Op, Value
from srcad.ir.types import dtype_of
from srcad.ops import row_of
from srcad.rules.core.staged import Builder

# What a program is lowered for again that writes such arrays.
CHOSEN = "arrays chosen by data"


@dataclass(frozen=True, slots=True)
class Stale:
    """The content of an array that may have been written under another name, at this place, or
    before an exception; `code` is the refusal of reading it. `divides`: as of a `Conflict`.
    """

    where: Location | None
    code: str = "E117"
    divides: str | None = None


Contents = dict[Value, "Value | Stale"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The array `then` where `cond` holds, else `orelse`: handles, or chosen in turn."""

    cond: Value
    then: Candidate
    orelse: Candidate

    def candidates(self) -> Iterator[Value]:
        """The handles of which it is one."""
        for side in (self.then, self.orelse):
            yield from (side,) if isinstance(side, Value) else side.candidates()


Candidate = Value | Chosen
Meeting = Callable[[Value, list[Value]], None]
Write = Callable[[Value], None]


class Choices(Aliases):
    """Alias analysis with arrays that data chooses, and what each array holds now.

    chosen: those whose candidates are known, by handle. `note_meeting` is told of values in which
    others meet, perhaps of several dtypes.
    """

    def __init__(self, builder: Builder, note_meeting: Meeting) -> None:
        super().__init__()
        self.note_meeting = note_meeting
        self.contents: Contents = {}
        self.chosen: dict[Value, Chosen] = {}
        self.seen_at: dict[Value, Any] = {}  # what roots held where an array was made of them
        self._builder = builder
        self._last_read: dict[Value, tuple[Value, Any]] = {}

    def read(self, x: Value) -> Value:
        """The content of an array."""
        raise NotImplementedError

    def put(self, handle: Value, new: Value) -> None:
        """Make `new` the content of an array."""
        raise NotImplementedError

    def choose(self, x: Value, choice: Chosen, own: Value | None) -> None:
        """Note which of several arrays one is that was joined just now; `own` stands for memory of
        its own, which holds what `x` does.
        """
        self.chosen[x] = choice
        if own is not None:
            self.born[own] = self.born[x]
            self.joined[x].outer |= {own}
            self.contents[own] = x
        self.seen_at[x] = self.held(x)

    def is_read_only(self, x: Value) -> bool:
        """Whether NumPy does not write into an array, or into one that it may be."""
        choice = self.chosen.get(self.root(x))
        found = () if choice is None else map(self.is_read_only, choice.candidates())
        return super().is_read_only(x) or any(found)

    def held(self, x: Value) -> Any:
        """What the root of `x` holds now: another value after each write; of one that is chosen,
        what its candidates hold.
        """
        root = self.root(x)
        if root in self.chosen:
            return tuple(map(self.held, self.chosen[root].candidates()))
        return self.contents.get(root, root)

    def stale(self, x: Value) -> Stale | None:
        """What says that the content of an array is not known."""
        root = self.root(x)
        if root in self.chosen:
            found = map(self.stale, self.chosen[root].candidates())
            return next((each for each in found if each is not None), None)
        content = self.contents.get(root)
        return content if isinstance(content, Stale) else None

    def read_chosen(self, x: Value) -> Value:
        """The content of an array that is chosen."""
        found = self._read(self.chosen[x], x)
        self.own(found, x)
        self._last_read[x] = (found, self.held(x))
        return found

    def _read(self, of: Candidate, x: Value) -> Value:
        if isinstance(of, Value):
            return self.read(of)
        out, ends = Value(x.name, x.type), []
        blocks = [Block([], [], []), Block([], [], [])]
        for block, side in zip(blocks, (of.then, of.orelse), strict=True):
            with self._builder.into(block.body):
                ends.append(held := self._read(side, x))
                if dtype_of(held.type) != dtype_of(x.type):
                    held = self._builder.emit(np.astype, (held, dtype_of(x.type)))
                block.results.append(held)
        self.note_meeting(out, ends)
        self._builder.body.append(If(of.cond, blocks[0], blocks[1], (out,), self._builder.loc))
        return out

    def put_chosen(self, x: Value, new: Value) -> None:
        """Make `new` the content of the one among the candidates that `x` is."""
        op, last = self.producers.get(new), self._last_read.get(x)
        if op is None or not row_of(op.fn).store or last != (op.args[0], self.held(x)):
            self._in_each(self.chosen[x], lambda array: self.put(array, new))
        else:
            self._in_each(self.chosen[x], lambda array: self.put(array, self._again(op, array)))

    def _again(self, op: Op, array: Value) -> Value:
        """The same write into another array."""
        new: Value = self._builder.emit(op.fn, (self.read(array), *op.args[1:]), op.kwargs)
        return new

    def has_dtypes(self, x: Value) -> bool:
        """Whether an array, or what it is a view of, is one of several of more than one dtype."""
        choice = self.chosen.get(self.root(x))
        found = () if choice is None else choice.candidates()
        return len({dtype_of(each.type) for each in found}) > 1

    def write_each(self, x: Value, view: Callable[[View, Value], Value], write: Write) -> None:
        """Let `write` change the one among the candidates that `x` is, in the dtype of that one;
        `view` makes the same view of another array.
        """
        handle, views = self.handle(x), []
        while handle in self.views:
            views.append(self.views[handle])
            handle = views[-1].base

        def of_one(array: Value) -> None:
            for each in reversed(views):
                array = view(each, array)
            write(array)

        self._in_each(self.chosen[handle], of_one)

    def _in_each(self, of: Candidate, write: Write) -> None:
        if isinstance(of, Value):
            return write(of)
        before, after = self.contents, []
        blocks = [Block([], [], []), Block([], [], [])]
        for block, side in zip(blocks, (of.then, of.orelse), strict=True):
            self.contents = dict(before)
            with self._builder.into(block.body):
                self._in_each(side, write)
            after.append(self.contents)
        outs = []
        self.contents = dict(before)
        for array in {**after[0], **after[1]}:
            ends = [contents.get(array, array) for contents in after]
            stale = next((end for end in ends if isinstance(end, Stale)), None)
            if stale is not None or ends[0] is ends[1]:
                self.contents[array] = stale or ends[0]
                continue
            out = self.contents[array] = Value(array.name, array.type)
            self.own(out, array)
            outs.append(out)
            for block, end in zip(blocks, ends, strict=True):
                block.results.append(end)
        loc = self._builder.loc
        self._builder.body.append(If(of.cond, blocks[0], blocks[1], tuple(outs), loc))


__all__ = ["CHOSEN", "Candidate", "Choices", "Chosen", "Contents", "Meeting", "Stale"]
