"""Cost model: what programs take, in steps, for passes that choose between computing and waiting.

    y[j] = x[j] * c              1 step: a number, in a loop over arrays that stay in the cache
    y[j] = exp(x[j])            12
    y[j] = x[j] / h              8, as what an iteration has to wait for from the one before
    v = u * w                   10 an entry: an operation on arrays reads and writes them
    tape[i] = x                 40 a number: written to memory, and read back much later
    wait(team)             200,000 on a busy machine; a fifth of that on a quiet one

A number that is written and read back takes as long as 50 steps, measured; loops do four at a time.
"""

from __future__ import annotations

FUNCTION, WAITED, ENTRY, SAVED, TEAM_WAIT = 12, 8, 10, 40, 200_000
# Terms of a product of matrices that take one step.
TERMS = 4
# What a size counts as that is not known: of iterations, and of an array's entries.
FEW, ENTRIES = 8, 64


def pays_again(fewer: int, operations: int) -> bool:
    """Whether operations on arrays are done again so that so many numbers fewer are saved: one
    array's at least.
    """
    return fewer >= ENTRIES and operations * ENTRIES * ENTRY <= fewer * SAVED


__all__ = [
    "ENTRIES",
    "ENTRY",
    "FEW",
    "FUNCTION",
    "SAVED",
    "TEAM_WAIT",
    "TERMS",
    "WAITED",
    "pays_again",
]
