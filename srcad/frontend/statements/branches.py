"""Branches: both sides are lowered, and what differs afterwards becomes results of one `If`.

if x > 0:                     c = gt(x, 0)
    y = 2.0 * x               y = If(c): t = mul(2.0, x); yield t
    d["n"] = 1        ->            else: yield x
else:                         d["n"], too, where one side changed it
    y = x
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import (
    MUTABLE,
    Container,
    ListObj,
)
from srcad.frontend.abstract.containers.contents import FORM
from srcad.frontend.abstract.containers.reachable import containers_in, outward, reachable
from srcad.frontend.abstract.fillers import filled, filler
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_containers import Growth, OtherLists, hide_escaping
from srcad.frontend.abstract.joined_types import Mismatch, join_types, type_of_leaf
from srcad.frontend.abstract.joins import Join
from srcad.frontend.abstract.objects import (
    FILLER,
    UNBOUND,
    Abstract,
    is_leaf,
    is_nan,
    is_nothing,
    is_partial,
)
from srcad.frontend.abstract.paths import CODE, MEMORY, Path, name_at
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.lists.carried import carry
from srcad.frontend.lists.growing_lists import grow
from srcad.frontend.lists.paths import form_pair, form_sides, refuse
from srcad.frontend.memory.chosen import CHOSEN, Chosen, Stale
from srcad.frontend.memory.memory import Memory
from srcad.frontend.statements.chosen_arrays import find_choices
from srcad.ir.kinds import is_array
from srcad.ir.nodes import UNDEFINED, Block, If, Value
from srcad.ir.types import Type, dtype_of, rank_of
from srcad.once import cached_property

RAISED = object()


class Branching:
    """Two paths being lowered: `run` each, then `join`."""

    def __init__(self, frame: Frame, cond: Value) -> None:
        self.frame = frame
        self.cond = frame.session.memory.read(cond)
        self.loc = frame.session.builder.loc
        self.before = st.snapshot(frame)
        self.bodies: list[list[Any]] = []
        self.states: list[st.State] = []
        self._pairs: list[tuple[Any, Any, Value]] = []
        self._arrays: dict[tuple[Any, Any], Value] = {}
        self._apart: set[tuple[Any, Any]] = set()
        self._bound = frame.session.bound_where.get(self.cond, ())

    def run(self, path: Callable[[], Any], holds: bool | None = None) -> Any:
        """Lower one path into a block of its own, from the state at the fork; its result.

        `RAISED`: it ends in an exception. The condition `holds` on the path that runs first, unless
        that is said.
        """
        session = self.frame.session
        holds = not self.bodies if holds is None else holds
        st.restore(self.before)
        session.conditions.append((len(session.active_calls), self.cond))
        try:
            with session.block() as body:
                session.codes.assume(self.cond, holds)
                try:
                    result = path()
                except Raising:
                    result = RAISED
        finally:
            session.conditions.pop()
        self.bodies.append(body)
        self.states.append(st.snapshot(self.frame))
        return result

    def join(
        self,
        *results: tuple[Abstract, Abstract],
        names: Sequence[str] = (),
        returned: int | None = None,
    ) -> list[Abstract]:
        """Join the states and the given pairs of results, and append the `If`.

        `names` are wishes for those of the results; `returned`: the path that leaves the function.

        Raises:
            Mismatch: results of different structure.
        """
        with self.frame.session.unwatched():  # what it takes to join them raises nothing
            return self._join(results, names, returned)

    def _join(
        self, results: tuple[tuple[Abstract, Abstract], ...], names: Sequence[str],
        returned: int | None,
    ) -> list[Abstract]:  # fmt: skip
        last = [] if returned is None else [pair[returned] for pair in results]
        keys = names or range(len(results))
        while True:
            try:
                join, state = self._joined(returned, last)
                pairs = zip(keys, results, strict=True)
                joined = [join.tree(x, y, ("", key)) for key, (x, y) in pairs]
                break
            except OtherLists as found:
                self._form(found.pair)
        state = join.complete(state)
        made = {v for body in self.bodies for v in st.made_in(body)}
        hide_escaping(state, made, "E129")
        if any(isinstance(v, Value) and v in made for v in _hidden(joined, state)):
            raise Mismatch
        chosen = self._choices()
        settled = [self._at_end(side) for side in (0, 1)]
        st.restore(state)
        join.freeze(self.frame, joined)
        self._note_arrays()
        self._append(settled)
        memory = self.frame.session.memory
        for out, (choice, own) in chosen.items():
            if out not in memory.contents:
                memory.choose(out, choice, own)
        return joined

    def _choices(self) -> dict[Value, tuple[Chosen, Value | None]]:
        """Which arrays those are that were joined, where that is asked."""
        if CHOSEN not in self.frame.session.inputs.statics:
            return {}
        lifted: dict[Value, Value] = {}

        def lift(x: Value, side: int) -> Value:
            if x not in lifted:
                out = lifted[x] = Value(x.name, x.type)
                other = False if dtype_of(x.type) == np.bool_ else 0
                a, b = (x, other) if side == 0 else (other, x)
                self._pairs.append((a, b, out))
            return lifted[x]

        joined = {out: pair for pair, out in self._arrays.items()}
        return find_choices(self.cond, joined, self.bodies, self.before, lift)

    def _joined(self, returned: int | None, last: list[Abstract]) -> tuple[Join, st.State]:
        """The join of both states; a list of another length on each path is an array of items, if
        the path that has `returned`, with the `last` results, does not forget it.
        """
        while True:
            apart = self._apart if self.frame.session.carries else None
            first, second = self.states
            ends, bound = (self.before, first, second), self._bound
            join = Join(*ends, self._leaf, "E129", apart=apart, bound=bound)
            try:
                return join, join.state()
            except Growth as found:
                if returned is not None and self._forgets(returned, found.obj, last):
                    continue
                grow(self.frame, found.obj)
                carry(self.frame, found.obj, *found.several)
                if self.frame.session.growing_on_paths and not self.frame.session.carries:
                    refuse()
                form_sides(self.frame, found, self.states, self.bodies)
                self._pairs.clear()
                self._arrays.clear()

    def _form(self, pair: tuple[ListObj, ListObj]) -> None:
        """Make arrays of the items of two lists of which one is there after each path."""
        if not form_pair(self.frame, pair, self.states, self.bodies):
            self._apart.add(pair)
        self._pairs.clear()
        self._arrays.clear()

    def _forgets(self, path: int, x: Container, last: list[Abstract]) -> bool:
        """Make a container as long on a path that has left the function as on the other one, if it
        is the function's own: nothing reads it there.
        """
        frame, session = self.frame, self.frame.session
        there, other = self.states[path].heap, self.states[1 - path].heap.get(x)
        if other is None or x not in there or FORM in other:
            return False
        st.restore(self.states[path])
        around = {*session.frames, *session.shared_frames, *outward(frame.outer)} - {frame}
        roots = [y for each in around for y in each.env.values()]
        if x in session.inputs.lifted or x in containers_in([*roots, *last]):
            return False
        there[x] = dict.fromkeys(other, FILLER)
        self._pairs.clear()
        self._arrays.clear()
        return True

    def swap(self) -> None:
        """The path that ran first is the second one."""
        self.bodies.reverse()
        self.states.reverse()

    def only(self, which: int) -> None:
        """One path raises: append it alone; what follows is lowered after it, from the state at
        the fork.
        """
        st.restore(self.before)
        blocks = [Block([], [], []), Block([], [], [])]
        blocks[which].body = self.bodies[-1]
        self.frame.session.builder.body.append(If(self.cond, blocks[0], blocks[1], (), self.loc))
        self.frame.session.codes.assume(self.cond, which == 1)

    def _leaf(self, a: Abstract, b: Abstract, path: Path) -> Abstract:
        session = self.frame.session
        if path[0] is MEMORY:
            out = Value(path[1].name, path[1].type)
            session.memory.own(out, path[1])
            self._pairs.append((a, b, out))
            return out
        if (a, b) in self._arrays:
            return self._arrays[a, b]
        known = b if is_nothing(a) else a
        name = name_at(path) or (known.name if isinstance(known, Value) else "")
        if FILLER in (a, b):
            partial = is_partial(known) and (is_nothing(a) or a not in self._bound)
            out = Value(name, filled(session, type_of_leaf(known), self._around), partial)
        elif UNBOUND in (a, b):
            out = Value(name, type_of_leaf(known), partial=True)
        else:
            joined = join_types(type_of_leaf(a), type_of_leaf(b))
            out = Value(name, joined, is_partial(a) or is_partial(b))
        session.kinds.meet(out, [x for x in (a, b) if not is_nothing(x)])
        if path[-1] is CODE:
            session.codes.join(self.cond, a, b, out)
        if dtype_of(out.type) == np.bool_ and rank_of(out.type) == 0:
            session.codes.chosen[out] = (self.cond, a, b)
        self._pairs.append((a, b, out))
        if is_array(out):
            self._arrays[a, b] = out
        return out

    @cached_property
    def _around(self) -> list[Value]:
        """The arrays that there are before the paths part: names and containers may have got others
        since.
        """
        before = self.before
        contents = [x for _, _, x in before.locations()]
        return [x for x in reachable(contents, before.envs, before.heap) if is_array(x)]

    def _at_end(self, side: int) -> list[tuple[Any, Stale | None]]:
        """What one path gives for each pair, as it stands at the end of the path."""
        memory, builder = self.frame.session.memory, self.frame.session.builder
        memory.contents = dict(self.states[side].arrays)
        with builder.into(self.bodies[side]):
            session = self.frame.session
            return [
                as_joined(session, pair[side], pair[2].type, self._around) for pair in self._pairs
            ]

    def _note_arrays(self) -> None:
        """Which of the arrays that were joined may share memory, with each other and others."""
        memory = self.frame.session.memory
        meet(memory, {out: pair for pair, out in self._arrays.items()})

    def _append(self, settled: list[list[tuple[Any, Stale | None]]]) -> None:
        builder, memory = self.frame.session.builder, self.frame.session.memory
        for k, (_, _, out) in enumerate(self._pairs):
            stale = settled[0][k][1] or settled[1][k][1]
            if stale is not None:
                memory.contents[out] = stale
        blocks = [
            Block([], body, [atom for atom, _ in ends])
            for body, ends in zip(self.bodies, settled, strict=True)
        ]
        outs = tuple(out for _, _, out in self._pairs)
        if outs or any(self.bodies):
            builder.body.append(If(self.cond, blocks[0], blocks[1], outs, self.loc))


def as_joined(
    session: Session, x: Abstract, joined: Type, around: Sequence[Value] = ()
) -> tuple[Any, Stale | None]:
    """What a joined value of type `joined` gets of `x`: an array with the dtype that it says, since
    what is computed later may be written into its memory. A filler is as long as arrays `around`.
    A conversion of what is bound on some paths only is marked so (`partial_sinking`).
    """
    builder, memory = session.builder, session.memory
    if x is FILLER:
        return filler(session, joined, around), None
    if not isinstance(x, Value):
        session.has_joined_nan |= is_nan(x)
        return (UNDEFINED if x is UNBOUND else x), None
    atom, stale = memory.read_or_stale(x)
    if stale is None and is_array(atom) and dtype_of(atom.type) != dtype_of(joined):
        converted = builder.emit(np.astype, (atom, dtype_of(joined)))
        converted.partial = atom.partial
        atom = converted
    return atom, stale


def meet(memory: Memory, joined: dict[Value, tuple[Abstract, Abstract]]) -> None:
    """Note arrays that were joined of two each: they overlap if they do on either path."""
    roots = {
        out: frozenset(memory.root(x) for x in pair if is_array(x)) for out, pair in joined.items()
    }
    pairs = [
        frozenset((x, y))
        for x, y in combinations(joined, 2)
        if any(memory.overlaps(a, b) for a, b in zip(joined[x], joined[y], strict=True))
    ]
    memory.join(roots, pairs)


def _hidden(joined: list[Abstract], state: st.State) -> list[Abstract]:
    """What the joined results refer to without consisting of it."""
    opaque = [
        x
        for x in reachable(joined, state.envs)
        if not is_leaf(x) and not isinstance(x, (tuple, *MUTABLE))
    ]
    return reachable(opaque, state.envs)


def choose(
    frame: Frame, cond: Value, then: Callable[[], Abstract], orelse: Callable[[], Abstract]
) -> Abstract:
    """`then() if cond else orelse()`."""
    fork = Branching(frame, cond)
    first = fork.run(then)
    if first is RAISED:
        fork.only(0)
        return orelse()
    second = fork.run(orelse)
    if second is RAISED:
        fork.only(1)
        return then()
    try:
        return fork.join((first, second))[0]
    except Mismatch:
        raise error("E129", None, what="the result of a conditional expression") from None
