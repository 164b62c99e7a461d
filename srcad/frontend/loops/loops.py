"""`for` over anything: unrolled where the items are known or the body needs constants.

for x in xs:                                      left = False
    if x > 1:                                     For(xs): If(gt(x, 1)): yield True
        break                             ->               else: ...; yield False
    s = s + x                                              -> left, exit: left
else:                                             If(not left): s = 0
    s = 0
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from srcad.errors import Location, SrcadError, UnsupportedSyntax, error
from srcad.frontend.abstract.closures import Generator, Suspended
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.containers.reachable import parts_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import Enumerate, OneShot
from srcad.frontend.abstract.objects import Abstract, Range
from srcad.frontend.abstract.outcomes import Outcome, flags_of
from srcad.frontend.dispatch import assign, expression
from srcad.frontend.iterators.counted import Trip, counted, made_of
from srcad.frontend.iterators.over_generators import is_waiting, over_enumerated, over_generator
from srcad.frontend.iterators.pulled import consume
from srcad.frontend.lists.growing import Growing
from srcad.frontend.lists.growing_lists import is_few, opening
from srcad.frontend.loops.beyond import acts, ask
from srcad.frontend.loops.iteration import MAX_UNROLL, is_listed, iterated, listed
from srcad.frontend.loops.open_loop import OpenLoop
from srcad.frontend.loops.peeling import kept_or_peeled
from srcad.frontend.loops.trips import (
    backwards,
    index_type,
    iterations_before,
    note_span,
    number_of_iterations,
    ordered_bounds,
    surely_runs,
)
from srcad.frontend.loops.unrolling import (
    MAX_NESTING,
    STRUCTURAL,
    TOLD,
    WHAT,
    kept_or_unrolled,
    unrolled,
)
from srcad.frontend.reading.input_extents import MAX_STATIC_EXTENT
from srcad.frontend.statements.branches import RAISED, Branching
from srcad.frontend.statements.conditions import condition
from srcad.frontend.statements.leaving import join_outcomes, run_iteration, unless
from srcad.ir.nodes import For, Value

Body = Callable[[Abstract], Outcome | None]


def for_each(
    frame: Frame,
    iterable: Abstract,
    body: Body,
    name: str = "i",
    growing: Growing | None = None,
) -> Outcome | None:
    """Run `body(item)` for each item, unrolled or as a `For`; returns how the loop was left, None
    where its items ran out.
    """
    iterable = iterated(frame, iterable)
    if is_waiting(iterable):
        return over_generator(frame, iterable, body)
    if isinstance(iterable, Enumerate) and is_waiting(iterable.inner):
        return over_enumerated(frame, iterable, body)
    if isinstance(iterable, Generator):
        iterable.source = iterated(frame, iterable.source)
    if isinstance(iterable, Generator) and not is_simple(iterable):
        consume(frame.session, iterable)
        return _over_clauses(frame, iterable, body)
    if is_listed(iterable):
        return _over_items(frame, iterable, body)
    consume(frame.session, iterable)
    # The target is the index only of a range, and `_` says that it is not read.
    counts = isinstance(iterable, range | Range) and name != "_"
    trip = replace(counted(frame, iterable), name=name if counts else "i")
    is_unrolled = is_few(trip.start, trip.stop, trip.step)
    if growing is None or (is_unrolled and not growing.is_needed):
        growing = Growing(frame, {})
    with _iterating(frame, iterable):
        outcome = _kept(frame, trip, body, growing)
    if trip.beyond is None or not acts(frame, trip.beyond):
        return outcome
    if outcome is not None and outcome.kind == "raise":
        return outcome
    return unless(frame, flags_of(outcome)[1], outcome, partial(ask, frame, trip.beyond))


@contextmanager
def _iterating(frame: Frame, x: Abstract) -> Iterator[None]:
    """Inside, lists whose items are iterated over by an array of them do not change."""
    waiting, lists, iterated = [x], [], frame.session.iterated
    while waiting:
        each = waiting.pop()
        if isinstance(each, ListObj):
            lists.append(each)
        elif isinstance(each, OneShot):
            waiting.extend(parts_of(each))
    iterated.extend(lists)
    try:
        yield
    finally:
        del iterated[len(iterated) - len(lists) :]


def _kept(frame: Frame, trip: Trip, body: Body, growing: Growing) -> Outcome | None:
    at = frame.session.builder.loc
    return kept_or_unrolled(
        frame,
        lambda: _peeled_loop(frame, trip, body, growing),
        lambda otherwise: unrolled(frame, _constant_items(frame, trip, otherwise, at), body),
    )


def _peeled_loop(frame: Frame, trip: Trip, body: Body, growing: Growing) -> Outcome | None:
    """A `For`, after its first iteration where that is another one than those that follow."""
    start, step = trip.start, trip.step
    if trip.reverse or type(start) is not int or type(step) is not int or step < 1:
        return _opening_loop(frame, trip, body, growing, False)
    following = replace(trip, start=start + step)
    return kept_or_peeled(
        frame,
        partial(_opening_loop, frame, trip, body, growing),
        lambda: frame.session.is_less(start, trip.stop),
        lambda: body(trip.item(start)),
        lambda: _opening_loop(frame, following, body, growing.again(), False),
    )


def _opening_loop(
    frame: Frame, trip: Trip, body: Body, growing: Growing, peels: bool
) -> Outcome | None:
    """A `For`, lowered again with the lists to which it turns out to append."""

    def keep(growing: Growing) -> Outcome | None:
        is_reversed = trip.reverse and bool(growing.lists)
        forwards = backwards(frame, trip) if is_reversed else trip
        return _counted_loop(frame, forwards, body, growing, peels)

    return opening(frame, growing, keep)


def _over_items(frame: Frame, iterable: Abstract, body: Body) -> Outcome | None:
    """A loop over known items: unrolled; as one over an array where they are too many numbers for
    a loop that may be left after each.
    """
    numbers = _numbers(iterable)
    if len(numbers) <= MAX_NESTING:
        return unrolled(frame, listed(frame, iterable, "a loop"), body)

    def over_an_array(refusal: SrcadError | None) -> Outcome | None:
        emit, kind = frame.session.emit, type(numbers[0])
        array = emit(np.array, (numbers,))
        trip = Trip(0, len(numbers), 1, lambda i: emit(kind, (emit(operator.getitem, (array, i)),)))
        outcome = _counted_loop(frame, trip, body, Growing(frame, {}), False)
        if _numbers(iterable) != numbers and refusal is not None:  # the body changes the list
            raise refusal
        return outcome

    def keep() -> Outcome | None:
        return unrolled(frame, listed(frame, iterable, "a loop"), body)

    return kept_or_unrolled(frame, keep, over_an_array, ("E113",))


def _numbers(x: Abstract) -> tuple[Any, ...]:
    """The items of a list or tuple of floats, or of ints; nothing for another one."""
    items = tuple(x.items) if isinstance(x, ListObj) and x.cls is list else x
    if not isinstance(items, tuple) or not items or type(items[0]) not in (float, int):
        return ()
    return items if all(type(each) is type(items[0]) for each in items) else ()


def _constant_items(
    frame: Frame, trip: Trip, otherwise: SrcadError | None, at: Location | None
) -> Iterator[Abstract]:
    """The items of a loop to be unrolled; `otherwise` is raised where its bounds cannot be
    constants.
    """
    if not is_few(trip.start, trip.stop, trip.step):
        frame.session.carry_instead(otherwise)
    try:
        bounds = [frame.session.static(b, WHAT) for b in (trip.start, trip.stop, trip.step)]
    except UnsupportedSyntax as problem:
        raise otherwise or problem from None
    indices = range(*bounds)
    is_structural = otherwise is not None and otherwise.code in STRUCTURAL
    if otherwise is not None and is_structural and len(indices) > MAX_STATIC_EXTENT:
        raise otherwise
    if len(indices) > MAX_UNROLL:
        fix = f"keep what it makes in an array; at most {MAX_UNROLL:,} iterations are unrolled"
        raise error("E123", None, what=f"{WHAT} {len(indices)},", fix=fix)
    if len(indices) > TOLD and at is not None and not frame.is_ours:
        frame.session.unrolled[at] = len(indices)
    ordered: Iterable[int] = reversed(indices) if trip.reverse else indices
    return map(trip.item, ordered)  # each is read when its turn comes


def _counted_loop(
    frame: Frame, trip: Trip, body: Body, growing: Growing, peels: bool
) -> Outcome | None:
    """Lower a `For`: find what it carries, then append it."""
    session = frame.session
    loop = OpenLoop(frame, growing, peels)
    while True:
        session.builder.loc = loop.loc
        index = Value(trip.name, index_type(trip))
        session.loop_varying[index] = loop.token
        note_span(session, trip, index)
        with (
            loop.refusals(),
            loop.carrying.attempt(),
            session.block() as statements,
            session.checkpointed(None),
        ):
            iteration = partial(lambda index: body(trip.item(index)), index)
            outcome = run_iteration(
                partial(growing.iteration, iteration, iterations_before(session, trip, index))
            )
            loop.note(outcome, flags_of(outcome)[1])
        if loop.is_complete():
            break
    ends = loop.ends(statements, surely_runs(trip))
    if ends.has_exits and trip.reverse:
        trip = backwards(frame, trip)
    start, stop, step = (session.atom(b) for b in (trip.start, trip.stop, trip.step))
    seqs = growing.sequences()
    ends.block.params = [index, *ends.params]
    how = session.checkpointing
    stmt = For(
        start, stop, step, trip.reverse, ends.init, [], ends.block, ends.outs, seqs, loop.loc,
        ends.has_exits, None, how,
    )  # fmt: skip
    loop.close(
        stmt,
        ends.outs,
        seqs,
        *(() if ends.has_exits else (number_of_iterations(session, trip), ordered_bounds(trip))),
    )
    return loop.leaving.outcome()


# Generator expressions ---------------------------------------------------------------------------


def is_simple(x: Generator) -> bool:
    """Whether it has one clause and no condition, over what has an index."""
    clauses = x.node.generators
    return len(clauses) == 1 and not clauses[0].ifs and not isinstance(x.source, Suspended)


def _over_clauses(frame: Frame, x: Generator, body: Body) -> Outcome | None:
    """A generator expression with conditions or several clauses: loops and branches inside each
    other.
    """
    inner = x.frame.scope()

    def over(source: Abstract, clause: Any, rest: list[Any]) -> Outcome | None:
        def iteration(item: Abstract) -> Outcome | None:
            assign(inner, clause.target, item)
            with frame.in_loop():
                return where(clause.ifs, rest)

        return for_each(frame, source, iteration)

    def where(tests: list[Any], rest: list[Any]) -> Outcome | None:
        def inside() -> Outcome | None:
            if rest:
                return over(expression(inner, rest[0].iter), rest[0], rest[1:])
            return body(made_of(inner, x.node.elt))

        return under(frame, inner, tests, inside)

    first, *others = x.node.generators
    return over(x.source, first, others)


def under(
    frame: Frame, inner: Frame, tests: list[Any], body: Callable[[], Outcome | None]
) -> Outcome | None:
    """`body()` where all conditions of a clause hold, each of which is read, in the scope `inner`,
    if those before it do.
    """
    if not tests:
        return body()
    cond = condition(inner, tests[0])
    if not isinstance(cond, Value):
        return under(frame, inner, tests[1:], body) if cond else None
    fork = Branching(frame, cond)
    outcome = fork.run(lambda: under(frame, inner, tests[1:], body))
    if outcome is RAISED or (outcome is not None and outcome.kind == "raise"):
        fork.only(0)
        return None
    fork.run(lambda: None)
    return join_outcomes(fork, outcome, None)


__all__ = ["for_each", "is_simple", "under"]
