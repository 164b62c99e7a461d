"""Loop peeling: several loops become one over their common range, with what is left of each.

    x[1:] += a[:-1]                  if 1 <= n - 1:
    x[:-1] += a[:-1]                     x[0] += a[0]
                                         for p in range(1, n - 1):
                            ->               x[p] += a[p - 1]
                                             x[p] += a[p]
                                         x[n - 1] += a[n - 2]
                                     else: the two loops

The outer loops go over all places; what is not in the range of all loops is done by each alone. Of
the innermost ranges the ends that are not common are written out, place after place.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from srcad.analysis.operations import has_axes
from srcad.ir import ArrayType, Block, For, If, NumberType, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.effects import destroys
from srcad.ir.forms import Forms, Place, as_atom
from srcad.ir.inplace import index_set
from srcad.ir.types import dtype_of
from srcad.ir.walk import copy_statements, fresh_like, substitute
from srcad.native.loops.loop_nests import Nest, Range
from srcad.native.loops.store_forwarding import fits
from srcad.native.scalarize.loop_builder import INT
from srcad.once import cached_property
from srcad.ops import row_of

_TRUTH = NumberType(bool)
Position = tuple[Affine, ...]
Comparison = tuple[Any, Affine, Affine]


@dataclass(frozen=True, eq=False)
class Member:
    """A nest of a group: its index is that of the group less `shift`."""

    nest: Nest
    shift: tuple[int, ...]

    @cached_property
    def ranges(self) -> tuple[Range, ...]:
        """The ranges by the group's indices."""
        pairs = zip(self.nest.ranges, self.shift, strict=True)
        return tuple((start + k, stop + k) for (start, stop), k in pairs)

    def moved(self, places: frozenset[Place], indices: Sequence[Value]) -> set[Place]:
        """Places by other indices, those of the group."""
        by = self.forms([Affine.of(p) for p in indices])
        return {moved(place, by) for place in places}

    def further(self, shift: Sequence[int]) -> Member:
        """The member of a group whose indices are by so much ahead."""
        if not any(shift):
            return self
        return Member(self.nest, tuple(k + m for k, m in zip(self.shift, shift, strict=True)))

    def forms(self, position: Sequence[Affine]) -> dict[Value, Affine]:
        """The nest's indices at a position of the group."""
        parts = zip(self.nest.indices, position, self.shift, strict=True)
        return {index: at - k for index, at, k in parts}


@dataclass(frozen=True, eq=False)
class Group:
    """Nests that are aligned, in their order, and the ranges that hold all of theirs."""

    members: list[Member]
    ranges: tuple[Range, ...]

    @property
    def indices(self) -> tuple[Value, ...]:
        """The group's indices are those of the first."""
        return self.members[0].nest.indices

    def places(self, memory: Value) -> set[Place]:
        """Where the group touches an array, by its indices."""
        found: set[Place] = set()
        for member in self.members:
            if memory in member.nest.places:
                found |= member.moved(member.nest.places[memory], self.indices)
        return found

    @cached_property
    def memories(self) -> list[Value]:
        """The arrays that the group touches."""
        return list(dict.fromkeys(m for member in self.members for m in member.nest.places))

    @cached_property
    def written(self) -> set[Value]:
        """The arrays that the group writes."""
        return {memory for member in self.members for memory in member.nest.written}

    @cached_property
    def sums(self) -> set[Value]:
        """The arrays that several nests of the group write."""
        count = Counter(memory for member in self.members for memory in member.nest.written)
        return {memory for memory, n in count.items() if n > 1}


def moved(place: Place, by: Mapping[Value, Affine]) -> Place:
    """A place by other indices."""
    return tuple(form if form is None else form.replaced(by) for form in place)


def peeled(group: Group, forms: Forms, passing: Mapping[Value, Value]) -> list[Stmt]:
    """The statements that a group becomes.

    Args:
        passing: arrays of which each iteration reads only what it wrote, and other memory for them.
            Where the nests are in one loop they pass numbers on, and need none.
    """
    return _Writer(_by_places(group), forms, passing).levels(())


def _by_places(group: Group) -> Group:
    """The group with indices that are places of what is written, where only a number is between."""
    nest = group.members[0].nest
    memory = next(m for m in nest.places if m in nest.written)
    (place,) = nest.places[memory]
    ahead = dict.fromkeys(nest.indices, 0)
    for form in place:
        terms = form.terms if form is not None else ()
        for index, k in terms:
            if index in ahead and k == 1 and len(terms) == 1 and form is not None:
                ahead[index] = form.const
    more = [ahead[index] for index in nest.indices]
    members = [
        Member(each.nest, tuple(k + m for k, m in zip(each.shift, more, strict=True)))
        for each in group.members
    ]
    pairs = zip(group.ranges, more, strict=True)
    return Group(members, tuple((start + m, stop + m) for (start, stop), m in pairs))


class _Writer:
    def __init__(self, group: Group, forms: Forms, passing: Mapping[Value, Value]) -> None:
        self.group, self.of, self.passing = group, forms, passing
        self.loops = [index.name for index in group.indices]
        starts, stops = zip(*(member.ranges[-1] for member in group.members), strict=True)
        # The common part of the innermost ranges.
        self.start = max(starts, key=lambda start: start.const)
        self.stop = min(stops, key=lambda stop: stop.const)

    def levels(self, position: Position) -> list[Stmt]:
        """The loops inside those whose indices are given."""
        axis = len(position)
        if axis == len(self.loops) - 1:
            return self.row(position)
        index = Value(self.loops[axis], INT)
        body = self.levels((*position, Affine.of(index)))
        return self.loop(self.group.ranges[axis], index, body)

    def loop(self, ends: Range, index: Value, body: list[Stmt]) -> list[Stmt]:
        made: list[Stmt] = []
        start, stop = (self.atom(end, made) for end in ends)
        loc = self.group.members[0].nest.stmt.loc
        made.append(For(start, stop, 1, False, [], [], Block([index], body, []), (), (), loc))
        return made

    def row(self, position: Position) -> list[Stmt]:
        """The innermost loops, at a position of the others."""
        lower, upper = self.group.ranges[-1]
        common = [c for member in self.group.members for c in self.inside(member, position)]
        if (lower, upper) != (self.start, self.stop):
            common.append((operator.le, self.start, self.stop))
        together = [
            *self.written_out(lower, self.start, position),
            *self.innermost(self.group.members, position, (self.start, self.stop)),
            *self.written_out(self.stop, upper, position),
        ]
        return self.under(common, together, self.alone(position))

    def alone(self, position: Position) -> list[Stmt]:
        """The innermost loop of each member, if the position is in its ranges."""
        made: list[Stmt] = []
        for _, members in groupby(self.group.members, lambda each: each.ranges[:-1]):
            one, *others = members
            body = self.innermost([one], position, one.ranges[-1])
            for other in others:
                body += self.innermost([other], position, other.ranges[-1])
            made += self.under(self.inside(one, position), body)
        return copy_statements(made, dict(self.passing)) if self.passing else made

    def inside(self, member: Member, position: Position) -> list[Comparison]:
        """What says that a position of the outer loops is in the ranges of a member."""
        found: list[Comparison] = []
        for axis, at in enumerate(position):
            (start, stop), (lower, upper) = member.ranges[axis], self.group.ranges[axis]
            if start != lower:
                found.append((operator.le, start, at))
            if stop != upper:
                found.append((operator.lt, at, stop))
        return found

    def under(
        self, comparisons: list[Comparison], then: list[Stmt], orelse: Sequence[Stmt] = ()
    ) -> list[Stmt]:
        """Statements under a condition: all of some comparisons."""
        tightest = _tightest(comparisons)
        if not tightest:
            return then
        made: list[Stmt] = []
        cond: Any = None
        for fn, a, b in tightest:
            truth = self.op(made, fn, (self.atom(a, made), self.atom(b, made)), _TRUTH)
            both = cond is not None
            cond = self.op(made, operator.and_, (cond, truth), _TRUTH) if both else truth
        made.append(If(cond, Block([], then, []), Block([], [*orelse], []), ()))
        return made

    def innermost(self, members: Sequence[Member], position: Position, ends: Range) -> list[Stmt]:
        index = Value(self.loops[-1], INT)
        whole = (*position, Affine.of(index))
        is_alone = len(members) == 1
        body = [stmt for each in members for stmt in self.iteration(each, whole, is_alone)]
        return self.loop(ends, index, body)

    def written_out(self, start: Affine, stop: Affine, position: Position) -> list[Stmt]:
        """Place after place, what the members do there."""
        made: list[Stmt] = []
        for k in range((stop - start).number or 0):
            at = start + k
            for member in self.group.members:
                first, last = member.ranges[-1]
                # What is not known is so where the ranges have a common part.
                if _may_be(at - first) and _may_be(last - 1 - at):
                    made += self.iteration(member, (*position, at), is_alone=False)
        return made

    def iteration(self, member: Member, position: Position, is_alone: bool) -> list[Stmt]:
        """What an iteration does, its integers told by the position."""
        made: list[Stmt] = []
        told = member.forms(position)
        env: dict[Value, Any] = {index: self.atom(f, made) for index, f in told.items()}
        for op in member.nest.body:
            if not isinstance(op, Op):
                made += copy_statements([op], env)
                continue
            args = substitute(op.args, env)
            if destroys(op) or (op.fn is operator.getitem and has_axes(op.args[0])):
                args = (args[0], self.place(op.args[1], told, env, made), *args[2:])
            outs = tuple(fresh_like(out) for out in op.outs)
            copy = replace(op, args=args, kwargs=substitute(op.kwargs, env), outs=outs)
            made += [copy] if is_alone else _taken_apart(copy)
            env.update(zip(op.outs, outs, strict=True))
        return made

    def place(
        self, index: Any, told: dict[Value, Affine], env: dict[Value, Any], made: list[Stmt]
    ) -> Any:
        if isinstance(index, tuple):
            return tuple(self.place(part, told, env, made) for part in index)
        form = self.of.of(index)
        if form is None:
            return substitute(index, env)
        by = {v: Affine.of(env[v]) for v, _ in form.terms if v in env and v not in told}
        return self.atom(form.replaced({**by, **told}), made)

    def atom(self, form: Affine, made: list[Stmt]) -> Any:
        return as_atom(form, lambda fn, args: self.op(made, fn, args, INT))

    def op(self, made: list[Stmt], fn: Any, args: tuple[Any, ...], type_: NumberType) -> Value:
        """Append an operation; returns its result."""
        out = Value("", type_)
        op = Op(fn, args, {}, (out,))
        made.append(op)
        if fn not in (operator.le, operator.lt, operator.and_):
            self.of.ops[out] = op
        return out


def _may_be(gap: Affine) -> bool:
    """Whether a number may be at least 0."""
    return gap.number is None or gap.number >= 0


def _taken_apart(op: Op) -> list[Stmt]:
    """`x[p] += v` as `t = x[p]; x[p] = t + v`, so that the next reads what is there already."""
    computes = row_of(op.fn).computes
    if computes is None or not fits(op.args[2], op.args[0]):
        return [op]
    memory, place, value = op.args
    dtype = dtype_of(memory.type)
    before, after = (Value("", ArrayType(np.dtype(dtype), (), True)) for _ in range(2))
    return [
        Op(operator.getitem, (memory, place), {}, (before,), op.loc),
        Op(computes, (before, value), {}, (after,), op.loc),
        replace(op, fn=index_set, args=(memory, place, after)),
    ]


def _tightest(comparisons: list[Comparison]) -> list[Comparison]:
    """Comparisons without those that follow from others."""
    found: list[Comparison] = []
    for fn, a, b in comparisons:
        for k, (other, c, d) in enumerate(found):
            slack = ((b - a) - (d - c)).number
            if other is fn and slack is not None:
                if slack < 0:
                    found[k] = (fn, a, b)
                break
        else:
            found.append((fn, a, b))
    return found
