"""What type checkers know of the transformations.

    gradient = srcad.value_and_grad(loss, has_aux=True)
    (value, aux), w_bar = gradient(w, x)       as many arguments, of the types that `loss` takes

A transformed function keeps the parameters of its primal (`ParamSpec`). A value and what `has_aux`
hands through keep their types. The gradient has the type of an argument, which no checker can find
by a position: it is `Any`, several of them a tuple.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar, Unpack, overload

from srcad.api.arguments.options import Argnums, Options, Several, Single

if TYPE_CHECKING:
    from srcad.api.sparse import SparseJacobian
    from srcad.api.transformed import Transformed

P = ParamSpec("P")
V = TypeVar("V")
A = TypeVar("A")

Axes = int | None | tuple[Any, ...] | list[Any] | dict[Any, Any]


class _Numbers(Options, total=False):
    holomorphic: bool


class Decorates(Protocol):
    """`@srcad.jacfwd(argnums=1)`"""

    def __call__(self, f: Callable[P, Any], /) -> Transformed[P, Any]:
        """The transformation of `f`."""


class DecoratesSeveral(Protocol):
    """`@srcad.grad(argnums=(0, 1))`"""

    def __call__(self, f: Callable[P, Any], /) -> Transformed[P, tuple[Any, ...]]:
        """The transformation of `f`."""


class DecoratesWithAux(Protocol):
    """`@srcad.grad(has_aux=True)`"""

    def __call__(self, f: Callable[P, tuple[Any, A]], /) -> Transformed[P, tuple[Any, A]]:
        """The transformation of `f`."""


class DecoratesSeveralWithAux(Protocol):
    """`@srcad.grad(argnums=(0, 1), has_aux=True)`"""

    def __call__(
        self, f: Callable[P, tuple[Any, A]], /
    ) -> Transformed[P, tuple[tuple[Any, ...], A]]:
        """The transformation of `f`."""


class Derivative(Protocol):
    """`grad` and its like: what is returned is known to be a tuple, or not."""

    @overload
    def __call__(
        self,
        f: Callable[P, tuple[Any, A]],
        argnums: Several,
        *,
        has_aux: Literal[True],
        **options: Unpack[_Numbers],
    ) -> Transformed[P, tuple[tuple[Any, ...], A]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, tuple[Any, A]],
        argnums: Single = 0,
        *,
        has_aux: Literal[True],
        **options: Unpack[_Numbers],
    ) -> Transformed[P, tuple[Any, A]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, Any],
        argnums: Several,
        *,
        has_aux: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> Transformed[P, tuple[Any, ...]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, Any],
        argnums: Single = 0,
        *,
        has_aux: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> Transformed[P, Any]: ...
    @overload
    def __call__(
        self, f: Several, *, has_aux: Literal[True], **options: Unpack[_Numbers]
    ) -> DecoratesSeveralWithAux: ...
    @overload
    def __call__(
        self,
        f: None = None,
        *,
        argnums: Several,
        has_aux: Literal[True],
        **options: Unpack[_Numbers],
    ) -> DecoratesSeveralWithAux: ...
    @overload
    def __call__(
        self,
        f: Single | None = None,
        argnums: Single = 0,
        *,
        has_aux: Literal[True],
        **options: Unpack[_Numbers],
    ) -> DecoratesWithAux: ...
    @overload
    def __call__(
        self, f: Several, *, has_aux: Literal[False] = False, **options: Unpack[_Numbers]
    ) -> DecoratesSeveral: ...
    @overload
    def __call__(
        self,
        f: None = None,
        *,
        argnums: Several,
        has_aux: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> DecoratesSeveral: ...
    @overload
    def __call__(
        self, f: Single | None = None, argnums: Single = 0, *, has_aux: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> Decorates: ...  # fmt: skip


class DecoratesWithValue(Protocol):
    """`@srcad.value_and_grad(argnums=1)`"""

    def __call__(self, f: Callable[P, V], /) -> Transformed[P, tuple[V, Any]]:
        """The transformation of `f`."""


class DecoratesSeveralWithValue(Protocol):
    """`@srcad.value_and_grad(argnums=(0, 1))`"""

    def __call__(self, f: Callable[P, V], /) -> Transformed[P, tuple[V, tuple[Any, ...]]]:
        """The transformation of `f`."""


class DecoratesWithValueAndAux(Protocol):
    """`@srcad.value_and_grad(has_aux=True)`"""

    def __call__(self, f: Callable[P, tuple[V, A]], /) -> Transformed[P, tuple[tuple[V, A], Any]]:
        """The transformation of `f`."""


class DecoratesSeveralWithValueAndAux(Protocol):
    """`@srcad.value_and_grad(argnums=(0, 1), has_aux=True)`"""

    def __call__(
        self, f: Callable[P, tuple[V, A]], /
    ) -> Transformed[P, tuple[tuple[V, A], tuple[Any, ...]]]:
        """The transformation of `f`."""


class ValueAndDerivative(Protocol):
    """`value_and_grad`"""

    @overload
    def __call__(
        self,
        f: Callable[P, tuple[V, A]],
        argnums: Several,
        *,
        has_aux: Literal[True],
        **options: Unpack[_Numbers],
    ) -> Transformed[P, tuple[tuple[V, A], tuple[Any, ...]]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, tuple[V, A]],
        argnums: Single = 0,
        *,
        has_aux: Literal[True],
        **options: Unpack[_Numbers],
    ) -> Transformed[P, tuple[tuple[V, A], Any]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, V],
        argnums: Several,
        *,
        has_aux: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> Transformed[P, tuple[V, tuple[Any, ...]]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, V],
        argnums: Single = 0,
        *,
        has_aux: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> Transformed[P, tuple[V, Any]]: ...
    @overload
    def __call__(
        self, f: Several, *, has_aux: Literal[True], **options: Unpack[_Numbers]
    ) -> DecoratesSeveralWithValueAndAux: ...
    @overload
    def __call__(
        self,
        f: None = None,
        *,
        argnums: Several,
        has_aux: Literal[True],
        **options: Unpack[_Numbers],
    ) -> DecoratesSeveralWithValueAndAux: ...
    @overload
    def __call__(
        self,
        f: Single | None = None,
        argnums: Single = 0,
        *,
        has_aux: Literal[True],
        **options: Unpack[_Numbers],
    ) -> DecoratesWithValueAndAux: ...
    @overload
    def __call__(
        self, f: Several, *, has_aux: Literal[False] = False, **options: Unpack[_Numbers]
    ) -> DecoratesSeveralWithValue: ...
    @overload
    def __call__(
        self,
        f: None = None,
        *,
        argnums: Several,
        has_aux: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> DecoratesSeveralWithValue: ...
    @overload
    def __call__(
        self, f: Single | None = None, argnums: Single = 0, *, has_aux: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> DecoratesWithValue: ...  # fmt: skip


class Matrix(Derivative, Protocol):
    """`jacobian` and `hessian`, which may be sparse."""

    @overload
    def __call__(
        self,
        f: Callable[..., Any],
        argnums: Single = 0,
        *,
        sparse: Literal[True],
        **options: Unpack[Options],
    ) -> SparseJacobian: ...
    @overload
    def __call__(
        self,
        f: Single | None = None,
        argnums: Single = 0,
        *,
        sparse: Literal[True],
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
        **options: Unpack[_Numbers],
    ) -> Transformed[P, tuple[Any, A]]: ...
    @overload
    def __call__(
        self,
        f: Callable[P, Any],
        argnums: Argnums = 0,
        *,
        has_aux: Literal[False] = False,
        sparse: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> Transformed[P, Any]: ...
    @overload
    def __call__(
        self,
        f: Argnums | None = None,
        argnums: Argnums = 0,
        *,
        has_aux: Literal[True],
        sparse: Literal[False] = False,
        **options: Unpack[_Numbers],
    ) -> DecoratesWithAux: ...
    @overload
    def __call__(
        self, f: Argnums | None = None, argnums: Argnums = 0, *, has_aux: Literal[False] = False,
        sparse: Literal[False] = False, **options: Unpack[_Numbers],
    ) -> Decorates: ...  # fmt: skip


class Ordered(Protocol):
    """`derivative`"""

    @overload
    def __call__(
        self, f: Callable[P, Any], order: int = 1, **options: Unpack[_Numbers]
    ) -> Transformed[P, Any]: ...
    @overload
    def __call__(
        self, f: None = None, order: int = 1, **options: Unpack[_Numbers]
    ) -> Decorates: ...  # fmt: skip


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


class Same(Protocol):
    """`@srcad.compile(backend="native")`"""

    def __call__(self, f: Callable[P, V], /) -> Transformed[P, V]:
        """The transformation of `f`."""


class Compiled(Protocol):
    """`compile`"""

    @overload
    def __call__(self, f: Callable[P, V], **options: Unpack[Options]) -> Transformed[P, V]: ...
    @overload
    def __call__(self, f: None = None, **options: Unpack[Options]) -> Same: ...


class Mapped(Protocol):
    """`vmap`"""

    @overload
    def __call__(
        self,
        f: Callable[P, Any],
        in_axes: Axes = 0,
        out_axes: Axes = 0,
        **options: Unpack[Options],
    ) -> Transformed[P, Any]: ...
    @overload
    def __call__(
        self, f: None = None, in_axes: Axes = 0, out_axes: Axes = 0, **options: Unpack[Options]
    ) -> Decorates: ...  # fmt: skip
