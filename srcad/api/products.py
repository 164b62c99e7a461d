"""`jvp` and `vjp`: products with the Jacobian, for any arguments and results."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, Unpack

import numpy as np

from srcad.api.binding import Binder
from srcad.api.options import Options, check_options
from srcad.api.signatures import with_options_named
from srcad.api.trees import completed, flatten, map_leaves, paths_of, unflatten, with_leaves
from srcad.errors import error
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Kind, Request
from srcad.pipeline.translate import raise_located
from srcad.runtime.records import zeros

V = TypeVar("V")

_MAX_FUNCTIONS = 512


@with_options_named
@hiding_own_frames
def jvp(
    f: Callable[..., V],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    **options: Unpack[Options],
) -> tuple[V, V]:
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
        fix = "give arguments and tangents as tuples: srcad.jvp(f, (x,), (v,))"
        raise error("E310", None, what="a tangent that stands in no tuple", fix=fix)
    product = _product("jvp", f, dict(options))
    args = product.bind(primals)
    if len(tangents) != len(primals):
        raise error("E310", None, what=f"a tuple of {len(tangents)} tangents")
    tangents = [
        as_like(x, t, "E310", f"tangent {i}")
        for i, (x, t) in enumerate(zip(primals, tangents, strict=True))
    ]
    bound = product.bind(tangents)
    # Parameters left out have a default, and that does not vary.
    given = min(len(primals), product.bind_arguments.n_positional)
    filled = (*bound[:given], *(zero_like(x) for x in args[given:]))
    y, y_dot = product.call((*args, *filled), len(args))
    return y, y_dot


@with_options_named
@hiding_own_frames
def vjp(
    f: Callable[..., V], *primals: Any, **options: Unpack[Options]
) -> tuple[V, Callable[[Any], tuple[Any, ...]]]:
    """The value of `f` and the function that pulls a cotangent of it back: `(y, pullback)`.

    `pullback(y_bar)` returns a tuple with the cotangent of each argument; it may be called many
    times, and belongs to this call: what it reads again of the arguments was copied.

    Raises:
        ArgumentTypeError: E311, the cotangent does not match the result.

    >>> import numpy as np
    >>> import srcad
    >>> y, pullback = srcad.vjp(lambda a, b: a * b, 2.0, 5.0)
    >>> pullback(1.0)
    (5.0, 2.0)
    """
    product = _product("vjp", f, dict(options))
    args = product.bind(primals)
    y, pullback = product.call(args, len(args))
    n = len(primals)
    form, wholes = Form(y), [_zeros_in_objects(x) for x in primals]

    @hiding_own_frames
    def checked(y_bar: Any) -> tuple[Any, ...]:
        given = form.take(y_bar, "E311", "the cotangent")
        try:
            found = pullback(given)[:n]
        except Exception as problem:
            raise_located(problem)
        return tuple(map(completed, found, wholes))

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


def as_like(x: Any, t: Any, code: str, what: str) -> Any:
    """A (co)tangent in the types of its primal; refused where its structure or shapes differ."""
    return Form(x).take(t, code, what)


class Form:
    """What a primal is at the time: its structure, and the shapes and types of its leaves."""

    def __init__(self, x: Any) -> None:
        self.flat, self.structure = flatten(x)

    def take(self, t: Any, code: str, what: str) -> Any:
        """A (co)tangent in the types of the primal; that of an int may be None, as in a gradient.

        Raises:
            ArgumentTypeError: `code`, its structure or shapes differ.
        """
        given, other = flatten(t)
        if self.structure != other:
            ints = [None if is_inexact(x) else x for x in self.flat]
            t = with_leaves(t, self.structure, ints)
            given, other = flatten(t)
        if self.structure != other:
            raise error(code, None, what=f"{what}, of another structure,")
        for i, (a, b) in enumerate(zip(self.flat, given, strict=True)):
            problem = _difference(a, b) if is_inexact(a) else ""
            if problem:
                path = paths_of(self.structure)[i]
                raise error(code, None, what=f"{what}{path}{problem}")
        if all(map(_has_type_of, self.flat, given)):
            return t
        return unflatten(self.structure, list(map(_in_type_of, self.flat, given)))


def _zeros_in_objects(x: Any) -> Any:
    """Cotangents that are zero, of an argument in which there are plain objects; else None."""
    flat, structure = flatten(x)
    return unflatten(structure, list(map(_zero_cotangent, flat))) if structure.has_objects else None


def _zero_cotangent(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.zeros(x.shape, x.dtype) if is_inexact(x) else None
    if isinstance(x, int | np.generic) and not isinstance(x, bool | np.bool_):
        return zeros(x) if is_inexact(x) else None
    return zeros(x)


def _difference(a: Any, b: Any) -> str:
    """Why `b` cannot be a (co)tangent of the leaf `a`; empty where it can."""
    if not isinstance(b, int | float | complex | np.generic | np.ndarray):
        return f" of type {type(b).__name__}"
    if isinstance(b, np.ndarray) and type(b) not in (np.ndarray, np.memmap):
        return f" of type {type(b).__name__}"
    if np.asarray(b).dtype.kind not in "biufc":
        return f" of dtype {np.asarray(b).dtype}"
    if np.shape(a) != np.shape(b):
        return f" of shape {np.shape(b)} (wanted: {np.shape(a)})"
    return ", complex for a real value," if np.iscomplexobj(b) > np.iscomplexobj(a) else ""


def _has_type_of(x: Any, t: Any) -> bool:
    same = type(x) is type(t) and getattr(x, "dtype", None) == getattr(t, "dtype", None)
    return same or not is_inexact(x)


def _in_type_of(x: Any, t: Any) -> Any:
    if _has_type_of(x, t):
        return t
    if isinstance(x, np.ndarray):
        return np.asarray(t, x.dtype)
    return x.dtype.type(t) if isinstance(x, np.generic) else type(x)(t)


def is_inexact(x: Any) -> bool:
    """Whether a leaf carries a derivative."""
    return (
        isinstance(x, np.ndarray | np.generic | float | complex)
        and np.asarray(x).dtype.kind in "fc"
    )


def zero_like(x: Any) -> Any:
    """The zero tangent of an argument."""
    return map_leaves(lambda leaf: np.zeros_like(leaf)[()] if is_inexact(leaf) else leaf, x)
