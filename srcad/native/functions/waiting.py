"""Threads of a team wait for one another.

    wait(team)          # until each thread of the team is here

`team` is an array of integers that all threads have: how many they are, how often one arrived,
whether one failed, how many sleep. A thread that waits looks for a while, and then sleeps: on Linux
at the count of arrivals until the last one wakes it, elsewhere for a few microseconds at a time.
On a busy machine, where looking is in vain, it soon sleeps sooner.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

import os
import platform
import sys
from typing import Any

from numba import njit, types
from numba.extending import intrinsic

from srcad.kernels.numba_adapter import impl_ret_untracked, ir

__all__ = ["SLOTS", "WORD", "team_size", "wait", "wait_for_all", "word_at"]

# Words of a team: those that are written often have a cache line of their own. How long a thread
# sleeps at most are two words, seconds and nanoseconds: one that failed wakes no other.
COUNT, LONGEST, ARRIVED, ASLEEP, FAILED, HASTE, SLOTS = 0, 1, 8, 9, 16, 17, 24
# Looks at a word, some hundred microseconds, before a thread sleeps. To sleep and to be woken takes
# half of that: with less, a late thread makes the next one sleep, wait after wait. Looking in
# vain halves the patience, some times at most: others may have the core that is waited for. All of
# it is back when a thread came in time, and tried each so many waits.
PATIENCE, HALVINGS, TRIED = 100_000, 3, 16
WORD = ir.IntType(64)

# The number of Linux's call that waits while a word of 32 bits is what it was, or wakes the
# threads that wait; both among the threads of one process.
NUMBERS = {"x86_64": 202, "aarch64": 98, "riscv64": 98, "loongarch64": 98, "ppc64le": 221}
KNOWN = sys.platform == "linux" and sys.byteorder == "little" and sys.maxsize > 1 << 32
FUTEX = NUMBERS.get(platform.machine(), 0) if KNOWN else 0
SLEEP, WAKE, ALL = 128, 129, 1 << 30
# Microseconds; elsewhere milliseconds, of which none is as short.
NAP = 5 if os.name == "posix" else 0

system_call = types.ExternalFunction("syscall", types.int64(*[types.int64] * 7))
nap = types.ExternalFunction("usleep" if os.name == "posix" else "Sleep", types.int32(types.uint32))


def word_at(context: Any, builder: Any, kind: Any, team: Any, k: ir.Value) -> ir.Value:
    """The address of a word."""
    return builder.gep(context.make_array(kind)(context, builder, team).data, [k])


def team_size(context: Any, builder: Any, kind: Any, team: Any) -> ir.Value:
    """How many threads there are."""
    return builder.load(word_at(context, builder, kind, team, WORD(COUNT)))


@intrinsic
def count(typingctx: Any, team: Any, k: Any, n: Any) -> Any:
    """Add to a word; what it was before."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word = word_at(context, builder, team, values[0], values[1])
        return builder.atomic_rmw("add", word, values[2], "seq_cst")

    return types.int64(team, types.int64, types.int64), generate


@intrinsic
def look(typingctx: Any, team: Any, k: Any) -> Any:
    """A word as it is now."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word = word_at(context, builder, team, values[0], values[1])
        return builder.load_atomic(word, "seq_cst", 8)

    return types.int64(team, types.int64), generate


@intrinsic
def address(typingctx: Any, team: Any, k: Any) -> Any:
    """Where a word is."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        word = word_at(context, builder, team, values[0], values[1])
        return impl_ret_untracked(context, builder, types.int64, builder.ptrtoint(word, WORD))

    return types.int64(team, types.int64), generate


def sleep_until_woken(team: Any, arrived: Any) -> None:
    """Sleep, unless more than `arrived` have arrived by now."""
    count(team, ASLEEP, 1)
    system_call(FUTEX, address(team, ARRIVED), SLEEP, arrived, address(team, LONGEST), 0, 0)
    count(team, ASLEEP, -1)


def sleep_a_while(team: Any, arrived: Any) -> None:
    """Sleep, whatever happens."""
    nap(NAP)


def wake_all(team: Any) -> None:
    """Wake the threads that sleep."""
    if look(team, ASLEEP) > 0:
        system_call(FUTEX, address(team, ARRIVED), WAKE, ALL, 0, 0, 0)


def wake_none(team: Any) -> None:
    """A thread that sleeps for a while wakes by itself."""


sleep = njit(sleep_until_woken if FUTEX else sleep_a_while)
wake = njit(wake_all if FUTEX else wake_none)


@njit
def meet(team: Any) -> None:
    """Wait until each thread arrived as often as this one."""
    size, looks = team[COUNT], 0
    before = count(team, ARRIVED, 1)
    last = before - before % size + size
    if before + 1 == last:
        wake(team)
        return
    haste = team[HASTE] if before // size % TRIED else 0
    arrived = look(team, ARRIVED)
    while arrived < last:
        looks += 1
        if look(team, FAILED) != 0:
            raise RuntimeError("another thread of the team failed")
        if looks > PATIENCE >> haste:
            sleep(team, arrived)
        arrived = look(team, ARRIVED)
    team[HASTE] = min(team[HASTE] + 1, HALVINGS) if looks > PATIENCE >> haste else 0


def wait_for_all(team: Any) -> None:
    """Wait for all threads; what they wrote before is there."""
    if team[COUNT] > 1:
        meet(team)


wait = njit(wait_for_all)
