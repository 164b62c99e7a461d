"""Properties that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801, it is a decorator
    """`functools.cached_property` without its lock.

    Up to Python 3.11 that is one for all objects of the class: a process that forks while another
    thread computes the property would wait for it for ever.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, obj: None, owner: type) -> Self: ...
    @overload
    def __get__(self, obj: object, owner: type) -> T: ...
    def __get__(self, obj: Any, owner: type) -> Self | T:
        """What was computed, which stands in the object from then on."""
        if obj is None:
            return self
        return obj.__dict__.setdefault(self.name, self.compute(obj))  # type: ignore[no-any-return]


__all__ = ["cached_property"]
