"""`hvp`: the product of a Hessian with a vector."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from srcad.api.arguments.options import Argnums
from srcad.api.jacobians import argument
from srcad.api.signatures.transformations import Product
from srcad.api.signatures.typed import TypedAs
from srcad.api.transformations import transform
from srcad.api.transformed import CLASSES, Transformed
from srcad.errors import SrcadError, error
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Request

if TYPE_CHECKING:
    from srcad.api.saved import SavedValues
    from srcad.pipeline.specialize import Specializer


@TypedAs[Product]()
def hvp(f: Any = None, argnums: Argnums = 0, *, has_aux: bool = False, **options: Any) -> Any:
    """The product of the Hessian of a scalar function with a vector, without the Hessian.

    `hvp(f)(x, v)` costs a few evaluations of `f`. `v` comes after the last argument that is
    differentiated by, before what follows it in the signature of `f`: `hvp(f)(x, v, *args)`, as
    SciPy calls its `hessp`. It has the structure of the gradient, a tuple for a tuple of `argnums`:
    `hvp(f, (0, 1))(x, y, (x_v, y_v), *args)`. By name it is `v`.

    Args:
        f, argnums, has_aux, backend, fast_math, cache: as of `grad`.

    Returns:
        A function of the arguments and `v`. The product has the structure, shapes and dtypes of the
        gradient.

    Raises:
        ArgumentTypeError: E310, `v` does not match the argument; E315, there is none.

    >>> import numpy as np
    >>> import srcad
    >>> x, v = np.array([3.0, 5.0]), np.array([1.0, 0.0])
    >>> srcad.hvp(lambda x: x[0] ** 2 * x[1])(x, v)
    array([10.,  6.])
    """
    return transform("hvp", f, argnums, has_aux, False, options)


class HessianProduct(Transformed[..., Any]):
    """The product of a Hessian with a vector, which is an argument among the primal's."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        from srcad.frontend.reading.signature import signature_for, vector_name, vector_position

        parameters = self._binder.parameters
        self._at = vector_position(parameters, request.argnums)
        self._v = vector_name(parameters)
        self._n = -1
        try:
            self.__signature__ = signature_for(request)
        except ValueError:  # a signature that Python cannot write
            self.__signature__ = inspect.signature(lambda *args, **kwargs: None)

    @hiding_own_frames
    def _general(self, /, *args: Any, **kwargs: Any) -> Any:
        """The product at these arguments."""
        bound = self._bound(args, kwargs)
        return self._call(bound, len(bound) - 1)

    def _bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The primal's arguments, then the vector in their types."""
        from srcad.api.arguments.forms import as_like

        if self._v in kwargs:
            kwargs = dict(kwargs)
            v = kwargs.pop(self._v)
        elif self._at is not None and len(args) > self._at:
            v, args = args[self._at], (*args[: self._at], *args[self._at + 1 :])
        else:
            what = f"`{self.__srcad_request__.name}`"
            raise error("E315", None, what=what, notes=(f"`{self._v}` is missing",))
        xs = self._binder(args, kwargs)
        wanted = argument(self._binder, xs, self.__srcad_request__)
        return (*xs, as_like(wanted, v, "E310", f"`{self._v}`"))

    def _chosen(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Specializer, Sequence[Any], int]:
        bound = self._bound(args, kwargs)
        return self._specializer, bound, len(bound) - 1

    def _filled(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
        return self._bound(args, kwargs)[:-1] if args or kwargs else ()

    @hiding_own_frames
    def saved(self, /, *args: Any, **kwargs: Any) -> SavedValues:
        """As of a gradient; the vector, on which nothing of it depends, may be left out."""
        from srcad.api.saved import saved_values

        try:
            xs: Sequence[Any] = self._bound(args, kwargs)[:-1]
        except SrcadError:
            xs = self._binder(args, kwargs)
        return saved_values(self.__srcad_request__, xs)


CLASSES["hvp"] = HessianProduct

__all__ = ["HessianProduct", "hvp"]
