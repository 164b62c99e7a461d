"""`any`, `all` and `next` of generator expressions: loops that are left where the answer is known.

any(x > 1 for x in xs)      ->      For(xs): left = gt(x, 1) -> left, exit: left
any(v > 1 for v in [a, b])  ->      or_(gt(a, 1), gt(b, 1))
any(1 / v for v in [a, b])  ->      If(bool(1 / a)): yield True   else: yield bool(1 / b)
"""

from __future__ import annotations

import operator
from collections.abc import Iterator as Items

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.closures import Generator
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract
from srcad.frontend.abstract.outcomes import Outcome, flags_of, outcome_of
from srcad.frontend.abstract.signals import Pending, Raising
from srcad.frontend.expressions.operators import negation
from srcad.frontend.iterators.pulled import leave_by_data
from srcad.frontend.loops.acting import Watch
from srcad.frontend.loops.loops import for_each
from srcad.frontend.loops.unrolling import MAX_NESTING
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.leaving import unless
from srcad.frontend.statements.truth import truth
from srcad.ir.nodes import Value
from srcad.runtime.effects import raise_

_END = object()


def holds(frame: Frame, x: Abstract, is_all: bool) -> Abstract:
    """`all` or `any` of the items."""

    def body(item: Abstract) -> Outcome | None:
        known = truth(frame, item)
        if not isinstance(known, Value):
            return Outcome("break") if bool(known) is not is_all else None
        flag = negation(frame, known) if is_all else frame.session.emit(bool, (known,))
        return outcome_of((flag, flag, False), UNBOUND)

    left = flags_of(for_each(frame, x, body))[1]
    return negation(frame, left) if is_all else left


def decided(frame: Frame, x: Abstract, items: Items[Abstract], is_all: bool) -> Abstract:
    """`all` or `any` of the `items` of `x`, which are known one by one and asked for in turn."""
    return _Decision(frame, x, items, is_all).go_on(None, 0)


class _Decision:
    """`all` or `any` of items that are known one by one.

    Where data decides whether an item is asked for, and asking for it changes and raises nothing,
    it is asked for all the same.
    """

    def __init__(self, frame: Frame, x: Abstract, items: Items[Abstract], is_all: bool) -> None:
        self.frame = frame
        self.x = x
        self.items = items
        self.is_all = is_all
        self.raises = self.ends = False

    def go_on(self, flag: Abstract, depth: int) -> Abstract:
        """What the items that are left decide, after those of the `flag`, None where these decide
        nothing.
        """
        session = self.frame.session
        fn = operator.and_ if self.is_all else operator.or_
        while not self.ends:
            watch = None if flag is None else Watch(self.frame)
            known = self.next_truth(flag is None)
            if watch is not None:
                leave_by_data(self.x)
                if self.raises or watch.acts():
                    return self.apart(flag, known, watch, depth)
            if isinstance(known, Value):
                flag = known if flag is None else session.emit(fn, (flag, known))
            elif known is not self.is_all:
                return known
        return self.is_all if flag is None else flag

    def next_truth(self, is_asked: bool) -> Abstract:
        """The truth of the next item, that of no decision at their end."""
        try:
            item = next(self.items, _END)
            self.ends = item is _END
            known = self.is_all if self.ends else truth(self.frame, item)
        except Pending:
            raise
        except Raising:
            if is_asked:
                raise
            self.raises = True
            return self.is_all
        return self.frame.session.emit(bool, (known,)) if isinstance(known, Value) else bool(known)

    def apart(self, flag: Value, known: Abstract, watch: Watch, depth: int) -> Abstract:
        """What is decided where an item, whose truth is `known`, is asked for on the path alone on
        which the `flag` decides nothing.
        """
        if depth == MAX_NESTING:
            what = f"`any` or `all` of more than {depth} items, each with an effect of its own,"
            raise error("E113", None, what=what)
        session, after = self.frame.session, st.snapshot(self.frame)
        made = watch.undo()

        def rest() -> Abstract:
            session.builder.body.extend(made)
            st.restore(after)
            if self.raises:
                raise Raising
            if not isinstance(known, Value) and known is not self.is_all:
                return known
            return self.go_on(known if isinstance(known, Value) else None, depth + 1)

        def stop() -> Abstract:
            return not self.is_all

        return choose(self.frame, flag, *((rest, stop) if self.is_all else (stop, rest)))


def first_of(frame: Frame, x: Generator, default: Abstract = UNBOUND) -> Abstract:
    """The first item, or the default where there is none."""
    found = for_each(frame, x, lambda item: Outcome("return", item))

    def otherwise() -> Outcome:
        if default is not UNBOUND:
            return Outcome("return", default)
        frame.session.effect(raise_, StopIteration)
        return Outcome("raise")

    result = unless(frame, flags_of(found)[2], found, otherwise)
    if result is None or result.kind != "return":
        raise error("E132", None, what="`next` of an iterator without items")
    return result.value


__all__ = ["decided", "first_of", "holds"]
