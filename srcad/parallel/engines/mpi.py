"""MPI: every rank calls with its own samples, and gets the result for those of all ranks.

Values are added in the order of the ranks, arrays of a gradient by Allreduce in their own memory.
Before that the ranks tell each other whether one has failed: then all raise, and none waits. They
also compare what must be the same in each: the program, and at the first call the arguments that
are not split.
"""

from __future__ import annotations

import traceback
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from srcad.api.arguments.trees import flatten, map_leaves
from srcad.parallel.combining import added
from srcad.parallel.inputs import Inputs

_REDUCED = "fdFDilqILQ"  # dtypes that every MPI adds


class Mpi:
    """A communicator of `mpi4py`."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm
        self._compared = False

    def call(self, given: Sequence[Any], gradient: Any) -> Any:
        """The result for the samples of all ranks, the same in each. A gradient by the samples is
        that by the rank's own.
        """
        inputs: Inputs = self._together(lambda: gradient.split(given))
        lengths = self.comm.allgather(inputs.n)
        self._compare("arguments that are not split", self._facts(inputs, given))
        self._compared = True
        has_part = inputs.n > 0 or not any(lengths)
        work = self._work(inputs, given, gradient, sum(lengths)) if has_part else lambda: None
        result = self._together(work)
        self._compare("programs", result[2] if has_part else None)
        heads = self.comm.allgather(result[0] if has_part else [])
        value, aux = gradient.joined_heads([head for each in heads for head in each])
        gradients = result[1] if has_part else None
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
        """What computes the rank's parts; the last of the results is the program's digest."""

        def work() -> Any:
            program = gradient.find(inputs.several)
            try:
                return *gradient.computed(inputs, given, n, 1.0 / self.comm.size), program.digest
            except Exception as problem:
                problem.add_note(f"on rank {self.comm.rank} of {self.comm.size}")
                raise

        return work

    def _facts(self, inputs: Inputs, given: Sequence[Any]) -> list[Any]:
        """What tells two ranks' arguments apart, of those that are not split: dtypes and shapes,
        and at the first call a checksum of the entries, for which later calls have no time.
        """
        rest = [x for k, x in enumerate(given) if k not in inputs.places]
        arrays = [np.asarray(leaf) for leaf in flatten(rest)[0] if leaf is not None]
        facts: list[Any] = [(x.dtype.str, x.shape) for x in arrays if x.dtype != object]
        if not self._compared:
            facts += [zlib.crc32(x.tobytes()) for x in arrays if x.dtype != object]
        return facts

    def _compare(self, what: str, own: Any) -> None:
        """See to it that all ranks that have some have the same.

        Raises:
            ValueError: in each rank, that some differ.
        """
        every = self.comm.allgather(own)
        known = [(rank, found) for rank, found in enumerate(every) if found is not None]
        first = known[0][1] if known else None
        if others := [str(rank) for rank, found in known if found != first]:
            raise ValueError(
                f"the ranks have different {what}: {', '.join(others)} of {self.comm.size} differ "
                f"from rank {known[0][0]}; all make the same call, each with its own samples"
            )

    def _together(self, work: Callable[[], Any]) -> Any:
        """The result of a piece of work that no rank has failed at.

        Raises:
            BaseException: what it raised here; else a `RuntimeError` with the traceback of the
                first rank where it failed.
        """
        problem: BaseException | None = None
        found, told = None, ""
        try:
            found = work()
        except BaseException as raised:  # a signal's, too: the others would wait for ever
            problem, told = raised, "".join(traceback.format_exception(raised))
        texts = self.comm.allgather(told)
        if problem is not None:
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
