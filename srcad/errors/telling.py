"""Which of several refusals to tell: those of a program that was lowered in several ways.

    out = []                            one way     line 4: name `missing` is not defined
    for i in range(n):                  another     line 2: the length of `out` is not known
        out.append(x * i)
    return out[0] + missing             told        line 4

The way that came furthest has done what the others refuse, so that what is left to mend for it is
its own refusal. A shape that does not fit is told first: it says what Python raises.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from srcad.errors.classes import ShapeError, SrcadError

# A missing name or attribute: Python most likely raises too. Of one line these come first.
_MISSING = ("E106", "E121", "E124")
# Each way takes lists and loops in its own manner. Of one line these come last.
_OF_A_WAY = ("E119", "E122", "E123")


def most_telling(refusals: Sequence[SrcadError]) -> SrcadError:
    """The refusal that stands last in the user's program; of those of one line one of a missing
    name or attribute, then one that is not of how lists and loops are taken, then the last told.
    """
    of_shapes = [x for x in refusals if isinstance(x, ShapeError)]
    return max(reversed(of_shapes or refusals), key=_rank)


def _rank(refusal: SrcadError) -> tuple[tuple[float, ...], bool, bool]:
    return _lines(refusal), refusal.code in _MISSING, refusal.code not in _OF_A_WAY


def _lines(refusal: SrcadError) -> tuple[float, ...]:
    """The lines of the calls that lead to a refusal, the outermost first, and its own. That of a
    function as a whole is of what it returns: its end was reached.
    """
    places = [place for place in (refusal.location, *refusal.called_from) if place is not None]
    return tuple(place.line if place.end_line else math.inf for place in reversed(places))


__all__ = ["most_telling"]
