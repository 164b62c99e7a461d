"""`srcad.parallel.value_and_grad` and `grad`: a call, from its arguments to the whole gradient."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.api.arguments.argnums import find_argnums
from srcad.api.arguments.binding import Binder
from srcad.api.arguments.options import Argnums, check_options
from srcad.api.arguments.trees import leaves
from srcad.api.signatures.typed import with_options_named
from srcad.errors import error
from srcad.parallel.choosing import Choice, race
from srcad.parallel.combining import Total, added, added_there, combined
from srcad.parallel.engines import Add, Collective, Engine, Here, Work, engine_of
from srcad.parallel.inputs import Inputs, split
from srcad.parallel.known import KnownPrograms
from srcad.parallel.programs import Failed, Missing, Program, Shared, Task, keep, run
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Kind, Request
from srcad.pipeline.targets import AUTO

Progress = Callable[..., Iterable[Any]]
_LARGE = 1 << 18  # bytes of a gradient that is added where it lies, if it can be


@with_options_named
def value_and_grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    over: Argnums,
    engine: Any = None,
    parts: int | None = None,
    progress: Progress | None = None,
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
            Arrays in files (`np.memmap`, Zarr, `parquet(...)`) are read part by part.
        engine: what runs the parts: a `concurrent.futures` executor, a `joblib.Parallel`, a
            `dask.distributed.Client`, an `mpi4py` communicator; None for this process.
        parts: how many, by default as many as the engine has workers.
        progress: `tqdm.tqdm` or `rich.progress.track`, for a bar that shows the parts of each call:
            called with an iterable and its `total`, it gives the same items.
        has_aux: return `((value, aux), gradient)`. What aux has of each sample is joined, sums and
            means over the samples are those of all, the rest is the same for all parts.
        backend, fast_math, cache: as of `srcad.grad`. The program is chosen and compiled here, and
            runs for all parts; with MPI, "auto" is NumPy's.

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
    return _parallel("value_and_grad", f, argnums, over, engine, parts, progress, has_aux, options)


@with_options_named
def grad(
    f: Any = None,
    argnums: Argnums = 0,
    *,
    over: Argnums,
    engine: Any = None,
    parts: int | None = None,
    progress: Progress | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The gradient of a scalar function of many samples, computed in parts.

    Arguments as of `value_and_grad`; with `has_aux` returns `(gradient, aux)`.

    >>> import numpy as np
    >>> import srcad.parallel
    >>> gradient = srcad.parallel.grad(lambda w, x: np.sum(w * x), over="x", parts=3)
    >>> gradient(2.0, np.arange(5.0))
    np.float64(10.0)
    """
    return _parallel("grad", f, argnums, over, engine, parts, progress, has_aux, options)


def _parallel(
    kind: Kind,
    f: Any,
    argnums: Any,
    over: Any,
    engine: Any,
    parts: int | None,
    progress: Progress | None,
    has_aux: bool,
    options: dict[str, Any],
) -> Any:
    options = check_options(options)
    if f is None:
        return lambda fn: _parallel(
            kind, fn, argnums, over, engine, parts, progress, has_aux, options
        )
    if not callable(f):
        raise error("E313", None, what=f"{f!r}")
    if parts is not None and (isinstance(parts, bool) or not isinstance(parts, int) or parts < 1):
        raise error("E324", None, what=f"parts={parts!r}")
    positions, single = find_argnums(f, argnums)
    request = Request("value_and_grad", f, positions, single, bool(has_aux), **options)
    return Parallel(kind, request, find_argnums(f, over)[0], engine_of(engine), parts, progress)


class Parallel:
    """A gradient that is computed in parts; called as the primal is."""

    def __init__(
        self,
        kind: Kind,
        request: Request,
        over: Sequence[int | str],
        engine: Engine | Collective,
        parts: int | None,
        progress: Progress | None,
    ) -> None:
        functools.update_wrapper(self, request.primal)
        self._kind = kind
        self.__srcad_parts__ = replace(request, kind=kind)  # what a call inside a program gives
        self._request = request
        self._binder = Binder(request.primal)
        self._names = [p.name for p in self._binder.parameters]
        self._over = [self._position(each, exact=True) for each in over]
        self._collective = engine if isinstance(engine, Collective) else None
        self._engine = Here() if isinstance(engine, Collective) else engine
        self._parts = parts
        self._progress = progress
        self._programs = KnownPrograms(request, self._over)
        self._sent: set[str] = set()

    @property
    def primal(self) -> Callable[..., Any]:
        """The function this was made from."""
        return self._request.primal

    @hiding_own_frames
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The derivative at these arguments."""
        given = self._binder(args, kwargs)
        if self._collective is not None:
            return self._collective.call(given, self)
        heads, gradients = self.computed(self.split(given), given)
        return self.assembled(*self.joined_heads(heads), gradients)

    def split(self, given: Sequence[Any]) -> Inputs:
        """Arguments in parts."""
        count = self._parts or self._engine.workers()
        return split(given, self._names, self._over, self._engine, count)

    def computed(
        self, inputs: Inputs, given: Sequence[Any], n: int | None = None, empty: float = 1.0
    ) -> tuple[list[tuple[Any, Any]], list[Any]]:
        """The values of all parts, each with its aux, and the gradients by all their samples.

        Args:
            n: the samples of all, where others have more of them.
            empty: the share of a part where no part has samples.
        """
        choice, captured = self._programs.find(inputs.several)
        program, start = choice.program, time.perf_counter()
        n = inputs.n if n is None else n
        tasks = [
            Task(args, length / n if n else empty, k)
            for k, (args, length) in enumerate(zip(inputs.parts, inputs.lengths, strict=True))
        ]
        bare = tuple(None if k in inputs.places else x for k, x in enumerate(given))
        facts = (bare, inputs.places, captured, len(tasks), inputs.like)
        heads, totals = [], [Total(k is not None, len(tasks)) for k in self.split_positions()]
        add = self._adds(given)
        with closing(self._results(program, facts, tasks, inputs.blocks, add)) as results:
            for _ in self._watched(len(tasks)):
                value, aux, gradients = self.taken(next(results))
                heads.append((value, aux))
                for total, each in zip(totals, gradients, strict=True):
                    total.add(each)
        if choice.state == "ready":
            self._race(choice, facts, tasks[0], inputs.blocks[0])
        elif self._request.backend == AUTO and self._collective is None:
            choice.after(time.perf_counter() - start, inputs.several)
        return heads, [total.whole() for total in totals]

    def _race(
        self, choice: Choice, facts: tuple[Any, ...], task: Task, blocks: tuple[Any, ...]
    ) -> None:
        """Have a worker tell which of two programs is faster."""
        assert choice.rival is not None
        shared = Shared(choice.rival.digest, choice.rival.sent, *facts)
        with closing(self._engine.map(Work(race, shared, [task], [blocks]))) as results:
            (found,) = results
        if isinstance(found, Failed):
            choice.leave(f"the compiled program raised {found.problem}")
        else:
            choice.decide(found)

    def _adds(self, given: Sequence[Any]) -> Add | None:
        """What adds gradients where they lie, if they are large; a bar is to see each part."""
        places = [self._position(argnum) for argnum in self._request.argnums]
        is_split = [k in self._over for k in places]
        size = sum(
            leaf.nbytes
            for k in places
            if k not in self._over
            for leaf in leaves(given[k])
            if isinstance(leaf, np.ndarray)
        )
        if self._progress is not None or size < _LARGE:
            return None
        return functools.partial(added_there, is_split=is_split, single=self._request.single)

    def _watched(self, count: int) -> Iterator[int]:
        """The numbers of the parts, as a bar goes through them.

        Raises:
            ValueError: it has left some out.
        """
        bar = range(count) if self._progress is None else self._progress(range(count), total=count)
        seen = 0
        for _ in bar:
            if seen == count:
                break
            yield seen
            seen += 1
        if seen < count:
            raise ValueError(
                f"progress={self._progress!r} has gone through {seen} of {count} parts"
            )

    def _results(
        self,
        program: Program,
        facts: tuple[Any, ...],
        tasks: list[Task],
        blocks: list[tuple[Any, ...]],
        add: Add | None,
    ) -> Generator[Any, None, None]:
        """The results of all parts, in order; a worker without the program is sent it."""
        sent = None
        if self._engine.is_local:
            keep(program)
        elif program.digest not in self._sent:
            sent = program.sent
            self._sent.add(program.digest)
        shared = Shared(program.digest, sent, *facts)
        with closing(self._engine.map(Work(run, shared, tasks, blocks, add))) as results:
            for k, result in enumerate(results):
                if result is Missing:
                    rest = [result, *results]
                    again = [k + j for j, found in enumerate(rest) if found is Missing]
                    break
                yield _unless_failed(result)
            else:
                return
        shared = replace(shared, program=program.sent)
        left = [tasks[k] for k in again], [blocks[k] for k in again]
        with closing(self._engine.map(Work(run, shared, *left))) as results:
            for result in rest:
                yield _unless_failed(next(results) if result is Missing else result)

    def taken(self, result: Any) -> tuple[Any, Any, tuple[Any, ...]]:
        """What a program returns apart: the value, aux with how it is put together, gradients."""
        head, gradients = result
        value, aux = head if self._request.has_aux else (head, None)
        return value, aux, (gradients,) if self._request.single else tuple(gradients)

    def joined_heads(self, heads: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
        """Values and aux of parts put together."""
        value, aux = added([value for value, _ in heads]), None
        if self._request.has_aux:
            aux = combined([found for _, (found, _) in heads], heads[0][1][1])
        return value, aux

    def split_positions(self) -> list[int | None]:
        """For each gradient the argument it is by, if it is one that is split."""
        found = map(self._position, self._request.argnums)
        return [k if k in self._over else None for k in found]

    def assembled(self, value: Any, aux: Any, gradients: Sequence[Any]) -> Any:
        """What a call returns."""
        found = gradients[0] if self._request.single else tuple(gradients)
        has_aux = self._request.has_aux
        if self._kind == "grad":
            return (found, aux) if has_aux else found
        return ((value, aux) if has_aux else value), found

    def _position(self, argnum: int | str, exact: bool = False) -> int:
        """The parameter of an argument; `*args` of those in it."""
        if isinstance(argnum, str):
            return self._names.index(argnum)
        parameters = self._binder.parameters
        is_open = [p.kind is p.VAR_POSITIONAL for p in parameters]
        n_plain = is_open.index(True) if any(is_open) else len(parameters)
        if argnum >= n_plain and exact:
            raise error("E323", None, what=f"a part of `*{self._names[n_plain]}`")
        return min(argnum, n_plain)

    def find(self, args: tuple[Any, ...]) -> Program:
        """The program for arguments like these, compiled if need be."""
        return self._programs.find(args)[0].program

    @hiding_own_frames
    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """The program that runs for a part of these arguments; `share` is its share of the
        samples.
        """
        program = self.find(self.split(self._binder(args, kwargs)).several)
        return (program.native or program.numpy).text

    def __repr__(self) -> str:
        return f"<srcad.parallel.{self._kind} of {self._request.name}>"


def _unless_failed(result: Any) -> Any:
    if isinstance(result, Failed):
        raise result.problem
    return result


__all__ = ["Parallel", "grad", "value_and_grad"]
