"""`srcad.parallel.value_and_grad` and `grad`: a call, from its arguments to the whole gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcad.api.argnums import find_argnums
from srcad.api.binding import Binder
from srcad.api.options import Argnums, check_options
from srcad.api.typed import with_options_named
from srcad.errors import error
from srcad.parallel.combining import added, combined, joined
from srcad.parallel.engines import Engine, engine_of
from srcad.parallel.programs import Missing, Program, Task, first_failure, keep, run
from srcad.parallel.splitting import as_several, bounds, check_split, lengths, part_of, paths_of
from srcad.pipeline.calls.dispatch import MISS, build_dispatch
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Request
from srcad.pipeline.specialize import Specializer
from srcad.pipeline.targets import AUTO, NUMPY


@with_options_named
def value_and_grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    over: Argnums,
    engine: Any = None,
    parts: int | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The value of a scalar function of many samples and its gradient, computed in parts.

    The compiler proves that the result is a sum or a mean over the samples, or made of these and of
    what has no samples in it; results of parts are put together accordingly, in their order. They
    do not depend on which worker is faster.

    Args:
        f: `f(*args, **kwargs)` returns a scalar, or `(scalar, aux)` with `has_aux`.
        argnums: parameters to differentiate: a position, a name, or a tuple of these.
        over: the parameters with the samples along their first axis, likewise: arrays, or tuples,
            lists and dicts of arrays, all as long. Gradients by them are joined in their order.
        engine: what runs the parts: a `concurrent.futures` executor, a `joblib.Parallel`, a
            `dask.distributed.Client`, an `mpi4py` communicator; None for this process.
        parts: how many, by default as many as the engine has workers.
        has_aux: return `((value, aux), gradient)`. What aux has of each sample is joined, sums and
            means over the samples are those of all, the rest is the same for all parts.
        backend, fast_math, cache: as of `srcad.grad`. "auto" runs NumPy's program on the workers;
            "native" the compiled one.

    Returns:
        A function of the same arguments: `(value, gradient)`.

    Raises:
        UnsupportedSyntax: E142, the result is no sum and no mean over the samples.
        ArgumentValueError: E323, an argument in `over` cannot be split; E324, no such engine.

    >>> import numpy as np
    >>> import srcad.parallel
    >>> def loss(w, x):
    ...     return np.mean((x @ w) ** 2)
    >>> step = srcad.parallel.value_and_grad(loss, over="x", parts=2)
    >>> step(np.array([1.0, 2.0]), np.eye(2))
    (np.float64(2.5), array([1., 2.]))
    """
    return _parallel("value_and_grad", f, argnums, over, engine, parts, has_aux, options)


@with_options_named
def grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    over: Argnums,
    engine: Any = None,
    parts: int | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The gradient of a scalar function of many samples, computed in parts.

    Arguments as of `value_and_grad`; with `has_aux` returns `(gradient, aux)`.

    >>> import numpy as np
    >>> import srcad.parallel
    >>> gradient = srcad.parallel.grad(lambda w, x: np.sum(w * x), over="x", parts=3)
    >>> gradient(2.0, np.arange(5.0))
    10.0
    """
    return _parallel("grad", f, argnums, over, engine, parts, has_aux, options)


def _parallel(
    kind: Any,
    f: Any,
    argnums: Any,
    over: Any,
    engine: Any,
    parts: int | None,
    has_aux: bool,
    options: dict[str, Any],
) -> Any:
    options = check_options(options)
    if f is None:
        return lambda fn: _parallel(kind, fn, argnums, over, engine, parts, has_aux, options)
    if not callable(f):
        raise error("E313", None, what=f"{f!r}")
    if parts is not None and (isinstance(parts, bool) or not isinstance(parts, int) or parts < 1):
        raise error("E324", None, what=f"parts={parts!r}")
    positions, single = find_argnums(f, argnums)
    request = Request("value_and_grad", f, positions, single, bool(has_aux), **options)
    return Parallel(kind, request, find_argnums(f, over)[0], engine_of(engine), parts)


@dataclass(frozen=True, slots=True)
class _Known:
    """A program with what reads its captured values where its guards hold."""

    program: Program
    captured: Callable[..., Any]


class Parallel:
    """A gradient that is computed in parts; called as the primal is."""

    def __init__(
        self,
        kind: str,
        request: Request,
        over: Sequence[int | str],
        engine: Engine,
        parts: int | None,
    ) -> None:
        functools.update_wrapper(self, request.primal)
        self._kind = kind
        self._request = request
        self._binder = Binder(request.primal)
        names = [p.name for p in self._binder.parameters]
        self._over = [names.index(each) if isinstance(each, str) else each for each in over]
        self._names = names
        self._engine = engine
        self._parts = parts
        self._specializers: dict[tuple[str, ...], Specializer] = {}
        self._known: tuple[_Known, ...] = ()
        self._sent: set[str] = set()

    @property
    def primal(self) -> Callable[..., Any]:
        """The function this was made from."""
        return self._request.primal

    @hiding_own_frames
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative at these arguments."""
        given = self._binder(args, kwargs)
        n = check_split([(self._names[k], given[k]) for k in self._over])
        known, captured = self._find(given)
        cuts = bounds(lengths(n, self._parts or self._engine.workers()))
        tasks = [
            Task(
                known.program.digest, None, self._part(given, *cut), captured,
                (cut[1] - cut[0]) / n if n else 1.0, k, len(cuts),
            )
            for k, cut in enumerate(cuts)
        ]  # fmt: skip
        return self._whole(self._results(known.program, tasks))

    def _part(self, given: Sequence[Any], start: int, stop: int) -> tuple[Any, ...]:
        return tuple(part_of(x, start, stop) if k in self._over else x for k, x in enumerate(given))

    def _results(self, program: Program, tasks: list[Task]) -> list[Any]:
        """The results of all parts; a worker without the program is sent it."""
        if self._engine.is_local:
            keep(program)
        elif program.digest not in self._sent:
            tasks = [replace(task, program=program.sent) for task in tasks]
            self._sent.add(program.digest)
        results = self._engine.map(run, tasks)
        again = [k for k, found in enumerate(results) if found is Missing]
        if again:
            resent = [replace(tasks[k], program=program.sent) for k in again]
            for k, found in zip(again, self._engine.map(run, resent), strict=True):
                results[k] = found
        failed = first_failure(results)
        if failed is not None:
            raise failed.problem
        return results

    def _whole(self, results: list[Any]) -> Any:
        """The results of parts put together."""
        request = self._request
        values = [value for value, _ in results]
        aux: Any = None
        if request.has_aux:
            aux = combined([pair[0] for _, pair in values], values[0][1][1])
            values = [value for value, _ in values]
        gradients = [(each,) if request.single else each for _, each in results]
        whole = tuple(
            joined(each) if self._is_split(argnum) else added(each)
            for argnum, each in zip(request.argnums, zip(*gradients, strict=True), strict=True)
        )
        found = whole[0] if request.single else whole
        if self._kind == "grad":
            return (found, aux) if request.has_aux else found
        value = added(values)
        return ((value, aux) if request.has_aux else value), found

    def _is_split(self, argnum: int | str) -> bool:
        position = self._names.index(argnum) if isinstance(argnum, str) else argnum
        return position in self._over

    def _find(self, given: Sequence[Any]) -> tuple[_Known, tuple[Any, ...]]:
        """The program for these arguments, compiled if need be, and its captured values."""
        several = tuple(as_several(x) if k in self._over else x for k, x in enumerate(given))
        n = len(several)
        for known in self._known:
            found = known.captured(*several)
            if found is not MISS:
                return known, found[n:]
        known = self._compile(several)
        self._known = (known, *self._known)
        return known, known.captured(*several)[n:]

    def _compile(self, args: tuple[Any, ...]) -> _Known:
        specializer = self._specializer(args)
        found = specializer.find((*args, 1.0), len(args)).artifact
        native, plain = None, found
        if found.compiled:
            native, plain = found, specializer.by_numpy().find((*args, 1.0), len(args)).artifact
        captured = build_dispatch(
            lambda *passed: passed, self.primal, len(args), 0,
            found.guards, found.captures, found.kept,
        )  # fmt: skip
        return _Known(Program(plain, native), captured)

    def _specializer(self, args: Sequence[Any]) -> Specializer:
        over = tuple(path for k in self._over for path in paths_of(args[k], k))
        if over not in self._specializers:
            backend = self._request.backend
            request = replace(
                self._request, over=over, backend=NUMPY.name if backend == AUTO else backend
            )
            self._specializers[over] = Specializer(request)
        return self._specializers[over]

    @hiding_own_frames
    def source(self, *args: Any, **kwargs: Any) -> str:
        """The program that runs for a part of these arguments; `share` is its share of the
        samples.
        """
        given = self._binder(args, kwargs)
        check_split([(self._names[k], given[k]) for k in self._over])
        program = self._find(given)[0].program
        return (program.native or program.numpy).text

    def __repr__(self) -> str:
        return f"<srcad.parallel.{self._kind} of {self._request.name}>"


__all__ = ["Parallel", "grad", "value_and_grad"]
