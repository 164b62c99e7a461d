"""Engines: what runs the parts. Each is a few lines around a library that is there already.

An engine tells how many workers it has, and maps a function over tasks, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

from srcad.errors import error


class Engine(Protocol):
    """What maps a function over tasks.

    `is_local`: tasks run in this process, which has the program.
    """

    is_local: bool

    def workers(self) -> int:
        """How many tasks run at a time."""

    def map(self, fn: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        """The results in the order of the tasks."""


# The class of what users pass, by the module that it comes from.
_ENGINES = {
    "concurrent.futures": "executors",
    "joblib": "joblib",
    "distributed": "dask",
    "mpi4py": "mpi",
}


def engine_of(given: Any) -> Engine:
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
                engine: Engine = made.engine(given)
                return engine
    raise error("E324", None, what=f"engine={given!r}")


class Here:
    """This process, one part after the other."""

    is_local = True

    def workers(self) -> int:
        """One."""
        return 1

    def map(self, fn: Callable[[Any], Any], tasks: Sequence[Any]) -> list[Any]:
        """The results in the order of the tasks."""
        return [fn(task) for task in tasks]


__all__ = ["Engine", "Here", "engine_of"]
