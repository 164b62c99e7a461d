"""Engines: what runs the parts. Each is a few lines around a library that is there already.

An engine tells how many workers it has, and maps a function over tasks, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np

from srcad.errors import error
from srcad.parallel.storage import ahead

Run = Callable[..., Any]
Add = Callable[[Sequence[Any]], list[Any]]


@dataclass(frozen=True, slots=True)
class Work:
    """What an engine computes: `fn(shared, task, *blocks)` of each task with its blocks.

    add: makes of the results of some parts, one after the other, as many that are smaller; for an
        engine that can call it where results lie, if they are large.
    """

    fn: Run
    shared: Any
    tasks: Sequence[Any]
    blocks: Sequence[tuple[Any, ...]]
    add: Add | None = None


class Engine(Protocol):
    """What runs parts.

    `is_local`: in this process, which has the program.
    """

    is_local: bool

    def workers(self) -> int:
        """How many parts run at a time."""

    def parted(self, x: Any, lengths: Sequence[int] | None) -> Parted | None:
        """An argument that lies with the workers, in parts of these lengths if some are given and
        it can be; None for one that comes from here.
        """

    def map(self, work: Work) -> Generator[Any, None, None]:
        """The results of the tasks, in their order."""


@dataclass(frozen=True, slots=True)
class Parted:
    """An array that lies with the workers: its parts, their lengths, and one sample's shape."""

    blocks: list[Any]
    lengths: list[int]
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


@runtime_checkable
class Collective(Protocol):
    """An engine of processes that all make the call, each with its own part of the samples."""

    def call(self, given: Sequence[Any], gradient: Any) -> Any:
        """The result for all samples, the same in each process.

        Args:
            gradient: the `Parallel`.
        """


class Farm:
    """An engine of which each worker gets what it computes with from here."""

    is_local = False

    def parted(self, x: Any, lengths: Sequence[int] | None) -> Parted | None:
        """None: nothing lies with the workers."""
        return None


# The class of what users pass, by the module that it comes from.
_ENGINES = {
    "concurrent.futures": "executors",
    "joblib": "joblib",
    "distributed": "dask",
    "mpi4py": "mpi",
}


def engine_of(given: Any) -> Engine | Collective:
    """The engine for what a user passes.

    Raises:
        ArgumentValueError: E324, it is none that is known.
    """
    if given is None:
        return Here()
    for cls in type(given).__mro__:
        for module, name in _ENGINES.items():
            if f"{cls.__module__}.".startswith(f"{module}."):
                made = import_module(f"srcad.parallel.engines.{name}")
                engine: Engine | Collective = made.engine(given)
                return engine
    raise error("E324", None, what=f"engine={given!r}")


class Here(Farm):
    """This process, one part after the other."""

    is_local = True

    def workers(self) -> int:
        """One."""
        return 1

    def map(self, work: Work) -> Generator[Any, None, None]:
        """The results in the order of the tasks; what is in files is read one part ahead."""
        fn, shared, tasks = work.fn, work.shared, work.tasks
        if not any(task.is_stored for task in tasks):
            yield from (fn(shared, task) for task in tasks)
            return
        with closing(ahead([task.read for task in tasks])) as read:
            yield from (fn(shared, task) for task in read)


__all__ = ["Add", "Collective", "Engine", "Farm", "Here", "Parted", "Run", "Work", "engine_of"]
