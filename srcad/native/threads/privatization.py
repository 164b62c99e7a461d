"""Privatisation: an array of which an iteration reads only its own writes has a copy per thread.

    for i in range(n):
        for j in range(m): t[j] = x[i, j] * x[i, j]          t[0:m] is written
        for j in range(m): s[i] += t[j] * t[m - 1]           and read after that

What is written is told as ranges along the axes, of loops that have been gone through; ranges that
meet are one, and what both branches write is written.
"""

from __future__ import annotations

from srcad.ir import Block, For, If, Op, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Place, within
from srcad.ir.inequalities import are_impossible
from srcad.ir.walk import blocks
from srcad.native.loops.accesses import Access, Places
from srcad.native.loops.bounds_checks import about

Box = tuple[tuple[Affine, Affine], ...]


def is_written_first(memory: Value, loop: For, places: Places) -> bool:
    """Whether no iteration of a loop reads an entry before it has written it."""
    walk = _Walk(memory, places)
    walk.block(loop.body, (loop,), [])
    return walk.is_fine


class _Walk:
    def __init__(self, memory: Value, places: Places) -> None:
        self.memory, self.places = memory, places
        self.is_fine = True

    def block(self, block: Block, loops: tuple[For, ...], known: list[Box]) -> list[Box]:
        """What a block has surely written; `known` was written before it."""
        own: list[Box] = []
        for stmt in block.body:
            if isinstance(stmt, Op):
                own += self.op(stmt, loops, [*known, *own])
                continue
            inside = (*loops, stmt) if isinstance(stmt, For) else loops
            written = [self.block(inner, inside, [*known, *own]) for inner in blocks(stmt)]
            if isinstance(stmt, For) and not stmt.exits:
                own += self.swept(written[0], stmt)
            elif isinstance(stmt, If) and stmt.is_branch:
                then, orelse = map(_joined, written)
                own += [box for box in then if box in orelse]
        return own

    def op(self, op: Op, loops: tuple[For, ...], known: list[Box]) -> list[Box]:
        access = self.places.access(op, loops)
        if access is None or access.memory is not self.memory:
            return []
        if access.kind != "write":
            self.is_fine &= any(self.covers(box, access) for box in known)
        return [box] if (box := _at(access.place)) is not None else []

    def covers(self, box: Box, access: Access) -> bool:
        """Whether an access is in a range, whatever iterations the loops around it are at."""
        system = within(access.loops, self.places.forms)
        for (low, high), at in zip(box, access.place, strict=True):
            if at is None:
                return False
            if low == at == high:
                continue
            if not all(map(self.is_impossible, (low - at - 1, at - high - 1), [system] * 2)):
                return False
        return True

    def is_impossible(self, form: Affine, system: list[Affine]) -> bool:
        """Whether a sum cannot be 0 or more."""
        return are_impossible([form, *about(form, [*system, *self.places.facts])])

    def swept(self, boxes: list[Box], loop: For) -> list[Box]:
        """What all iterations of a loop have written, of what each writes."""
        start, stop = self.places.forms.of(loop.start), self.places.forms.of(loop.stop)
        if start is None or stop is None or loop.step not in (1, -1):
            return []
        ends = (start, stop - 1) if loop.step == 1 else (stop + 1, start)
        made = (_over(box, loop.index, *ends) for box in boxes)
        return [box for box in made if box is not None]


def _at(place: Place) -> Box | None:
    if any(form is None for form in place):
        return None
    return tuple((form, form) for form in place if form is not None)


def _joined(boxes: list[Box]) -> list[Box]:
    """The ranges, those that meet along an axis as one."""
    made: list[Box] = []
    for box in boxes:
        k = 0
        while k < len(made):
            both = _both(made[k], box) or _both(box, made[k])
            if both is None:
                k += 1
            else:
                del made[k]
                box, k = both, 0
        made.append(box)
    return made


def _both(a: Box, b: Box) -> Box | None:
    """One range in the place of two, if the second begins where the first ends."""
    apart = [k for k, (own, other) in enumerate(zip(a, b, strict=True)) if own != other]
    if len(apart) != 1 or a[apart[0]][1] + 1 != b[apart[0]][0]:
        return None
    k = apart[0]
    return (*a[:k], (a[k][0], b[k][1]), *a[k + 1 :])


def _over(box: Box, index: Value, least: Affine, greatest: Affine) -> Box | None:
    """The entries of `box` for all values of an index that one axis goes by, entry after entry."""
    by = [k for k, ends in enumerate(box) if any(f.coefficient(index) for f in ends)]
    if len(by) != 1 or box[by[0]][0] != box[by[0]][1]:
        return None
    form = box[by[0]][0]
    step = form.coefficient(index)
    if step not in (1, -1):
        return None
    ends = [form.replaced({index: end}) for end in (least, greatest)[::step]]
    return (*box[: by[0]], (ends[0], ends[1]), *box[by[0] + 1 :])
