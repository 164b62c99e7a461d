"""`any`, `all` and `next` of generator expressions: loops that are left where the answer is known.

any(x > 1 for x in xs)      ->      For(xs): left = gt(x, 1) -> left, exit: left
"""

from __future__ import annotations

from srcad.errors import error
from srcad.frontend.abstract.closures import Generator
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract
from srcad.frontend.abstract.outcomes import Outcome, flags_of, outcome_of
from srcad.frontend.expressions.operators import negation
from srcad.frontend.loops.loops import for_each
from srcad.frontend.statements.leaving import unless
from srcad.frontend.statements.truth import truth
from srcad.ir.nodes import Value
from srcad.runtime.effects import raise_


def holds(frame: Frame, x: Generator, is_all: bool) -> Abstract:
    """`all` or `any` of the items."""

    def body(item: Abstract) -> Outcome | None:
        known = truth(frame, item)
        if not isinstance(known, Value):
            return Outcome("break") if bool(known) is not is_all else None
        flag = negation(frame, known) if is_all else frame.session.emit(bool, (known,))
        return outcome_of((flag, flag, False), UNBOUND)

    left = flags_of(for_each(frame, x, body))[1]
    return negation(frame, left) if is_all else left


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


__all__ = ["first_of", "holds"]
