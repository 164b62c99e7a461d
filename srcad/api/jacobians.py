"""`jacfwd`, `jacrev`, `jacobian`, `hessian` and `hvp`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from srcad.api.arguments.binding import Binder
from srcad.api.arguments.options import Argnums
from srcad.api.signatures.derivatives import Derivative
from srcad.api.signatures.transformations import Matrix
from srcad.api.signatures.typed import TypedAs
from srcad.api.sparse_forms import sparse_form
from srcad.api.transformations import transform
from srcad.api.transformed import CLASSES, Transformed
from srcad.errors import error
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Request

if TYPE_CHECKING:
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

    Args:
        f, argnums, has_aux, holomorphic, backend, fast_math, cache: as of `jacrev`.

    Returns:
        A function of the same arguments, as of `jacrev`.

    Raises:
        ArgumentTypeError: E301, an int argument.

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
    sparse: bool | Literal["exact"] = False,
    **options: Any,
) -> Any:
    """The Jacobian of a function, by `jacfwd` or `jacrev`: the one that needs fewer sweeps.

    The choice is made for each combination of shapes when it first comes. Arguments and result as
    of `jacrev`.

    Args:
        f, argnums, has_aux, holomorphic, backend, fast_math, cache: as of `jacrev`.
        sparse: of a function that returns one array, give a `scipy.sparse.csr_array` of shape
            `(y.size, x.size)`, by as few products as the pattern of its entries needs; for a tuple
            of `argnums` a tuple of them. `.pattern(*args)` is that pattern, `.colors(*args)` says
            which columns, or rows, one product serves. The pattern has the entries of both paths of
            a branch on data; with "exact" it has those of the path that the arguments take, and is
            found anew where this is another one. Needs SciPy.

    Returns:
        A function of the same arguments, as of `jacrev`.

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
        return sparse_form(f, argnums, has_aux, holomorphic, sparse, options, symmetric=False)
    return transform("jacobian", f, argnums, has_aux, holomorphic, options)


@TypedAs[Matrix]()
def hessian(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    holomorphic: bool = False,
    sparse: bool | Literal["exact"] = False,
    **options: Any,
) -> Any:
    """The matrix of second derivatives of a scalar function: the tangents of its gradient.

    For a tuple of `argnums`, and for containers, there is a block for each pair of them: the outer
    container is the gradient's, the inner one too. Of a function that returns an array, the second
    derivatives of each entry have the shape `y.shape + x.shape + x.shape`.

    Args:
        f, argnums, has_aux, holomorphic, backend, fast_math, cache: as of `grad`.
        sparse: of a function of arrays, give a `scipy.sparse.csr_array`, as of `jacobian`; for a
            tuple of `argnums` a tuple of tuples. The colours use its symmetry.

    Returns:
        A function of the same arguments. Of an array x it gives one of the shape `x.shape +
        x.shape` and of the dtype of x.

    Raises:
        ArgumentTypeError: E301 and E306, as `grad`; E321, as `jacobian`.

    >>> import numpy as np
    >>> import srcad
    >>> srcad.hessian(lambda x: x[0] ** 2 * x[1])(np.array([3.0, 5.0]))
    array([[10.,  6.],
           [ 6.,  0.]])
    """
    if sparse:
        return sparse_form(f, argnums, has_aux, holomorphic, sparse, options, symmetric=True)
    return transform("hessian", f, argnums, has_aux, holomorphic, options)


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

__all__ = ["Jacobian", "argument", "hessian", "jacfwd", "jacobian", "jacrev"]
