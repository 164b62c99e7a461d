"""Decorators: a transformation with options, which awaits its function. `G`: the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from srcad.api.transformed import Transformed

P = ParamSpec("P")
V = TypeVar("V")
A = TypeVar("A")
G = TypeVar("G", covariant=True)


class Decorates(Protocol[G]):
    """`@srcad.jacfwd(argnums=1)`"""

    def __call__(self, f: Callable[P, Any], /) -> Transformed[P, G]:
        """The transformation of `f`."""


class DecoratesWithAux(Protocol[G]):
    """`@srcad.grad(has_aux=True)`"""

    def __call__(self, f: Callable[P, tuple[Any, A]], /) -> Transformed[P, tuple[G, A]]:
        """The transformation of `f`."""


class DecoratesWithValue(Protocol[G]):
    """`@srcad.value_and_grad(argnums=1)`"""

    def __call__(self, f: Callable[P, V], /) -> Transformed[P, tuple[V, G]]:
        """The transformation of `f`."""


class DecoratesWithValueAndAux(Protocol[G]):
    """`@srcad.value_and_grad(has_aux=True)`"""

    def __call__(self, f: Callable[P, tuple[V, A]], /) -> Transformed[P, tuple[tuple[V, A], G]]:
        """The transformation of `f`."""


class DecoratesItself(Protocol):
    """`@srcad.compile(backend="native")`"""

    def __call__(self, f: Callable[P, V], /) -> Transformed[P, V]:
        """The transformation of `f`."""


__all__ = [
    "Decorates",
    "DecoratesItself",
    "DecoratesWithAux",
    "DecoratesWithValue",
    "DecoratesWithValueAndAux",
]
