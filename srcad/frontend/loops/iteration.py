"""What is iterated over: containers known while compiling, or a counted loop over ranges and
arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator as Items
from functools import partial
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound, Generator, Suspended
from srcad.frontend.abstract.containers.containers import (
    CONTAINERS,
    DictObj,
    ListObj,
    RecordObj,
    SetObj,
    View,
    form_of,
)
from srcad.frontend.abstract.containers.reachable import parts_of
from srcad.frontend.abstract.frame import Frame, fixed
from srcad.frontend.abstract.iterators import Enumerate, Iterator, Lazy, Map, OneShot, Reversed, Zip
from srcad.frontend.abstract.objects import Abstract, Either, Ref, describe
from srcad.frontend.abstract.session import Session
from srcad.frontend.dispatch import assign, call, expression
from srcad.frontend.expressions.by_case import by_case, narrowed
from srcad.frontend.iterators.counted import Beyond, Trip, counted, made_of, mapped
from srcad.frontend.iterators.pulled import (
    begun,
    check_home,
    check_size,
    consume,
    is_at_home,
    items_left,
    size_of,
)
from srcad.frontend.laid.reading import AnyLaid
from srcad.frontend.lists.opened import Open, Pieces
from srcad.frontend.loops.beyond import acts, ask
from srcad.frontend.objects.members import method_of, python_class
from srcad.frontend.objects.protocols import check_iterator
from srcad.frontend.recording import MAX_OPERATIONS
from srcad.frontend.statements.conditions import condition
from srcad.frontend.written import lists
from srcad.ir.nodes import Value
from srcad.ir.types import TupleType

MAX_UNROLL = 10_000


def is_listed(x: Abstract) -> bool | None:
    """Whether the items of `x` are known while compiling; None for a range, which may be taken
    either way.
    """
    match x:
        case OneShot() if x.items is not None:
            return True
        case ListObj() if x.form is not None:
            return False
        case Suspended():
            return True
        case (
            tuple()
            | ListObj()
            | DictObj()
            | View()
            | Lazy()
            | str()
            | bytes()
            | SetObj()
            | frozenset()
        ):
            return True
        case range():
            return None
        case RecordObj():
            return x.is_tuple
        case Value():
            return isinstance(x.type, TupleType)
        case Enumerate() | Reversed() | Iterator():
            return is_listed(x.inner)
        case Zip() | Map():
            kinds = [is_listed(part) for part in x.parts]
            return True if True in kinds else False if False in kinds else None
        case Generator():
            return is_listed(x.source)
        case _:
            return False


_ABLE = (tuple, OneShot, View, *CONTAINERS)


def iterated(frame: Frame, x: Abstract) -> Abstract:
    """What is iterated over where `x` is: what `__iter__` of a user's object gives."""
    if isinstance(x, ListObj) and isinstance(x.form, AnyLaid):
        return x
    if isinstance(form_of(x), Open | Pieces):
        x.form.decline()
    if isinstance(x, Either):
        return _iterated_kinds(frame, x)
    method = iteration_of(frame, x)
    if method is None:
        return x
    made = call(frame, method, ())
    check_iterator(frame, x, made)
    if method_of(frame, made, "__next__") is not None:
        fix = "write its `__iter__` as a generator, which yields one item after the other"
        raise error("E127", None, what=f"{describe(made)} with `__next__`", fix=fix)
    return iterated(frame, made)


def iteration_of(frame: Frame, x: Abstract) -> Bound | None:
    """What Python iterates over a user's object by: its `__iter__`, or its `__getitem__` from 0 on
    if its class has none. None for other objects.
    """
    method = method_of(frame, x, "__iter__")
    if method is not None or not isinstance(x, RecordObj | Ref):
        return method
    if hasattr(python_class(x), "__iter__") or method_of(frame, x, "__getitem__") is None:
        return None
    return Bound(Ref(lists.by_index, ""), x)


def _iterated_kinds(frame: Frame, x: Either) -> Abstract:
    """What is of several kinds by data, where it is of one that Python can iterate over; an
    `Either` of these if there are several.
    """
    act = partial(_iterated_kind, frame)
    kinds = frame.session.codes.possible(x)
    able = [kind for kind in kinds if isinstance(x.cases[kind], _ABLE)]
    return by_case(frame, (x,), act, iter) if len(able) < 2 else narrowed(frame, x, able, act, iter)


def _iterated_kind(frame: Frame, x: Abstract) -> Abstract:
    if x is None:
        raise error("E127", None, what=describe(x))
    return iterated(frame, x)


def listed(frame: Frame, x: Abstract, what: str) -> Items[Abstract]:
    """The items of `x`, one by one as Python would make them; specialises to ints that fix their
    number.
    """
    x = iterated(frame, x)
    if isinstance(x, OneShot) and is_at_home(frame.session, x):
        taken_from(frame, x, what)
    consume(frame.session, x)
    if isinstance(x, tuple) or (isinstance(x, ListObj) and x.form is None):
        items, most = (x, MAX_OPERATIONS) if isinstance(x, tuple) else (x.items, MAX_UNROLL)
        if len(items) > most:
            what = f"{what} over {len(items):,} items that are taken one by one"
            raise error("E140", None, what=f"{what} (at most {most:,})")
    return _listed(frame, x, what)


def taken_from(frame: Frame, x: OneShot, what: str) -> Items[Abstract]:
    """The items of an iterator, of which those that are not taken are left."""
    check_home(frame.session, x)
    if x.items is None:
        for part in parts_of(x):
            if isinstance(part, OneShot) and is_listed(part) and is_at_home(frame.session, part):
                taken_from(frame, part, what)
        consume(frame.session, x)
        x.items = _listed(frame, x, what)
    return x.items


def _listed(frame: Frame, x: Abstract, what: str) -> Items[Abstract]:
    if isinstance(x, OneShot) and x.items is not None:
        return items_left(frame.session, x)
    match x:
        case Suspended():
            return x.steps()
        case tuple() | str() | bytes() | range():
            return iter(x)
        case SetObj() if len(x.items) < 2:
            return map(fixed, _unchanged(x))
        case frozenset() if len(x) < 2:
            return map(fixed, x)
        case SetObj() | frozenset():
            raise error("E127", None, what="a set, which has no order,")
        case ListObj() if x.form is None:
            return _limited(x)
        case DictObj():
            return _unchanged(x)
        case RecordObj() if x.is_tuple:
            return iter(x.items)
        case Value(type=TupleType()):
            return iter(tuple_items(frame.session, x))
        case Enumerate():
            start = frame.session.static(x.start, "the start of `enumerate`")
            return enumerate(_listed(frame, x.inner, what), start)
        case View():
            return _shown(x)
        case Lazy():
            return iter(x.make())
        case Iterator():
            return _listed(frame, x.inner, what)
        case Reversed(inner=ListObj() as inner) if inner.form is None:
            return _backwards(inner, begun(x))
        case Reversed(inner=DictObj() as inner):
            return _unchanged(inner, backwards=True)
        case Reversed(inner=View() as inner):
            return _shown(inner, backwards=True)
        case Reversed():
            return iter(list(_listed(frame, x.inner, what))[::-1])
        case Zip():
            return zip(*(_listed(frame, part, what) for part in x.parts), strict=False)
        case Map():
            columns = [_listed(frame, part, what) for part in x.parts]
            return map(partial(mapped, frame, x), *columns)
        case Generator():
            scopes = iterations(x.frame, x.node.generators, what, x.source)
            return (made_of(inner, x.node.elt) for inner in scopes)
        case _:
            return _counted_out(frame, counted(frame, x), what)


def _limited(x: ListObj) -> Items[Abstract]:
    """A list may grow while it is iterated over, as in Python; not without end."""
    n, size = 0, size_of(x)
    while n < len(x.items):
        if n >= MAX_UNROLL:
            raise error("E119", None, what="a list that grows while it is iterated over")
        yield x.items[n]
        check_size(x, size)
        n += 1


def _backwards(x: ListObj, n: int) -> Items[Abstract]:
    """The first `n` items of a list from the last one, as long as there are such items."""
    size = size_of(x)
    while 0 < n <= len(x.items):
        n -= 1
        yield x.items[n]
        check_size(x, size)


def _unchanged(x: DictObj | SetObj, *, backwards: bool = False) -> Items[Abstract]:
    """The keys of a dict or the items of a set, which may not change meanwhile."""
    keys = size_of(x)
    for key in keys[::-1] if backwards else keys:
        yield key
        check_size(x, keys)


def _shown(x: View, *, backwards: bool = False) -> Items[Abstract]:
    """What a view of a dict shows, as the dict changes; its keys may not."""
    for key in _unchanged(x.owner, backwards=backwards):
        item = x.owner.items[key]
        yield {"keys": key, "values": item, "items": (key, item)}[x.kind]


def _counted_out(frame: Frame, trip: Trip, what: str) -> Items[Abstract]:
    """The items of a counted loop whose bounds can be made constants; each read when asked for."""
    bounds = (
        frame.session.static(b, f"the length of {what}") for b in (trip.start, trip.stop, trip.step)
    )
    indices = range(*bounds)
    if len(indices) > MAX_UNROLL:
        raise error("E123", None, what=f"{what} has {len(indices)} items, which are too many: it")
    made = map(trip.item, reversed(indices) if trip.reverse else indices)
    return made if trip.beyond is None else _and_beyond(frame, made, trip.beyond)


def _and_beyond(frame: Frame, items: Items[Abstract], beyond: Beyond) -> Items[Abstract]:
    yield from items
    if acts(frame, beyond):
        ask(frame, beyond)


def items_of(frame: Frame, x: Abstract, what: str) -> list[Abstract]:
    """All items of an iterable; their number must be known while compiling."""
    return list(listed(frame, x, what))


def tuple_items(session: Session, value: Value) -> tuple[Abstract, ...]:
    """The items of a run-time tuple of known length."""
    assert isinstance(value.type, TupleType)
    return tuple(session.emit(operator.getitem, (value, i)) for i in range(len(value.type.items)))


# Comprehensions ----------------------------------------------------------------------------------


def iterations(
    frame: Frame, generators: list[Any], what: str, first: Abstract = None
) -> Items[Frame]:
    """The comprehension's frame, once for each iteration of its clauses; `first`: what the first
    iterates over.
    """
    inner = frame.scope()
    source = expression(frame, generators[0].iter) if first is None else first
    yield from _clauses(inner, generators, source, what)


def _clauses(inner: Frame, generators: list[Any], source: Abstract, what: str) -> Items[Frame]:
    clause, *rest = generators
    for item in listed(inner, source, what):
        assign(inner, clause.target, item)
        if not all(_holds(inner, test, what) for test in clause.ifs):
            continue
        if rest:
            yield from _clauses(inner, rest, expression(inner, rest[0].iter), what)
        else:
            yield inner


def _holds(inner: Frame, test: Any, what: str) -> bool:
    known = condition(inner, test)
    if isinstance(known, Value):
        found = inner.session.static(known, f"the condition of {what}")
        return bool(found)
    return bool(known)
