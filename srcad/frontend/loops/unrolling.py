"""Loops that are written out iteration by iteration, because their items are known or their body
asks for it.

for w in (0.5, 0.2):                     x = x * 0.5
    x = x * w                            If(lt(x, 0.1)): yield x
    if x < 0.1:                    ->    else:
        break                                x' = x * 0.2; yield x'
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from srcad.errors import Location, SrcadError, error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_containers import Growth, refuse_growth
from srcad.frontend.abstract.outcomes import Outcome, flags_of
from srcad.frontend.statements.leaving import unless

MAX_NESTING = 40
# Refusals of a structure that may be known in each iteration alone: `out = (*out, x)`, and what an
# index decides: `(odd if i % 2 else even).append(x)`.
STRUCTURAL = ("E118", "E122", "E129")
WHAT = "the number of iterations of a loop that needs its index or variables while compiling,"

TOLD = 100  # an unrolled loop of more iterations is reported
_told: set[tuple[str, int]] = set()


def tell_unrolled(loops: Mapping[Location, int]) -> None:
    """Warn of long loops that are unrolled, of each once."""
    for at, n in loops.items():
        if (at.file, at.line) not in _told:
            _told.add((at.file, at.line))
            text = (
                f"this loop is unrolled: its {n:,} iterations are compiled one by one, since its "
                "index or the form of its variables must be known; another number of iterations "
                "compiles another program"
            )
            warnings.warn_explicit(text, RuntimeWarning, at.file, at.line)


def kept_or_unrolled(
    frame: Frame,
    keep: Callable[[], Outcome | None],
    unroll: Callable[[SrcadError | None], Outcome | None],
    codes: tuple[str, ...] = STRUCTURAL,
) -> Outcome | None:
    """Lower a loop as one; unrolled, from the state before it, where its body asks for that, or
    where a structure is another one in each iteration.

    `unroll` gets the error for a loop that cannot be unrolled either, if the body has told it:
    the refusal, one of these `codes`, where there was one.
    """
    go_back = st.backtrack_point(frame)
    otherwise: SrcadError | None = None
    try:
        return keep()
    except (Unrolled, Growth) as wanted:
        if isinstance(wanted, Growth):
            otherwise = refuse_growth("a container that grows or shrinks")
    except SrcadError as refusal:
        if refusal.code not in codes:
            raise
        otherwise = refusal
    go_back()
    return unroll(otherwise)


class Unrolled(Exception):  # noqa: N818 - from a loop's body to the loop
    """This very loop must be unrolled."""


def unrolled(
    frame: Frame, items: Iterator[Any], body: Callable[[Any], Outcome | None], nesting: int = 0
) -> Outcome | None:
    """Iteration after iteration; what follows one that may leave stands where it has not."""
    for item in items:
        outcome = body(item)
        _, left, _ = flags_of(outcome)
        if outcome is None or left is False:
            if outcome is not None and outcome.kind == "raise":
                return outcome
            continue
        if nesting == MAX_NESTING:
            what = f"leaving an unrolled loop of more than {nesting} iterations"
            raise error("E113", None, what=what)
        return unless(frame, left, outcome, lambda: unrolled(frame, items, body, nesting + 1))
    return None


__all__ = [
    "MAX_NESTING", "STRUCTURAL", "TOLD", "WHAT", "Unrolled", "kept_or_unrolled", "tell_unrolled",
    "unrolled",
]  # fmt: skip
