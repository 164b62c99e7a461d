"""`grad`, `value_and_grad`, `jvp`, `vjp` and what is made of them."""

from __future__ import annotations

from typing import Any

from srcad.api.arguments.argnums import find_argnums
from srcad.api.arguments.options import Argnums, check_options
from srcad.api.signatures.derivatives import Derivative, ValueAndDerivative
from srcad.api.signatures.transformations import Ordered
from srcad.api.signatures.typed import TypedAs
from srcad.api.transformed import create
from srcad.errors import error
from srcad.pipeline.request import Kind, Request


@TypedAs[Derivative]()
def grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Any,
) -> Any:
    """The gradient of a scalar function.

    Args:
        f: `f(*args, **kwargs)` returns a scalar, or `(scalar, aux)` with `has_aux`.
        argnums: parameters to differentiate: a position, a name, or a tuple of these.
        has_aux: return `(gradient, aux)`.
        holomorphic: `f` is a holomorphic function of complex arguments; its complex derivative is
            returned. Without it the result is real, and the gradient by a complex argument x + iy
            is df/dx - i df/dy.
        backend: "auto", "numpy", "native" or "cupy".
        fast_math: allow rewrites that are not exact for NaN, infinity and signed zero.
        cache: keep generated code on disk.

    Returns:
        A function of the same arguments. A gradient has the container structure, shape and dtype of
        its argument; for a tuple of `argnums` a tuple of gradients is returned.

    Raises:
        ArgumentTypeError: E301 an int argument, E302 a result that is no scalar, E306 a complex
            result, E313 no function, E317 and E318 real numbers where `holomorphic` is given.
        ArgumentValueError: E303, E304 `argnums` does not fit the signature.

    >>> import numpy as np
    >>> import srcad
    >>> srcad.grad(lambda x: np.sum(x * x))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return transform("grad", f, argnums, has_aux, holomorphic, options)


@TypedAs[ValueAndDerivative]()
def value_and_grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Any,
) -> Any:
    """The value of a scalar function and its gradient, in one sweep: `(value, gradient)`.

    Arguments as of `grad`; with `has_aux` returns `((value, aux), gradient)`.

    Args:
        f, argnums, has_aux, holomorphic, backend, fast_math, cache: as of `grad`.

    Returns:
        A function of the same arguments, as of `grad`, whose result has the value, too.

    Raises:
        ArgumentTypeError, ArgumentValueError: as `grad`.

    >>> import srcad
    >>> srcad.value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    return transform("value_and_grad", f, argnums, has_aux, holomorphic, options)


def transform(
    kind: Kind, f: Any, argnums: Any, has_aux: bool, holomorphic: bool, options: dict[str, Any]
) -> Any:
    """The derivative `kind` of `f`, or the decorator that makes it."""
    if f is None or not callable(f):
        if f is not None and not (isinstance(f, int | str | tuple) and argnums == 0):
            raise error("E313", None, what=f"{f!r}")
        # `@srcad.grad(argnums=1)`: the function comes next.
        check_options(options)
        wanted = argnums if f is None else f
        return lambda fn: transform(kind, fn, wanted, has_aux, holomorphic, options)
    positions, single = find_argnums(f, argnums)
    chosen = (bool(has_aux), bool(holomorphic))
    return create(Request(kind, f, positions, single, *chosen, **check_options(options)))


@TypedAs[Ordered]()
def derivative(f: Any = None, order: int = 1, *, holomorphic: bool = False, **options: Any) -> Any:
    """The derivative of a function of one scalar or elementwise argument, `order` times.

    Of a function of a scalar that returns an array or a container, the derivative of each entry.
    Orders are made by forward mode upon forward mode; programs grow slowly with the order, about as
    its square. `holomorphic=True` for complex functions, as of `grad`.

    Args:
        f: a function of one argument: a number, or an array of which each entry of the result
            depends on one.
        order: how often, at least 1.
        holomorphic, backend, fast_math, cache: as of `grad`.

    Returns:
        A function of the same argument, with a result of the shape and the structure of that of
        `f`.

    Raises:
        ArgumentTypeError: E301, an int argument.
        ArgumentValueError: E312, `order` is no number of at least 1.

    >>> import srcad
    >>> srcad.derivative(lambda x: x**4, order=2)(2.0)
    48.0
    """
    if f is not None and not callable(f):
        raise error("E313", None, what=f"{f!r}")
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise error("E312", None, what=repr(order))
    if f is None:  # `@srcad.derivative(order=2)`
        return lambda fn: derivative(fn, order, holomorphic=holomorphic, **options)
    result = f
    for _ in range(order):
        result = transform("derivative", result, 0, False, bool(holomorphic), options)
    return result


@TypedAs[Derivative]()
def elementwise_grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Any,
) -> Any:
    """The gradient of `sum(f(x))`: for an elementwise `f` the derivative at each entry.

    Arguments as of `grad`.

    Args:
        f, argnums, has_aux, holomorphic, backend, fast_math, cache: as of `grad`.

    Returns:
        A function of the same arguments, as of `grad`.

    Raises:
        ArgumentTypeError: E301 and E306, as `grad`; the result may be an array.

    >>> import numpy as np
    >>> import srcad
    >>> srcad.elementwise_grad(np.square)(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return transform("elementwise_grad", f, argnums, has_aux, holomorphic, options)
