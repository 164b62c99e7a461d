"""Dask: a cluster of workers. Dask arrays, and lists of futures, are computed with where they lie.

The scheduler runs the parts of a lost worker elsewhere; so they give the same. If no worker is left
it would wait for one for ever: that is told after `PATIENCE_S` seconds.
"""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from dask.array import Array
from distributed import Client, Future, KilledWorker, wait

from srcad.errors import error
from srcad.parallel.engines import Parted, Run

PATIENCE_S = 30.0
_LARGE = 1 << 20  # bytes that are sent once, and passed on by the workers


class Dask:
    """A `dask.distributed.Client`."""

    is_local = False

    def __init__(self, client: Client) -> None:
        self.client = client

    def workers(self) -> int:
        """As many parts as the workers have threads."""
        return sum(self.client.nthreads().values()) or 1

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
        found = self.client.gather(self.client.map(_measured, futures, pure=False))
        (dtype, shape) = found[0][1:]
        return Parted(futures, [n for n, *_ in found], dtype, shape)

    def map(
        self, fn: Run, shared: Any, tasks: Sequence[Any], blocks: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """The results in the order of the tasks."""
        size = len(pickle.dumps(shared))
        (given,) = self.client.scatter([shared], hash=False) if size > _LARGE else (shared,)
        futures = [
            self.client.submit(fn, given, task, *own, pure=False)
            for task, own in zip(tasks, blocks, strict=True)
        ]
        try:
            self._wait(futures)
            return [self._result(k, future, len(futures)) for k, future in enumerate(futures)]
        finally:
            self.client.cancel([f for f in futures if not f.done()])

    def _wait(self, futures: Sequence[Future]) -> None:
        """Until all have ended, or for too long no worker was there."""
        lonely = None
        while not all(future.done() for future in futures):
            with suppress(TimeoutError):
                wait(futures, timeout=1)
            if self.client.nthreads():
                lonely = None
                continue
            lonely = lonely or time.monotonic()
            if time.monotonic() - lonely > PATIENCE_S:
                left = [str(k + 1) for k, f in enumerate(futures) if not f.done()]
                raise RuntimeError(
                    f"all workers of {self.client.scheduler.address} are lost; parts "
                    f"{', '.join(left)} of {len(futures)} are not computed"
                )

    def _result(self, k: int, future: Future, count: int) -> Any:
        try:
            return future.result()
        except KilledWorker as problem:
            worker = getattr(problem.last_worker, "address", problem.last_worker)
            raise RuntimeError(
                f"part {k + 1} of {count} has ended each worker that ran it, the last one at "
                f"{worker}; it may need more memory than a worker has"
            ) from problem


def _measured(x: Any) -> tuple[int, np.dtype[Any], tuple[int, ...]]:
    """Length, dtype and shape of one sample of an array that lies with a worker."""
    x = np.asarray(x)
    return len(x), x.dtype, x.shape[1:]


def engine(client: Client) -> Dask:
    """The engine of a client."""
    return Dask(client)
