"""The object that a transformation returns: callable, readable, savable, picklable."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    overload,
)

from srcad.api.arguments.binding import Binder
from srcad.api.arguments.options import Backend, check_options
from srcad.errors import error
from srcad.pipeline.calls.tracebacks import hide_own_frames, hiding_own_frames
from srcad.pipeline.request import Kind, Request

if TYPE_CHECKING:
    from srcad.api.saved import SavedValues
    from srcad.api.standalone import Program
    from srcad.pipeline.reports.explanation import Explanation
    from srcad.pipeline.specialisation import Specialisation
    from srcad.pipeline.specialize import CacheInfo, Specializer


P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S")


class Transformed(Generic[P, R_co]):
    """A derivative of `primal`, compiled at the first call for each signature of arguments.

    It is called as the primal is. The keyword `out` gives arrays with the structure, shapes and
    dtypes of the gradient, which is written there; they are returned in its place. Where the primal
    has a parameter of this name it is that.

    `__name__`, `__doc__`, `__wrapped__` and the signature are the primal's.
    """

    # What a call goes to is each object's own: in the end a function that checks the arguments and
    # runs the program, with nothing in between. For checkers of types it is a method.
    if not TYPE_CHECKING:
        __slots__ = ("__call__", "__dict__", "__weakref__")
    else:

        @overload
        def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
        @overload
        def __call__(self, /, *args: Any, out: Any, **kwargs: Any) -> R_co: ...
        def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
            """The derivative at these arguments; `out` gives arrays to write the gradient to."""

    def __init__(self, request: Request) -> None:
        from srcad.pipeline.calls.direct import Direct
        from srcad.pipeline.specialize import Specializer

        functools.update_wrapper(self, request.primal)
        self.__srcad_request__ = request
        self._specializer: Specializer = Specializer(request)
        self._binder = Binder(request.primal, self._restart)
        self._n = self._binder.n_simple
        self._call = self._specializer.__call__
        self._others: dict[str, Transformed[..., Any]] = {}
        self._use(self._general)
        if self._n >= 0:
            self._specializer.direct = Direct(self._general, self._use)

    @property
    def primal(self) -> Callable[..., Any]:
        """The function this was made from."""
        return self.__srcad_request__.primal

    def _restart(self) -> None:
        """The function has other parameters by now, as where a notebook reloads its module."""
        self._n = self._binder.n_simple if self._n >= 0 else -1
        self.cache_clear()
        if self._n < 0:
            self._specializer.direct = None

    def _use(self, call: Callable[..., Any]) -> None:
        # Were it assigned, checkers of types would take it for an attribute.
        object.__setattr__(self, "__call__", call)

    def _general(self, /, *args: Any, **kwargs: Any) -> Any:
        """The derivative at these arguments, whatever they are."""
        try:
            if kwargs or len(args) != self._n or self._binder.is_outdated:
                if "out" in kwargs:
                    from srcad.api.arguments.donated import call_into, takes_out

                    if takes_out(self.__srcad_request__, self._binder.parameters):
                        out = kwargs.pop("out")
                        return call_into(self._specializer, out, self._binder(args, kwargs))
                args = self._binder(args, kwargs)
            return self._call(args, len(args))
        except BaseException as problem:
            hide_own_frames(problem)
            raise

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(
        self: Transformed[Concatenate[S, Q], R], instance: S, owner: type | None = None
    ) -> Callable[Q, R]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """As a method: differentiates with respect to the parameters after `self`."""
        return self if instance is None else functools.partial(self, instance)

    @hiding_own_frames
    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """The generated Python source for these arguments; without any, of the newest
        specialisation.

        Raises:
            ArgumentTypeError: E315, when nothing was compiled yet and no arguments are given.
        """
        return self._specialisation(args, kwargs).artifact.text

    @hiding_own_frames
    def show(self, /, *args: Any, **kwargs: Any) -> None:
        """Print the generated source, highlighted on a terminal."""
        from srcad.api.show import show

        show(self.source(*args, **kwargs))

    @hiding_own_frames
    def save(
        self,
        /,
        path: str | PathLike[str],
        *args: Any,
        signatures: Sequence[Any] = (),
        overwrite: bool = False,
        **kwargs: Any,
    ) -> None:
        """Write a stand-alone importable module: NumPy only, no srcad; for `backend="native"` NumPy
        and Numba.

        Its one public function, named in `__all__`, has the primal's signature; captured values are
        frozen. It serves arguments like those given here, of any sizes, and refuses others.

        To a path that ends in `.c` a function of C99 is written, which needs no more than `libm`;
        beside it a header and a test, `f.h` and `f_test.c` for `f.c`.

        Args:
            path: of the file.
            *args, **kwargs: example arguments; without any, the program of the last call is saved.
            signatures: example arguments of further programs, each a tuple, or the only argument.
                The function picks the first program that fits.
            overwrite: replace a file that is there and has another content.

        Raises:
            CacheError: E503, what the program needs means nothing outside of this process; E506, a
                part of it has no form in C.
            FileExists: E505, also a `FileExistsError`: there is such a file, with another content.
        """
        from srcad.api.standalone import check_is_one_call, save_as_c
        from srcad.pipeline.standalone.module import save

        if Path(path).suffix == ".c":
            check_is_one_call(signatures, bool(args or kwargs) or self._n == 0)
            save_as_c(Path(path), (args, kwargs), self._chosen(args, kwargs), self.on, overwrite)
            return
        calls: list[tuple[Any, Any]] = [
            (given if isinstance(given, tuple) else (given,), {}) for given in signatures
        ]
        if args or kwargs or not calls:
            calls.insert(0, (args, kwargs))
        programs = [self._saved_program(*call) for call in calls]
        save(path, programs, self.__srcad_request__, overwrite)

    def _saved_program(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Program:
        """The program for these arguments, they themselves, and what need not be as in them."""
        from srcad.api.standalone import artifact_of, program_for
        from srcad.pipeline.calls.checking import checking

        with checking(False):
            artifact = artifact_of(self._specialisation(args, kwargs))
        filled = self._filled(args, kwargs)
        if not filled:
            return artifact, filled, frozenset()
        return program_for(artifact, filled, self._chosen(args, kwargs))

    @hiding_own_frames
    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Which program runs for these arguments and why: NumPy's or a compiled one.

        Without arguments, of the newest specialisation. Prints as text.

        >>> import numpy as np
        >>> import srcad
        >>> print(srcad.grad(lambda x: x * x, backend="numpy").explain(3.0))
        grad of <lambda>
        runs      NumPy
        because   of backend="numpy"
        """
        from srcad.pipeline.reports.explanation import explain

        found = self._specialisation(args, kwargs)
        return explain(self.__srcad_request__, found)

    def on(self, backend: Backend) -> Self:
        """The same derivative on another backend: to read the program that `"auto"` would have
        compiled, or to pin one for some calls. Each keeps what it compiles.

        >>> import numpy as np
        >>> import srcad
        >>> gradient = srcad.grad(lambda x: np.sum(x * x))
        >>> gradient.on("numpy").explain(np.ones(3)).why
        'of backend="numpy"'
        """
        own = self.__srcad_request__
        if backend == own.backend:
            return self
        if backend not in self._others:
            check_options({"backend": backend})
            self._others[backend] = create(replace(own, backend=backend))
        return cast(Self, self._others[backend])

    @hiding_own_frames
    def saved(self, /, *args: Any, **kwargs: Any) -> SavedValues:
        """What the reverse sweep reads of the forward sweep for these arguments, by user line.

        Measured, not estimated: the forward sweep is run once. Bytes are those of the arrays' data;
        a view counts what it keeps alive, memory that is kept twice counts once, and arguments and
        captured values, which exist anyway, are listed apart in `read_again`. Single ints, bools
        and shapes are left out.

        Returns:
            A report with `entries`, `total` (bytes) and `read_again`; it prints as a table.

        >>> import numpy as np
        >>> import srcad
        >>> def loss(x):
        ...     return np.sum(np.exp(x))
        >>> srcad.grad(loss).saved(np.zeros(3)).total
        24
        """
        from srcad.api.saved import saved_values

        return saved_values(self.__srcad_request__, self._binder(args, kwargs))

    def explore(
        self, /, *args: Any, path: str | PathLike[str] | None = None, **kwargs: Any
    ) -> Path:
        """Write one page of HTML with the function on the left and its derivative on the right.

        A line here lights up its lines there. The page has the bytes that each line saves, its time
        and the range of its values in a sample call, the program after each pass of the compiler,
        its compiled form, and a search. It needs no server and no network.

        Args:
            args, kwargs: of a call. It is made some times, on copies, with what it prints dropped.
                Without any the page shows the newest specialisation, and no call.
            path: of the file to write; a new temporary one by default. A parameter of this name is
                given by position.

        Returns:
            The path of the page.
        """
        from srcad.explore.writing import write_page

        found = self._specialisation(args, kwargs)
        if not args and not kwargs and self._n != 0:
            return write_page(path, self.__srcad_request__, found, None, 0)
        specializer, bound, n_primal = self._chosen(args, kwargs)
        return write_page(path, specializer.request, found, bound, n_primal)

    def cache_info(self) -> CacheInfo:
        """Hits, misses and size of the cache in memory."""
        return self._specializer.info()

    def cache_clear(self) -> None:
        """Forget all compiled programs of this object; they are compiled again when called."""
        self._specializer.clear()

    def _specialisation(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Specialisation:
        newest = self._newest_program()
        if not args and not kwargs and self._n != 0:
            if newest is None:
                what = f"`{self.__srcad_request__.name}`"
                fix = "call it once, or give example arguments: `.source(x)`"
                raise error("E315", None, what=what, fix=fix)
            return newest
        specializer, bound, n_primal = self._chosen(args, kwargs)
        return specializer.find(bound, n_primal)

    def _newest_program(self) -> Specialisation | None:
        return self._specializer.newest

    def _chosen(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Specializer, Sequence[Any], int]:
        """What compiles for these arguments, its arguments, how many of them are the primal's."""
        bound = self._binder(args, kwargs)
        return self._specializer, bound, len(bound)

    def _filled(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
        return self._binder(args, kwargs) if args or kwargs else ()

    def _repr_html_(self) -> str:
        """For notebooks: the function, and the program compiled last."""
        from srcad.explore.notebook import both_sources

        return both_sources(self.__srcad_request__, self._newest_program())

    def __reduce__(self) -> Any:
        from srcad.api.pickling import name_of

        request = self.__srcad_request__
        return name_of(self, request) or (create, (request,))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        request = self.__srcad_request__
        return f"<srcad.{request.kind} of {request.name}>"


# Of the kinds that are called in a way of their own.
CLASSES: dict[Kind, type[Transformed[..., Any]]] = {}


def create(request: Request) -> Transformed[..., Any]:
    """The object for a request."""
    if type(request) is not Request:
        raise TypeError(f"expected a pickled derivative of srcad's, got {type(request).__name__}")
    return CLASSES.get(request.kind, Transformed)(request)


__all__ = ["CLASSES", "Transformed", "create"]
