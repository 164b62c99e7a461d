"""What is done with a name that is None, a number or a text by data: for each kind in turn.

y = best * 2.0          if best_kind == 0: raise TypeError("unsupported operand ...")
                        y = best * 2.0
rate = rates[state]     rate = 0.1 if state_kind == 0 else 0.7

What Python raises for a kind is raised when the program runs. The conditions around may tell the
kind, and then nothing is asked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.kinds_by_data import Key, kind_of, resolved
from srcad.frontend.abstract.objects import Abstract, Either, Ref, is_static
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.expressions.missing import fails
from srcad.frontend.statements.branches import choose
from srcad.interrupts import raise_users_own
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType

Act = Callable[..., Abstract]
# What does the same to objects as they are: it tells what is raised for a kind.
Plain = Callable[..., Any] | None
# Of refusals that say that Python raises whatever the numbers are: what it raises.
_CERTAIN = {"E134": ValueError, "E135": LookupError}


def by_case(frame: Frame, args: tuple[Abstract, ...], act: Act, plain: Plain = None) -> Abstract:
    """`act(*args)` for whatever kinds the arguments have; `plain` does it to Python's objects."""
    args = tuple(resolved(frame.session.codes, x) for x in args)
    at = next((k for k, x in enumerate(args) if isinstance(x, Either)), None)
    if at is None:
        return _acted(frame, args, act, plain)
    x = args[at]

    def among(kinds: list[Key]) -> Abstract:
        def of_first() -> Abstract:
            case = x.cases[kinds[0]]
            try:
                return by_case(frame, (*args[:at], case, *args[at + 1 :]), act, plain)
            except SrcadError as refusal:
                if not is_static(case) or refusal.code in ("E118", "E129"):
                    raise
                raise error("E129", None, what=_name(x)) from refusal

        if len(kinds) == 1:
            return of_first()
        cond = is_of_kind(frame, x, kinds[0])
        return choose(frame, cond, of_first, lambda: among(kinds[1:]))

    return among(frame.session.codes.possible(x))


def narrowed(frame: Frame, x: Either, kinds: list[Key], act: Act, plain: Plain) -> Abstract:
    """`x` where it is of one of these kinds; of each other one what `act` raises is raised."""
    codes = frame.session.codes
    for kind in codes.possible(x):
        if kind not in kinds:
            make = partial(_acted, frame, (x.cases[kind],), act, plain)
            choose(frame, is_of_kind(frame, x, kind), make, lambda: None)
    return resolved(codes, x)


def of_each_kind(frame: Frame, x: Abstract, of: Callable[[Abstract], Abstract]) -> Abstract:
    """What `of`, which has no effect, makes of `x`: of each kind that it may have."""
    if not isinstance(x, Either):
        return of(x)
    return Either(x.code, {kind: of(x.cases[kind]) for kind in frame.session.codes.possible(x)})


def _name(x: Either) -> str:
    name = x.code.name.removesuffix("_kind") if isinstance(x.code, Value) else ""
    return f"`{name}`" if name else "the value"


def is_of_kind(frame: Frame, x: Either, kind: Key) -> Value:
    """A test of the kind of `x`."""
    return _test(frame, x, kind, is_one=True)


def _test(frame: Frame, x: Either, kind: Key, *, is_one: bool) -> Value:
    codes = frame.session.codes
    fn = operator.eq if is_one else operator.ne
    test: Value = frame.session.emit(fn, (x.code, codes.number(kind)))
    codes.tests[test] = (x.code, codes.number(kind), is_one)
    return test


def asked(frame: Frame, args: tuple[Abstract, ...], act: Act, plain: Plain = None) -> Abstract:
    """The same of a question: where each kind has an answer known while compiling, a test of the
    code.
    """
    session = frame.session
    args = tuple(resolved(session.codes, x) for x in args)
    given = [x for x in args if isinstance(x, Either)]
    if len(given) == 1 and all(is_static(x) for x in args if x is not given[0]):
        (x,) = given
        with session.trial() as body:
            answers = {
                kind: _answer(act, tuple(x.cases[kind] if y is x else y for y in args))
                for kind in session.codes.possible(x)
            }
        if not body and all(isinstance(answer, bool) for answer in answers.values()):
            return _told(frame, x, answers)
    return by_case(frame, args, act, plain)


def _answer(act: Act, args: tuple[Abstract, ...]) -> Abstract:
    try:
        return act(*args)
    except (SrcadError, Raising):  # told again where it is asked
        return None


def _told(frame: Frame, x: Either, answers: dict[Key, bool]) -> Abstract:
    """Whether `x` is of a kind for which the answer is yes."""
    yes = [kind for kind, answer in answers.items() if answer]
    no = [kind for kind, answer in answers.items() if not answer]
    if not yes or not no:
        return bool(yes)
    if len(no) == 1:
        return _test(frame, x, no[0], is_one=False)
    first, *rest = (is_of_kind(frame, x, kind) for kind in yes)
    for each in rest:
        both = frame.session.emit(operator.or_, (first, each))
        frame.session.codes.chosen[both] = (first, True, each)
        first = both
    return first


def negation(frame: Frame, x: Abstract) -> Abstract:
    """`not x`."""
    return frame.session.emit(operator.not_, (x,)) if isinstance(x, Value) else not x


def _acted(frame: Frame, args: tuple[Abstract, ...], act: Act, plain: Plain) -> Abstract:
    """`act(*args)`; if that is refused because Python raises, so does the program."""
    try:
        return act(*args)
    except (SrcadError, TypeError, AttributeError) as refusal:
        raise_users_own(refusal)
        certain = _CERTAIN.get(getattr(refusal, "code", ""), TypeError)
        problem = None if plain is None else _raised(plain, args, certain)
        if problem is None:
            raise
        raise fails(frame, problem) from refusal


def _raised(
    plain: Callable[..., Any], args: tuple[Abstract, ...], certain: type[Exception]
) -> Exception | None:
    """What Python raises for objects like these, if it does."""
    try:
        objects = [_like(x) for x in args]
    except TypeError:
        return None
    try:
        plain(*objects)
    except (TypeError, AttributeError, certain) as problem:
        raise_users_own(problem)
        return problem
    except IndexError:
        return None  # the objects have few entries
    return None


def _like(x: Abstract) -> Any:
    """An object of the class of `x`.

    Raises:
        TypeError: none is at hand.
    """
    if isinstance(x, tuple):
        return tuple(map(_like, x))
    if isinstance(x, ListObj) and x.cls is list:
        return [_like(item) for item in x.items]
    if isinstance(x, DictObj) and x.cls is dict:
        return {key: _like(item) for key, item in x.items.items()}
    if is_static(x):
        return x
    if isinstance(x, Ref) and kind_of(x) is not None:
        return x.obj
    if isinstance(x, Value) and isinstance(x.type, NumberType):
        return x.type.kind(1)
    if isinstance(x, Value) and isinstance(x.type, ArrayType) and x.type.shape is not None:
        return np.ones((1,) * len(x.type.shape), x.type.dtype)[() if x.type.scalar else ...]
    raise TypeError("no object like this one")


__all__ = ["asked", "by_case", "is_of_kind", "narrowed", "negation", "of_each_kind"]
