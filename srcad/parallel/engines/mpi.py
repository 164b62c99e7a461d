"""MPI: every rank calls with its own samples, and gets the result for those of all ranks.

Values are added in the order of the ranks, arrays of a gradient by Allreduce in their own memory.
Before that the ranks tell each other whether one has failed: then all raise, and none waits.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from srcad.api.arguments.trees import map_leaves
from srcad.interrupts import raise_users_own
from srcad.parallel.combining import added
from srcad.parallel.inputs import Inputs
from srcad.parallel.programs import Failed, Shared, Task, keep, run

_REDUCED = "fdFDilqILQ"  # dtypes that every MPI adds


class Mpi:
    """A communicator of `mpi4py`."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm

    def call(self, given: Sequence[Any], gradient: Any) -> Any:
        """The result for the samples of all ranks, the same in each. A gradient by the samples is
        that by the rank's own.
        """
        inputs: Inputs = self._together(lambda: gradient.split(given))
        lengths = self.comm.allgather(inputs.n)
        has_part = inputs.n > 0 or not any(lengths)
        work = self._work(inputs, given, gradient, sum(lengths)) if has_part else lambda: None
        result = self._together(work)
        heads = self.comm.allgather(result[:2] if has_part else None)
        value, aux = gradient.joined_heads([head for head in heads if head is not None])
        gradients = result[2] if has_part else None
        if not all(lengths) and any(lengths):
            root = next(rank for rank, n in enumerate(lengths) if n)
            like = self.comm.bcast(gradients, root)
            gradients = gradients or [map_leaves(np.zeros_like, each) for each in like]
        whole = [
            self._own(each, inputs, k, given) if k is not None else map_leaves(self._sum, each)
            for each, k in zip(gradients or (), gradient.split_positions(), strict=True)
        ]
        return gradient.assembled(value, aux, whole)

    def _own(self, found: Any, inputs: Inputs, k: int, given: Sequence[Any]) -> Any:
        """The gradient by the rank's own samples, of which it may have none."""
        return found if inputs.n else map_leaves(np.zeros_like, given[k])

    def _work(
        self, inputs: Inputs, given: Sequence[Any], gradient: Any, n: int
    ) -> Callable[[], Any]:
        """What computes the rank's part."""

        def work() -> Any:
            program, captured = gradient.find(inputs.several)
            keep(program)
            args = tuple(None if k in inputs.places else x for k, x in enumerate(given))
            facts = (args, inputs.places, captured, self.comm.size)
            task = Task(
                inputs.parts[0], inputs.n / n if n else 1.0 / self.comm.size, self.comm.rank
            )
            found = run(Shared(program.digest, None, *facts), task)
            if isinstance(found, Failed):
                raise found.problem
            return gradient.taken(found)

        return work

    def _together(self, work: Callable[[], Any]) -> Any:
        """The result of a piece of work that no rank has failed at.

        Raises:
            Exception: what it raised here; else a `RuntimeError` with the traceback of the first
                rank where it failed.
        """
        problem: Exception | None = None
        found, told = None, ""
        try:
            found = work()
        except Exception as raised:
            raise_users_own(raised)
            problem, told = raised, "".join(traceback.format_exception(raised))
        texts = self.comm.allgather(told)
        if problem is not None:
            problem.add_note(f"on rank {self.comm.rank} of {self.comm.size}")
            raise problem
        for rank, text in enumerate(texts):
            if text:
                raise RuntimeError(f"rank {rank} of {self.comm.size} has failed:\n{text}")
        return found

    def _sum(self, x: Any) -> Any:
        """The sum of a leaf over the ranks; that of an array is in its own memory."""
        if type(x) is not np.ndarray or x.ndim == 0 or x.dtype.char not in _REDUCED:
            return added(self.comm.allgather(x))
        whole = np.require(x, requirements=["C", "W"])
        self.comm.Allreduce(MPI.IN_PLACE, whole)
        return whole


def engine(comm: Any) -> Mpi:
    """The engine of a communicator."""
    return Mpi(comm)
