"""Whether what is lowered does anything but compute: raise, print, run on, or change what there is.

Where it does not, it may run earlier than in Python, or where Python does not run it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.ir.nodes import Block, Op, Stmt, Value, While
from srcad.ir.types import rank_of
from srcad.ir.walk import statements
from srcad.ops import row_of
from srcad.ops.raising import raises_by_value


class Watch:
    """What is done since it was made; `held` is what is watched beside what names hold."""

    def __init__(self, frame: Frame, held: Abstract = None) -> None:
        self.frame, self.held = frame, held
        self.before = st.snapshot(frame, held)
        self.mark = len(frame.session.builder.body)

    @property
    def made(self) -> list[Stmt]:
        """The statements since then."""
        return list(self.frame.session.builder.body[self.mark :])

    def acts(self, reads: Iterable[Op] = ()) -> bool:
        """Whether something was done but computing; that `reads` raise aside."""
        aside = set(reads)
        made = statements(Block([], self.made, []))
        return any(_acts(each) for each in made if each not in aside) or self.changes()

    def changes(self, aside: Collection[object] = (), may_raise: bool = False) -> bool:
        """Whether something was changed, or had an effect; calls of functions `aside` do not
        count, nor exceptions where it `may_raise`: nothing is kept of a call that raises.
        """
        made = (each for each in statements(Block([], self.made, [])) if isinstance(each, Op))
        found = [each.fn for each in made if each.effect and each.fn not in aside]
        return (
            any(not (may_raise and row_of(fn).control == "raises") for fn in found)
            or st.is_changed(self.frame, self.before)
            or st.is_rebound(self.frame, self.before, held=self.held)
        )

    def undo(self) -> list[Stmt]:
        """Go back; the statements since then, which stand there no more."""
        made = self.made
        del self.frame.session.builder.body[self.mark :]
        st.restore(self.before)
        return made


def _acts(stmt: Stmt) -> bool:
    """Whether a statement may raise by what it is given, has an effect, or may run without end."""
    if isinstance(stmt, Op):
        return stmt.effect or raises_by_value(stmt) or _is_of_many(stmt)
    return isinstance(stmt, While)


def _is_of_many(op: Op) -> bool:
    """Whether it is the truth of an array, which may have many entries."""
    return op.fn is bool and isinstance(op.args[0], Value) and rank_of(op.args[0].type) != 0


__all__ = ["Watch"]
