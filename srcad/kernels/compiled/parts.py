"""Work on many samples by a compiled loop, split over the threads that stand by.

    run_parts(copy, part, len(x), work)     copy(*part(0, 0, 50)) here,
                                            copy(*part(1, 50, 100)) in a thread

As `srcad.kernels.threads.parallel`, but that what threads do is machine code alone, which they have
within a microsecond (`srcad.kernels.jobs`).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from numba import types

from srcad.kernels.jobs import finish, new_ticket, post
from srcad.kernels.numba_adapter import entry_of
from srcad.kernels.standing import StandingPool
from srcad.kernels.threads import shared_pool, thread_count

# How much less work is worth a thread that has it so soon.
_EASE = 4

_entry = functools.cache(entry_of)


def run_parts(
    compiled: Callable[..., None], part: Callable[[int, int, int], tuple[Any, ...]], n: int,
    work: int,
) -> None:  # fmt: skip
    """Call a compiled loop for runs that make up `range(n)`, at once.

    part: the arguments, from the number of the part, which has memory of its own (`scratch`), and
        the first of its run and the first after it.
    work: about how many numbers are moved or multiplied in all.
    """
    count = max(1, min(n, thread_count(_EASE * work)))
    if count == 1:
        compiled(*part(0, 0, n))
        return
    pool = shared_pool(count)
    assert isinstance(pool, StandingPool)
    bounds = [-(-n * k // count) for k in range(count + 1)]  # the first begins first: it has more
    first, *others = (part(k, a, b) for k, (a, b) in enumerate(itertools.pairwise(bounds)))
    left, entry, ticket = [first], _entry(compiled), new_ticket()
    try:
        for thread, args in zip(pool.threads[: count - 1], others, strict=True):
            if not post(thread.words, ticket, entry, args):  # it works for another caller
                left.append(args)
            elif thread.is_asleep:
                thread.wake()
        for args in left:
            compiled(*args)
    finally:
        finish(pool.words[: count - 1], ticket)  # arguments are kept until then


def prepare_parts(compiled: Any) -> None:
    """Compile what gives a loop to threads, for the disk; all its arrays can be written."""
    (signature,) = compiled.signatures
    arrays = types.Array
    given = [k.copy(readonly=False) if isinstance(k, arrays) else k for k in signature]
    words = types.Array(types.int64, 1, "C")
    post.compile((words, types.int64, types.int64, types.BaseTuple.from_types(given)))


__all__ = ["prepare_parts", "run_parts"]
