"""`concurrent.futures`: pools of threads and of processes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from srcad.parallel.engines import Farm, Work


class Pool(Farm):
    """An executor."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.is_local = isinstance(executor, ThreadPoolExecutor)

    def workers(self) -> int:
        """As many as it was made with."""
        return getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1

    def map(self, work: Work) -> Generator[Any, None, None]:
        """The results in the order of the tasks."""
        futures: deque[Future[Any]] = deque()
        try:
            for task in work.tasks:
                futures.append(self.executor.submit(work.fn, work.shared, task))
            while futures:
                yield futures.popleft().result()
        except BrokenProcessPool as problem:
            left = 1 + sum(not f.done() or f.exception() is not None for f in futures)
            raise RuntimeError(
                f"a process of the pool has ended by itself, with {left} of {len(work.tasks)} "
                "parts not computed; make a new pool and call again"
            ) from problem
        finally:
            for future in futures:
                future.cancel()
            wait(futures)


def engine(executor: Executor) -> Pool:
    """The engine of an executor."""
    return Pool(executor)
