"""What a loop carries: found by lowering its body until nothing new turns up.

The first time the body is lowered from the state before the loop. What differs afterwards becomes a
parameter of the body, which is lowered again: until the same leaves differ, with the same types.
The state at the body's entry is the join of the states before the loop and after an iteration; so
is the state after the loop. A path that reads what only an earlier iteration binds is left out at
first, as if it raised; in the last attempt such a read is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from srcad.errors import SrcadError, error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import Grown, ListObj
from srcad.frontend.abstract.containers.contents import FORM, contents
from srcad.frontend.abstract.containers.laid import Laid
from srcad.frontend.abstract.fillers import filled
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_containers import Growth, hide_escaping
from srcad.frontend.abstract.joined_types import Mismatch, fits, join_types, type_of_leaf
from srcad.frontend.abstract.joins import Join
from srcad.frontend.abstract.objects import FILLER, UNBOUND, Abstract, is_nothing, is_partial
from srcad.frontend.abstract.paths import LAID, MEMORY, Path, name_at
from srcad.frontend.laid.asking import settle_list
from srcad.frontend.lists.carried import carry
from srcad.frontend.lists.changes import CHANGED
from srcad.frontend.lists.growing_lists import grow
from srcad.frontend.lists.templates import formed_like
from srcad.frontend.loops.carried_choices import CarriedChoices
from srcad.frontend.loops.carried_types import (
    FirstDiffers,
    becomes_another,
    changes_extent,
    types_after,
)
from srcad.frontend.loops.loop_templates import Hole, filled_state
from srcad.frontend.memory.chosen import Stale
from srcad.frontend.statements.branches import as_joined
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Block, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType, Type, rank_of
from srcad.ir.walk import reads, statements
from srcad.rules.core.joined_kinds import Kinds

MAX_ATTEMPTS = 12


@dataclass(frozen=True, slots=True)
class Found:
    """What one lowering of the body found: it is complete when the next one finds the same."""

    types: dict[Path, Type]
    kinds: dict[Path, tuple[Any, ...]] = field(default_factory=dict)
    conflicts: frozenset[Path] = frozenset()
    merged: frozenset[Path] = frozenset()
    roots: frozenset[tuple[Path, frozenset[Value]]] = frozenset()
    overlaps: frozenset[frozenset[Path]] = frozenset()
    stale: frozenset[Path] = frozenset()
    several: tuple[tuple[Path, frozenset[Kinds]], ...] = ()
    cast: frozenset[Path] = frozenset()
    partial: frozenset[Path] = frozenset()


class Carrying:
    """The leaves that the body of one loop changes.

    With `peels` a loop raises `FirstDiffers` whose first iteration makes an array of a number, or
    one of another dtype, or binds what the others read. One that `carries` lists joins the arrays
    of their items.
    """

    def __init__(
        self,
        frame: Frame,
        token: object,
        *,
        peels: bool = False,
        carries: Callable[[Any], bool] = lambda x: False,
    ) -> None:
        self.frame = frame
        self.token = token
        self.peels = peels
        self.carries = carries
        self.before = st.snapshot(frame)
        self.choices = CarriedChoices(frame, self.before)
        self.params: dict[Path, Value] = {}
        self._found = Found({})
        self._template = self._after = self.before
        self._ends: dict[Path, tuple[Abstract, Abstract]] = {}
        self._join: Join | None = None
        self._alone: dict[Path, Abstract] = {}
        self._attempts = 0
        self._guesses = True
        self._is_unmet = False
        self._unmet = 0

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Lower the body once inside, from the state at its entry as far as it is known."""
        self._enter()
        session = self.frame.session
        guesses, self._unmet = self._guesses, session.unmet
        session.guessing += guesses
        try:
            yield
        finally:
            session.guessing -= guesses
            self._is_unmet = guesses and session.unmet > self._unmet

    def settle(self) -> None:
        """At the end of an iteration: lists in the place of carried ones are arrays as well."""
        now = st.snapshot(self.frame)
        for owner, key, x in self.before.locations():
            form = self.before.heap.get(x, {}).get(FORM) if isinstance(x, ListObj) else None
            y = (now.envs.get(owner) or now.heap.get(owner) or {}).get(key)
            if not isinstance(form, Grown | Laid) or not isinstance(y, ListObj) or y is x:
                continue
            if not isinstance(key, str) or not key.endswith(".last"):
                settle_list(self.frame, form, y)
            if isinstance(form, Laid):
                continue
            if isinstance(y.form, Grown | Laid | None) and y.cls is x.cls and self.carries(x):
                formed_like(self.frame, y, form)
        self.choices.settle()

    def waits(self) -> bool:
        """Whether something read in this attempt waits to be bound; the next one will not."""
        waits = self._guesses and self.frame.session.unmet > self._unmet
        self._guesses = False
        return waits

    def _enter(self) -> None:
        """Set the state at the body's entry: parameters for what is known to be carried."""
        self._attempts += 1
        if self._attempts > MAX_ATTEMPTS:
            raise error("E122", None, what="a variable of the loop")
        session = self.frame.session
        self.params = {}
        for path, kind in self._found.types.items():
            param = self.params[path] = Value(name_at(path), kind, path in self._found.partial)
            session.loop_varying[param] = self.token
        st.restore(filled_state(self._template, self.params.__getitem__, self.before))
        if self._join is not None:
            self._join.freeze(self.frame)
        self._note_arrays(self.params)
        for param in self.params.values():
            session.kinds.carry(param)

    def _note_arrays(self, made: dict[Path, Value], runs: bool = False) -> None:
        """Say which arrays the parameters or results hold, of which kinds they are, and what they
        may share memory with."""
        memory = self.frame.session.memory
        for path, value in made.items():
            if path[0] is MEMORY:
                memory.own(value, path[1])
            is_column = any(part is FORM for part in path) and LAID not in path
            if is_column and rank_of(value.type) != 1:
                memory.entangled[value] = CHANGED
            if path in self._found.stale:
                memory.contents[value] = Stale(self.frame.session.builder.loc)
        kinds = self.frame.session.kinds
        for path, several in self._found.several:
            kinds.put(made[path], [kinds.of(self._ends[path][1])] if runs else several)
        for path in self._found.cast:
            kinds.hand_on(made[path], self._ends[path])
        memory.join(
            {made[path]: roots for path, roots in self._found.roots},
            [frozenset(made[path] for path in pair) for pair in self._found.overlaps],
        )
        self.choices.note(made, self._found.overlaps)

    def refusal(self, problem: SrcadError) -> SrcadError:
        """The error for a body that cannot be lowered because the rank of what it carries is not
        known; lowers the loop again if a list has grown until then.
        """
        for obj, items in self.before.heap.items():
            if isinstance(obj, ListObj) and not st.same(tuple(contents(obj)), tuple(items)):
                grow(self.frame, obj)
                carry(self.frame, obj, items, contents(obj))
        for path, kind in self._found.types.items():
            if problem.code == "E123" and isinstance(kind, ArrayType) and kind.shape is None:
                found = error("E122", None, what=f"`{name_at(path)}`")
                found.__cause__ = problem
                return found
        return problem

    def is_complete(self, is_settled: bool = True) -> bool:
        """Join the states before the loop and after the body; whether that finds nothing new, and
        what else the body finds `is_settled`.
        """
        after = self._after = st.snapshot(self.frame)
        types: dict[Path, Type] = {}
        self._ends = {}
        arrays: dict[tuple[Abstract, Abstract], Path] = {}

        def leaf(first: Abstract, last: Abstract, path: Path) -> Abstract:
            if path[0] is not MEMORY and is_array(last):
                if (first, last) in arrays:
                    return Hole(arrays[first, last])
                arrays[first, last] = path
            types[path] = self._type(path, first, last)
            self._ends[path] = (first, last)
            return Hole(path)

        self._join = join = Join(
            self.before, self.before, after, leaf, "E122", self._found.types, self._found.kinds,
            self.carries, alone=self._alone,
        )  # fmt: skip
        try:
            state = join.state()
        except Growth as grown:
            grow(self.frame, grown.obj)
            carry(self.frame, grown.obj, *grown.several, is_other=grown.is_other)
            raise
        self._template = join.complete(state)
        self.frame.session.has_other_lists |= join.has_other_lists
        if self.choices.find(self._ends):
            return self.is_complete(is_settled)
        merged = frozenset(path for path, _ in join.merged.values())
        found = Found(
            types, join.kinds, frozenset(join.conflicts), merged, *self._sharing(),
            self._several(), self._cast(), self._partial(),
        )  # fmt: skip
        is_settled &= self.choices.is_settled
        is_known, self._found = is_settled and found == self._found, found
        self._guesses = self._guesses and not is_known
        return is_known and not self._is_unmet

    def _type(self, path: Path, first: Abstract, last: Abstract) -> Type:
        """The type that holds the first value, those of iterations known so far, and the last."""
        if last is UNBOUND:
            raise Mismatch
        if self.peels and path[0] is not MEMORY and becomes_another(first, last):
            raise FirstDiffers(path)
        session = self.frame.session
        kind = type_of_leaf(first if last is FILLER else last)
        if FILLER in (first, last):
            kind = filled(session, kind)
        known = self._found.types.get(path) or (kind if is_nothing(first) else type_of_leaf(first))
        if rank_of(known) and rank_of(kind) and rank_of(known) != rank_of(kind):
            raise Mismatch
        is_met = fits(kind, known) and not changes_extent(first, known, kind)
        joined = known if is_met else join_types(known, kind)
        # An int that changes from one iteration to the next is no array's extent.
        return NumberType(joined.kind) if isinstance(joined, NumberType) else joined

    def _sharing(self) -> tuple[frozenset[Any], frozenset[Any], frozenset[Any]]:
        """The arrays from before the loop that each carried one may be, the pairs that may share
        memory, and those that may be stale, at the start of an iteration.
        """
        memory, clock = self.frame.session.memory, self.before.clock
        ends = {
            path: pair
            for path, pair in self._ends.items()
            if path[0] is not MEMORY and any(map(is_array, pair))
        }
        roots = {
            (path, memory.roots_before(first, clock) | memory.roots_before(last, clock))
            for path, (first, last) in ends.items()
        }
        pairs = {
            frozenset((p, q))
            for p, q in combinations(ends, 2)
            if memory.overlaps(ends[p][0], ends[q][0]) or memory.overlaps(ends[p][1], ends[q][1])
        }
        stale = {
            path
            for path, pair in ends.items()
            for state, x in zip((self.before, self._after), pair, strict=True)
            if is_array(x) and isinstance(state.arrays.get(memory.root(x)), Stale)
        }
        return frozenset(roots), frozenset(pairs), frozenset(stale)

    def _several(self) -> tuple[tuple[Path, frozenset[Kinds]], ...]:
        """The kinds of what is carried: before the loop, after the iterations known so far."""
        of, known = self.frame.session.kinds.of, dict(self._found.several)
        return tuple(
            (path, known.get(path, frozenset()) | {of(x) for x in pair if not is_nothing(x)})
            for path, pair in self._ends.items()
            if path[0] is not MEMORY
        )

    def _cast(self) -> frozenset[Path]:
        """The numbers that are carried of which one is of one kind where Python has another."""
        is_cast = self.frame.session.kinds.is_cast
        return frozenset(
            path
            for path, pair in self._ends.items()
            if any(is_cast(x) and not is_array(x) for x in pair)
        )

    def _partial(self) -> frozenset[Path]:
        """What is not bound before the loop, or not after each iteration."""
        return frozenset(path for path, ends in self._ends.items() if any(map(is_partial, ends)))

    def _settled(self, side: int, body: list[Stmt]) -> list[Any]:
        """What is carried as it stands before the loop (0), or at the end of an iteration (1)."""
        session = self.frame.session
        session.memory.contents = dict((self.before, self._after)[side].arrays)
        with session.builder.into(body):
            return [
                as_joined(session, pair[side], self._found.types[path])[0]
                for path, pair in self._ends.items()
            ]

    def check_bound(self, body: list[Stmt]) -> None:
        """Raise `FirstDiffers` where an iteration reads a variable that iterations alone bind."""
        ops = (stmt for stmt in statements(Block([], body, [])) if isinstance(stmt, Op))
        read = {v for op in ops for v in reads(op)}
        for path, param in self.params.items():
            is_variable = isinstance(path[0], Frame) and path[1].isidentifier()
            if self.peels and is_variable and is_partial(self._ends[path][0]) and param in read:
                raise FirstDiffers(path)

    def leave(
        self, body: list[Stmt], runs: bool = False
    ) -> tuple[list[Value], list[Any], list[Any], tuple[Value, ...]]:
        """Parameters, initial atoms, results and outs of the loop; sets the state after it.

        Args:
            runs: there is an iteration for certain.
        """
        session = self.frame.session
        init = self._settled(0, session.builder.body)
        results = self._settled(1, body)
        kinds = types_after(self._found.types, [first for first, _ in self._ends.values()])
        partial = self._found.partial
        outs = {path: Value(name_at(path), kinds[path], path in partial) for path in self._ends}
        after = filled_state(self._template, outs.__getitem__, None)
        hide_escaping(after, {*st.made_in(body), *self.params.values()}, "E122")
        st.restore(after)
        self._note_arrays(outs, runs)
        self.choices.close()
        assert self._join is not None
        self._join.freeze(self.frame)
        params = [self.params[path] for path in self._ends]
        return params, init, results, tuple(outs.values())


__all__ = ["Carrying"]
