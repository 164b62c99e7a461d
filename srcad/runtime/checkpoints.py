"""Checkpoints: states of a loop from which it runs again, so that not all of it need be saved.

    states = Checkpoints(range(n), (u,), budget=200_000_000, tape=8 * d)
    for _ in range(states.legs()):                  # forward: keep a state, advance from it
        start, stop = states.keep(u)
        for i in range(start, stop): u = step(u)
    ...
    for _ in range(states.parts()):                 # backwards, part by part
        u = states.restore()
        for _ in range(states.legs()):              # advance to the part, keep states on the way
            start, stop = states.keep(u)
            for i in range(start, stop): u = step(u)
        start, stop = states.part()                 # run it with its tape, and back
        ...

A *part* is a run of steps whose tape is held at once. Which states are kept is `revolve`, Algorithm
799 (Griewank & Walther, ACM TOMS 26, 2000), where the number of steps is known when the loop
starts: no other choice takes fewer steps. Where it is not known, states are kept and dropped while
the loop runs (Wang, Moin & Iaccarino, SIAM J. Sci. Comput. 31, 2009): no step is repeated more
often than in the best choice for the number that it came to.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from collections.abc import Callable
from itertools import pairwise
from math import comb
from operator import itemgetter
from typing import Any

import numpy as np

# Bytes that a tape may have in any case: short parts take longer than what is saved is worth.
LITTLE = 64_000
# Bytes of a tape for which caches have room: to write one to memory and to read it back takes
# longer than a few steps that do little.
CACHED = 8_000_000
# How many more steps are run for a tape that caches have room for.
WORTH = 1.25


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


def bytes_of(x: Any) -> int:
    """Memory of a value in a list: a number is an object, an array has a head."""
    if isinstance(x, tuple):
        return sum(map(bytes_of, x))
    return x.nbytes + 112 if is_array(x) else 32


def data_of(x: Any) -> int:
    """Bytes of the data alone, as reports count them."""
    if isinstance(x, tuple):
        return sum(map(data_of, x))
    return x.nbytes if is_array(x) else 8


def copied(x: Any) -> Any:
    """The value for itself, in memory as it was."""
    return np.copy(x, order="K") if is_array(x) else x


def is_array(x: Any) -> bool:
    """Whether a value is an array, also one on a device."""
    return isinstance(x, np.ndarray) or type(x).__name__ == "ndarray"


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
    best: tuple[int, int, int] | None = None
    for k in range(max(largest, 1).bit_length() + 1):
        size = max(1, min(2**k, largest))
        free = room(size)
        if free < 1:
            break
        parts = -(-n // size)
        slots = max(1, min(parts, free))
        work = 2 * n + size * advances(parts, slots)
        if best is None or work <= best[0]:
            best = (work, size, slots)
    return best


def divided_online(state: int, tape: int, budget: int, largest: int) -> tuple[int, int]:
    """The same where the number of steps is not known: a quarter is for the tape at most."""
    divided(1, state, tape, budget, 1)
    bytes_of_part = min(budget // 4, budget - 2 * state, CACHED)
    size = max(1, min(largest, bytes_of_part // tape))
    return size, (budget - size * tape) // state - 1


class Checkpoints:
    """The states that are kept of one run of a loop, and which comes next.

    Args:
        steps: the indices of the loop; None where it is not known how many there are.
        state: what the loop carries, before the first step: its size counts.
        budget: bytes of all states, of one that is worked on, and of the tape of a part.
        slots: the number of states, where there is no budget; None: the logarithm of the steps.
        tape: bytes that one step saves; None where that is not known: a part is one step.
        heads: how many of these are not of data.
        generators: random generators that steps draw from.
        first, stride: of the indices where `steps` is None.
    """

    def __init__(
        self,
        steps: range | None,
        state: tuple[Any, ...] = (),
        budget: int | None = None,
        slots: int | None = None,
        tape: int | None = None,
        heads: int = 0,
        generators: tuple[Any, ...] = (),
        first: int = 0,
        stride: int = 1,
    ) -> None:
        self.n = None if steps is None else len(steps)
        self.first, self.stride = (first, stride) if steps is None else (steps.start, steps.step)
        self.state = sum(map(bytes_of, state)) or 32
        self.tape = self.state if tape is None else max(tape, 1)
        self.data = sum(map(data_of, state)) or 8, max(self.tape - heads, 1)
        self.size, self.slots, self.grows = 1, 1, False
        self._divide(budget, slots, tape is not None)
        self.generators = generators
        self.kept: list[Any] = []  # part, state, states of the generators, whether it is its own
        # Online: level and part of the states that stay, after the first, and the parts of others.
        self.levels: list[tuple[int, int]] = []
        self.spare: list[int] = []
        self.run = 0  # steps run so far
        self.count = 0  # steps begun, online
        self.end = 0  # parts that are not reversed yet
        self.leg = (0, 0)  # the steps of the last leg or part
        self.pending: list[tuple[int, int]] = []
        if self.n is not None:
            parts = -(-self.n // self.size)
            self._plan(0, parts, self.slots, parts - 1)
            if parts:  # the state before the last part is at hand when the loop ends
                self.pending.insert(0, (parts - 1, parts))
        self.planned = {start for start, _ in self.pending}

    def _divide(self, budget: int | None, slots: int | None, has_tape: bool) -> None:
        n, state, tape = self.n, self.state, self.tape
        if budget is not None:
            if n is None:
                largest = budget if has_tape else 1
                self.size, self.slots = divided_online(state, tape, budget, largest)
            else:
                self.size, self.slots = divided(n, state, tape, budget, n if has_tape else 1)
            return
        self.grows = slots is None and n is None
        self.slots = balanced_slots(n or 1) if slots is None else slots
        if has_tape:
            least = LITTLE if slots is None else 0
            self.size = max(1, max(self.slots * state, least) // tape)
        if slots is None and n is not None:  # the tape of more than half would save nothing
            self.size = max(1, min(self.size, -(-n // 2)))
        if slots is None and n is not None:
            self.slots = balanced_slots(-(-n // self.size))

    def _plan(self, start: int, end: int, slots: int, last: int) -> None:
        """The legs from a state at `start` to `last`, with states for the parts up to `end`."""
        self.pending = []
        while slots > 1 and end - start > 1:
            stop = start + first_stop(end - start, slots)
            self.pending.append((start, stop))
            start, slots = stop, slots - 1
        if start < last:
            self.pending.append((start, last))
        self.pending.reverse()

    def _range(self, start: int, stop: int) -> tuple[int, int]:
        """The bounds of the indices of some parts."""
        n = self.count if self.n is None else self.n
        self.leg = (min(start * self.size, n), min(stop * self.size, n))
        return self.first + self.leg[0] * self.stride, self.first + self.leg[1] * self.stride

    def _store(self, part: int, state: tuple[Any, ...]) -> None:
        drawn = [g.bit_generator.state for g in self.generators]
        self.kept.append((part, tuple(map(copied, state)), drawn, True))

    def legs(self) -> int:
        """How many legs are ahead, each from one state that is kept to the next."""
        return len(self.pending)

    def keep(self, *state: Any) -> tuple[int, int]:
        """Keep the state at the start of the next leg; the bounds of the leg."""
        start, stop = self.pending.pop()
        if not self.kept or self.kept[-1][0] != start:
            self._store(start, state)
        bounds = self._range(start, stop)
        self.run += self.leg[1] - self.leg[0]
        return bounds

    def offer(self, *state: Any) -> None:
        """Keep the state before this step, if it is one of those to be kept."""
        step, self.count = self.count, self.count + 1
        self.run += 1
        part, within = divmod(step, self.size)
        if within:
            return
        if self.n is not None:
            if part in self.planned:
                self._store(part, state)
            return
        if self.grows and comb(2 * self.slots, self.slots) <= part:
            self.slots += 1
        if part == 0 or self.slots > 1:
            self._place(part)
            self._store(part, state)

    def _place(self, part: int) -> None:
        """Make room for the state at a part: a state may go if a later one has a higher level."""
        level = 0
        if len(self.kept) == self.slots:
            if self.spare:
                del self.kept[bisect_left(self.kept, self.spare.pop(), key=itemgetter(0))]
            else:
                level = self.levels.pop()[0] + 1
                self.kept.pop()
        while self.levels and self.levels[-1][0] < level:
            self.spare.append(self.levels.pop()[1])
        if part:
            self.levels.append((level, part))

    def parts(self) -> int:
        """Begin to go back: how many parts there are."""
        n = self.count if self.n is None else self.n
        self.end = -(-n // self.size)
        self.generators = tuple(map(copy.deepcopy, self.generators))
        return self.end

    def again(self) -> Checkpoints:
        """The same states once more: the sweep back may run several times."""
        made = copy.copy(self)
        made.kept = [(*entry[:3], False) for entry in self.kept]
        return made

    def generator(self, k: int) -> Any:
        """What stands for a random generator in steps that are run again."""
        return self.generators[k]

    def restore(self) -> Any:
        """The last state that is kept; the legs from there to the part that is next."""
        part, state, drawn, is_own = self.kept[-1]
        for generator, known in zip(self.generators, drawn, strict=True):
            generator.bit_generator.state = known
        last = self.end - 1
        if part == last:
            self.kept.pop()
        self._plan(part, self.end, self.slots - len(self.kept) + 1, last)
        if part != last or not is_own:
            state = tuple(map(copied, state))
        return state[0] if len(state) == 1 else state

    def part(self) -> tuple[int, int]:
        """The bounds of the part that is next."""
        self.end -= 1
        bounds = self._range(self.end, self.end + 1)
        self.run += self.leg[1] - self.leg[0]
        return bounds

    def cut(self, items: Any) -> Any:
        """The items that belong to the steps of the part."""
        return items[slice(*self.leg)]

    def work(self) -> float:
        """How often a step is run on average, there and back, once the loop has ended."""
        n = self.count if self.n is None else self.n
        at = [entry[0] for entry in self.kept] + [-(-n // self.size)]
        gaps = [later - part for part, later in pairwise(at)]
        again = sum(advances(gap, self.slots - k) for k, gap in enumerate(gaps))
        return (2 * n + self.size * again) / max(n, 1)

    def nbytes(self) -> int:
        """Bytes of data of the states that are kept at most, and of the tape of a part."""
        n = self.count if self.n is None else self.n
        (state, tape), parts = self.data, -(-n // self.size)
        return (min(self.slots, parts) + 1) * state + min(self.size, n) * tape
