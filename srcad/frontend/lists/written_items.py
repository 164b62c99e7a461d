"""Whether items that are arrays stay as they are while a loop goes on that writes into arrays.

h += r                 hs.append(h.copy()): nothing else holds the copies
out[i] = np.sum(h)     an array from before the loop that is none of the items
ys[-1][0] = 0.0        an item of an earlier iteration is written: the loop is unrolled
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass

from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.memory.chosen import Contents
from srcad.frontend.memory.memory import Memory
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value


@dataclass(frozen=True, slots=True)
class Span:
    """An iteration: the memory's clock before the loop and before the iteration, and what arrays
    held then, the last items of the lists among them.
    """

    started: int
    clock: int
    contents: Contents
    last: Contents


def are_kept(frame: Frame, span: Span, parts: list[Abstract], lists: Collection[ListObj]) -> bool:
    """Whether no iteration writes into items of an earlier one.

    `parts` are those of what this one appends, `lists` have the last items. They are kept where
    it writes only what it has made, and arrays from before the loop that are none of the items; or
    where items are new arrays that nothing else holds, and the last ones are not written.
    """
    memory = frame.session.memory
    arrays = [x for x in parts if is_array(x)]
    kept = [*arrays, *span.last, *filter(is_array, reachable(lists))]
    if not _may_write(memory, span, kept):
        return True
    state, own = st.snapshot(frame), set(map(id, lists))
    roots = (x for owner, _, x in state.locations() if own.isdisjoint((id(owner), id(x))))
    held = [x for x in reachable(roots, state.envs) if is_array(x)]
    is_written = any(memory.held(x) is not content for x, content in span.last.items())
    is_old = any(memory.root(x) is not x or memory.is_older(x, span.clock) for x in arrays)
    pairs = [*itertools.product(kept, held), *itertools.combinations(arrays, 2)]
    return not (is_written or is_old or any(memory.overlaps(x, y) for x, y in pairs))


def _may_write(memory: Memory, span: Span, kept: list[Value]) -> bool:
    """Whether an iteration may write into items of earlier ones."""
    for root, content in memory.contents.items():
        is_exact = memory.is_plain(root)
        if content is span.contents.get(root) or (
            is_exact and not memory.is_older(root, span.clock)
        ):
            continue
        is_outside = is_exact and memory.is_older(root, span.started)
        if not is_outside or any(memory.overlaps(root, x) for x in kept):
            return True
    return False


def are_apart(memory: Memory, clock: int, part: Value, first: list[Abstract]) -> bool:
    """Whether all rows of a column are known to be memory of their own: the `first` ones, and those
    that are a `part` of an item, one in each iteration, before which the memory's clock stood so.
    """
    pairs = itertools.combinations(first, 2)
    return not memory.roots_before(part, clock) and not any(memory.overlaps(a, b) for a, b in pairs)


__all__ = ["Span", "are_apart", "are_kept"]
