"""Dask: a cluster of workers. Dask arrays, and lists of futures, are computed with where they lie.

The scheduler runs the parts of a lost worker elsewhere; so they give the same. If no worker is
left, or samples lay with a lost one alone, it would wait for ever: that is told after `PATIENCE_S`
seconds.
"""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from typing import Any

import dask
import numpy as np
from dask.array import Array
from distributed import Client, Future, KilledWorker, get_worker, wait

from srcad.errors import error
from srcad.parallel.combining import group_size
from srcad.parallel.engines import Add, Parted, Run, Work
from srcad.parallel.programs import Failed

PATIENCE_S = 30.0
_MOST_KNOWN = 10_000  # futures of which length, dtype and shape are remembered
_LARGE = 1 << 20  # bytes that are sent once, and passed on by the workers


class Dask:
    """A `dask.distributed.Client`."""

    is_local = False

    def __init__(self, client: Client) -> None:
        self.client = client
        self._threads = 0
        self._known: dict[Any, tuple[int, np.dtype[Any], tuple[int, ...]]] = {}

    def workers(self) -> int:
        """As many parts as the workers had threads at the first call. It stays so when some are
        lost, or last digits would differ.
        """
        self._threads = self._threads or sum(self.client.nthreads().values())
        return self._threads or 1

    def parted(self, x: Any, lengths: Sequence[int] | None) -> Parted | None:
        """The parts of a Dask array, or of a list of futures of arrays."""
        if isinstance(x, Array):
            return self._of_array(x, lengths)
        if isinstance(x, list | tuple) and x and all(isinstance(part, Future) for part in x):
            return self._of_futures(list(x))
        return None

    def _of_array(self, x: Array, lengths: Sequence[int] | None) -> Parted:
        if x.ndim == 0 or any(map(math.isnan, x.chunks[0])):
            fix = "x.compute_chunk_sizes() finds the lengths"
            raise error("E323", None, what="a Dask array of unknown length", fix=fix)
        x = x.rechunk({axis: -1 for axis in range(1, x.ndim)})
        if lengths is not None and sum(lengths) == len(x):
            x = x.rechunk({0: tuple(lengths)})
        blocks = self.client.compute(list(x.to_delayed().ravel()))
        return Parted(blocks, [*map(int, x.chunks[0])], x.dtype, tuple(map(int, x.shape[1:])))

    def _of_futures(self, futures: list[Future]) -> Parted:
        new = [future for future in futures if future.key not in self._known]
        if new:
            found = self._results(self.client.map(_measured, new, pure=False))
            known = {future.key: facts for future, facts in zip(new, found, strict=True)}
            if len(self._known) > _MOST_KNOWN:
                self._known = {f.key: self._known[f.key] for f in futures if f not in new}
            self._known |= known
        facts = [self._known[future.key] for future in futures]
        (dtype, shape) = facts[0][1:]
        return Parted(futures, [n for n, *_ in facts], dtype, shape)

    def map(self, work: Work) -> Generator[Any, None, None]:
        """The results in the order of the tasks. Workers add what is large, group by group, so that
        not all of it has to come here.
        """
        given, add = work.shared, work.add
        if len(pickle.dumps(given)) > _LARGE:
            given = self._sent_once(given)
        futures = [
            self.client.submit(_at_worker, work.fn, given, task, *own, pure=False)
            for task, own in zip(work.tasks, work.blocks, strict=True)
        ]
        groups: list[Future] = []
        try:
            if add is None or len(futures) == 1:
                yield from self._results(futures)
                return
            size = group_size(len(futures))
            groups = [
                self.client.submit(_add_there, add, *futures[k : k + size], pure=False)
                for k in range(0, len(futures), size)
            ]
            for found in self._results(groups, futures):
                yield from found
        finally:
            self.client.cancel([f for f in (*groups, *futures) if not f.done()])

    def _sent_once(self, shared: Any) -> Future:
        """What all parts need, as a result of the cluster's: it is passed on from worker to worker,
        and made again where it is lost, as scattered data is not.
        """
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
            return self.client.submit(_given, shared, pure=False)

    def _results(
        self, futures: Sequence[Future], parts: Sequence[Future] = ()
    ) -> Generator[Any, None, None]:
        """The results of all, in order.

        Args:
            parts: what they are made of, if they are no parts themselves.

        Raises:
            RuntimeError: a part ends its workers, or none computes it.
        """
        watch = _Watch(self.client, futures, parts or futures)
        return (watch.result(k) for k in range(len(futures)))


class _Watch:
    """Waits for futures, but not for ever."""

    def __init__(self, client: Client, futures: Sequence[Future], parts: Sequence[Future]) -> None:
        self.client = client
        self.futures = futures
        self.parts = parts
        self.idle_since: float | None = None
        self.gather_s = PATIENCE_S

    def result(self, k: int) -> Any:
        """The result of one."""
        future = self.futures[k]
        while True:
            try:
                if not future.done():
                    wait(future, timeout=1)
                return future.result(timeout=self.gather_s)
            except TimeoutError:
                self.gather_s *= 2 if future.done() else 1  # a large result is on its way
                self._check_progress(k)
            except CancelledError as problem:
                raise self._not_computed(_GONE) from problem
            except KilledWorker as problem:
                raise self._deadly(problem) from problem

    def _deadly(self, problem: KilledWorker) -> RuntimeError:
        worker = getattr(problem.last_worker, "address", problem.last_worker)
        keys = [part.key for part in self.parts]
        what = f"{problem.task}, which parts need,"
        if problem.task in keys:
            what = f"part {keys.index(problem.task) + 1} of {len(keys)}"
        return RuntimeError(
            f"{what} was there when each of {problem.allowed_failures + 1} workers ended, the last "
            f"one at {worker}; it may need more memory than a worker has"
        )

    def _check_progress(self, k: int) -> None:
        reason = None
        if not self.client.nthreads():
            reason = f"all workers of {self.client.scheduler.address} are lost"
        elif "forgotten" in self._states([f.key for f in self.futures[k:] if not f.done()]):
            reason = _GONE
        if reason is None:
            self.idle_since = None
            return
        self.idle_since = self.idle_since or time.monotonic()
        if time.monotonic() - self.idle_since > PATIENCE_S:
            raise self._not_computed(reason)

    def _states(self, keys: list[Any]) -> list[str | None]:
        """What the scheduler knows about tasks: it reports none that cannot run because data that
        they need is gone.
        """
        found = self.client.sync(self.client.scheduler.get_task_status, keys=keys)
        return list(found.values())

    def _not_computed(self, reason: str) -> RuntimeError:
        left = [str(k + 1) for k, f in enumerate(self.parts) if f.status != "finished"]
        told = f"{reason}; parts {', '.join(left)} of {len(self.parts)} are not computed"
        return RuntimeError(told)


_GONE = (
    "data that parts need lay with a worker that is lost, and nothing tells how to make it again "
    "(samples as a Dask array can be made again, scattered ones cannot)"
)


def _given(shared: Any) -> Any:
    return shared


def _add_there(add: Add, *results: Any) -> list[Any]:
    return add(results)


def _at_worker(fn: Run, *args: Any) -> Any:
    """The result of a part; what it raised names the worker."""
    found = fn(*args)
    if isinstance(found, Failed):
        found.problem.add_note(f"at worker {get_worker().address}")
    return found


def _measured(x: Any) -> tuple[int, np.dtype[Any], tuple[int, ...]]:
    """Length, dtype and shape of one sample of an array that lies with a worker."""
    x = np.asarray(x)
    return len(x), x.dtype, x.shape[1:]


def engine(client: Client) -> Dask:
    """The engine of a client."""
    return Dask(client)
