"""Why a statement stays NumPy's, as `.explain()` tells it: the user's line, then the reason.

line 41, `s = np.sort(x, axis=0)`: `sort` with `axis=` has no form as loops

Where a loop stays, what it has saved cannot be passed to the compiled loop after it, which stays
then, too. Such reasons follow from others; they are told only if there are no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from srcad.ir import Stmt
from srcad.native.scalarize.loop_builder import Unsuited


class Reason(NamedTuple):
    """The reason for a statement, and whether it follows from the reasons for others."""

    text: str
    follows: bool

    @classmethod
    def of(cls, why: Unsuited, stmt: Stmt) -> Reason:
        """The reason for which a statement, or what is in it, has no form."""
        loc = why.loc or stmt.loc
        if loc is None or not (line := loc.shown.text.strip()):
            return cls(str(why), why.follows)
        return cls(f"line {loc.shown.line}, `{line}`: {why}", why.follows)


def told(reasons: Sequence[Reason]) -> list[str]:
    """The texts, each once, without those that follow from others."""
    own = [reason.text for reason in reasons if not reason.follows]
    return list(dict.fromkeys(own or [reason.text for reason in reasons]))
