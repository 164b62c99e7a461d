"""Checkpoints: states of a loop from which it runs again, so that not all of it need be saved.

    states = Checkpoints(range(n), (u,), budget=200_000_000, tape=8 * d)
    for _ in range(states.legs()):                  # forward: keep a state, advance from it
        start, stop = states.keep(u)
        for i in range(start, stop): u = step(u)
    start, stop = states.last()                     # run the last part with its tape
    ...                                             # back over it
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
often than in the best choice for the number that it came to. Such a loop records its steps, too;
where the states leave no more room, the tapes of the first parts go.
"""

from __future__ import annotations

import copy
from bisect import bisect_left
from itertools import pairwise
from math import comb
from operator import itemgetter
from typing import Any

import numpy as np

from srcad.runtime.checkpoints.revolve import (
    advances,
    balanced_slots,
    divided,
    divided_online,
    first_stop,
)

# Bytes that a tape may have in any case: short parts take longer than what is saved is worth.
LITTLE = 64_000
# How many times as many steps as there is room for are recorded, before recording ends.
LONG = 3


def bytes_of(x: Any) -> int:
    """Memory of a value in a list: a number is an object, an array has a head."""
    if isinstance(x, tuple | list):
        return sum(map(bytes_of, x))
    return x.nbytes + 112 if is_array(x) else 32


def data_of(x: Any) -> int:
    """Bytes of the data alone, as reports count them."""
    if isinstance(x, tuple):
        return sum(map(data_of, x))
    return x.nbytes if is_array(x) else 8


def copied(x: Any) -> Any:
    """The value for itself, in memory as it was."""
    if isinstance(x, list):
        return [copied(item) for item in x]
    return np.copy(x, order="K") if is_array(x) else x


def is_array(x: Any) -> bool:
    """Whether a value is an array, also one on a device."""
    return isinstance(x, np.ndarray) or type(x).__name__ == "ndarray"


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
        self.taped = 0  # parts at the end whose tapes the loop has left
        self.tapes: tuple[list[Any], ...] = ()  # of the steps recorded from part `since` on
        self.since, self.held, self.records = 0, 0, True
        self.room = None if budget is None else budget - self.state
        if self.n is not None:
            parts = self.all_parts()
            self._plan(0, parts, self.slots, parts - 1)
            # The state before the last part is at hand when a loop ends that offers its states.
            self.planned = {parts - 1, *(start for start, _ in self.pending)}

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

    def all_steps(self) -> int:
        """How many steps the loop has: where that is not known ahead, what it came to."""
        return self.count if self.n is None else self.n

    def all_parts(self) -> int:
        """How many parts that makes."""
        return -(-self.all_steps() // self.size)

    def _run(self, start: int, stop: int) -> tuple[int, int]:
        """The bounds of the indices of some parts, which are run."""
        n = self.all_steps()
        self.leg = (min(start * self.size, n), min(stop * self.size, n))
        self.run += self.leg[1] - self.leg[0]
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
        return self._run(start, stop)

    def offer(self, *state: Any) -> None:
        """Keep the state before this step, if it is one of those to be kept."""
        step, self.count = self.count, self.count + 1
        self.run += 1
        part, within = divmod(step, self.size)
        if within:
            return
        self._make_room(step - self.since * self.size)
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

    def record(self, *items: Any) -> None:
        """Keep what a step saves, as long as there is room."""
        if not self.records:
            return
        if not self.tapes:
            self.tapes = tuple([] for _ in items)
        for tape, item in zip(self.tapes, items, strict=True):
            tape.append(copied(item))
            self.held += bytes_of(item)

    def _make_room(self, steps: int) -> None:
        """Drop the tapes of the first parts, of so many steps, to have room for one more part."""
        if not self.tapes or not steps:
            return
        room = 0 if self.room is None else self.room - (len(self.kept) + 1) * self.state
        most = max(room * steps // max(self.held, 1) - self.size, 0)
        gone = min(-(-(steps - most) // self.size), steps // self.size)
        if gone > 0:
            self.held -= self.held * gone * self.size // steps
            self.since += gone
            # In a long loop the last steps are few, and to copy the tapes of all takes its time.
            self.records = self.since * self.size <= LONG * steps
            for tape in self.tapes:
                del tape[: gone * self.size]
            if not self.records:
                self.tapes = ()

    def recorded(self, count: int) -> tuple[Any, ...]:
        """The bounds of the steps that are recorded, and their tapes, which are so many."""
        if not self.records:
            self.since = self.all_parts()
        self.tapes = self.tapes or tuple([] for _ in range(count))
        self.taped = self.all_parts() - self.since
        self.kept = [entry for entry in self.kept if entry[0] < self.since]
        n = self.all_steps()
        start = min(self.since * self.size, n)
        self.leg = (start, n)
        bounds = self.first + start * self.stride, self.first + n * self.stride
        return (*bounds, *self.tapes)

    def last(self) -> tuple[int, int]:
        """The bounds of the last part, which is run with its tape on the way there."""
        parts = self.all_parts()
        self.taped = min(parts, 1)
        return self._run(max(parts - 1, 0), parts)

    def parts(self) -> int:
        """Begin to go back: how many parts are run again."""
        self.end = self.all_parts() - self.taped
        for tape in self.tapes:  # they have been read
            tape.clear()
        self.generators = tuple(map(copy.deepcopy, self.generators))
        return self.end

    def again(self) -> Checkpoints:
        """The same states once more: the sweep back may run several times."""
        made = copy.copy(self)
        made.kept = [(*entry[:3], False) for entry in self.kept]
        made.tapes = ()  # they are read again next time
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
        return self._run(self.end, self.end + 1)

    def cut(self, items: Any) -> Any:
        """The items that belong to the steps of the part."""
        return items[slice(*self.leg)]

    def work(self) -> float:
        """How often a step is run on average, there and back, once the loop has ended."""
        n, parts = self.all_steps(), self.all_parts()
        end = parts - self.taped
        if self.n is not None and not self.since and self.taped == min(parts, 1):
            return (n + self.size * advances(parts, self.slots)) / max(n, 1)
        at = [entry[0] for entry in self.kept if entry[0] < end] + [end]
        gaps = [later - part for part, later in pairwise(at)]
        again = sum(advances(gap, self.slots - k) for k, gap in enumerate(gaps))
        return (n + min(self.size * end, n) + self.size * again) / max(n, 1)

    def nbytes(self) -> int:
        """Bytes of data of the states that are kept at most, and of the tape of a part, but for
        what the loop itself wrote.
        """
        n, parts = self.all_steps(), self.all_parts()
        state, tape = self.data
        end = parts - self.taped
        steps, states = min(self.size, n), min(self.slots, end) + (end > 0)
        if self.taped:
            steps = max(steps - (n - end * self.size), 0)
        return states * state + steps * tape
