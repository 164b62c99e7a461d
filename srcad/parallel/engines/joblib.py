"""joblib: its processes or threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import joblib

from srcad.parallel.engines import Farm, Run


class Joblib(Farm):
    """`joblib.Parallel(n_jobs=...)`."""

    def __init__(self, parallel: Any) -> None:
        self.parallel = parallel

    def workers(self) -> int:
        """As many jobs as run at a time."""
        return int(joblib.effective_n_jobs(self.parallel.n_jobs))

    def map(
        self, fn: Run, shared: Any, tasks: Sequence[Any], blocks: Sequence[tuple[Any, ...]]
    ) -> list[Any]:
        """The results in the order of the tasks."""
        return list(self.parallel(joblib.delayed(fn)(shared, task) for task in tasks))


def engine(parallel: Any) -> Joblib:
    """The engine of a `joblib.Parallel`."""
    return Joblib(parallel)
