"""Alias analysis of what is lowered: which array a value is, and which arrays may share memory.

*Roots.* A handle leads through its views to a root: an array with memory of its own, an input, or
an array of which it is not known which one it is: joined from two paths, carried by a loop, made by
a `reshape` of unknown layout. These may *overlap* others.

Of arrays joined in one place it is known whether they overlap on either path, so that two buffers
swapped in a loop stay two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from srcad.frontend.memory.views import View, is_read_only
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Op, Value
from srcad.ops import row_of
from srcad.ops.memory import memory_of


@dataclass(slots=True)
class Joined:
    """A root that may overlap `outer` roots, and those of its `peers` that were joined with it."""

    group: object
    outer: frozenset[Value]
    peers: set[Value] = field(default_factory=set)


class Aliases:
    """The arrays of one lowering by their handles, with the views and roots among them.

    clock: counts the arrays; `born` has the time of each but inputs.
    owners: the handles of contents.
    """

    def __init__(self) -> None:
        self.producers: dict[Value, Op] = {}
        self.clock = 0
        self.born: dict[Value, int] = {}
        self.owners: dict[Value, Value] = {}
        self.views: dict[Value, View] = {}
        self.joined: dict[Value, Joined] = {}
        self.flat: set[Value] = set()
        self.protected: set[Value] = set()  # arrays that are written no more: `setflags`

    def handle(self, x: Value) -> Value:
        """The handle of a value: its own, or that of the array whose content it is."""
        return self.owners.get(x, x)

    def own(self, content: Value, handle: Value) -> None:
        """Note that a value is a content of the array with this handle."""
        self.owners[content] = handle

    def root(self, x: Value) -> Value:
        """The array whose memory `x` is, or is a view of."""
        handle = self.handle(x)
        while handle in self.views:
            handle = self.views[handle].base
        return handle

    def is_older(self, x: Value, clock: int) -> bool:
        """Whether an array was there at this time; inputs always were."""
        return self.born.get(x, 0) <= clock

    def is_plain(self, root: Value) -> bool:
        """Whether it is known which array a root is."""
        return root not in self.joined

    def is_within(self, x: Value, base: Value) -> bool:
        """Whether an array is another one, or views of views of it: all its entries are there."""
        x, base = self.handle(x), self.handle(base)
        while x is not base and x in self.views:
            x = self.views[x].base
        return x is base

    def is_new_view(self, x: Value) -> bool:
        """Whether an array is another object than that whose memory it shares."""
        op = self.producers.get(x)
        return op is not None and row_of(op.fn).new_view

    def is_read_only(self, x: Value) -> bool:
        """Whether it is a view, or a view of one, into which NumPy does not write."""
        handle = self.handle(x)
        while handle in self.views:
            if is_read_only(self.views[handle]) or handle in self.protected:
                return True
            handle = self.views[handle].base
        if handle in self.protected:
            return True
        op = self.producers.get(handle)
        return op is not None and row_of(op.fn).read_only and memory_of(op) != "fresh"

    def note_view(self, op: Op, out: Value) -> None:
        """Note that an operation made a view of its first argument."""
        self.views[out] = View(op.fn, self.handle(op.args[0]), op.args[1:], op.kwargs, out)

    def note_flat(self, x: Value) -> None:
        """Note that what `np.ravel` made is `x.flat`, through which `x` is written in any case."""
        self.joined.pop(x, None)
        self.note_view(self.producers[x], x)
        self.flat.add(x)

    # Overlaps ---------------------------------------------------------------------------------

    def tell(self, value: Value, bases: Iterable[object]) -> None:
        """Note what the memory of a value may belong to."""
        if is_array(value):
            self.join({value: frozenset(self.root(b) for b in arrays_in(bases))}, ())

    def join(self, outer: dict[Value, frozenset[Value]], pairs: Iterable[frozenset[Value]]) -> None:
        """Note values that were joined in one place: the roots that each may overlap, and pairs
        of them that may.
        """
        group = object()
        self.clock += 1
        for value, roots in outer.items():
            self.born[value] = self.clock
            self.joined[value] = Joined(group, roots)
        for pair in pairs:
            for value in pair:
                self.joined[value].peers |= pair - {value}

    def overlap(self, x: Value, y: Value) -> bool:
        """Whether two roots may share memory."""
        if x is y:
            return True
        a, b = self.joined.get(x), self.joined.get(y)
        if a is not None and b is not None and a.group is b.group:
            return y in a.peers
        if a is None or (b is not None and self.born[y] > self.born[x]):
            x, y, a, b = y, x, b, a  # the one joined last is looked into
        if a is None or (b is None and self.born.get(y, 0) > self.born[x]):
            return False  # what is made new shares with nothing that was there
        return any(self.overlap(self.root(root), y) for root in a.outer)

    def overlaps(self, x: object, y: object) -> bool:
        """Whether two abstract values are arrays that may share memory."""
        arrays = arrays_in((x, y))
        return len(arrays) == 2 and self.overlap(*map(self.root, arrays))

    def roots_before(self, x: object, clock: int) -> frozenset[Value]:
        """The roots that were there at this time and that `x` may overlap."""
        waiting = [self.root(v) for v in arrays_in((x,))]
        found: set[Value] = set()
        while waiting:
            root = waiting.pop()
            if self.is_older(root, clock):
                found.add(root)
            elif root in self.joined:
                waiting.extend(self.joined[root].outer)
        return frozenset(found)

    def roots_of(self, x: Value) -> set[Value]:
        """All roots whose memory an array may be, or a view of."""
        return self.reached(self.root(x))

    def reached(self, root: Value) -> set[Value]:
        """A root and those that it may be, known exactly or not."""
        outer = self.joined[root].outer if root in self.joined else ()
        return {root}.union(*(self.reached(self.root(each)) for each in outer))

    def plain_roots(self, root: Value) -> set[Value]:
        """The roots that are known exactly and that `root` may be."""
        return {each for each in self.reached(root) if each not in self.joined}


def arrays_in(xs: Iterable[object]) -> list[Value]:
    """The arrays among abstract values."""
    return [x for x in xs if isinstance(x, Value) and is_array(x)]


__all__ = ["Aliases", "Joined", "arrays_in"]
