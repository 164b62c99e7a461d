"""`jvp`, `vjp` and `linearize`: products with the Jacobian, for any arguments and results, and the
programs that compute them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack, overload

from srcad.api.arguments.forms import Form, as_like, zero_like, zeros_in_objects
from srcad.api.arguments.options import Options, check_options
from srcad.api.arguments.trees import completed
from srcad.api.signatures.typed import with_options_named
from srcad.api.transformed import CLASSES, Transformed
from srcad.errors import error
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Kind, Request
from srcad.pipeline.translate import raise_located

if TYPE_CHECKING:
    from srcad.pipeline.specialisation import Specialisation

A = TypeVar("A")
V = TypeVar("V")

_MAX_FUNCTIONS = 512


@overload
def jvp(
    f: Callable[..., V],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: Literal[False] = False,
    **options: Unpack[Options],
) -> tuple[V, V]: ...
@overload
def jvp(
    f: Callable[..., tuple[V, A]], primals: Sequence[Any], tangents: Sequence[Any], *,
    has_aux: Literal[True], **options: Unpack[Options],
) -> tuple[V, V, A]: ...  # fmt: skip
@with_options_named
@hiding_own_frames
def jvp(
    f: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The value of `f` at `primals` and its derivative along `tangents`: `(y, y_dot)`.

    Args:
        f: any function; it is called once.
        primals: the arguments of `f`, a tuple or list.
        tangents: as many, each with the structure and shapes of its primal.
        has_aux: `f` returns `(y, aux)`; return `(y, y_dot, aux)`.
        backend, fast_math, cache: as of `grad`.

    Returns:
        `(y, y_dot)`: `y_dot` has the structure, shapes and dtypes of `y`; None for what cannot
        vary.

    Raises:
        ArgumentTypeError: E310, a tangent does not match its primal; E307, `has_aux` of a function
            that returns no pair.

    >>> import numpy as np
    >>> import srcad
    >>> srcad.jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    """
    return _product("jvp", f, has_aux, options)(primals, tangents)


@overload
def vjp(
    f: Callable[..., V], *primals: Any, has_aux: Literal[False] = False, **options: Unpack[Options]
) -> tuple[V, Callable[[Any], tuple[Any, ...]]]: ...
@overload
def vjp(
    f: Callable[..., tuple[V, A]], *primals: Any, has_aux: Literal[True], **options: Unpack[Options]
) -> tuple[V, Callable[[Any], tuple[Any, ...]], A]: ...
@with_options_named
@hiding_own_frames
def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False, **options: Any) -> Any:
    """The value of `f` and the function that pulls a cotangent of it back: `(y, pullback)`.

    `pullback(y_bar)` returns a tuple with the cotangent of each argument; it may be called many
    times, and belongs to this call: what it reads again of the arguments was copied.

    Args:
        f: any function; it is called once.
        primals: its arguments.
        has_aux: `f` returns `(y, aux)`; return `(y, pullback, aux)`.
        backend, fast_math, cache: as of `grad`.

    Returns:
        The value, and a function of a cotangent with its structure and shapes. Cotangents of
        arguments have their structure, shapes and dtypes; None for what cannot vary.

    Raises:
        ArgumentTypeError: E311, the cotangent does not match the result; E307, `has_aux` of a
            function that returns no pair.

    >>> import numpy as np
    >>> import srcad
    >>> y, pullback = srcad.vjp(lambda a, b: a * b, 2.0, 5.0)
    >>> pullback(1.0)
    (5.0, 2.0)
    """
    return _product("vjp", f, has_aux, options)(*primals)


@with_options_named
@hiding_own_frames
def linearize(
    f: Callable[..., V], *primals: Any, **options: Unpack[Options]
) -> tuple[V, Callable[..., V]]:
    """The value of `f` and its derivative there as a function of tangents: `(y, f_jvp)`.

    `f_jvp(*tangents)` returns what `jvp` gives beside the value. What does not depend on tangents
    is computed once, but for loops and branches, which run again. `f_jvp` belongs to this call:
    what it reads again of the arguments was copied.

    Args:
        f: any function; it is called once.
        primals: its arguments.
        backend, fast_math, cache: as of `grad`.

    Returns:
        The value, and a function of as many tangents as there are primals, which gives `y_dot`.

    Raises:
        ArgumentTypeError: E310, a tangent does not match its primal.

    >>> import srcad
    >>> y, f_jvp = srcad.linearize(lambda a, b: a * b, 2.0, 5.0)
    >>> y, f_jvp(1.0, 0.0), f_jvp(0.0, 1.0)
    (10.0, 5.0, 2.0)
    """
    y, f_jvp = _product("linearize", f, False, dict(options))(*primals)
    return y, f_jvp


@with_options_named
def pushforward(
    f: Callable[..., Any], *, has_aux: bool = False, **options: Unpack[Options]
) -> Pushforward:
    """The program that `jvp` runs: `pushforward(f)(primals, tangents)` gives `(y, y_dot)`.

    It is read as a gradient is, for arguments of `f`: `pushforward(f).show(x)`. The module that
    `save` writes has one function, of the arguments and then their tangents: `f_jvp(x, x_dot)`.
    What cannot vary has no tangent there; what the example arguments leave out is given by name.

    Args:
        f: any function.
        has_aux: as of `jvp`.
        backend, fast_math, cache: as of `grad`.

    Returns:
        A function of `primals` and `tangents`, whose result is that of `jvp`.

    Raises:
        ArgumentTypeError: as `jvp`.

    >>> import srcad
    >>> product = srcad.pushforward(lambda x: x * x)
    >>> product((3.0,), (1.0,))
    (9.0, 6.0)
    """
    made: Pushforward = _product("jvp", f, has_aux, dict(options), keep=False)
    return made


@with_options_named
def pullback(
    f: Callable[..., Any], *, has_aux: bool = False, **options: Unpack[Options]
) -> Pullback:
    """The program that `vjp` runs: `pullback(f)(*primals)` gives `(y, pullback)`.

    It is read and saved as a gradient is: `pullback(f).show(x)`.

    Args:
        f: any function.
        has_aux: as of `vjp`.
        backend, fast_math, cache: as of `grad`.

    Returns:
        A function of the arguments of `f`, whose result is that of `vjp`.

    Raises:
        ArgumentTypeError: as `vjp`.

    >>> import srcad
    >>> y, pull = srcad.pullback(lambda x: x * x)(3.0)
    >>> pull(1.0)
    (6.0,)
    """
    made: Pullback = _product("vjp", f, has_aux, dict(options), keep=False)
    return made


class _Product(Transformed[..., Any]):
    """A program that is called in a way of its own: never directly."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._specializer.direct = None

    def _filled_tangents(self, args: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, ...]:
        """One for each parameter: what was left out has a default, which does not vary."""
        given = min(len(tangents), self._binder.n_positional)
        bound = self._binder(tangents, {})
        return (*bound[:given], *map(zero_like, args[given:]))


class Pushforward(_Product):
    """The program of `jvp`."""

    @hiding_own_frames
    def _general(self, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
        """The value and its derivative along the tangents."""
        if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
            fix = "give arguments and tangents as tuples: srcad.jvp(f, (x,), (v,))"
            raise error("E310", None, what="a tangent that stands in no tuple", fix=fix)
        args = self._binder(primals, {})
        if len(tangents) != len(primals):
            raise error("E310", None, what=f"a tuple of {len(tangents)} tangents")
        tangents = [
            as_like(x, t, "E310", f"tangent {i}")
            for i, (x, t) in enumerate(zip(primals, tangents, strict=True))
        ]
        return self._call((*args, *self._filled_tangents(args, tangents)), len(args))

    def _specialisation(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Specialisation:
        if not args and not kwargs:
            return super()._specialisation(args, kwargs)
        bound = self._binder(args, kwargs)
        return self._specializer.find((*bound, *map(zero_like, bound)), len(bound))

    def _filled(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
        from srcad.pipeline.standalone.headers import Passed

        found = Passed(super()._filled(args, kwargs))
        by_position = (p.name for p, _ in zip(self._binder.parameters, args, strict=False))
        found.names = frozenset((*by_position, *kwargs))
        return found


class Pullback(_Product):
    """The program of `vjp`."""

    @hiding_own_frames
    def _general(self, *primals: Any) -> Any:
        """The value and the function that pulls a cotangent of it back."""
        args = self._binder(primals, {})
        y, pull, *aux = self._call(args, len(args))
        n = len(primals)
        form, wholes = Form(y), [zeros_in_objects(x) for x in primals]

        @hiding_own_frames
        def checked(y_bar: Any) -> tuple[Any, ...]:
            given = form.take(y_bar, "E311", "the cotangent")
            try:
                found = pull(given)[:n]
            except Exception as problem:
                raise_located(problem)
            return tuple(map(completed, found, wholes))

        return (y, checked, *aux)


class Linearized(_Product):
    """The program of `linearize`."""

    @hiding_own_frames
    def _general(self, *primals: Any) -> Any:
        """The value and the derivative as a function of tangents."""
        args = self._binder(primals, {})
        y, product = self._call(args, len(args))
        forms = [Form(x) for x in primals]

        @hiding_own_frames
        def f_jvp(*tangents: Any) -> Any:
            if len(tangents) != len(primals):
                raise error("E310", None, what=f"a tuple of {len(tangents)} tangents")
            pairs = enumerate(zip(forms, tangents, strict=False))
            given = [form.take(t, "E310", f"tangent {i}") for i, (form, t) in pairs]
            try:
                return product(*self._filled_tangents(args, given))
            except Exception as problem:
                raise_located(problem)

        return y, f_jvp


CLASSES["linearize"] = Linearized
CLASSES["jvp"] = Pushforward
CLASSES["vjp"] = Pullback

_products: OrderedDict[Any, Any] = OrderedDict()


def _product(
    kind: Kind, f: Callable[..., Any], has_aux: bool, options: dict[str, Any], *, keep: bool = True
) -> Any:
    """The product of `f`; kept for the functions used last."""
    if not callable(f):
        raise error("E313", None, what=f"{f!r}")
    try:
        key = (kind, f, has_aux, tuple(sorted(options.items())))
        found = _products.get(key) if keep else None
    except TypeError:
        keep, found = False, None
    if found is None:
        request = Request(kind, f, (), has_aux=bool(has_aux), **check_options(options))
        found = CLASSES[kind](request)
        if keep:
            _products[key] = found
            if len(_products) > _MAX_FUNCTIONS:
                _products.popitem(last=False)
    return found
