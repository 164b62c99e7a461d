"""`jacfwd`, `jacrev`, `jacobian`, `hessian` and `hvp`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.api.arguments.binding import Binder
from srcad.api.arguments.options import Argnums
from srcad.api.signatures.derivatives import Derivative
from srcad.api.signatures.transformations import Matrix, Product
from srcad.api.signatures.typed import TypedAs
from srcad.api.sparse_forms import sparse_form
from srcad.api.transformations import transform
from srcad.api.transformed import CLASSES, Transformed
from srcad.errors import SrcadError, error
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Request

if TYPE_CHECKING:
    from srcad.api.saved import SavedValues
    from srcad.pipeline.specialisation import Specialisation
    from srcad.pipeline.specialize import CacheInfo, Specializer


@TypedAs[Derivative]()
def jacrev(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Any,
) -> Any:
    """The Jacobian of a function, by a reverse sweep for each entry of its result.

    The forward sweep runs once. For functions of many numbers that return few.

    Args:
        f: returns an array, a number, or a container of these; or `(result, aux)` with `has_aux`.
        argnums: parameters to differentiate by: a position, a name, or a tuple of these.
        has_aux: return `(jacobian, aux)`.
        holomorphic: `f` is a holomorphic function of complex arguments.
        options: `backend`, `fast_math` and `cache`, as of `grad`.

    Returns:
        A function of the same arguments. Its result has the container of the result of `f`, in each
        place the container of the argument (a tuple of them for a tuple of `argnums`), and in each
        place of that an array of shape `y.shape + x.shape`, of the dtype of the argument.

    Raises:
        ArgumentTypeError: E301 an int argument, E306 a result that is no real number.

    >>> import numpy as np
    >>> import srcad
    >>> srcad.jacrev(lambda x: x[1:] * x[:-1])(np.array([1.0, 2.0, 3.0]))
    array([[2., 1., 0.],
           [0., 3., 2.]])
    """
    return transform("jacrev", f, argnums, has_aux, holomorphic, options)


@TypedAs[Derivative]()
def jacfwd(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Any,
) -> Any:
    """The Jacobian of a function, by a tangent for each entry of its arguments.

    Arguments and result as of `jacrev`, but the dtype is that of the result of `f`, which may be
    complex. For functions of few numbers that return many.

    >>> import numpy as np
    >>> import srcad
    >>> srcad.jacfwd(lambda t: np.array([np.cos(t), np.sin(t)]))(0.0)
    array([-0.,  1.])
    """
    return transform("jacfwd", f, argnums, has_aux, holomorphic, options)


@TypedAs[Matrix]()
def jacobian(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    sparse: bool = False,
    **options: Any,
) -> Any:
    """The Jacobian of a function, by `jacfwd` or `jacrev`: the one that needs fewer sweeps.

    The choice is made for each combination of shapes when it first comes. Arguments and result as
    of `jacrev`.

    Args:
        sparse: of a function that returns one array, give a `scipy.sparse.csr_array` of shape
            `(y.size, x.size)`, by as few products as the pattern of its entries needs; for a tuple
            of `argnums` a tuple of them. `.pattern(*args)` is that pattern, `.colors(*args)` says
            which columns, or rows, one product serves. Needs SciPy.

    Raises:
        ArgumentTypeError: E321, `sparse` of a container of arrays, or of a function that calls
            itself or draws random numbers.

    >>> import numpy as np
    >>> import srcad
    >>> @srcad.jacobian
    ... def polar(x):
    ...     return np.array([np.hypot(x[0], x[1]), np.arctan2(x[1], x[0])])
    >>> polar(np.array([3.0, 4.0]))
    array([[ 0.6 ,  0.8 ],
           [-0.16,  0.12]])
    """
    if sparse:
        return sparse_form(f, argnums, has_aux, holomorphic, options, symmetric=False)
    return transform("jacobian", f, argnums, has_aux, holomorphic, options)


@TypedAs[Matrix]()
def hessian(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    sparse: bool = False,
    **options: Any,
) -> Any:
    """The matrix of second derivatives of a scalar function: the tangents of its gradient.

    For a tuple of `argnums`, and for containers, there is a block for each pair of them: the outer
    container is the gradient's, the inner one too. Of a function that returns an array, the second
    derivatives of each entry have the shape `y.shape + x.shape + x.shape`.

    Args:
        sparse: of a function of arrays, give a `scipy.sparse.csr_array`, as of `jacobian`; for a
            tuple of `argnums` a tuple of tuples. The colours use its symmetry.

    >>> import numpy as np
    >>> import srcad
    >>> srcad.hessian(lambda x: x[0] ** 2 * x[1])(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    if sparse:
        return sparse_form(f, argnums, has_aux, holomorphic, options, symmetric=True)
    return transform("hessian", f, argnums, has_aux, holomorphic, options)


@TypedAs[Product]()
def hvp(f: Any = None, argnums: Argnums = 0, *, has_aux: bool = False, **options: Any) -> Any:
    """The product of the Hessian of a scalar function with a vector, without the Hessian.

    `hvp(f)(x, v)` costs a few evaluations of `f`. `v` comes after the last argument that is
    differentiated by, before what follows it in the signature of `f`: `hvp(f)(x, v, *args)`, as
    SciPy calls its `hessp`. It has the structure of the gradient, a tuple for a tuple of `argnums`:
    `hvp(f, (0, 1))(x, y, (x_v, y_v), *args)`. By name it is `v`.

    Raises:
        ArgumentTypeError: E310, `v` does not match the argument; E315, there is none.

    >>> import numpy as np
    >>> import srcad
    >>> x, v = np.array([3.0, 5.0]), np.array([1.0, 0.0])
    >>> srcad.hvp(lambda x: x[0] ** 2 * x[1])(x, v)
    array([10.,  6.])
    """
    return transform("hvp", f, argnums, has_aux, False, options)


class Jacobian(Transformed[..., Any]):
    """A Jacobian by the cheaper of two modes, which is found for each combination of shapes."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        from srcad.pipeline.specialize import Specializer

        self._modes: dict[Any, Specializer] = {}
        self._reverse = Specializer(replace(request, kind="jacrev"))
        self._forward = Specializer(replace(request, kind="jacfwd"))
        self._newest = self._forward

    @hiding_own_frames
    def _general(self, /, *args: Any, **kwargs: Any) -> Any:
        """The Jacobian at these arguments."""
        if kwargs or len(args) != self._n or self._binder.is_outdated:
            args = self._binder(args, kwargs)
        key = tuple(map(_shapes, args))
        specializer = self._newest = self._modes.get(key) or self._choose(key, args)
        result = specializer(args, len(args))
        if key not in self._modes:  # only now the size of the result is known
            self._modes[key] = self._reverse if self._is_wide(result, args) else self._forward
        return result

    def _choose(self, key: Any, args: Sequence[Any]) -> Specializer:
        """The mode for arguments of these shapes, kept if it is known before running."""
        from srcad.pipeline.reports.sizes import needs_fewer_rows

        fewer = needs_fewer_rows(self.__srcad_request__, args)
        chosen = self._reverse if fewer else self._forward
        if fewer is not None:
            self._modes[key] = chosen
        return chosen

    def _is_wide(self, result: Any, args: Sequence[Any]) -> bool:
        """Whether a Jacobian has fewer rows than columns."""
        from srcad.api.arguments.trees import leaves

        request = self.__srcad_request__
        columns = sum(map(np.size, leaves([argument(self._binder, args, request)])))
        found = result[0] if request.has_aux else result
        return sum(map(np.size, leaves([found]))) < columns**2

    def _newest_program(self) -> Specialisation | None:
        return self._newest.newest

    def _chosen(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Specializer, Sequence[Any], int]:
        bound = self._binder(args, kwargs)
        key = tuple(map(_shapes, bound))
        return self._modes.get(key) or self._choose(key, bound), bound, len(bound)

    def cache_info(self) -> CacheInfo:
        """Hits, misses and size of the caches of both modes."""
        both = (self._reverse.info(), self._forward.info())
        return type(both[0])(*map(sum, zip(*both, strict=True)))

    def cache_clear(self) -> None:
        """Forget all compiled programs."""
        self._reverse.clear()
        self._forward.clear()
        self._modes.clear()


def _shapes(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x.shape
    if isinstance(x, float | int | complex | np.generic):
        return ()
    from srcad.api.arguments.trees import flatten
    from srcad.runtime.records import is_plain_class

    if is_plain_class(type(x)):
        return type(x)  # whatever it holds: the key is for the choice of a mode alone
    flat, structure = flatten(x)
    return (structure, tuple(map(np.shape, flat)))


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


def argument(binder: Binder, args: Sequence[Any], request: Request) -> Any:
    """What is differentiated by: the argument, or a tuple of arguments for a tuple of `argnums`."""
    found = tuple(_argument(binder.parameters, args, each) for each in request.argnums)
    return found[0] if request.single else found


def _argument(
    parameters: Sequence[inspect.Parameter], args: Sequence[Any], argnum: int | str
) -> Any:
    if isinstance(argnum, str):
        return args[[p.name for p in parameters].index(argnum)]
    for position, p in enumerate(parameters):
        if p.kind is p.VAR_POSITIONAL and argnum >= position:
            items = args[position]
            if argnum - position >= len(items):
                raise error("E303", None, what=str(argnum))
            return items[argnum - position]
    return args[argnum]


CLASSES["jacobian"] = Jacobian
CLASSES["hvp"] = HessianProduct

__all__ = ["HessianProduct", "Jacobian", "hessian", "hvp", "jacfwd", "jacobian", "jacrev"]
