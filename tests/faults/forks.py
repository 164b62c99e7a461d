"""Run as a process of its own: forks while other threads compile, load and compute; prints JSON.

    python -m faults.forks 40 numpy
    python -m faults.forks 20 native

Each child calls a gradient that is compiled there and one that another thread may be compiling: it
must end in time, with what is right.
"""

from __future__ import annotations

import json
import linecache
import os
import signal
import sys
import threading
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


def is_right(gradient: Any, fn: Callable[..., Any]) -> bool:
    x = np.linspace(-1, 1, 6).reshape(3, 2)
    shift = np.zeros_like(x)
    shift[0, 1] = 1e-6
    slope = (fn(x + shift) - fn(x - shift)) / 2e-6
    return abs(gradient(x)[0, 1] - slope) < 1e-6 * max(1.0, abs(slope))


def many(count: int, backend: str) -> dict[str, Any]:
    """Fork so often, counted by what became of the children."""
    current: list[Any] = []
    ends = threading.Event()

    def compile_always() -> None:
        k = 0
        while not ends.is_set():
            k += 1
            fn = fresh(k)
            current[:] = [(srcad.grad(fn, backend=backend), fn)]
            assert is_right(*current[0])

    fn = fresh(10**6)
    assert is_right(srcad.grad(fn, backend=backend), fn)
    threads = [threading.Thread(target=compile_always, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()

    def child() -> str:
        signal.alarm(60)
        own = fresh(10**7)
        good = is_right(srcad.grad(own, backend=backend), own)
        return "right" if good and all(is_right(*each) for each in current[:1]) else "wrong"

    counts = Counter(in_fork(child) for _ in range(count))
    ends.set()
    for thread in threads:
        thread.join(60)
    told = [what for what in counts if what not in ("right",)]
    return {"counts": {what[:40]: n for what, n in counts.items()}, "told": told}


if __name__ == "__main__":
    limited(540.0)
    os.environ.setdefault("SRCAD_CACHE", "0")
    print(json.dumps(many(int(sys.argv[1]), sys.argv[2])))
