"""Run as a process of its own: forks while other threads compile, load and compute; prints JSON.

    python -m faults.forks 40 numpy grad 1
    python -m faults.forks 20 native compile 2
    python -m faults.forks 20 auto grad 3

Each child calls a program that is compiled there and one that another thread may be compiling: it
must end in time, with what is right.
"""

from __future__ import annotations

import json
import linecache
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from faults.starts import in_fork
from faults.strikes import limited

import srcad


def fresh(k: int) -> Callable[..., Any]:
    """A function that was never compiled, with its text where srcad looks for it."""
    name = f"<forks {k}>"
    text = (
        f"def f(x):\n    s = 0.0\n    for t in x:\n"
        f"        s = {k} + s * 0.5 * np.sum(np.tanh(t))\n    return s\n"
    )
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), scope)
    return scope["f"]  # type: ignore[no-any-return]


def is_right(call: Any, fn: Callable[..., Any]) -> bool:
    x = np.linspace(-1, 1, 6).reshape(3, 2)
    if call.__srcad_request__.kind == "compile":
        return bool(abs(call(x) - fn(x)) < 1e-9 * abs(fn(x)))
    shift = np.zeros_like(x)
    shift[0, 1] = 1e-6
    slope = (fn(x + shift) - fn(x - shift)) / 2e-6
    return abs(call(x)[0, 1] - slope) < 1e-6 * max(1.0, abs(slope))


def many(count: int, backend: str, way: str = "grad", seed: int = 1) -> dict[str, Any]:
    """Fork so often, counted by what became of the children."""
    rng, transformed = random.Random(seed), getattr(srcad, way)
    current: list[Any] = []
    ends = threading.Event()

    def compile_always() -> None:
        k = 0
        while not ends.is_set():
            k += 1
            fn = fresh(k)
            current[:] = [(transformed(fn, backend=backend), fn)]
            assert is_right(*current[0])

    fn = fresh(10**6)
    assert is_right(transformed(fn, backend=backend), fn)
    threads = [threading.Thread(target=compile_always, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()

    def child() -> str:
        signal.alarm(60)
        own = fresh(10**7)
        good = is_right(transformed(own, backend=backend), own)
        return "right" if good and all(is_right(*each) for each in current[:1]) else "wrong"

    counts = Counter[str]()
    for _ in range(count):
        time.sleep(rng.uniform(0.0, 0.05))
        counts[in_fork(child)] += 1
    ends.set()
    for thread in threads:
        thread.join(60)
    told = [what for what in counts if what not in ("right",)]
    return {"counts": {what[:40]: n for what, n in counts.items()}, "told": told}


if __name__ == "__main__":
    limited(540.0)
    os.environ.setdefault("SRCAD_CACHE", "0")
    count, backend, *rest = sys.argv[1:]
    print(json.dumps(many(int(count), backend, *rest[:1], *map(int, rest[1:]))))
