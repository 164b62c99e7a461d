"""Profitability: what threads gain, in numbers computed, as a sum of products of the extents that
a function is given.

    for _ in range(steps):
        for i in range(n): ...         shared, 8 * m each       8 * steps * n * m
        wait(team)                                            - 200000 * steps
        for j in range(m): ...         by the first thread    - 5 * steps * m

What one thread does, the others wait for, and fetch from its core: so more than half has to be
shared. That all wait has the price of a busy machine; on a quiet one it is a fifth of that. What
it takes to begin is the same for all threads' work (`srcad.kernels.threads`).
"""

from __future__ import annotations

from srcad.analysis.cost import TEAM_WAIT
from srcad.native.threads.work_estimate import Sum, divides, leading, plus

# How many times as large a term has to be to count beside one with an extent more.
_MANY = 32


class Worth:
    """Adds up what threads share, what they do not, and how often they wait for one another."""

    def __init__(self) -> None:
        self.shared: Sum = {}
        self.alone: Sum = {}
        self.waits: Sum = {}

    def share(self, work: Sum) -> None:
        """Each thread does its part of some work."""
        self.shared = plus(self.shared, work)

    def leave(self, work: Sum) -> None:
        """One thread does some work, or all do the same."""
        self.alone = plus(self.alone, work)

    def wait(self, times: Sum) -> None:
        """All threads wait for one another, so many times."""
        self.waits = plus(self.waits, times)

    @property
    def gain(self) -> Sum:
        """How much more is shared than not, less the price of waiting."""
        alone = {key: n for key, n in leading(self.alone).items() if key}
        waits = {key: n * TEAM_WAIT for key, n in self.waits.items()}
        price = plus(alone, waits)
        return plus(leading(self.shared, _MANY), {key: -n for key, n in price.items()})


def may_pay(gain: Sum) -> bool:
    """Whether there are arguments for which something is gained: a product that no larger one is
    taken off from.
    """
    gained = {key: n for key, n in gain.items() if n > 0 and key}
    return any(
        not any(divides(key, other) and m <= -n for other, m in gain.items())
        for key, n in gained.items()
    )
