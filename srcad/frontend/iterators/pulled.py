"""Iterators that are taken from step by step: `next(it)`, and what a loop over it finds after that.

    it = iter(xs)            a = xs[0]
    a = next(it)      ->     s = s + xs[1]; s = s + xs[2]
    for x in it: s = s + x

Where an iterator stands is known while compiling: it is taken from among the statements among which
it was made. A loop inside is unrolled for that; a branch that depends on data is refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator as Items
from typing import Any, TypeVar

from srcad.errors import error
from srcad.frontend.abstract.closures import Generator
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, SetObj, View
from srcad.frontend.abstract.containers.contents import contents
from srcad.frontend.abstract.containers.reachable import parts_of
from srcad.frontend.abstract.iterators import Lazy, OneShot, Reversed
from srcad.frontend.abstract.objects import Abstract, describe
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Unroll
from srcad.ir.nodes import Stmt

_Made = TypeVar("_Made")


def made_here(session: Session, x: _Made) -> _Made:
    """`x`; of an iterator, it is noted among which statements it was made, and of what."""
    if isinstance(x, OneShot) and x.home is None:
        x.home = (session.builder.body, len(session.entered))
        if not (isinstance(x, Lazy) and x.name in ("chain", "repeat")):  # which begin later
            parts = [part.owner if isinstance(part, View) else part for part in parts_of(x)]
            x.began = tuple((part, size_of(part)) for part in parts if isinstance(part, _SIZED))
    return x


_SIZED = (DictObj, SetObj, ListObj)


def size_of(x: DictObj | SetObj | ListObj) -> Any:
    """What may not change while something is iterated over; of a list, what `reversed` begins
    with.
    """
    if not isinstance(x, ListObj):
        return tuple(x.items)
    form, length = x.form, len(contents(x, in_order=False))
    return (form, length, x.moves) if x.cls is deque else (form, length)


def begun(x: Reversed) -> int:
    """The length that a list had where `reversed` began, of which no loop has made another one."""
    form, length, *_ = next((size for _, size in x.began), size_of(x.inner))
    if form is not x.inner.form:
        raise error("E119", None, what="a list that changes while it is iterated over")
    return int(length)


def check_size(x: DictObj | SetObj | ListObj, size: Any) -> None:
    """Refuse a dict, set or deque that was changed since it had this size."""
    if (isinstance(x, ListObj) and x.cls is not deque) or size_of(x) == size:
        return
    nouns = {DictObj: "a dict whose keys change", SetObj: "a set that changes"}
    what = nouns.get(type(x), "a deque that changes")
    raise error("E119", None, what=f"{what} while it is iterated over")


def check_home(session: Session, x: OneShot) -> None:
    """Whether it is known here what is left of an iterator.

    Raises:
        Unroll: in each iteration of the loop it is.
        UnsupportedSyntax: E127, it depends on a branch.
    """
    if is_at_home(session, x):
        return
    if x.home is not None and len(session.entered) > x.home[1]:
        raise Unroll(session.entered[-1].token)
    what = f"{describe(x)} of which a branch decides what is left"
    fix = "make a list of it first, and index that"
    raise error("E127", None, what=what, fix=fix)


def is_at_home(session: Session, x: OneShot) -> bool:
    """Whether an iterator is taken from among the statements among which it was made."""
    return x.home is not None and x.home[0] is session.builder.body


def leave_by_data(x: Abstract) -> None:
    """Note that data decides what is left of an iterator."""
    waiting = [x]
    while waiting:
        each = waiting.pop()
        if isinstance(each, OneShot):
            each.home = None
            waiting.extend(parts_of(each))


def consume(session: Session, x: Abstract) -> None:
    """Note that an iterator is used up; a second use would see nothing, and is refused."""
    if not isinstance(x, OneShot) or x.items is not None:
        return
    if any(x is other for other in session.consumed):
        raise error("E127", None, what=f"{describe(x)} that was used before")
    session.consumed.append(x)
    for part, size in x.began:
        check_size(part, size)
    if not isinstance(x, Generator | Lazy):  # these ask for their items themselves
        for part in parts_of(x):
            consume(session, part)


def items_left(session: Session, x: OneShot) -> Items[Abstract]:
    """The items that are left of an iterator that was taken from, for one loop."""
    check_home(session, x)
    body: list[Stmt] = session.builder.body
    while x.items is not None:
        if session.builder.body is not body:  # the loop leaves on some paths
            x.home = None
        try:
            item = next(x.items)
        except StopIteration:
            return
        yield item


__all__ = [
    "begun", "check_home", "check_size", "consume", "is_at_home", "items_left", "leave_by_data",
    "made_here", "size_of",
]  # fmt: skip
