"""Run as a process of its own: interrupts warm calls, and tells in JSON what became of them.

python -m faults.warm step 30 native timer 400 1
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

from faults.steps import ENDLESS, campaign_of
from faults.strikes import KINDS, Line, Memory, Opcode, Timer, limited


def counted(calls: Any, strike: Line) -> int:
    """How many places there are where one call may be struck."""
    calls.prepare()
    return strike.count(calls)


def struck(
    name: str, size: int, backend: str, way: str, count: int, seed: int = 1
) -> dict[str, Any]:
    """Interrupt `count` calls; by `way`: `timer`, `line`, `opcode` or `memory`."""
    if backend == "race":
        from srcad.pipeline.calls import takeover

        takeover.Race.is_decided = lambda self: False  # type: ignore[method-assign]
        ENDLESS.append(True)
        backend = "auto"
    if backend == "auto":
        from srcad.pipeline.calls import takeover

        takeover.WORTH_S = 0.0
    calls, rng = campaign_of(name, size, backend), random.Random(seed)
    calls.prepare()
    reach = 1e-5  # seconds within which calls are struck, so that most of them are
    strike = {"line": Line, "opcode": Opcode}.get(way, Line)
    places = 0
    if way in ("line", "opcode"):  # of `auto`, calls that it watches have more
        places = min(counted(calls, strike(Exception)) for _ in range(5))
    first = rng.randrange(places or 1)
    if way == "memory":
        calls.prepare()
        calls.look(Memory()(calls, 10**6))  # Python's own first time of it
    for k in range(count):
        calls.prepare()
        kind = rng.choice(KINDS)
        if way == "timer":
            found = Timer(kind)(calls, rng.uniform(1e-6, reach))
            reach *= 0.95 if found.struck is None else 1.02
        elif places:
            at = k if count >= places else k * places // count  # each one, or evenly
            found = strike(kind)(calls, (first + at) % places + 1)
        else:
            found = Memory(rng.choice((1, 2, 5)))(calls, k)
        calls.look(found)
    return {"counts": dict(calls.counts), "told": calls.told, "runs": calls.runs}


if __name__ == "__main__":
    limited(540.0)
    name, size, backend, way, count, *seed = sys.argv[1:]
    print(json.dumps(struck(name, int(size), backend, way, int(count), *map(int, seed))))
