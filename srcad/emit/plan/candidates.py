"""Candidates: the temporaries that may still be printed inside their use.

    t1 = 1 / k                  t1 and t2 wait; both may raise
    t2 = x[k + 7]
    h = t2 * t1

    t1 = 1 / k                  t1 has a line of its own: printed after t2 it would raise after it
    h = x[k + 7] * t1

What may raise is printed in the order of the program. One that has a line of its own stands at its
place, so those that raise before it stay at theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srcad.ir import Op, Value


@dataclass
class Candidate:
    """An operation that may be nested; `reads` are the arrays whose contents it reads."""

    op: Op
    width: int
    reads: list[Value]
    position: int
    is_timeless: bool  # a shape may be read as late as one likes
    raises: bool  # it does not pass what acts or raises itself
    age: int = 0


Pending = dict[Value, Candidate]


def drop(values: Sequence[Value], pending: Pending) -> None:
    """Leave candidates a line of their own, and with one that raises those that raise before."""
    raising = [c.position for value in values if (c := pending.pop(value)).raises]
    for value, candidate in list(pending.items()):
        if raising and candidate.raises and candidate.position < max(raising):
            del pending[value]


def out_of_order(printed: Sequence[Value], pending: Pending) -> set[Value]:
    """Those that would raise in another order than the program if `printed` stood, in this order,
    in one line, and the other candidates in later ones.
    """
    places = [value for value in printed if pending[value].raises]
    wrong, end = set(places), len(places)
    raising = [value for value, candidate in pending.items() if candidate.raises]
    for value in sorted(raising, key=lambda v: pending[v].position, reverse=True):
        if value not in places[:end]:
            break
        end = places.index(value)
        wrong.remove(value)
    return wrong


__all__ = ["Candidate", "Pending", "drop", "out_of_order"]
