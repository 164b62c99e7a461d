"""The lists of numbers that loops make, as rows of arrays.

[[a[i, j] for j in range(m)]             For(0, n, 1, seqs=[rows]): ...; yield array(row)
 for i in range(n)]               ->     copy(array(rows))
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.laid.entry_kinds import are_held_exactly, dtype_of_kinds, has_marks, known_kinds
from srcad.frontend.laid.making import laid, may_be_laid
from srcad.frontend.laid.reading import as_grown, kinds_of_grown
from srcad.frontend.lists.growing_lists import origin_of
from srcad.ir.types import dtype_of
from srcad.rules.core.joined_kinds import Kind, is_numpys


class Rows:
    """The lists that a comprehension makes its items of, as rows of arrays."""

    def __init__(self, frame: Frame, node: gast.ListComp) -> None:
        self.frame = frame
        self.node = node
        self.origin = origin_of(frame, node)
        self.kinds: frozenset[Kind] | None = None

    def row_of(self, item: Abstract) -> Abstract:
        """What stands for an item while the loop runs: the array of the numbers of a list, with
        that of the marks; other items as they are.
        """
        form: Any = item.form if isinstance(item, ListObj) and item.cls is list else None
        is_formed = isinstance(form, Laid | LaidRow | Grown)
        if not is_formed or not may_be_laid(self.frame, self.origin):
            return item
        if isinstance(form, LaidRow) or _is_held(self.frame, item):
            return item  # which is written under its other name
        if isinstance(form, Laid):
            if form.axes != 1:
                return item
            form = as_grown(self.frame.session, form)
        own = kinds_of_grown(form)
        if own is None:
            return item
        kinds = known_kinds(self.frame.session, self.origin, own)
        arrays = self._arrays(form, own, kinds)
        if arrays is None:
            return item
        self.kinds = kinds
        return arrays if len(arrays) > 1 else arrays[0]

    def _arrays(
        self, form: Grown, own: frozenset[Kind], kinds: frozenset[Kind]
    ) -> tuple[Any, ...] | None:
        """The arrays of a row whose numbers are of its `own` kinds, for rows of any of `kinds`."""
        session, dtype = self.frame.session, dtype_of_kinds(kinds)
        if dtype is None or (int in own and len(kinds) > 1):
            return None
        is_marked = isinstance(form.item, Marked)
        numbers: Any = form.columns[form.item.number if is_marked else form.item]
        if not are_held_exactly(numbers, dtype):
            return None
        if dtype_of(numbers.type) != dtype:
            numbers = session.emit(np.astype, (numbers, dtype))
        if not has_marks(kinds):
            return (numbers,)
        if is_marked:
            return numbers, form.columns[form.item.mark]
        if len(own) > 1:
            return None  # of which it is not known any more which numbers are NumPy's
        (kind,) = own
        make = np.ones_like if is_numpys(kind) else np.zeros_like
        return numbers, session.emit(make, (numbers,), {"dtype": bool})

    def finish(self, made: ListObj) -> None:
        """Give the list the arrays that its rows have made."""
        form = made.form
        if self.kinds is None or not isinstance(form, Grown):
            return
        arrays = [self.frame.session.emit(np.copy, (column,)) for column in form.columns]
        marks = arrays[1] if len(arrays) > 1 else None
        made.form = laid(self.frame, arrays[0], marks, self.kinds, self.origin)


def _is_held(frame: Frame, x: ListObj) -> bool:
    """Whether names or containers lead to a list."""
    state = st.snapshot(frame)
    roots = (content for _, _, content in state.locations())
    return any(each is x for each in reachable(roots, state.envs))


__all__ = ["Rows"]
