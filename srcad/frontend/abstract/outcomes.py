"""How statements end: they run on, or leave by `break`, `continue`, `return` or an exception.

What is left on some paths only is told by run-time flags, which are results of the `If`:

    for v in xs:                        for v in xs:
        if v > 1:                           left = gt(v, 1)
            return v             ->         If(left): yield True, v   else: yield False, UNDEFINED
        s = s + v                           (the rest stands in the path that runs on)

For handlers of statements that hold blocks: `block(frame, body)` gives the outcome of a path,
`join_outcomes` (`srcad.frontend.statements.leaving`) that of two. A handler may return any outcome;
what stands after it runs where it has not left. One that has lowered what stands after it itself
returns `Ended(outcome)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from srcad.frontend.abstract.objects import UNBOUND, Abstract
from srcad.ir.nodes import Value

Flags = tuple[Abstract, Abstract, Abstract]
_Kind = Literal["return", "raise", "break", "continue", "maybe"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a statement leaves its block; None in its place: it runs on.

    "maybe": as its `flags` say, which are constants or run-time bools: whether what stands after it
    is skipped, whether the loop around is left, and whether the function returns `value` (UNBOUND
    on paths that do not).
    """

    kind: _Kind
    value: Abstract = UNBOUND
    flags: Flags = (True, True, True)


@dataclass(frozen=True, slots=True)
class Ended:
    """The outcome of a statement and of all that stands after it in its block."""

    outcome: Outcome | None


_FLAGS: dict[_Kind, Flags] = {
    "continue": (True, False, False),
    "break": (True, True, False),
    "return": (True, True, True),
}


def flags_of(outcome: Outcome | None) -> Flags:
    """Whether what follows is skipped, the loop left, the function left."""
    if outcome is None or outcome.kind == "raise":
        return (False, False, False)
    return _FLAGS.get(outcome.kind, outcome.flags)


def outcome_of(flags: Flags, value: Abstract) -> Outcome | None:
    """The outcome that these flags tell."""
    if not any(isinstance(flag, Value) for flag in flags):
        for kind, known in _FLAGS.items():
            if known == flags:
                return Outcome(kind, value if flags[2] else UNBOUND)
        return None
    return Outcome("maybe", UNBOUND if flags[2] is False else value, flags)


__all__ = ["Ended", "Flags", "Outcome", "flags_of", "outcome_of"]
