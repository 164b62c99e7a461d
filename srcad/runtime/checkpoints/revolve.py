"""How many steps a loop takes there and back, and what is the least: revolve (Griewank & Walther,
ACM TOMS 26, 2000), for parts of a loop and states that are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb

# Bytes of a tape for which caches have room: to write one to memory and to read it back takes
# longer than a few steps that do little.
CACHED = 8_000_000
# How many more steps are run for a tape that caches have room for.
WORTH = 1.25
# Up to how many parts of the same length are tried, besides parts of powers of two.
FEW = 64


def repetitions(parts: int, slots: int) -> int:
    """The least r with `parts <= C(slots + r, slots)`: no part is run more than r times again."""
    if slots == 1:
        return max(parts - 1, 0)
    r, reached = 0, 1
    while reached < parts:
        r += 1
        reached = reached * (slots + r) // r
    return r


def advances(parts: int, slots: int) -> int:
    """How many parts are run to reverse `parts` with so many states, that at the start included:
    `t(l, s) = r l - C(s + r, r - 1)` (Griewank & Walther 2000, Proposition 1).
    """
    r = repetitions(parts, slots)
    return r * parts - comb(slots + r, r - 1) if r else 0


def first_stop(parts: int, slots: int) -> int:
    """How far to advance before the next state is kept, of `parts` that are left, two or more, and
    with two or more states: the farthest of the choices that are best.
    """
    r = repetitions(parts, slots)
    rest = comb(slots + r - 2, slots - 1)
    return min(comb(slots + r - 1, slots), parts - rest)


def balanced_slots(parts: int) -> int:
    """As many states as there are repetitions: both grow as the logarithm of the steps."""
    slots = 1
    while comb(2 * slots, slots) < parts:
        slots += 1
    return slots


def divided(n: int, state: int, tape: int, budget: int, largest: int) -> tuple[int, int]:
    """The steps of a part and the number of states that take the fewest steps within `budget`, or
    few more of them and a tape that caches have room for.

    Args:
        n: the number of steps.
        state: bytes of one state.
        tape: bytes that one step saves.
        budget: bytes of all states, of one that is worked on, and of the tape of a part.
        largest: part that may be chosen.
    """

    def room(size: int) -> int:
        return (budget - size * tape) // state - 1  # but for the state that is worked on

    found = _with_least_work(n, largest, room)
    if found is None:
        needs = f"two states take {2 * state:,}, and what one step saves {tape:,}"
        raise ValueError(f"a budget of {budget:,} bytes is too small: {needs}")
    if found[1] * tape > CACHED:
        cached = _with_least_work(n, min(largest, max(CACHED // tape, 1)), room)
        if cached is not None and cached[0] <= WORTH * found[0]:
            found = cached
    return found[1:]


def _with_least_work(
    n: int, largest: int, room: Callable[[int], int]
) -> tuple[int, int, int] | None:
    """How many steps are run in all, the steps of a part, and the number of states of those for
    which there is room beside the tape of a part; None if there is none.
    """
    n, largest = max(n, 1), max(largest, 1)
    sizes = {2**k for k in range(largest.bit_length())} | {-(-n // p) for p in range(1, FEW)}
    best: tuple[int, int, int] | None = None
    for size in sorted(sizes):
        parts, free = -(-n // size), room(size)
        if size <= largest and free >= min(1, parts - 1):
            slots = max(1, min(parts - 1, free))
            work = n + size * advances(parts, slots)
            if best is None or work <= best[0]:
                best = (work, size, slots)
    return best


def divided_online(state: int, tape: int, budget: int, largest: int) -> tuple[int, int]:
    """The same where the number of steps is not known: a quarter is for the tape at most."""
    divided(2, state, tape, budget, 1)
    bytes_of_part = min(budget // 4, budget - 2 * state, CACHED)
    size = max(1, min(largest, bytes_of_part // tape))
    return size, (budget - size * tape) // state - 1
