"""`jvp` and `vjp`: products with the Jacobian, for any arguments and results."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.api.transformations import check_options
from srcad.api.transformed import Binder
from srcad.errors import error
from srcad.pipeline.request import Kind, Request

_MAX_FUNCTIONS = 512


def jvp(
    f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], **options: Any
) -> tuple[Any, Any]:
    """The value of `f` at `primals` and its derivative along `tangents`: `(y, y_dot)`.

    Args:
        primals: the arguments of `f`, a tuple or list.
        tangents: as many, each with the structure and shapes of its primal.

    Raises:
        ArgumentTypeError: E310, a tangent does not match its primal.

    >>> import numpy as np
    >>> import srcad
    >>> srcad.jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise error("E310", None, what="a tangent that stands in no tuple")
    product = _product("jvp", f, options)
    args = product.bind(primals)
    if len(tangents) != len(primals):
        raise error("E310", None, what=f"a tuple of {len(tangents)} tangents")
    for i, (x, t) in enumerate(zip(primals, tangents, strict=True)):
        check_like(x, t, "E310", f"tangent {i}")
    filled = (*tangents, *(zero_like(x) for x in args[len(primals) :]))
    y, y_dot = product.call((*args, *filled), len(args))
    return y, y_dot


def vjp(
    f: Callable[..., Any], *primals: Any, **options: Any
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of `f` and the function that pulls a cotangent of it back: `(y, pullback)`.

    `pullback(y_bar)` returns a tuple with the cotangent of each argument; it may be called many times.

    Raises:
        ArgumentTypeError: E311, the cotangent does not match the result.

    >>> import numpy as np
    >>> import srcad
    >>> y, pullback = srcad.vjp(lambda a, b: a * b, 2.0, 5.0)
    >>> pullback(1.0)
    (5.0, 2.0)
    """
    product = _product("vjp", f, options)
    args = product.bind(primals)
    y, pullback = product.call(args, len(args))
    n = len(primals)

    def checked(y_bar: Any) -> tuple[Any, ...]:
        check_like(y, y_bar, "E311", "the cotangent")
        return tuple(pullback(y_bar)[:n])

    return y, checked


class _Product:
    """The compiled products of one function."""

    def __init__(self, kind: Kind, f: Callable[..., Any], options: dict[str, Any]) -> None:
        from srcad.pipeline.specialize import Specializer

        self.bind_arguments = Binder(f)
        self.call = Specializer(Request(kind, f, (), **check_options(options)))

    def bind(self, primals: Sequence[Any]) -> Sequence[Any]:
        return self.bind_arguments(primals, {})


_products: OrderedDict[Any, _Product] = OrderedDict()


def _product(kind: Kind, f: Callable[..., Any], options: dict[str, Any]) -> _Product:
    """The products of `f`, kept for the functions used last."""
    if not callable(f):
        raise error("E313", None, what=f"{f!r}")
    try:
        key = (kind, f, tuple(sorted(options.items())))
        found = _products.get(key)
    except TypeError:
        return _Product(kind, f, options)
    if found is None:
        found = _products[key] = _Product(kind, f, options)
        if len(_products) > _MAX_FUNCTIONS:
            _products.popitem(last=False)
    return found


def check_like(x: Any, t: Any, code: str, what: str) -> None:
    """Refuse a (co)tangent whose structure or shape differs from its primal's."""
    if isinstance(x, dict):
        if not isinstance(t, dict) or t.keys() != x.keys():
            raise error(code, None, what=f"{what} with other keys")
        for key in x:
            check_like(x[key], t[key], code, f"{what}[{key!r}]")
    elif isinstance(x, tuple | list):
        if not isinstance(t, type(x)) or len(t) != len(x):
            raise error(code, None, what=f"{what}, of another structure,")
        for i, (a, b) in enumerate(zip(x, t, strict=True)):
            check_like(a, b, code, f"{what}[{i}]")
    elif isinstance(x, np.ndarray | np.generic | float | complex) and np.shape(x) != np.shape(t):
        raise error(code, None, what=f"{what} of shape {np.shape(t)} (wanted: {np.shape(x)})")


def zero_like(x: Any) -> Any:
    """The zero tangent of an argument."""
    if isinstance(x, dict):
        return {key: zero_like(item) for key, item in x.items()}
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(zero_like, x))
    if isinstance(x, tuple | list):
        return type(x)(map(zero_like, x))
    if isinstance(x, np.ndarray | np.generic):
        return np.zeros_like(x)
    return type(x)(0) if isinstance(x, float | complex) else x
