"""Alias analysis: which values may share a buffer, before bufferisation and after it.

    z = zeros(n)            z: {z}                a buffer of its own
    v = getitem(z, 1:)      v: {z}                a view
    y = transpose(x)        y: {x, OUTSIDE}       a view of a parameter, which is the caller's
    h = if c: z else: x     h: {z, x, OUTSIDE}

A *site* is the value that a buffer was made for. Two values may share storage if they have a site
in common. Besides OUTSIDE, a parameter and what an unknown function returns have a site of their
own, and what refuses to be written (`np.broadcast_to(x, shape)`) has LOCKED.

*Loops.* A carried value is a site of its own inside the body, as if freshly made, if it is *handed
over*: what it starts as is a buffer that nothing reads from then on, in the loop or after it, and
what the body yields for it is a buffer that nothing reads at the end of the body: no other result
of the body, no sequence, no value from outside. Else it has the sites of both, and CARRIED, so that
it is never written.

*Accumulators.* A carried value that is added to or stored to in the body and is handed over at its
end, but starts as a buffer that others hold, is worth one copy before the loop.

*Joins.* An array that is of integers on one path and of floats on another is written nowhere.

*Closures* may run any number of times later: what they read from around them is OUTSIDE for them.

Before bufferisation it is asked which buffers may be written; after it, whether a write changes
what a read sees, so that the read stays ahead of it (`srcad.emit.plan.nesting`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcad.analysis.accumulators import accumulators
from srcad.analysis.liveness import Liveness, find_later
from srcad.analysis.operations import (
    has_axes,
    is_recomputed,
    owns_results,
)
from srcad.ir.definedness import Unbound
from srcad.ir.effects import destroys
from srcad.ir.kinds import has_storage
from srcad.ir.nodes import Atom, Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.types import ArrayType, ObjectType
from srcad.ir.walk import free_values, values_in
from srcad.once import cached_property
from srcad.ops import row_of
from srcad.ops.memory import is_view, keeps_no_array

OUTSIDE, LOCKED = Value("outside", ObjectType()), Value("locked", ObjectType())
CARRIED = Value("carried", ObjectType())
Sources = frozenset[Value]  # values whose memory another may share
NONE: Sources = frozenset()
_OUTSIDE: Sources = frozenset((OUTSIDE,))
_CARRIED: Sources = frozenset((CARRIED,))


@dataclass(slots=True)
class Aliases:
    """`sites` of each value; what is read `later`; loops' `starts` that want a copy."""

    later: Liveness
    sites: dict[Value, Sources] = field(default_factory=dict)
    # The values that have a site, a bit for each (`srcad.ir.bits`).
    holders: dict[Value, int] = field(default_factory=dict)
    starts: dict[For | While, set[int]] = field(default_factory=dict)
    handed: dict[For | While, set[int]] = field(default_factory=dict)
    # The sites whose buffers others may hold: a parameter's, an unknown function's.
    outside: set[Value] = field(default_factory=lambda: {OUTSIDE, LOCKED, CARRIED})

    def of(self, tree: Any) -> Sources:
        """The sites of the values in an argument tree."""
        found = NONE
        for value in values_in(tree):
            found |= self.sites.get(value, NONE)
        return found if not _has_constant_array(tree) else found | {OUTSIDE}

    @staticmethod
    def is_writable(sites: Sources) -> bool:
        """Whether what has these sites may be written, as far as nothing reads it later."""
        return OUTSIDE not in sites and CARRIED not in sites

    def put(self, sites: Sources, *values: Value) -> None:
        """Give values their sites, the same ones, in place of those that they may have had."""
        for value in values:
            before = self.sites.get(value, NONE)
            bit = self.later.bits.of((value,)) if before else 0
            for site in before:
                self.holders[site] &= ~bit
            self.sites[value] = sites
        bits = self.later.bits.of(values) if sites else 0
        for site in sites:
            self.holders[site] = self.holders.get(site, 0) | bits

    def may_change(self, read: Any, written: Any) -> bool:
        """Whether a write into what may be written changes what another value holds.

        Parameters are apart, and of what others hold nothing is written.
        """
        return not (self.of(written) - {OUTSIDE, LOCKED, CARRIED}).isdisjoint(self.of(read))

    def is_read_later(self, sites: Sources, stmt: Stmt) -> bool:
        """Whether something that shares one of `sites` is read after `stmt`."""
        later = self.later.later[stmt] if sites else 0
        return any(self.holders.get(site, 0) & later for site in sites)

    def overlaps(self, sites: Sources, values: Iterable[Value]) -> bool:
        """Whether one of `values` may share storage with `sites`."""
        return any(not sites.isdisjoint(self.sites.get(v, NONE)) for v in values)


def find_aliases(
    fn: Function, own: frozenset[Value] = frozenset(), kept: frozenset[Value] = frozenset()
) -> Aliases:
    """The facts about all values of `fn` and its closures.

    Args:
        own: parameters that share memory with no other and are written.
        kept: what loops leave that has to be what they start with if no iteration makes another.
    """
    facts = Aliases(find_later(fn))
    sites = _Sites(facts, kept, fn)
    facts.outside.update(value for value in fn.params if value not in own)
    for value in fn.params:
        sites.put(value, frozenset((value,) if value in own else (value, OUTSIDE)))
    sites.block(fn.body)
    return facts


def _has_constant_array(tree: Any) -> bool:
    if isinstance(tree, tuple | list):
        return any([_has_constant_array(x) for x in tree if x.__class__ is not Value])
    return isinstance(tree, np.ndarray)


def _origin(op: Op, out: Value, fresh: bool) -> Sources:
    """The site of what `op` may make: libraries alone are trusted to give new buffers.

    `fresh`: it shares none with its arguments, as what is made of numbers.
    """
    if is_recomputed(op):
        return frozenset((out,))
    if row_of(op.fn).read_only:
        return frozenset((OUTSIDE, LOCKED))
    if isinstance(op.fn, Function):
        return _OUTSIDE
    if is_view(op.fn) and not fresh:
        return NONE
    return frozenset((out,) if keeps_no_array(op.fn) else (out, OUTSIDE))


class _Sites:
    """Gives each value its sites."""

    def __init__(self, facts: Aliases, kept: Sources, fn: Function) -> None:
        self.facts, self.kept, self.fn = facts, kept, fn

    @cached_property
    def unbound(self) -> set[Value]:
        """What some path leaves unbound."""
        return Unbound(self.fn).values

    def put(self, value: Value, sites: Sources) -> None:
        self.facts.put(sites if has_storage(value.type) else NONE, value)

    def put_alike(self, values: Sequence[Value], sites: Sources) -> None:
        """Give values the same sites: sets of many are many times as many."""
        self.facts.put(sites, *(value for value in values if has_storage(value.type)))
        self.facts.put(NONE, *(value for value in values if not has_storage(value.type)))

    def of(self, tree: Any) -> Sources:
        return self.facts.of(tree)

    def outside(self, values: Iterable[Value]) -> None:
        for value in values:
            self.put(value, _OUTSIDE)

    def block(self, block: Block) -> None:
        """The statements of a block, in turn."""
        for stmt in block.body:
            self.stmt(stmt)

    def stmt(self, stmt: Stmt) -> None:
        """One statement."""
        match stmt:
            case Op():
                self.op(stmt)
            case If():
                self.block(stmt.then)
                self.block(stmt.orelse)
                ends = zip(stmt.then.results, stmt.orelse.results, strict=True)
                for out, pair in zip(stmt.outs, ends, strict=True):
                    self.put(out, self.of(pair) | _of_casts(out, *pair))
            case For() | While():
                self.loop(stmt)
            case Closure():
                self.closure(stmt)

    def op(self, op: Op) -> None:
        if not any([has_storage(out.type) for out in op.outs]):
            self.facts.put(NONE, *op.outs)  # numbers, which share nothing
            return
        if destroys(op) and (sites := self.of(op.args[0])):
            self.put_alike(op.outs, sites)  # it is what was written; entries are copied into it
            return
        fresh = owns_results(op)
        shared = NONE if fresh else self.of((op.args, op.kwargs))
        origins = [_origin(op, out, fresh or not shared) for out in op.outs]
        if fresh:
            for out, origin in zip(op.outs, origins, strict=True):
                self.put(out, origin)
        else:
            self.put_alike(op.outs, shared.union(*origins))  # its results may be one array
        self.facts.outside.update(
            out for out, o in zip(op.outs, origins, strict=True) if OUTSIDE in o
        )

    def closure(self, stmt: Closure) -> None:
        body = stmt.function.body
        free = list(free_values(body))
        around = {v: self.facts.sites.get(v, NONE) for v in free}
        for value in free:
            self.put(value, around[value] | {OUTSIDE})
        self.outside(body.params)
        self.block(body)
        for value, sites in around.items():
            self.facts.put(sites, value)
        self.facts.put(NONE.union(*around.values()), stmt.out)

    # ---- loops

    def loop(self, stmt: For | While) -> None:
        params = stmt.carried
        n = len(stmt.init)
        casts = [
            _of_casts(param, *pair)
            for param, *pair in zip(params, stmt.init, stmt.yielded, strict=True)
        ]
        handed = {k for k in range(n) if not casts[k]}
        mixed: list[Sources] = [self.of(start) for start in stmt.init]
        while True:
            own = (frozenset((param,)) for param in params)
            carried = [o if k in handed else mixed[k] | _CARRIED for k, o in enumerate(own)]
            self.iteration(stmt, carried, [_OUTSIDE] * n)
            ends = self.sole(stmt.body.results, stmt)
            kept = {k for k in handed if k in ends}
            kept -= self.unstarted(stmt, kept, params)
            new = [a | self.of(r) for a, r in zip(mixed, stmt.yielded, strict=True)]
            if kept == handed and all(new[k] == mixed[k] for k in range(n) if k not in handed):
                break
            handed, mixed = kept, new
        self.facts.handed[stmt] = handed
        outs = (frozenset((out,)) for out in stmt.outs)
        self.leave(stmt, [o if k in handed else mixed[k] | casts[k] for k, o in enumerate(outs)])

    def iteration(
        self, stmt: For | While, carried: Sequence[Sources], tested: Sequence[Sources]
    ) -> None:
        """One iteration of a loop.

        Args:
            carried: of the values that the body carries.
            tested: of those that the test of a `while` reads.
        """
        for param, sources in zip(stmt.carried, carried, strict=True):
            self.put(param, sources)
        if isinstance(stmt, For):
            for element, seq in zip(stmt.elements, stmt.ins, strict=True):
                self.put(element, self.of(seq) | _OUTSIDE)
        else:
            for param, sources in zip(stmt.test.params, tested, strict=True):
                self.put(param, sources)
            self.block(stmt.test)
        self.block(stmt.body)

    def leave(self, stmt: For | While, ends: Sequence[Sources]) -> None:
        """The results of a loop: of what it carries, `ends`."""
        for out, sources in zip(stmt.outs, ends, strict=True):
            self.put(out, sources)
        for seq, element in zip(stmt.seqs, stmt.written, strict=True):
            self.put(seq, self.of(element))

    def sole(self, atoms: list[Atom], loop: For | While) -> set[int]:
        """Which of `atoms` hold buffers that no other of them holds and nothing reads later."""
        sites = [self.of(atom) for atom in atoms]
        holders = Counter(site for each in sites for site in each)
        return {
            k
            for k, mine in enumerate(sites)
            if self.facts.is_writable(mine)
            and all(holders[site] == 1 for site in mine)
            and not self.facts.is_read_later(mine, loop)
        }

    def unstarted(self, stmt: For | While, handed: set[int], params: list[Value]) -> set[int]:
        """Those of `handed` whose start others hold, unless a copy of it is worth its price: where
        the body writes what it carries, and no tape keeps it.
        """
        taped = self.of(stmt.written)
        shared = handed - self.sole(stmt.init, stmt)
        written = accumulators(stmt, params)
        copied = {
            k
            for k in shared & written
            if has_axes(params[k])
            and self.of(params[k]).isdisjoint(taped)
            and not (stmt.outs[k] in self.kept and OUTSIDE in self.of(stmt.init[k]))
            and self.unbound.isdisjoint(values_in(stmt.init[k]))  # nothing to copy may be there
        }
        self.facts.starts[stmt] = copied
        return shared - copied


def _of_casts(value: Value, *sources: Atom) -> Sources:
    """Where a value gets its dtype from one of its sources alone, another's buffer may not take it:
    that one counts as outside.
    """
    types = (v.type for v in (value, *sources) if isinstance(v, Value))
    dtypes = {t.dtype for t in types if isinstance(t, ArrayType) and t.shape}
    return _OUTSIDE if len(dtypes) > 1 else NONE
