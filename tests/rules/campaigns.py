"""Many calls of rules, each checked: how many there were of each kind, and what is wrong."""

from __future__ import annotations

import itertools
import linecache
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcad.rules.core.table import name_of

Check = Callable[[Any], tuple[str | None, str]]


def campaign(
    chosen: Iterator[Any], check: Check, say: bool = False
) -> tuple[Counter[str], list[str]]:
    """Check calls; how many there were of each kind, and the faults."""
    counts: Counter[str] = Counter()
    faults = []
    for edge in chosen:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            fault, kind = check(edge)
        counts["fault" if fault else kind] += 1
        if fault:
            faults.append(f"{edge}\n    {fault}")
            if say:
                print(faults[-1], flush=True)
    for name in [name for name in linecache.cache if name.startswith("<edge ")]:
        del linecache.cache[name]
    return counts, faults


def main(every: Iterator[Any], check: Check) -> None:
    """Check the calls that the command line picks: `::STEP FIRST`, or a function's name."""
    name = sys.argv[1] if len(sys.argv) > 1 else "::1"
    if name.startswith("::"):
        first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
        picked = itertools.islice(every, first, None, int(name[2:]))
    else:
        picked = (edge for edge in every if name_of(edge.rule.fn) == name)
    found, wrong = campaign(picked, check, say=True)
    print(dict(found))
    sys.exit(bool(wrong))
