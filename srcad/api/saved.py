"""The report of saved values: what a gradient keeps between its sweeps, by user line.

line  source            saved  what         shape  dtype    bytes
   5  x = np.tanh(x)    x      tape of 100  (4,)   float64  3,200
total 3,200 bytes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from srcad.explore.highlight import highlight
from srcad.pipeline.reports.notebook import framed, table
from srcad.pipeline.request import Request
from srcad.runtime.checkpoints.states import Checkpoints

_HEAD = ("line", "source", "saved", "what", "shape", "dtype", "bytes")
_RIGHT = {"line", "bytes"}
_WIDEST = 44


@dataclass(frozen=True, slots=True)
class SavedEntry:
    """What one operation of the primal keeps for the reverse sweep.

    A loop that is checkpointed has an entry, "12 states, 10 steps", at what its states take at
    most. What it keeps of its last steps has entries as that of other loops. `work` is how often a
    step is run, once without checkpoints.

    `line`, `file` and `source` are the user's, None and "" where the operation has no line; `name`
    is the user's name, "" for a temporary. `what` is "array", "number", "tape of 100" (one element
    for each iteration of a loop) or "of 7 calls" (of a recursive function). `shape` is None where
    elements differ. `bytes` counts memory once: 0 where an entry above holds it already.
    """

    line: int | None
    source: str
    name: str
    what: str
    shape: tuple[int, ...] | None
    dtype: str
    bytes: int
    file: str
    work: float = 1.0


@dataclass(frozen=True, slots=True, repr=False)
class SavedValues:
    """What the reverse sweep reads of the forward sweep.

    `entries` are in the order of the source; `read_again` names the arguments and captured values
    that the reverse sweep reads, which cost nothing.
    """

    entries: tuple[SavedEntry, ...]
    read_again: tuple[str, ...]

    @property
    def total(self) -> int:
        """Bytes of all entries."""
        return sum(entry.bytes for entry in self.entries)

    @property
    def work(self) -> float:
        """How often a step of a checkpointed loop is run, there and back: the most of all loops."""
        return max((entry.work for entry in self.entries), default=1.0)

    def __str__(self) -> str:
        lines = _table(self.entries) if self.entries else []
        lines.append(f"total {self.total:,} bytes" if self.entries else "nothing is saved")
        lines += [
            f"line {entry.line}: each step is run {entry.work:.3g} times"
            for entry in self.entries
            if entry.work > 1
        ]
        if self.read_again:
            lines.append(f"read again: {', '.join(self.read_again)}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        several = len({entry.file for entry in self.entries}) > 1
        rows = [[escape(cell) for cell in _cells(entry, several)] for entry in self.entries]
        for row, entry in zip(rows, self.entries, strict=True):
            row[_HEAD.index("source")] = "".join(highlight(entry.source))
        heads = table(_HEAD, rows, frozenset(_RIGHT)) if rows else ""
        ends = str(self).split("\n")[-1 - bool(self.read_again) :]
        return framed(heads + "".join(f'<p class="head">{escape(each)}</p>' for each in ends))


def saved_values(request: Request, args: Sequence[Any]) -> SavedValues:
    """The report for these arguments, one for each parameter."""
    from srcad.pipeline.reports.saved_values import measure

    kept, again = measure(request, args)
    entries = [_entry(row) for row in kept]
    entries.sort(key=lambda entry: (entry.file, entry.line or 0))
    return SavedValues(tuple(entries), tuple(again))


def _entry(row: Any) -> SavedEntry:
    at = row.place
    if isinstance(row.items[0], Checkpoints):
        return _of_loop(row, row.items[0])
    shapes = {np.shape(item) for item in row.items}
    dtypes = sorted({str(np.asarray(item).dtype) for item in row.items})
    # One array may be kept twice; equal numbers are as many as there are.
    kept = {id(x) if isinstance(x, np.ndarray) else -k for k, x in enumerate(row.items, 1)}
    n = len(kept)
    if row.tape:
        what = f"tape of {n}"
    elif row.calls:
        what = f"of {n} call{'s' if n != 1 else ''}"
    else:
        what = "array" if isinstance(row.items[0], np.ndarray) else "number"
    return SavedEntry(
        line=at.line if at else None,
        source=at.text.strip() if at else "",
        name=row.name,
        what=what,
        shape=shapes.pop() if len(shapes) == 1 else None,
        dtype=", ".join(dtypes),
        bytes=row.n_bytes,
        file=at.short_file if at else "",
    )


def _of_loop(row: Any, states: Checkpoints) -> SavedEntry:
    """The entry of a loop that is checkpointed."""
    at = row.place
    n = len(states.kept)
    what = f"{n} state{'s' if n != 1 else ''} of {states.data[0]:,} bytes"
    if states.size > 1:
        what += f", {states.size} steps"
    return SavedEntry(
        line=at.line if at else None,
        source=at.text.strip() if at else "",
        name="",
        what=what,
        shape=(),
        dtype="",
        bytes=row.n_bytes,
        file=at.short_file if at else "",
        work=states.work(),
    )


def _table(entries: Sequence[SavedEntry]) -> list[str]:
    several = len({entry.file for entry in entries}) > 1
    rows = [_HEAD, *(_cells(entry, several) for entry in entries)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(_aligned, _HEAD, row, widths)).rstrip() for row in rows]


def _cells(entry: SavedEntry, several: bool) -> tuple[str, ...]:
    line = "" if entry.line is None else str(entry.line)
    source = entry.source
    if len(source) > _WIDEST:
        source = source[: _WIDEST - 3] + "..."
    return (
        f"{entry.file}:{line}" if several else line,
        source,
        entry.name,
        entry.what,
        "varies" if entry.shape is None else str(entry.shape) if entry.dtype else "",
        entry.dtype,
        f"{entry.bytes:,}",
    )


def _aligned(head: str, cell: str, width: int) -> str:
    return cell.rjust(width) if head in _RIGHT else cell.ljust(width)


__all__ = ["SavedEntry", "SavedValues", "saved_values"]
