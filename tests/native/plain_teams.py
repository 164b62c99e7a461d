"""Teams of threads without Numba, and a detector of races: which entries of which arrays threads
read and write between two moments when all wait for one another.
"""

from __future__ import annotations

import threading
import time

import numpy as np

COUNT, ARRIVED, FAILED = 0, 8, 16
SLOTS = {}
LOCK = threading.Lock()


class Here(threading.local):
    """What a thread does: of which team it is which, and how often it has waited."""

    team, me, waits = None, 0, 0


here = Here()


class Race(Exception):
    """Threads touch one entry, one of them writes it, and nothing orders them."""


class Log:
    """Who touched which address since all threads waited. What a thread makes for itself is `kept`:
    another one would get the same addresses once it is gone.
    """

    def __init__(self):
        self.found = {}
        self.kept = []

    def note(self, address, is_write):
        """A read or a write of this thread."""
        with LOCK:
            waits, writers, readers = self.found.get(address, (-1, set(), set()))
            if waits != here.waits:
                waits, writers, readers = here.waits, set(), set()
            self.found[address] = waits, writers, readers
            (writers if is_write else readers).add(here.me)
            others = (writers | readers) - {here.me} if is_write else writers - {here.me}
        if others:
            raise Race(f"thread {here.me} and threads {others} at one entry")


LOGS = {}


def keep_alive(array):
    """Keep what this thread made until its team is done."""
    with LOCK:
        if here.team in LOGS:
            LOGS[here.team].kept.append(array)


def enter(team, me):
    """This thread takes part in a team."""
    here.team, here.me, here.waits = (name(team), me, 0) if team[COUNT] > 1 else (None, 0, 0)
    with LOCK:
        if me == 0 or here.team not in LOGS:
            LOGS.setdefault(here.team, Log())


def leave():
    """This thread is done."""
    with LOCK:
        LOGS.pop(here.team, None)
    here.team = None


def touch(array, index, is_write):
    """An entry of an array is read or written."""
    log = LOGS.get(here.team) if here.team is not None else None
    if log is None or array.dtype.kind == "O":
        return
    at = index if isinstance(index, tuple) else (index,)
    if len(at) != array.ndim or not all(isinstance(i, int | np.integer) for i in at):
        return
    wrapped = (i % n for i, n in zip(at, array.shape, strict=True))
    start = array.__array_interface__["data"][0]
    offset = sum(int(i) * s for i, s in zip(wrapped, array.strides, strict=True))
    log.note(start + offset, is_write)


def touch_rows(array, at, rows, columns, is_write):
    """Entries of a matrix that begins at `at`; axes before the last are rows of one."""
    first = 0
    for i, n in zip(at[:-1], array.shape[:-1], strict=True):
        first = first * n + i
    for row in rows:
        *place, _ = np.unravel_index((first + row) * array.shape[-1], array.shape)
        for column in columns:
            touch(array, (*place, at[-1] + column), is_write)


def name(team):
    return team.__array_interface__["data"][0]


def call_all(team, me):
    """The others are called by who called this one."""


def wait(team):
    count = int(np.asarray(team)[COUNT])
    if count == 1:
        return
    words = team.view(np.ndarray)
    with LOCK:
        words[ARRIVED] += 1
        last = -(-int(words[ARRIVED]) // count) * count
    while words[ARRIVED] < last:
        if words[FAILED]:
            raise RuntimeError("another thread of the team failed")
        time.sleep(0)
    here.waits += 1


def share(team, k, n):
    return max(n, 0) * k // int(team[COUNT])


def mine(me, n):
    return n if me == 0 else 0


def theirs(me, n):
    return 0 if me == 0 else n


def put(team, me, k, x, like):
    SLOTS[name(team), k, me] = type(like)(x)


def lend(team, me, k, array):
    SLOTS[name(team), k, me] = array


def got(team, k, x):
    found = SLOTS[name(team), k, 0]
    assert type(found) is type(x)
    return found


def shared(team, me, k, array, n):
    lend(team, me, k, array)
    wait(team)
    found = SLOTS[name(team), k, 0]
    assert found.shape == (n, *array.shape[1:])
    return found


def own_part(me, array, own):
    if me == 0:
        return array
    assert own.shape == array.shape
    own.fill(0)
    return own


def merge(team, me, k, array):
    start, stop = share(team, me, array.size), share(team, me + 1, array.size)
    whole = array.view(np.ndarray).reshape(-1)
    for who in range(1, int(team[COUNT])):
        part = SLOTS[name(team), k, who].view(np.ndarray).reshape(-1)
        whole[start:stop] += part[start:stop]


def keep(array):
    """Python keeps what it needs."""


def _folded(step):
    def combined(team, k, x):
        numbers = [SLOTS[name(team), k, who] for who in range(int(team[COUNT]))]
        total = numbers[0]
        for number in numbers[1:]:
            total = step(total, number)
        return total

    return combined


sum_of, product_of = _folded(lambda a, b: a + b), _folded(lambda a, b: a * b)
largest_of, smallest_of = _folded(np.maximum), _folded(np.minimum)
