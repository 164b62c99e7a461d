"""Iterators that are taken from step by step: `next(it)`, and what a loop over it finds after that.

    it = iter(xs)            a = xs[0]
    a = next(it)      ->     s = s + xs[1]; s = s + xs[2]
    for x in it: s = s + x

Where an iterator stands is known while compiling: it is taken from among the statements among which
it was made. A loop inside is unrolled for that; a branch that depends on data is refused.
"""

from __future__ import annotations

from collections.abc import Iterator as Items
from typing import TypeVar

from srcad.errors import error
from srcad.frontend.abstract.closures import Generator
from srcad.frontend.abstract.containers.reachable import parts_of
from srcad.frontend.abstract.iterators import Lazy, OneShot
from srcad.frontend.abstract.objects import Abstract, describe
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Unroll
from srcad.ir.nodes import Stmt

_Made = TypeVar("_Made")


def made_here(session: Session, x: _Made) -> _Made:
    """`x`; of an iterator, it is noted among which statements it was made."""
    if isinstance(x, OneShot) and x.home is None:
        x.home = (session.builder.body, len(session.entered))
    return x


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


__all__ = ["check_home", "consume", "is_at_home", "items_left", "leave_by_data", "made_here"]
