"""joblib: its processes or threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import joblib


class Joblib:
    """`joblib.Parallel(n_jobs=...)`."""

    is_local = False  # whether it is, its backend decides when it runs

    def __init__(self, parallel: Any) -> None:
        self.parallel = parallel

    def workers(self) -> int:
        """As many jobs as run at a time."""
        return int(joblib.effective_n_jobs(self.parallel.n_jobs))

    def map(self, fn: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        """The results in the order of the tasks."""
        return list(self.parallel(joblib.delayed(fn)(task) for task in tasks))


def engine(parallel: Any) -> Joblib:
    """The engine of a `joblib.Parallel`."""
    return Joblib(parallel)
