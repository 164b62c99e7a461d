"""Interrupts, forks and starves srcad many times, each kind in a process of its own.

    cd tests && python -m faults.campaign           # 100 of each kind
    cd tests && python -m faults.campaign 400 native auto
    cd tests && SRCAD_SEED=7 python -m faults.campaign 400

Prints what became of the calls of each kind, and ends with 1 if a law was broken: nothing lost,
nothing twice, nothing half done, no hang, and what comes behind is right and on the same backend.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

HARMLESS = {
    "calls",
    "struck",
    "ran",
    "did not run",
    "ended before",
    "right",
    "of NumPy's",
    "of Numba's",
    "of Python's",
    "told that in part",
}
LIMIT_S = 1800


def kinds(backends: set[str]) -> Iterator[tuple[str, ...]]:
    """Modules of this folder with their arguments; COUNT stands for how many, SEED for the seed."""
    for backend in ("numpy", "native", "auto", "race"):
        if backend not in backends:
            continue
        for name in ("step", "drawing", "refused", "gradient", "out"):
            for way in ("timer", "line", "opcode", "memory"):
                if is_tried(name, backend, way):
                    yield "warm", name, "30", backend, way, "COUNT", "SEED"
    if "native" in backends:
        yield "warm", "step", "400", "native", "timer", "COUNT", "SEED"  # several threads
        yield "starts", "native", "FEW", "SEED"
    if "numpy" in backends:
        for kind in ("import", "disk", "compile", "scipy", "modules"):
            yield "starts", kind, "FEW", "SEED"
        for kind in ("cut", "killed", "poison"):
            yield "damage", kind, "FEW", "SEED"
        if importlib.util.find_spec("distributed"):
            yield "damage", "workers", "FEW", "SEED"
    for backend, often in (("numpy", "FEW"), ("auto", "FEW"), ("native", "RARE")):
        if backend in backends:
            for transformed in ("grad", "compile"):
                yield "forks", often, backend, transformed, "SEED"


def is_tried(name: str, backend: str, way: str) -> bool:
    """Whether a program can be struck so on a backend."""
    if way == "memory":  # NumPy's products of matrices do not survive that there is none
        return name in ("drawing", "refused") and backend in ("numpy", "native")
    if way == "opcode":
        # Python runs a handler behind a call, from which the end of compiled code is known: it is
        # not struck where no handler runs.
        return backend == "numpy"
    return way == "timer" or backend != "race"


def run(kind: tuple[str, ...], count: int) -> dict[str, Any]:
    """One kind, in a process of its own."""
    numbers = {"COUNT": str(count), "FEW": str(max(1, count // 4))}
    numbers |= {"RARE": str(max(1, count // 25)), "SEED": os.environ.get("SRCAD_SEED", "1")}
    command = [sys.executable, "-m", f"faults.{kind[0]}", *(numbers.get(k, k) for k in kind[1:])]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SRCAD_")}
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment["PYTHONPATH"] = os.pathsep.join([os.path.dirname(here), here])
    with tempfile.TemporaryDirectory() as folder:
        environment |= {"SRCAD_CACHE_DIR": f"{folder}/cache", "OPENBLAS_NUM_THREADS": "1"}
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=LIMIT_S
            )
        except subprocess.TimeoutExpired:
            return {"counts": {"hangs": 1}, "told": []}
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        return {"counts": {"died": 1}, "told": [done.stderr[-3000:]]}
    found: dict[str, Any] = json.loads(lines[-1])
    return found


def faults(found: dict[str, Any]) -> dict[str, int]:
    """What became of calls that should not have."""
    return {what: n for what, n in found["counts"].items() if what not in HARMLESS}


def campaign(count: int, backends: set[str]) -> bool:
    """Whether no law was broken."""
    good = True
    for kind in kinds(backends):
        found = run(kind, count)
        broken = faults(found)
        good &= not broken
        print(" ".join(kind).replace("COUNT", str(count)), found["counts"], flush=True)
        for text in found["told"] if broken else ():
            print("   ", text.replace("\n", "\n    "), flush=True)
    return good


if __name__ == "__main__":
    backends = set(sys.argv[2:]) or {"numpy", "native", "auto", "race"}
    if importlib.util.find_spec("numba") is None:
        backends &= {"numpy"}
    sys.exit(not campaign(int((sys.argv[1:] or ["100"])[0]), backends))
