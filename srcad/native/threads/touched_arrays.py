"""Barrier placement: which arrays threads touched since the last barrier.

    PARTS, rows of n along axis 0       each thread its share of n rows, and no others
    PARTS, None                         each thread its share of something else
    FIRST, None                         the first thread

What one thread alone touches, always the same, needs no wait: its own rows, or all of the first's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from srcad.ir import Value
from srcad.ir.affine import Affine

# Which threads do something: all, each its share; all the same; the first one.
PARTS, ALL, FIRST = "parts", "all", "first"
# How many rows are shared, and along which axis.
Rows = tuple[Affine, int]
# Which threads touched an array; of parts, which rows each thread's are, if it touched no others.
Mark = tuple[str, Rows | None]
Marks = dict[Value, set[Mark]]


@dataclass
class Touched:
    """Arrays that were read and written, and by which threads."""

    read: Marks = field(default_factory=dict)
    written: Marks = field(default_factory=dict)

    def add(self, other: Touched) -> None:
        """And those too."""
        for mine, theirs in ((self.read, other.read), (self.written, other.written)):
            for memory, marks in theirs.items():
                mine.setdefault(memory, set()).update(marks)

    def meets(self, other: Touched) -> bool:
        """Whether one writes where another thread of the other reads or writes."""
        return (
            _meet(self.written, other.written)
            or _meet(self.written, other.read)
            or _meet(self.read, other.written)
        )


def _meet(some: Marks, others: Marks) -> bool:
    return any(
        mark != other or not _is_one_thread(mark)
        for memory in some.keys() & others.keys()
        for mark in some[memory]
        for other in others[memory]
    )


def _is_one_thread(mark: Mark) -> bool:
    """Whether each entry is touched by one thread alone, always the same."""
    threads, rows = mark
    return threads == FIRST or rows is not None


__all__ = ["ALL", "FIRST", "PARTS", "Rows", "Touched"]
