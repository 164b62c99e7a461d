"""Loop alignment: loops that write an array at shifted indices become one loop that gathers.

    for i in range(n - 2):                        for p in range(n):
        for j in range(m):                            if 1 <= p and p < n - 2 + 1:
            x[i + 2, j] += a[i, j]                        for j in range(m):
    for i in range(n - 2):               ->                   x[p, j] += a[p - 2, j]
        for j in range(m):                                    x[p, j] += a[p - 1, j]
            x[i + 1, j] += a[i, j]                    else: each loop, if p is in range

What is done at one place stays in order, so sums come out the same to the last bit; a place is
loaded and stored once instead of once for each loop. Loops are aligned if each iteration touches,
of what one of them writes and another one reads or writes, the place that belongs to the iteration
alone (`nests`); `peeling` writes the loop that they become.

Loops that write one array belong together, and after that those that read what several of others
write: there the sum is at hand, and where nothing else reads it, it needs no memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from srcad.ir import Block, For, Function, If, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Place
from srcad.ir.inequalities import are_impossible
from srcad.ir.inplace import index_set
from srcad.ir.walk import all_reads, fresh_like, statements, with_blocks, with_body, with_program
from srcad.native.loops.fusion import Fuser
from srcad.native.loops.loop_nests import find_nest
from srcad.native.loops.peeling import Group, Member, moved, peeled
from srcad.native.scalarize.range_facts import learnt

# How far apart the ends of the ranges may be.
_FAR = 8
# How many statements a function may have so: each iteration is there up to six times, and long
# functions take long to compile as it is.
_MOST = 1000
# How many more the innermost of nested loops may have, where most of the time is spent.
_MORE = 300


def align_loops(fn: Function) -> Function:
    """The function with loops over the same places in one."""
    return with_program(fn, _Aligner(fn.body).block(fn.body))


class _Aligner(Fuser):
    def __init__(self, body: Block) -> None:
        super().__init__(body)
        self.groups: dict[Stmt, Group] = {}
        self.parts: dict[Stmt, tuple[Stmt, Stmt]] = {}
        self.facts: list[Affine] = []
        self.room = _MOST - sum(1 for _ in statements(body))
        self.more, self.depth = _MORE, 0
        self.shapes: set[Value] = set()
        # How often an array is mentioned, and the memory beside that of some.
        self.mentions = Counter(all_reads(body))
        self.beside: dict[Value, Op] = {}
        self.made = {stmt.out: stmt for stmt in statements(body) if _is_memory(stmt)}

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
                continue
            self.groups[stmt] = Group([Member(nest, (0,) * len(nest.indices))], nest.ranges)
            made.append(stmt)
            self.join(made, len(made) - 1, _write_the_same)
        for stmt in [stmt for stmt in made if stmt in self.groups]:
            self.join(made, made.index(stmt), _reads_a_sum)
        del self.facts[known:]
        written = [each for stmt in made for each in self.written_out(stmt)]
        body: list[Stmt] = []
        for stmt in written:
            body.append(stmt)
            if isinstance(stmt, Op) and len(stmt.outs) == 1 and stmt.out in self.beside:
                body.append(self.beside[stmt.out])
        return with_body(block, body)

    def written_out(self, stmt: Stmt) -> list[Stmt]:
        """The loop that a group becomes."""
        group = self.groups.get(stmt)
        if group is None or len(group.members) == 1:
            return [stmt]
        if all(member.ranges == group.members[0].ranges for member in group.members):
            return [member.nest.stmt for member in group.members]
        beside = {memory: _another(self.made[memory]) for memory in self.passing(group)}
        made = peeled(group, self.forms, {memory: op.out for memory, op in beside.items()})
        size = sum(1 for _ in statements(Block([], made, [])))
        if size <= self.room:
            self.room -= size
        elif self.depth > 1 and size <= self.more:
            self.more -= size
        else:
            return [each for part in self.parts[stmt] for each in self.written_out(part)]
        self.beside.update(beside)
        return made

    def passing(self, group: Group) -> list[Value]:
        """The arrays that nests of a group leave to others of it alone: what is read was
        written in the same iteration, since the first to touch the array fills it.
        """
        nests = [each for m in group.members for each in m.nest.body]
        mentioned = Counter(all_reads(Block([], nests, [])))
        found = []
        for memory in group.written & self.made.keys():
            first = next(m for m in group.members if memory in m.nest.places)
            ops = (op for op in first.nest.body if isinstance(op, Op) and memory in op.args[:1])
            is_filled = next(ops).fn is index_set and first.ranges == group.ranges
            if is_filled and mentioned[memory] == self.mentions[memory]:
                found.append(memory)
        return found

    def join(self, made: list[Stmt], at: int, belong: Callable[[Group, Group], bool]) -> None:
        """Join the group at a position of `made` with an earlier one, if there is one that it fits
        and to which it belongs.
        """
        second = made[at]
        for k in range(at - 1, -1, -1):
            first = made[k]
            group = self.groups.get(first)
            whole = None
            if group is not None and belong(group, self.groups[second]):
                whole = self.whole(group, self.groups[second])
            if whole is not None:
                order = self.order(first, made[k + 1 : at], second)
                if order is not None:
                    before, after = order
                    nests: list[Stmt] = [member.nest.stmt for member in whole.members]
                    together = If(True, Block([], nests, []), Block([], [], []), ())
                    self.groups[together] = whole
                    self.parts[together] = (first, second)
                    self.accesses[together] = self.access(first).union(self.access(second), {})
                    made[k : at + 1] = [*before, together, *after]
                    return
            if self.access(first).is_opaque:
                return

    def whole(self, group: Group, other: Group) -> Group | None:
        """Two groups in one, if they are aligned with one another."""
        if len(other.indices) != len(group.indices):
            return None
        shift = self.shift(group, other)
        if shift is None:
            return None
        members = [*group.members, *(member.further(shift) for member in other.members)]
        ranges = []
        for axis in range(len(shift)):
            ends = dict.fromkeys(each.ranges[axis] for each in members)
            is_last = axis == len(shift) - 1
            lower = self.least([start for start, _ in ends], 1, is_last)
            upper = self.least([stop for _, stop in ends], -1, is_last)
            if lower is None or upper is None:
                return None
            ranges.append((lower, upper))
        return Group(members, tuple(ranges))

    def shift(self, group: Group, other: Group) -> tuple[int, ...] | None:
        """By how much the indices of a group are ahead of those of another one."""
        same = {i: Affine.of(p) for i, p in zip(other.indices, group.indices, strict=True)}
        found: dict[Value, int] = {}
        shared: list[tuple[Place, Place]] = []
        for memory in other.memories:
            theirs, own = group.places(memory), other.places(memory)
            if not theirs or memory not in group.written | other.written:
                continue
            if len(theirs) > 1 or len(own) > 1:
                return None
            (place,), (mine,) = theirs, own
            shared.append((place, mine))
            self.solve(place, mine, same, group.indices, found)
        if set(found) != set(group.indices):
            return None
        shift = tuple(found[p] for p in group.indices)
        ahead = {
            i: Affine.of(p) - k for i, p, k in zip(other.indices, group.indices, shift, strict=True)
        }
        is_aligned = all(moved(mine, ahead) == place for place, mine in shared)
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


def _is_memory(stmt: Stmt) -> TypeGuard[Op]:
    return isinstance(stmt, Op) and stmt.fn is np.empty


def _another(op: Op) -> Op:
    """An operation like another one, with a result of its own."""
    return replace(op, outs=(fresh_like(op.out),))


def _write_the_same(group: Group, other: Group) -> bool:
    """Whether two groups write an array, both."""
    return not group.written.isdisjoint(other.written)


def _reads_a_sum(group: Group, other: Group) -> bool:
    """Whether a group reads what several nests of another one write."""
    return not group.sums.isdisjoint(other.memories)
