"""Loops that write an array at shifted places become one, over the places: scatters are gathers.

    for i in range(n - 2):                        for p in range(n):
        for j in range(m):                            if 1 <= p and p < n - 2 + 1:
            x[i + 2, j] += a[i, j]                        for j in range(m):
    for i in range(n - 2):               ->                   x[p, j] += a[p - 2, j]
        for j in range(m):                                    x[p, j] += a[p - 1, j]
            x[i + 1, j] += a[i, j]                    else: each loop, if p is in range

What is done at one place stays in order, so sums come out the same to the last bit; a place is
loaded and stored once instead of once for each loop. Loops are aligned if each turn touches, of
what one of them writes and another one reads or writes, the place that belongs to the turn alone
(`nests`); `peeling` writes the loop that they become.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from srcad.ir import Block, For, Function, If, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.inequalities import are_impossible
from srcad.ir.inplace import DESTROYS
from srcad.ir.walk import statements, with_blocks
from srcad.native.fusion import Access, Fuser
from srcad.native.nests import Nest, Place, find_nest
from srcad.native.peeling import Group, Member, peeled
from srcad.native.told import learnt

# How far apart the ends of the ranges may be.
_FAR = 8
# How many statements a function may have so: each turn is there up to six times, and long functions
# take long to compile as it is.
_MOST = 1000
# How many more the innermost of nested loops may have, where most of the time is spent.
_MORE = 300


def aligned(fn: Function) -> Function:
    """The function with loops over the same places in one."""
    return replace(fn, body=_Aligner(fn.body).block(fn.body))


class _Aligner(Fuser):
    def __init__(self, body: Block) -> None:
        super().__init__(body)
        self.groups: dict[Stmt, Group] = {}
        self.accesses: dict[Stmt, Access] = {}
        self.facts: list[Affine] = []
        self.room = _MOST - sum(1 for _ in statements(body))
        self.more, self.depth = _MORE, 0
        self.shapes: set[Value] = set()
        # How many statements write an array.
        self.writers = _writers(statements(body))

    def block(self, block: Block) -> Block:
        """The block with its loops aligned, and those inside."""
        known = len(self.facts)
        made: list[Stmt] = []
        for stmt in block.body:
            if isinstance(stmt, Op):
                self.facts += learnt(stmt, self.forms, self.shapes)
                made.append(stmt)
                continue
            nest = find_nest(stmt, self.forms)
            if nest is None:
                self.depth += isinstance(stmt, For)
                made.append(with_blocks(stmt, self.block))
                self.depth -= isinstance(stmt, For)
            elif not self.added(made, nest):
                self.groups[stmt] = Group([Member(nest, (0,) * len(nest.indices))], nest.ranges)
                made.append(stmt)
        del self.facts[known:]
        body = [each for stmt in made for each in self.written_out(stmt)]
        return Block(block.params, body, block.results)

    def written_out(self, stmt: Stmt) -> list[Stmt]:
        """The loop that a group becomes."""
        group = self.groups.get(stmt)
        if group is None or len(group.members) == 1:
            return [stmt]
        if all(member.ranges == group.members[0].ranges for member in group.members):
            return [member.nest.stmt for member in group.members]
        made = peeled(group, self.forms)
        size = sum(1 for _ in statements(Block([], made, [])))
        if size <= self.room:
            self.room -= size
        elif self.depth > 1 and size <= self.more:
            self.more -= size
        else:
            return [member.nest.stmt for member in group.members]
        return made

    def added(self, made: list[Stmt], nest: Nest) -> bool:
        """Add a nest to an earlier group of `made`, if there is one that it fits."""
        for k in range(len(made) - 1, -1, -1):
            first = made[k]
            group = self.groups.get(first)
            whole = None if group is None else self.larger(group, nest)
            if whole is not None:
                order = self.order(first, made[k + 1 :], nest.stmt)
                if order is not None:
                    before, after = order
                    nests: list[Stmt] = [member.nest.stmt for member in whole.members]
                    together = If(True, Block([], nests, []), Block([], [], []), ())
                    self.groups[together] = whole
                    made[k:] = [*before, together, *after]
                    return True
            if self.access(first).is_barrier:
                return False
        return False

    def access(self, stmt: Stmt) -> Access:
        """What a statement does to arrays; found once."""
        if stmt not in self.accesses:
            self.accesses[stmt] = super().access(stmt)
        return self.accesses[stmt]

    def larger(self, group: Group, nest: Nest) -> Group | None:
        """The group with one more nest, if it is aligned with the others."""
        if len(nest.indices) != len(group.indices) or not self.belongs(group, nest):
            return None
        shift = self.shift(group, nest)
        if shift is None:
            return None
        member = Member(nest, shift)
        ranges = []
        for axis in range(len(shift)):
            ends = [each.ranges[axis] for each in (*group.members, member)]
            is_last = axis == len(shift) - 1
            lower = self.least([start for start, _ in ends], 1, is_last)
            upper = self.least([stop for _, stop in ends], -1, is_last)
            if lower is None or upper is None:
                return None
            ranges.append((lower, upper))
        return Group([*group.members, member], tuple(ranges))

    def belongs(self, group: Group, nest: Nest) -> bool:
        """Whether a nest writes what the group writes, too, or reads what several of the group
        write, into arrays that are its own.
        """
        written = [member.nest.written for member in group.members]
        if any(not each.isdisjoint(nest.written) for each in written):
            return True
        own = _writers(nest.body)
        if any(self.writers[memory] != own[memory] for memory in nest.written):
            return False
        return any(sum(m in each for each in written) > 1 for m in nest.places)

    def shift(self, group: Group, nest: Nest) -> tuple[int, ...] | None:
        """By how much the indices of the group are ahead of those of a nest."""
        same = {i: Affine.of(p) for i, p in zip(nest.indices, group.indices, strict=True)}
        found: dict[Value, int] = {}
        shared: list[tuple[Place, frozenset[Place]]] = []
        for memory, own in nest.places.items():
            theirs = group.places(memory)
            if not theirs or not (memory in nest.written or group.writes(memory)):
                continue
            if len(theirs) > 1 or len(own) > 1:
                return None
            (place,) = theirs
            shared.append((place, own))
            self.solve(place, next(iter(own)), same, group.indices, found)
        if set(found) != set(group.indices):
            return None
        shift = tuple(found[p] for p in group.indices)
        member = Member(nest, shift)
        is_aligned = all(member.moved(own, group.indices) == {place} for place, own in shared)
        return shift if is_aligned else None

    def solve(
        self,
        place: Place,
        own: Place,
        same: dict[Value, Affine],
        indices: Sequence[Value],
        found: dict[Value, int],
    ) -> None:
        """Find the shifts for which two places are one, where an axis tells."""
        for form, other in zip(place, own, strict=False):
            if form is None or other is None:
                continue
            by = [(value, k) for value, k in form.terms if value in indices]
            ahead = (other.replaced(same) - form).number
            if len(by) == 1 and ahead is not None and ahead % by[0][1] == 0:
                found.setdefault(by[0][0], ahead // by[0][1])

    def least(self, ends: list[Affine], sign: int, is_last: bool) -> Affine | None:
        """The least of some numbers (the greatest, for the sign -1) where they are not far apart;
        of the innermost loops the distances must be known.
        """
        for end in ends:
            gaps = [(other - end) * sign for other in ends]
            if all(self.is_small(gap, is_last) for gap in gaps):
                return end
        return None

    def is_small(self, gap: Affine, is_last: bool) -> bool:
        """Whether a number is not negative, nor large if it is known."""
        if gap.number is not None or is_last:
            return gap.number is not None and 0 <= gap.number <= _FAR
        return are_impossible([*self.facts, -gap - 1])


def _writers(stmts: Iterable[Stmt]) -> Counter[Value]:
    """How many of some statements write an array."""
    return Counter(op.args[0] for op in stmts if isinstance(op, Op) and op.fn in DESTROYS)
