"""The arguments of a call in parts: those that come from here, and those that lie with workers.

step(w, x, y), over=("x", "y")      x, y: arrays           x[0:4], y[0:4]   x[4:7], y[4:7]
                                    x: a Dask array        its chunks, and y likewise
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.api.arguments.trees import leaves
from srcad.errors import error
from srcad.parallel.engines import Engine, Parted
from srcad.parallel.splitting import as_several, bounds, check_split, lengths, part_of
from srcad.parallel.storage import Stored, as_stored


@dataclass(frozen=True, slots=True)
class Inputs:
    """The arguments by parts.

    several: all arguments, those that are split as arrays of two samples at least, of the same
        kind: what the program is compiled for.
    places: the positions of those that are split, with their `parts`, one list for each of the
        `lengths`. What lies with workers is None there, and among the `blocks` of the part.
    like: dtype and shape of one sample, of each array that lies with workers.
    """

    several: tuple[Any, ...]
    places: tuple[int, ...]
    lengths: list[int]
    parts: list[tuple[Any, ...]]
    blocks: list[tuple[Any, ...]]
    like: tuple[Any, ...]

    @property
    def n(self) -> int:
        """The number of samples."""
        return sum(self.lengths)


def split(
    given: Sequence[Any], names: Sequence[str], over: Sequence[int], engine: Engine, count: int
) -> Inputs:
    """The arguments in so many parts, or as those that lie with workers are.

    Raises:
        ArgumentValueError: E323, they cannot be split, or not together.
    """
    lying: dict[int, Parted] = {}
    for k in over:
        known = next(iter(lying.values())).lengths if lying else None
        if (found := engine.parted(given[k], known)) is not None:
            lying[k] = found
    here = [k for k in over if k not in lying]
    given = [as_stored(x) if k in here else x for k, x in enumerate(given)]
    is_stored = any(isinstance(leaf, Stored) for k in here for leaf in leaves(given[k]))
    told = [(names[k], given[k]) for k in here]
    told += [(names[k], np.broadcast_to(0, sum(parted.lengths))) for k, parted in lying.items()]
    n = check_split(told)
    of_parts = next(iter(lying.values())).lengths if lying else lengths(n, count)
    if any(parted.lengths != of_parts for parted in lying.values()):
        raise error("E323", None, what="what lies with workers in other parts")
    cuts = [(k, *cut) for k, cut in enumerate(bounds(of_parts)) if cut[1] > cut[0] or n == 0]
    most = 2 if lying or is_stored else n
    several = [as_several(part_of(x, 0, most)) if k in here else x for k, x in enumerate(given)]
    for k, parted in lying.items():
        several[k] = np.zeros((2, *parted.shape), parted.dtype)
    return Inputs(
        tuple(several),
        tuple(over),
        [stop - start for _, start, stop in cuts],
        [tuple(part_of(given[k], a, b) if k in here else None for k in over) for _, a, b in cuts],
        [tuple(parted.blocks[j] for parted in lying.values()) for j, *_ in cuts],
        tuple((parted.dtype, parted.shape) for parted in lying.values()),
    )


__all__ = ["Inputs", "split"]
