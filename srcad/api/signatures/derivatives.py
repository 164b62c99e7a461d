"""The types of `grad`, `value_and_grad` and their like: what is returned is known to be a tuple of
gradients, or not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar, Unpack, overload

from srcad.api.arguments.options import Options, Several, Single
from srcad.api.signatures.decorators import (
    Decorates,
    DecoratesWithAux,
    DecoratesWithValue,
    DecoratesWithValueAndAux,
)

if TYPE_CHECKING:
    from srcad.api.transformed import Transformed

P = ParamSpec("P")
V = TypeVar("V")
A = TypeVar("A")

Gradients = tuple[Any, ...]


class Numbers(Options, total=False):
    """Options of transformations of complex functions, too."""

    holomorphic: bool


class Derivative(Protocol):
    """`grad`, `jacfwd` and their like."""

    @overload
    def __call__(
        self,
        f: Callable[P, tuple[Any, A]],
        argnums: Several,
        *,
        has_aux: Literal[True],
        **options: Unpack[Numbers],
    ) -> Transformed[P, tuple[Gradients, A]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, tuple[Any, A]],
        argnums: Single = 0,
        *,
        has_aux: Literal[True],
        **options: Unpack[Numbers],
    ) -> Transformed[P, tuple[Any, A]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, Any],
        argnums: Several,
        *,
        has_aux: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> Transformed[P, Gradients]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, Any],
        argnums: Single = 0,
        *,
        has_aux: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> Transformed[P, Any]: ...
    @overload
    def __call__(
        self, f: Several, *, has_aux: Literal[True], **options: Unpack[Numbers]
    ) -> DecoratesWithAux[Gradients]: ...
    @overload
    def __call__(
        self,
        f: None = None,
        *,
        argnums: Several,
        has_aux: Literal[True],
        **options: Unpack[Numbers],
    ) -> DecoratesWithAux[Gradients]: ...
    @overload
    def __call__(
        self,
        f: Single | None = None,
        argnums: Single = 0,
        *,
        has_aux: Literal[True],
        **options: Unpack[Numbers],
    ) -> DecoratesWithAux[Any]: ...
    @overload
    def __call__(
        self, f: Several, *, has_aux: Literal[False] = False, **options: Unpack[Numbers]
    ) -> Decorates[Gradients]: ...
    @overload
    def __call__(
        self,
        f: None = None,
        *,
        argnums: Several,
        has_aux: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> Decorates[Gradients]: ...
    @overload
    def __call__(
        self, f: Single | None = None, argnums: Single = 0, *, has_aux: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> Decorates[Any]: ...  # fmt: skip


class ValueAndDerivative(Protocol):
    """`value_and_grad`"""

    @overload
    def __call__(
        self,
        f: Callable[P, tuple[V, A]],
        argnums: Several,
        *,
        has_aux: Literal[True],
        **options: Unpack[Numbers],
    ) -> Transformed[P, tuple[tuple[V, A], Gradients]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, tuple[V, A]],
        argnums: Single = 0,
        *,
        has_aux: Literal[True],
        **options: Unpack[Numbers],
    ) -> Transformed[P, tuple[tuple[V, A], Any]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, V],
        argnums: Several,
        *,
        has_aux: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> Transformed[P, tuple[V, Gradients]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, V],
        argnums: Single = 0,
        *,
        has_aux: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> Transformed[P, tuple[V, Any]]: ...
    @overload
    def __call__(
        self, f: Several, *, has_aux: Literal[True], **options: Unpack[Numbers]
    ) -> DecoratesWithValueAndAux[Gradients]: ...
    @overload
    def __call__(
        self,
        f: None = None,
        *,
        argnums: Several,
        has_aux: Literal[True],
        **options: Unpack[Numbers],
    ) -> DecoratesWithValueAndAux[Gradients]: ...
    @overload
    def __call__(
        self,
        f: Single | None = None,
        argnums: Single = 0,
        *,
        has_aux: Literal[True],
        **options: Unpack[Numbers],
    ) -> DecoratesWithValueAndAux[Any]: ...
    @overload
    def __call__(
        self, f: Several, *, has_aux: Literal[False] = False, **options: Unpack[Numbers]
    ) -> DecoratesWithValue[Gradients]: ...
    @overload
    def __call__(
        self,
        f: None = None,
        *,
        argnums: Several,
        has_aux: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> DecoratesWithValue[Gradients]: ...
    @overload
    def __call__(
        self, f: Single | None = None, argnums: Single = 0, *, has_aux: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> DecoratesWithValue[Any]: ...  # fmt: skip


__all__ = ["Derivative", "Numbers", "ValueAndDerivative"]
