"""Results that are sequences: a list, a tuple or a named tuple of arrays.

A type function gives what its function gives, with types in place of arrays: `[t, t]` for
`np.split`, `(t, t)` for `np.meshgrid`, `SlogdetResult(t, t)`. So a row of the table tells of which
Python type a result is.

    OnlyItem(np.split)(x, 1)   is   np.split(x, 1)[0]

An operation with one result binds what its function returns, one with several unpacks it. So a
call that returns one array in a list or a tuple stands in the program as an operation of its only
item, with the derivative of that item. It is printed as the call with `[0]` after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from srcad.rules.core.zero import ZERO


class OnlyItem:
    """`fn(...)[0]` as a function; equal for equal `fn`."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.__name__: str = getattr(fn, "__name__", repr(fn))
        self.__module__: str = getattr(fn, "__module__", None) or ""

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The only item of what the function gives."""
        (item,) = self.fn(*args, **kwargs)
        return item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OnlyItem) and other.fn == self.fn

    def __hash__(self) -> int:
        return hash((OnlyItem, self.fn))


def refilled(like: Any, items: Iterable[Any]) -> Any:
    """A list, tuple or named tuple as `like`, with other items."""
    return like._make(items) if hasattr(like, "_make") else type(like)(items)


def whole(fn: Any) -> Any:
    """The function that is called: of an only item that which gives the sequence."""
    return fn.fn if isinstance(fn, OnlyItem) else fn


def only_tangent(jvp: Callable[..., Any]) -> Callable[..., Any]:
    """The jvp of `OnlyItem(fn)`, from that of `fn`."""

    def body(ts: Any, y: Any, *xs: Any, **options: Any) -> Any:
        found = jvp(ts, (y,), *xs, **options)
        return ZERO if found is ZERO else _only(found)

    return body


def _only(items: Any) -> Any:
    (item,) = items
    return item


def only_cotangent(vjp: Callable[..., Any]) -> Callable[..., Any]:
    """The vjp of `OnlyItem(fn)` by an input, from that of `fn`."""

    def body(g: Any, y: Any, *xs: Any, **options: Any) -> Any:
        return vjp((g,), (y,), *xs, **options)

    return body


__all__ = ["OnlyItem", "only_cotangent", "only_tangent", "refilled", "whole"]
