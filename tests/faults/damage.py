"""Run as a process of its own: harms what is on disk or in memory; prints JSON.

    python -m faults.damage cut 20 1        a file of the cache ends early
    python -m faults.damage killed 20 1     a process is killed while it fills the cache
    python -m faults.damage poison 20 1     memory that nothing has written is full of patterns
    python -m faults.damage workers 20 1    workers of a Dask cluster are killed

What is computed next is right.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from faults.starts import in_fork, start
from faults.steps import campaign_of
from faults.strikes import Found, limited
from poison import PATTERNS, poisoned


def right() -> str:
    """What a process finds that starts now."""
    warnings.simplefilter("ignore")  # that a damaged file is not read is told by a warning
    start("disk")
    return "right"


def begun() -> int:
    """A process that starts, and fills the cache."""
    child = os.fork()
    if not child:
        try:
            right()
        finally:
            os._exit(0)
    return child


def cut(rng: random.Random, folder: Path, full: Path, seconds: float) -> str:
    shutil.copytree(full, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    chosen = rng.choice(files)
    os.truncate(chosen, rng.randrange(chosen.stat().st_size or 1))
    return in_fork(right)


def killed(rng: random.Random, folder: Path, full: Path, seconds: float) -> str:
    child = begun()
    time.sleep(rng.uniform(0.0, seconds))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return in_fork(right)


def poison(rng: random.Random, folder: Path, full: Path, seconds: float) -> str:
    name = rng.choice(("step", "drawing", "refused", "gradient", "out"))
    calls = campaign_of(name, rng.randint(2, 40), "numpy")
    calls.prepare()
    with poisoned(rng.choice(sorted(PATTERNS))), np.errstate(all="ignore"):
        calls.look(Found(result=calls()))
    return "; ".join(calls.told) or "right"


def many(kind: str, count: int, seed: int = 1) -> dict[str, Any]:
    """Harm so often, counted by what was found behind it."""
    if kind == "workers":
        from parallel import kills

        found = kills.campaign(count, seed)
        counted = {"right": sum(found.calls.values()), "wrong": len(found.wrong)}
        return {"counts": {what: n for what, n in counted.items() if n}, "told": found.wrong[:3]}
    harm, rng, counts = (
        {"cut": cut, "killed": killed, "poison": poison}[kind],
        random.Random(seed),
        Counter[str](),
    )
    os.environ["SRCAD_CACHE"] = "1"
    with tempfile.TemporaryDirectory() as around:
        full = Path(around) / "full"
        os.environ["SRCAD_CACHE_DIR"] = str(full)
        begin = time.perf_counter()
        assert in_fork(right) == "right"
        seconds = time.perf_counter() - begin
        for k in range(count):
            folder = Path(around) / str(k)
            os.environ["SRCAD_CACHE_DIR"] = str(folder)
            counts[harm(rng, folder, full, seconds)] += 1
            shutil.rmtree(folder, ignore_errors=True)
    told = [what for what in counts if what != "right"]
    return {"counts": {what[:40]: n for what, n in counts.items()}, "told": told[:3]}


if __name__ == "__main__":
    limited(540.0)
    kind, count, *seed = sys.argv[1:]
    print(json.dumps(many(kind, int(count), *map(int, seed))))
