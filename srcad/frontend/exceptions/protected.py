"""What runs in a `try` or a `with`: lowered into a block of its own, what it leaves behind handed
out.

    try: y = f(x); z = y + 1            ok, y', z' = If(Attempt(...), [y = f(x); z = y + 1], [])

Afterwards names and containers hold the results of the `If` instead of the values made inside. At
the entry of a handler they hold what they held wherever the body may have raised; where that
differs from place to place, or was made inside, a `Conflict`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import Grown, ListObj
from srcad.frontend.abstract.containers.contents import FORM, values_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import Mismatch
from srcad.frontend.abstract.kinds_by_data import mapped
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Conflict, Either
from srcad.frontend.abstract.outcomes import Outcome, flags_of, outcome_of
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.exceptions.changes import asking
from srcad.frontend.memory.chosen import Contents, Stale
from srcad.frontend.statements.branches import RAISED, Branching
from srcad.ir.nodes import UNDEFINED, Block, If, Op, Value
from srcad.ir.regions import Attempt, Context
from srcad.ir.types import NumberType
from srcad.ir.walk import copy_block, substitute
from srcad.ops.raising import always_raises, may_raise, may_raise_any

Raised = tuple[st.State, Op]


@dataclass
class Risks:
    """The states in which a body may raise, each with the operation that does."""

    frame: Frame
    found: list[Raised] = field(default_factory=list)

    def note(self, op: Op) -> None:
        """Called for each operation of the body, before its results are bound."""
        if may_raise(op):
            self.found.append((st.snapshot(self.frame), op))

    def of(self, exceptions: tuple[type[BaseException], ...]) -> list[st.State]:
        """The states in which one of these may be raised."""
        return [s for s, op in self.found if may_raise_any(op, exceptions)]


class Region(Branching):
    """A body being lowered, which is no path of a branch."""

    def __init__(self, frame: Frame, division: str = "") -> None:
        self.ok = Value("ok", NumberType(bool))
        super().__init__(frame, self.ok)
        self.division = division
        self.risks = Risks(frame)

    def body(
        self, path: Callable[[], Outcome | None], caught: tuple[type[BaseException], ...] = ()
    ) -> Outcome | None:
        """Lower the body; how it ends. What is `caught` here gets to no `try` around."""
        session = self.frame.session
        around = session.watchers

        outer = [_of_what_leaves(watch, caught) for watch in around]
        session.watchers = [*(() if BaseException in caught else outer), self.risks.note]
        try:
            outcome: Outcome | None = self.run(path)
        finally:
            session.watchers = around
        if outcome is RAISED:
            return Outcome("raise")
        if outcome is not None:
            self.states[-1] = st.snapshot(self.frame, outcome.value)
        return outcome

    def inline(self) -> None:
        """The body needs no region: append it as it is."""
        self.frame.session.builder.body.extend(self.bodies[0])
        st.restore(self.states[0])

    def leave(
        self,
        cond: Attempt | Context,
        outcome: Outcome | None,
        other: list[Any],
        *,
        certain: bool = True,
    ) -> Outcome | None:
        """Append the `If`, with the statements `other` for its second block, and set the state
        after it; the `outcome` of the body as it is known then.

        `certain`: what follows is run only if the body came to its end.
        """
        flags = flags_of(outcome)
        distinct = dict.fromkeys(flags)  # what was one flag must stay one
        result = (*distinct, UNBOUND if outcome is None else outcome.value)
        made = set(st.made_in(self.bodies[0]))
        blank = _Blank(made)
        self.bodies.append(other)
        self.states.append(blank.state(self.states[0]))
        try:
            ((*joined, value),) = self.join((result, blank.of(result)))
        except Mismatch:
            raise error("E129", None, what="the returned value") from None
        self.close(cond, certain=certain)
        after = dict(zip(distinct, joined, strict=True))
        skip, left, returned = (after[flag] for flag in flags)
        return outcome_of((skip, left, returned), value)

    def unknown(self, what: str, name: str | None) -> Conflict:
        """What stands for a location of which the handler does not know what it holds."""
        return Conflict("E138", what, self.divides(name))

    def divides(self, name: str | None) -> str | None:
        """What asks for the body in parts; None where it is so already."""
        wanted = asking(self.division, name)
        known = not self.division or wanted in self.frame.session.inputs.statics
        return None if known else wanted

    def raises(self, cond: Attempt, other: list[Any]) -> None:
        """The body always raises: append the `If`."""
        st.restore(self.before)
        self.bodies.append(other)
        self.close(cond, certain=False)

    def close(self, cond: Attempt | Context, *, certain: bool) -> None:
        """Give the `If` appended last its real condition; append one if there is none."""
        body = self.frame.session.builder.body
        stmt = body[-1] if body else None
        if not isinstance(stmt, If) or stmt.cond is not self.ok:
            then, orelse = (Block([], statements, []) for statements in self.bodies)
            stmt = If(self.ok, then, orelse, (), self.loc)
            body.append(stmt)
        stmt.cond = cond
        if isinstance(cond, Attempt):
            stmt.outs = (self.ok, *stmt.outs)
            stmt.then.results.insert(0, True)
            stmt.orelse.results.insert(0, False)
        else:
            stmt.orelse.results = [UNDEFINED] * len(stmt.outs)
        for out, result in zip(stmt.outs, stmt.then.results, strict=True):
            partial = isinstance(result, Value) and result.partial
            if certain:
                out.partial = partial
            elif not partial and out is not self.ok:
                self.frame.session.bound_where.setdefault(self.ok, []).append(out)


def _of_what_leaves(
    watch: Callable[[Op], None], caught: tuple[type[BaseException], ...]
) -> Callable[[Op], None]:
    """`watch`, of a `try` around, for operations whose exceptions are not all caught here."""

    def told(op: Op) -> None:
        if not always_raises(op, caught):
            watch(op)

    return told


@dataclass(frozen=True)
class _Blank:
    """Replaces what was made inside by nothing."""

    made: set[Value]

    def of(self, x: Abstract) -> Abstract:
        if isinstance(x, Value):
            return UNBOUND if x in self.made else x
        if isinstance(x, Either):
            return mapped(x, self.of)
        if isinstance(x, Grown) and not self.made.isdisjoint(x.columns):
            return x.of_columns(tuple(map(self.of, x.columns)))
        return tuple(map(self.of, x)) if type(x) is tuple else x

    def state(self, state: st.State) -> st.State:
        envs = {f: {k: self.of(x) for k, x in env.items()} for f, env in state.envs.items()}
        heap = {obj: {k: self.of(x) for k, x in c.items()} for obj, c in state.heap.items()}
        arrays = {
            a: c for a, c in state.arrays.items() if a not in self.made and c not in self.made
        }
        return replace(state, envs=envs, heap=heap, arrays=arrays)


def state_at_handler(region: Region, states: list[st.State]) -> st.State:
    """What is known where one of these `states` was left by an exception."""
    made = st.made_in(region.bodies[0])
    before = region.before

    def common(columns: list[dict[Any, Abstract]], names: bool) -> dict[Any, Abstract]:
        keys = {key: None for column in columns for key in column}
        found = {}
        for key in keys:
            unknown = region.unknown(f"`{key}`", key if names else None)
            found[key] = _agreed([c.get(key, UNBOUND) for c in columns], made, unknown)
        return found

    own = region.frame
    envs = {f: common([s.envs[f] for s in states], f is own) for f in before.envs}
    heap: dict[Any, dict[Any, Abstract]] = {}
    for obj, items in before.heap.items():
        columns = [s.heap.get(obj, items) for s in states]
        if isinstance(obj, ListObj) and any(list(column) != list(items) for column in columns):
            heap[obj] = {FORM: region.unknown("the list", None)}
            continue
        if any(list(column) != list(items) for column in columns):
            if (divides := region.divides(None)) is not None:
                raise NeedStatic(frozenset({divides}))
            what = "a container that the body of a `try` makes longer or shorter before it may fail"
            raise error("E103", None, what=what)
        heap[obj] = common(columns, names=False)
    arrays = _arrays(states, made, Stale(None, "E138", region.divides(None)))
    return replace(before, envs=envs, heap=heap, arrays=arrays)


def _agreed(xs: list[Abstract], made: set[Value], unknown: Conflict) -> Abstract:
    first = xs[0]
    is_same = all(st.same(first, x) for x in xs[1:])
    if is_same and not any(v in made for v in values_of(first)):
        return first
    return unknown


def _arrays(states: list[st.State], made: set[Value], unknown: Stale) -> Contents:
    found: Contents = {}
    for array in {a: None for s in states for a in s.arrays}:
        if array in made:
            continue
        contents = [s.arrays.get(array, array) for s in states]
        if any(c is not contents[0] for c in contents) or contents[0] in made:
            found[array] = unknown
        elif contents[0] is not array:
            found[array] = contents[0]
    return found


def hand_out_error(stmt: If, error_: Value) -> Value:
    """The exception caught in the second block as a result of `stmt`."""
    out = Value(error_.name, error_.type, partial=True)
    stmt.outs = (*stmt.outs, out)
    stmt.then.results.append(UNDEFINED)
    stmt.orelse.results.append(error_)
    return out


def join_handler(frame: Frame, ok: Value) -> None:
    """Where only the other path of a branch on `ok` does something, make it the handler."""
    body = frame.session.builder.body
    attempt, branch = (body[-2], body[-1]) if len(body) > 1 else (None, None)
    if not (isinstance(attempt, If) and attempt.outs and attempt.outs[0] is ok):
        return
    if not isinstance(branch, If) or branch.cond is not ok or branch.then.body:
        return
    inside = dict(zip(attempt.outs, attempt.then.results, strict=True))
    handler = copy_block(
        branch.orelse, dict(zip(attempt.outs, attempt.orelse.results, strict=True))
    )
    attempt.outs = (*attempt.outs, *branch.outs)
    attempt.then.results += substitute(branch.then.results, inside)
    attempt.orelse.body += handler.body
    attempt.orelse.results += handler.results
    body.pop()
