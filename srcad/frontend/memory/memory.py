"""The memory of arrays: what each holds now, and which of them share it.

    x = np.zeros(3)         x                                  the handle of a new array
    y = x[1:]               y = getitem(x, 1:)                 the handle of a view of it
    y[0] = 5.0              y_2 = index_update(y, 0, 5.0)      a write to a view
                            x_2 = index_update(x, 1:, y_2)     is a write to its base
    x[1] + y[1]             getitem(x_2, 1), getitem(getitem(x_2, 1:), 1)

The program is one of values that never change, so a write makes a new *content*. Names and
containers keep the *handle*, the value by which the array was first known; `contents` says what
those hold that were written, and is part of the state that branches and loops join. A view is
derived anew from its base when it is read.

`srcad.frontend.memory.aliases` knows which arrays may overlap. Those are read as they are until
one of them is written: from then on the others are stale, which is an error where they are read.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from srcad import devices
from srcad.errors import Location, error
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.memory.aliases import arrays_in
from srcad.frontend.memory.chosen import CHOSEN, Choices, Contents, Meeting, Stale
from srcad.frontend.memory.views import (
    derived,
    is_contiguous,
    may_be_view,
    put_back,
)
from srcad.frontend.reading.capture import Inputs
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.walk import values_in
from srcad.ops.memory import memory_of
from srcad.rules.core.staged import Builder


class Memory(Choices):
    """The arrays of one lowering, and what each holds."""

    def __init__(self, inputs: Inputs, builder: Builder, note_meeting: Meeting) -> None:
        super().__init__(builder, note_meeting)
        self.written: dict[Value, Location | None] = {}
        self.unowned: set[Value] = set()  # roots outside of a function that is called
        self.lasting: set[object] = set()  # roots and containers that are kept after the call
        # Arrays whose rows may be one array seen twice: what to specialise to if one is written.
        self.entangled: dict[Value, str] = {}
        # Columns of lists that may have one array twice.
        self.repeated: set[Value] = set()
        self.writes = 0
        self._inputs = inputs

    # Handles ----------------------------------------------------------------------------------

    def note(self, op: Op) -> None:
        """Remember which op made its values, and what arrays these are."""
        for out in op.outs:
            self.producers[out] = op
            if is_array(out):
                self._note_array(op, out)
        if len(op.outs) > 1 and memory_of(op) != "fresh":
            roots = frozenset(self.root(x) for x in arrays_in(values_in((op.args, op.kwargs))))
            arrays = [out for out in op.outs if is_array(out)]
            self.join(dict.fromkeys(arrays, roots), map(frozenset, combinations(arrays, 2)))

    def _note_array(self, op: Op, out: Value) -> None:
        self.clock += 1
        self.born[out] = self.clock
        made = memory_of(op)
        if made == "view" or may_be_view(op):
            root = self.root(op.args[0])
            self.seen_at[out] = self.held(root)
        if made == "view":
            self.note_view(op, out)
        elif made != "fresh" or self._is_array_of_flat(op):
            self.tell(out, values_in((op.args, op.kwargs)))

    def _is_array_of_flat(self, op: Op) -> bool:
        """Whether `op` is `np.array(x.flat)`, which is no copy in some versions of NumPy."""
        given = op.args[0] if op.args else None
        return op.fn is np.array and isinstance(given, Value) and self.handle(given) in self.flat

    # Reading and writing ----------------------------------------------------------------------

    def read(self, x: Value) -> Value:
        """The content of an array, a view derived anew where its base was written."""
        if x in self.owners or not is_array(x):
            return x
        root = self.root(x)
        if (stale := self.stale(root)) is not None:
            if stale.divides is not None:
                raise NeedStatic(frozenset({stale.divides}))
            raise error(stale.code, None, what=_named(x), notes=_notes(stale))
        content = self.held(root)
        if x is root and isinstance(content, Value):
            return content
        if self.seen_at.get(x) == content:
            return x
        if x is root:
            return self.read_chosen(x)
        view = self.views[x]
        found = derived(self._emit, view, self.read(view.base))
        self.own(found, x)
        return found

    def read_or_stale(self, x: Value) -> tuple[Value, Stale | None]:
        """The content, or what says that there is none to be read."""
        stale = self.stale(x) if is_array(x) else None
        if stale is not None:
            return x, stale
        return self.read(x), None

    def alias(self, x: Value) -> Value | None:
        """An array from outside as the very array, a view of one as a view; None for others."""
        handle = self.handle(x)
        if handle not in self.views and not self._settle(handle):
            return handle if handle in self._inputs.paths else None
        view = self.views[handle]
        base = self.alias(view.base)
        return None if base is None else derived(self._emit, view, base)

    def is_from_outside(self, x: Value) -> bool:
        """Whether an array may be one from outside, or share its memory."""
        reached = self.roots_of(x)
        return any(root in self._inputs.paths or root in self.unowned for root in reached)

    def may_be_outside(self, x: Value) -> bool:
        """Whether an array may be one from outside or share its memory, of which none was written:
        so what was computed is what Python has there. What the function made may be written.
        """
        from_outside = self.roots_of(x) & self._inputs.paths.keys()
        return bool(from_outside) and self.contents.keys().isdisjoint(from_outside)

    def is_picked(self, x: Value) -> bool:
        """Whether an array is a row of arrays from outside that were stacked: Python has one of
        them there, not a copy.
        """
        return self.is_from_outside(x) and self.is_row(x)

    def is_row(self, x: Value) -> bool:
        """Whether an array is a row of arrays that were stacked."""
        return not self.reached(self.root(x)).isdisjoint(self.entangled)

    def may_be_written(self, x: Value) -> bool:
        """Whether an array may be one from outside, or a view of one, that was written."""
        written = self.roots_of(x) & self.contents.keys()
        return any(root in self._inputs.paths for root in written)

    def write(self, x: Value, new: Value, what: str) -> None:
        """Make `new`, of the shape and dtype of `x`, the content of `x`."""
        handle = self.handle(x)
        self.writes += 1
        self.check(handle, what)
        self.put(handle, new)

    def put(self, handle: Value, new: Value) -> None:
        """Make `new` the content of an array: that of what it is a view of, or is chosen from."""
        while handle in self.views or self._settle(handle):
            view = self.views[handle]
            new = put_back(self._emit, view, self.read(view.base), new)
            handle = view.base
        if handle in self.chosen:
            return self.put_chosen(handle, new)
        new.name = handle.name
        self.own(new, handle)
        self.contents[handle] = new
        self._spoil(handle)

    def spend(self, x: Value, what: str) -> None:
        """Note that what `x`, and what shares its memory, holds from now on is unknown."""
        handle = self.handle(x)
        self.check(handle, what)
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

    def check(self, x: Value, what: str) -> None:
        """Refuse writes that NumPy refuses, and those that outlive the call."""
        handle = x
        while handle in self.views or self._settle(handle):
            handle = self.views[handle].base
        if self.is_read_only(x):
            raise error("E137", None, what=what)
        if keys := self.reached(handle) & self.entangled.keys():
            if CHOSEN not in self._inputs.statics:
                raise NeedStatic(frozenset({CHOSEN}))
            loops = frozenset(self.entangled[key] for key in keys)
            if loops <= self._inputs.statics:  # they cannot be unrolled
                raise error("E118", None, what=what)
            raise NeedStatic(loops)
        for root in self.plain_roots(handle):
            if root in self.protected:
                raise error("E137", None, what=what)
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
        for other in list(self.joined):
            is_other = other is not written and other not in self.chosen
            if is_other and self.overlap(other, written) and not self._settle(other):
                self.contents[other] = stale
        for root in self.plain_roots(written) - {written}:
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
        del self.joined[x]
        self.note_view(op, x)
        return True

    def is_in_order(self, x: Value) -> bool:
        """Whether an array made here lies in memory row by row."""
        return x is self.root(x) and self.is_plain(x) and self._is_contiguous(self.handle(x))

    def is_row_by_row(self, x: Value) -> bool:
        """Whether an array surely lies in memory row by row; that of an input is guarded."""
        return self._is_contiguous(self.handle(x))

    def _is_contiguous(self, x: Value) -> bool:
        """Whether an array lies in memory row by row; that of an input is guarded."""
        if x in self.chosen:
            return all([self._is_contiguous(each) for each in self.chosen[x].candidates()])
        path = self._inputs.paths.get(x)
        if path is not None:
            sample: Any = self._inputs.samples.get(path)
            if not devices.is_array(sample):
                return False
            found = bool(sample.flags.c_contiguous)
            self._inputs.guard(f"{path}.flags.c_contiguous", "equals", found)
            return found
        return is_contiguous(self.producers.get(x), lambda v: self._is_contiguous(self.handle(v)))

    def _emit(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        return self._builder.emit(fn, args, kwargs)


def _named(x: Value) -> str:
    return f"`{x.name}`" if x.name else "this array"


def _notes(content: Stale) -> tuple[str, ...]:
    return () if content.where is None else (f"written at {content.where}",)


__all__ = ["Memory", "Stale"]
