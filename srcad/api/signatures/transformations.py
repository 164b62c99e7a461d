"""The types of the other transformations: sparse ones, `derivative`, `hvp`, `compile`, `vmap`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar, Unpack, overload

from srcad.api.arguments.options import Argnums, Options, Single
from srcad.api.signatures.decorators import Decorates, DecoratesItself, DecoratesWithAux
from srcad.api.signatures.derivatives import Derivative, Numbers

if TYPE_CHECKING:
    from srcad.api.sparse import SparseJacobian
    from srcad.api.sparse_forms import SparseMatrices
    from srcad.api.transformed import Transformed

P = ParamSpec("P")
V = TypeVar("V")
A = TypeVar("A")

Axes = int | None | tuple[Any, ...] | list[Any] | dict[Any, Any]


class Matrix(Derivative, Protocol):
    """`jacobian` and `hessian`, which may be sparse."""

    @overload
    def __call__(
        self,
        f: Callable[..., Any],
        argnums: Single = 0,
        *,
        has_aux: bool = False,
        sparse: Literal[True, "exact"],
        **options: Unpack[Options],
    ) -> SparseJacobian: ...
    @overload
    def __call__(
        self,
        f: Callable[..., Any],
        argnums: tuple[Single, ...],
        *,
        has_aux: bool = False,
        sparse: Literal[True, "exact"],
        **options: Unpack[Options],
    ) -> SparseMatrices: ...
    @overload
    def __call__(
        self,
        f: Single | None = None,
        argnums: Single = 0,
        *,
        has_aux: bool = False,
        sparse: Literal[True, "exact"],
        **options: Unpack[Options],
    ) -> Callable[[Callable[..., Any]], SparseJacobian]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, tuple[Any, A]],
        argnums: Argnums = 0,
        *,
        has_aux: Literal[True],
        sparse: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> Transformed[P, tuple[Any, A]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, Any],
        argnums: Argnums = 0,
        *,
        has_aux: Literal[False] = False,
        sparse: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> Transformed[P, Any]: ...
    @overload
    def __call__(
        self,
        f: Argnums | None = None,
        argnums: Argnums = 0,
        *,
        has_aux: Literal[True],
        sparse: Literal[False] = False,
        **options: Unpack[Numbers],
    ) -> DecoratesWithAux[Any]: ...
    @overload
    def __call__(
        self, f: Argnums | None = None, argnums: Argnums = 0, *, has_aux: Literal[False] = False,
        sparse: Literal[False] = False, **options: Unpack[Numbers],
    ) -> Decorates[Any]: ...  # fmt: skip


class Ordered(Protocol):
    """`derivative`"""

    @overload
    def __call__(
        self, f: Callable[P, Any], order: int = 1, **options: Unpack[Numbers]
    ) -> Transformed[P, Any]: ...
    @overload
    def __call__(
        self, f: None = None, order: int = 1, **options: Unpack[Numbers]
    ) -> Decorates[Any]: ...  # fmt: skip


class Product(Protocol):
    """`hvp`, whose functions take one argument more."""

    @overload
    def __call__(
        self,
        f: Callable[..., Any],
        argnums: Argnums = 0,
        *,
        has_aux: bool = False,
        **options: Unpack[Options],
    ) -> Transformed[..., Any]: ...
    @overload
    def __call__(
        self, f: Argnums | None = None, argnums: Argnums = 0, *, has_aux: bool = False,
        **options: Unpack[Options],
    ) -> Callable[[Callable[..., Any]], Transformed[..., Any]]: ...  # fmt: skip


class Compiled(Protocol):
    """`compile`"""

    @overload
    def __call__(self, f: Callable[P, V], **options: Unpack[Options]) -> Transformed[P, V]: ...
    @overload
    def __call__(self, f: None = None, **options: Unpack[Options]) -> DecoratesItself: ...


class Mapped(Protocol):
    """`vmap`, whose functions take arrays of what the parameters are declared to be."""

    @overload
    def __call__(
        self,
        f: Callable[..., Any],
        in_axes: Axes = 0,
        out_axes: Axes = 0,
        **options: Unpack[Options],
    ) -> Transformed[..., Any]: ...
    @overload
    def __call__(
        self, f: None = None, in_axes: Axes = 0, out_axes: Axes = 0, **options: Unpack[Options]
    ) -> Callable[[Callable[..., Any]], Transformed[..., Any]]: ...  # fmt: skip


__all__ = ["Axes", "Compiled", "Mapped", "Matrix", "Ordered", "Product"]
