"""The memory of arrays: what each holds now, and who shares it.

    x = np.zeros(3)         x                                  the handle of a new array
    y = x[1:]               y = getitem(x, 1:)                 the handle of a view of it
    y[0] = 5.0              y_2 = index_update(y, 0, 5.0)      a write to a view
                            x_2 = index_update(x, 1:, y_2)     is a write to its base
    x[1] + y[1]             getitem(x_2, 1), getitem(getitem(x_2, 1:), 1)

The program is one of values that never change, so a write makes a new *content*. Names and
containers keep the *handle*, the value by which the array was first known; `contents` says what
those hold that were written, and is part of the state that branches and loops join. A view is
derived anew from its base when it is read.

*Roots.* A handle leads through its views to a root: an array with memory of its own, an input, or
an array of which it is not known which one it is: joined from two paths, carried by a loop, made by
a `reshape` of unknown layout. These may *overlap* others. They are read as they are until one of
those is written (or they are: then the others): from then on they are stale, which is an error
where they are read.

Of arrays joined in one place it is known whether they overlap on either path, so that two buffers
swapped in a loop stay two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from srcad.errors import Location, error
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.abstract.views import (
    View,
    derived,
    is_contiguous,
    is_read_only,
    may_be_view,
    put_back,
)
from srcad.frontend.reading.capture import Inputs
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.walk import values_in
from srcad.ops import row_of
from srcad.ops.memory import memory_of
from srcad.rules.core.staged import Builder


@dataclass(frozen=True, slots=True)
class Stale:
    """The content of an array that may have been written under another name, at this place, or
    before an exception; `code` is the refusal of reading it.
    """

    where: Location | None
    code: str = "E117"


Contents = dict[Value, "Value | Stale"]


@dataclass(slots=True)
class Joined:
    """A root that may overlap `outer` roots, and those of its `peers` that were joined with it."""

    group: object
    outer: frozenset[Value]
    peers: set[Value] = field(default_factory=set)


class Memory:
    """The arrays of one lowering."""

    def __init__(self, inputs: Inputs, builder: Builder) -> None:
        self.contents: Contents = {}
        self.producers: dict[Value, Op] = {}
        self.written: dict[Value, Location | None] = {}
        self.unowned: set[Value] = set()  # roots outside of a function that is called
        self.flat: set[Value] = set()
        # Arrays whose rows may be one array seen twice: what to specialise to if one is written.
        self.entangled: dict[Value, str] = {}
        self.clock = 0
        self.writes = 0
        self._inputs = inputs
        self._builder = builder
        self._born: dict[Value, int] = {}
        self._owner: dict[Value, Value] = {}
        self._views: dict[Value, View] = {}
        self._seen_at: dict[Value, Value | Stale] = {}
        self._joined: dict[Value, Joined] = {}

    # Handles ----------------------------------------------------------------------------------

    def note(self, op: Op) -> None:
        """Remember which op made its values, and what arrays these are."""
        for out in op.outs:
            self.producers[out] = op
            if is_array(out):
                self._note_array(op, out)
        if len(op.outs) > 1 and memory_of(op) != "fresh":
            roots = frozenset(self.root(x) for x in _arrays(values_in((op.args, op.kwargs))))
            arrays = [out for out in op.outs if is_array(out)]
            self.join(dict.fromkeys(arrays, roots), map(frozenset, combinations(arrays, 2)))

    def _note_array(self, op: Op, out: Value) -> None:
        self.clock += 1
        self._born[out] = self.clock
        made = memory_of(op)
        if made == "view" or may_be_view(op):
            root = self.root(op.args[0])
            self._seen_at[out] = self.held(root)
        if made == "view":
            self._note_view(op, out)
        elif made != "fresh":
            self.tell(out, values_in((op.args, op.kwargs)))

    def _note_view(self, op: Op, out: Value) -> None:
        self._views[out] = View(op.fn, self.handle(op.args[0]), op.args[1:], op.kwargs, out)

    def note_flat(self, x: Value) -> None:
        """Note that what `np.ravel` made is `x.flat`, through which `x` is written in any case."""
        self._joined.pop(x, None)
        self._note_view(self.producers[x], x)
        self.flat.add(x)

    def handle(self, x: Value) -> Value:
        """The handle of a value: its own, or that of the array whose content it is."""
        return self._owner.get(x, x)

    def own(self, content: Value, handle: Value) -> None:
        """Note that a value is a content of the array with this handle."""
        self._owner[content] = handle

    def root(self, x: Value) -> Value:
        """The array whose memory `x` is, or is a view of."""
        handle = self.handle(x)
        while handle in self._views:
            handle = self._views[handle].base
        return handle

    def is_older(self, x: Value, clock: int) -> bool:
        """Whether an array was there at this time; inputs always were."""
        return self._born.get(x, 0) <= clock

    def is_plain(self, root: Value) -> bool:
        """Whether it is known which array a root is."""
        return root not in self._joined

    # Overlaps ---------------------------------------------------------------------------------

    def tell(self, value: Value, bases: Iterable[object]) -> None:
        """Note what the memory of a value may belong to."""
        if is_array(value):
            self.join({value: frozenset(self.root(b) for b in _arrays(bases))}, ())

    def join(self, outer: dict[Value, frozenset[Value]], pairs: Iterable[frozenset[Value]]) -> None:
        """Note values that were joined in one place: the roots that each may overlap, and pairs
        of them that may.
        """
        group = object()
        self.clock += 1
        for value, roots in outer.items():
            self._born[value] = self.clock
            self._joined[value] = Joined(group, roots)
        for pair in pairs:
            for value in pair:
                self._joined[value].peers |= pair - {value}

    def overlap(self, x: Value, y: Value) -> bool:
        """Whether two roots may share memory."""
        if x is y:
            return True
        a, b = self._joined.get(x), self._joined.get(y)
        if a is not None and b is not None and a.group is b.group:
            return y in a.peers
        if a is None or (b is not None and self._born[y] > self._born[x]):
            x, y, a, b = y, x, b, a  # the one joined last is looked into
        if a is None or (b is None and self._born.get(y, 0) > self._born[x]):
            return False  # what is made new shares with nothing that was there
        return any(self.overlap(self.root(root), y) for root in a.outer)

    def overlaps(self, x: object, y: object) -> bool:
        """Whether two abstract values are arrays that may share memory."""
        arrays = _arrays((x, y))
        return len(arrays) == 2 and self.overlap(*map(self.root, arrays))

    def roots_before(self, x: object, clock: int) -> frozenset[Value]:
        """The roots that were there at this time and that `x` may overlap."""
        waiting = [self.root(v) for v in _arrays((x,))]
        found: set[Value] = set()
        while waiting:
            root = waiting.pop()
            if self.is_older(root, clock):
                found.add(root)
            elif root in self._joined:
                waiting.extend(self._joined[root].outer)
        return frozenset(found)

    def roots_of(self, x: Value) -> set[Value]:
        """All roots whose memory an array may be, or a view of."""
        return self._reached(self.root(x))

    def _reached(self, root: Value) -> set[Value]:
        """A root and those that it may be, known exactly or not."""
        outer = self._joined[root].outer if root in self._joined else ()
        return {root}.union(*(self._reached(self.root(each)) for each in outer))

    def _plain(self, root: Value) -> set[Value]:
        """The roots that are known exactly and that `root` may be."""
        return {each for each in self._reached(root) if each not in self._joined}

    # Reading and writing ----------------------------------------------------------------------

    def held(self, x: Value) -> Value | Stale:
        """What the root of `x` holds now: another value after each write."""
        root = self.root(x)
        return self.contents.get(root, root)

    def read(self, x: Value) -> Value:
        """The content of an array, a view derived anew where its base was written."""
        if x in self._owner or not is_array(x):
            return x
        root = self.root(x)
        content = self.held(root)
        if isinstance(content, Stale):
            raise error(content.code, None, what=_named(x), notes=_notes(content))
        if x is root:
            return content
        if self._seen_at.get(x) is content:
            return x
        view = self._views[x]
        found = derived(self._emit, view, self.read(view.base))
        self.own(found, x)
        return found

    def read_or_stale(self, x: Value) -> tuple[Value, Stale | None]:
        """The content, or what says that there is none to be read."""
        content = self.contents.get(self.root(x)) if is_array(x) else None
        if isinstance(content, Stale):
            return x, content
        return self.read(x), None

    def alias(self, x: Value) -> Value | None:
        """An array from outside as the very array, a view of one as a view; None for others."""
        handle = self.handle(x)
        if handle not in self._views and not self._settle(handle):
            return handle if handle in self._inputs.paths else None
        view = self._views[handle]
        base = self.alias(view.base)
        return None if base is None else derived(self._emit, view, base)

    def is_within(self, x: Value, base: Value) -> bool:
        """Whether an array is another one, or views of views of it: all its entries are there."""
        x, base = self.handle(x), self.handle(base)
        while x is not base and x in self._views:
            x = self._views[x].base
        return x is base

    def is_read_only(self, x: Value) -> bool:
        """Whether it is a view, or a view of one, into which NumPy does not write."""
        handle = self.handle(x)
        while handle in self._views:
            if is_read_only(self._views[handle]):
                return True
            handle = self._views[handle].base
        op = self.producers.get(handle)
        return op is not None and row_of(op.fn).read_only and memory_of(op) != "fresh"

    def is_new_view(self, x: Value) -> bool:
        """Whether an array is another object than that whose memory it shares."""
        op = self.producers.get(x)
        return op is not None and row_of(op.fn).new_view

    def is_from_outside(self, x: Value) -> bool:
        """Whether an array may be one from outside, or share its memory."""
        reached = self.roots_of(x)
        return any(root in self._inputs.paths or root in self.unowned for root in reached)

    def may_be_outside(self, x: Value) -> bool:
        """Whether an array may be one from outside or share its memory, with nothing written of
        all that it may be: so what was computed is what Python has there.
        """
        reached = self.roots_of(x)
        from_outside = any(root in self._inputs.paths for root in reached)
        return from_outside and self.contents.keys().isdisjoint(reached)

    def may_be_written(self, x: Value) -> bool:
        """Whether an array may be one from outside, or a view of one, that was written."""
        written = self.roots_of(x) & self.contents.keys()
        return any(root in self._inputs.paths for root in written)

    def write(self, x: Value, new: Value, what: str) -> None:
        """Make `new`, of the shape and dtype of `x`, the content of `x`."""
        handle = self.handle(x)
        self.writes += 1
        self._check(handle, what)
        while handle in self._views or self._settle(handle):
            view = self._views[handle]
            new = put_back(self._emit, view, self.read(view.base), new)
            handle = view.base
        new.name = handle.name
        self.own(new, handle)
        self.contents[handle] = new
        self._spoil(handle)

    def spend(self, x: Value, what: str) -> None:
        """Note that what `x`, and what shares its memory, holds from now on is unknown."""
        handle = self.handle(x)
        self._check(handle, what)
        root = self.root(handle)
        self.contents[root] = Stale(self._builder.loc)
        self._spoil(root)

    def leave(self, before: Contents, own: set[Value], clock: int, what: str) -> None:
        """Go back to what arrays held before a function was read by itself.

        It may write into its `own` arguments, which are copies, and into what it made.
        """
        for array, content in self.contents.items():
            changed = content is not before.get(array) and isinstance(content, Value)
            if changed and array not in own and self.is_older(array, clock):
                raise error("E133", None, what=what)
        self.contents = before

    def _check(self, x: Value, what: str) -> None:
        """Refuse writes that NumPy refuses, and those that outlive the call."""
        handle = x
        while handle in self._views or self._settle(handle):
            handle = self._views[handle].base
        if self.is_read_only(x):
            raise error("E137", None, what=what)
        if keys := self._reached(handle) & self.entangled.keys():
            loops = frozenset(self.entangled[key] for key in keys)
            if loops <= self._inputs.statics:  # they cannot be unrolled
                raise error("E118", None, what=what)
            raise NeedStatic(loops)
        for root in self._plain(handle):
            if root in self.unowned:
                raise error("E116", None, what=what)
            path = self._inputs.paths.get(root)
            if path is None:
                continue
            if not path.startswith("A["):
                raise error("E133", None, what=what)
            self.written.setdefault(root, self._builder.loc)

    def _spoil(self, written: Value) -> None:
        """What may overlap a root that was written is stale, unless it turns out to be a view."""
        stale = Stale(self._builder.loc)
        for other in list(self._joined):
            if other is not written and self.overlap(other, written) and not self._settle(other):
                self.contents[other] = stale
        for root in self._plain(written) - {written}:
            self.contents[root] = stale

    def _settle(self, x: Value) -> bool:
        """Find out whether a `reshape` made a view or a copy of what was there before.

        It is asked when the base or the result is written, and true of both from the beginning.
        """
        op = self.producers.get(x)
        if op is None or not may_be_view(op) or x in self.contents:
            return False
        base = self.handle(op.args[0])
        if not self._is_contiguous(base):
            return False
        del self._joined[x]
        self._note_view(op, x)
        return True

    def is_in_order(self, x: Value) -> bool:
        """Whether an array made here lies in memory row by row."""
        return x is self.root(x) and self.is_plain(x) and self._is_contiguous(self.handle(x))

    def _is_contiguous(self, x: Value) -> bool:
        """Whether an array lies in memory row by row; that of an input is guarded."""
        path = self._inputs.paths.get(x)
        if path is not None:
            sample = self._inputs.samples.get(path)
            if not isinstance(sample, np.ndarray):
                return False
            found = sample.flags.c_contiguous
            self._inputs.guard(f"{path}.flags.c_contiguous", "equals", found)
            return found
        return is_contiguous(self.producers.get(x), lambda v: self._is_contiguous(self.handle(v)))

    def _emit(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        return self._builder.emit(fn, args, kwargs)


def _arrays(xs: Iterable[object]) -> list[Value]:
    return [x for x in xs if isinstance(x, Value) and is_array(x)]


def _named(x: Value) -> str:
    return f"`{x.name}`" if x.name else "this array"


def _notes(content: Stale) -> tuple[str, ...]:
    return () if content.where is None else (f"written at {content.where}",)


__all__ = ["Memory", "Stale"]
