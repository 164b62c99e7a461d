"""Which other way of lowering to try where one refuses: what to ask for, as constants are.

for k in range(n):
    y = layers[k](y)            n as a constant: the loop is unrolled
rows = [x]
while rows: ...                 lists that a loop makes longer and shorter
a, b = np.split(x, 2)
a[0] = 1.0                      slices of x, which are followed where they are written
y = a if c else a.copy()
y[0] = 1.0                      which of the two is data, where it is written
if c: d["a"] = x             d as a table, as where data gives keys
signal.upfirdn(h, x)            a call, as it is: what it is made of cannot be read
"""

from __future__ import annotations

from srcad.errors import SrcadError
from srcad.frontend.abstract.session import CARRIED, NOT_CARRIED, SLICED, Session
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.lists.growing_lists import unrolled_instead
from srcad.frontend.memory.chosen import CHOSEN

# Refusals of a structure that may be known once the program is specialised to the sizes of its
# arguments (`tuple(x)`, `if len(x) != 4: return None`), and of what an option may leave out:
# `if degree > 3: return by_a_library(x)`.
_STRUCTURAL = frozenset(
    {"E118", "E119", "E122", "E123", "E125", "E127", "E128", "E129", "E132", "E134"}
)
_BY_OPTION = frozenset({"E100", "E120", "E121", "E201", "E202", "E203", "E204"})
# Refusals after which a list may stand of which a loop changes the length.
_GROWING = frozenset({"E113", "E118", "E119", "E121", "E122", "E123", "E129"})


def other_way(session: Session, refusal: SrcadError) -> NeedStatic | None:
    """What to ask for in place of a refusal; None where every way refuses."""
    if wanted := _of_lists_and_sizes(session, refusal):
        return NeedStatic(wanted, refusal)
    return NeedStatic(frozenset(session.unread)) if session.unread else None


def _of_lists_and_sizes(session: Session, refusal: SrcadError) -> frozenset[str]:
    statics = session.inputs.statics
    if session.laid:  # what is done with them may need their items one by one
        return frozenset(session.laid)
    on_paths = session.growing_on_paths - statics
    if on_paths and refusal.code in ("E119", "E121", "E123"):
        return frozenset(on_paths)
    if session.tabled and refusal.code == "E119":
        return frozenset(session.tabled)
    if session.relistable:  # lists as arrays may be what it does not do
        return frozenset(session.relistable)
    if session.carries:
        return frozenset({NOT_CARRIED})
    if refusal.code in _GROWING and CARRIED not in statics:
        return frozenset({CARRIED})
    unrolled = unrolled_instead(statics)
    if unrolled and refusal.code in ("E119", "E121"):
        return unrolled
    if refusal.code == "E117" and session.has_parts and SLICED not in statics:
        return frozenset({SLICED})
    if refusal.code == "E117" and CHOSEN not in statics:
        return frozenset({CHOSEN})
    if refusal.code in _BY_OPTION:
        return frozenset(session.inputs.ints_left())
    return frozenset(session.inputs.sizes_left()) if refusal.code in _STRUCTURAL else frozenset()


__all__ = ["other_way"]
