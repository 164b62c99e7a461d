"""joblib: its processes or threads."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import joblib

from srcad.errors import error
from srcad.parallel.engines import Farm, Work


class Joblib(Farm):
    """`joblib.Parallel(n_jobs=...)`."""

    def __init__(self, parallel: Any) -> None:
        self.parallel = parallel

    def workers(self) -> int:
        """As many jobs as run at a time."""
        return int(joblib.effective_n_jobs(self.parallel.n_jobs))

    def map(self, work: Work) -> Generator[Any, None, None]:
        """The results in the order of the tasks."""
        try:
            call = joblib.delayed(work.fn)
            yield from self.parallel(call(work.shared, task) for task in work.tasks)
        except BrokenProcessPool as problem:
            raise RuntimeError(
                f"a process of joblib has ended by itself, and some of {len(work.tasks)} parts are "
                "not computed; call again"
            ) from problem


def engine(parallel: Any) -> Joblib:
    """The engine of a `joblib.Parallel`."""
    if not getattr(parallel, "return_ordered", True):
        raise error("E324", None, what="joblib.Parallel with results in no order")
    return Joblib(parallel)
