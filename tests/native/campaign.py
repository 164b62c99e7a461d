"""Many random programs by both backends, counted: compared calls, those left to NumPy, the faults.

    python -m native.campaign 100000 2000                   # from tests/; strictly, run as Python
    python -m native.campaign 100000 200 machine            # as machine code, one thread and two
    python -m native.campaign 100000 200 machine single     # in single precision

Prints each fault with its program.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable

from native.test_random_programs import compared
from random_programs.people import family_of

EVERY = 50  # programs, between two summaries


def campaign(seeds: Iterable[int], *, machine: bool, single: bool) -> Counter[str]:
    """What became of the programs of many seeds."""
    found: Counter[str] = Counter()
    for k, seed in enumerate(seeds, 1):
        try:
            found.update(compared(seed, machine, single, family_of(seed)))
        except AssertionError as fault:
            found["faults"] += 1
            print(fault, flush=True)
        except Exception as problem:
            found["faults"] += 1
            print(f"seed {seed}: {type(problem).__name__}: {problem}", flush=True)
        if k % EVERY == 0:
            print(k, dict(found), flush=True)
    return found


if __name__ == "__main__":
    start = time.time()
    first, count = map(int, sys.argv[1:3])
    ways = sys.argv[3:]
    made = campaign(range(first, first + count), machine="machine" in ways, single="single" in ways)
    print(dict(made), f"{time.time() - start:.0f} s")
