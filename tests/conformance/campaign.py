"""All cases, or some: what srcad gives must be what Python gives.

    python -m conformance.campaign                       # from tests/; all of them
    python -m conformance.campaign operators             # one family
    python -m conformance.campaign operators 100 50      # 50 of it, from number 100
    python -m conformance.campaign operators::997        # one in 997
    python -m conformance.campaign operators:17          # one, with its source

Prints each fault and, at the end, how many were alike, raise alike, and are refused, with the
reasons for what Python answers.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import islice

# Before srcad is read.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("SRCAD_NATIVE", "0")

from conformance.families import FAMILIES, all_cases, one
from conformance.runner import campaign, check

EVERY = 5000  # cases, between two summaries


def main(arguments: list[str]) -> int:
    """Run what is asked for; 1 if there are faults."""
    start = time.time()
    name, _, rest = arguments[0].partition(":") if arguments else ("", "", "")
    if rest.isdigit():
        return show(arguments[0])
    families = [name] if name in FAMILIES else []
    numbers = [int(each) for each in arguments[len(families) :]]
    first, step = (numbers[0] if numbers else 0), int(rest.strip(":") or 1)
    stop = first + numbers[1] * step if len(numbers) > 1 else None
    report = campaign(islice(all_cases(families), first, stop, step), EVERY)
    print(report.summary(40))
    print(f"{time.time() - start:.0f} s")
    return 1 if report.faults else 0


def show(name: str) -> int:
    """One case, its source, what Python gives and what srcad gives."""
    case = one(name)
    fault, want, got = check(case, name)
    print(case, case.source, want.said, got.raised or got.said, fault or "no fault", sep="\n")
    return 1 if fault else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
