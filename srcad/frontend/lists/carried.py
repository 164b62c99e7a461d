"""Lists that a loop carries as the arrays of their items, since it does more than append to them.

stack = [(a, b)]                       lo, hi = array([a]), array([b])
while stack:                           While(gt(len(lo), 0), carrying lo, hi):
    lo, hi = stack.pop()        ->         lo[-1], hi[-1]
    if hi - lo > tol:                      If(gt(hi - lo, tol)): concatenate([lo[:-1], [lo]]), ...
        stack.append((lo, mid))            else: lo[:-1], hi[:-1]

Each change makes new arrays. So this is tried where a program is refused in any other form: its
loops are lowered again, each with the lists of which it turns out to change the length.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from srcad.frontend.abstract.containers.containers import ListObj, Piece
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_containers import Growth
from srcad.frontend.abstract.joined_types import Mismatch
from srcad.frontend.abstract.signals import Carries
from srcad.frontend.lists.templates import (
    Contents,
    NoArrays,
    Template,
    form_list,
    joined_templates,
    template_of,
)


@dataclass
class CarriedLists:
    """The lists that one loop carries, with what their columns are."""

    frame: Frame
    found: dict[ListObj, Template] = field(default_factory=dict)

    def add(self, x: ListObj, several: tuple[Contents, ...], is_other: bool) -> bool:
        """Note one more list, or that its items may be others; False for a list that only may be
        another after an iteration, of which no arrays can be made.

        Raises:
            Growth: no arrays can be made of the items of a list that changes.
        """
        known = [self.found[x]] if x in self.found else []
        try:
            new = [template_of(self.frame, each) for each in several if each]
            template = joined_templates(self.frame, [*known, *new])
        except (Mismatch, NoArrays):
            template = None
        if template is None or known == [template]:
            if is_other and not known:
                return False
            raise Growth(x)
        self.found[x] = template
        return True

    def begin(self) -> None:
        """Give the lists, as they are before the loop, the arrays of their items."""
        for x, template in self.found.items():
            try:
                form_list(self.frame, x, template)
            except NoArrays:
                raise Growth(x) from None


def carry(frame: Frame, x: Any, *several: Contents, is_other: bool = False) -> None:
    """Lower the outermost loop around that a list was there before again, as one that carries it,
    if that may be; `several`: what it may hold, or the list may that `is_other` after an iteration.
    """
    session = frame.session
    if not session.carries or not isinstance(x, ListObj) or not _may_be_carried(frame, x):
        return
    for loop in session.loops_after(x):
        if loop.carries and not (is_other and x in loop.left_out):
            raise Carries(loop.token, x, several, is_other)


def _may_be_carried(frame: Frame, x: ListObj) -> bool:
    """Whether it is a list of the program's own, or an argument's, over which no loop runs."""
    is_read = any(x is each for each in frame.session.iterated)
    is_own = not x.path or x.path.startswith("A[")
    return x.cls in (list, deque, Piece) and not x.frozen and is_own and not is_read


__all__ = ["CarriedLists", "carry"]
