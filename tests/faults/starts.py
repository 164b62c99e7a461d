"""Run as a process of its own: interrupts imports and first calls, each in a fork; prints JSON.

    python -m faults.starts import 40 1         `import srcad` and the first gradient, compiled
    python -m faults.starts disk 40 1           the same, the program read from disk
    python -m faults.starts compile 40 1        the first call alone
    python -m faults.starts scipy 40 1          a function of SciPy's, whose rules are read
    python -m faults.starts native 10 1         machine code, compiled or read from disk
    python -m faults.starts modules 40 1        the first call, struck in lines of modules that are
                                                imported for it, evenly from the first to the last

Behind an interrupted start the same process starts again: what it computes is right, and it runs on
the backend that was asked for.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

# NumPy reads it when it is first asked for, and its compiled modules drop what is raised meanwhile.
import numpy.random

LIMIT_S = 100


def loss(x: Any) -> Any:
    s = 0.0
    for k in range(len(x)):
        s = s * 0.5 + np.sum(np.tanh(x[k]) ** 2)
    return s


def of_scipy(x: Any) -> Any:
    import scipy.special

    return np.sum(scipy.special.expit(x))


class Struck(Exception):
    """An exception of the user's own."""


def start(kind: str) -> Any:
    """Import srcad, if it is not there, and call; raises what is wrong."""
    import srcad

    fn: Callable[..., Any] = of_scipy if kind == "scipy" else loss
    gradient = srcad.grad(fn, backend="native" if kind == "native" else "numpy")
    x = np.linspace(-1, 1, 6).reshape(2, 3)
    found = gradient(x)
    shift = np.zeros_like(x)
    shift[0, 1] = 1e-6
    slope = (fn(x + shift) - fn(x - shift)) / 2e-6
    assert abs(found[0, 1] - slope) < 1e-6, (found, slope)
    runs = str(gradient.explain()).splitlines()[1]
    assert ("compiled code" in runs) == (kind == "native"), gradient.explain()


class Lines:
    """Strikes the N-th line of those that modules of srcad execute as they are imported."""

    def __init__(self, after: float, handle: Callable[[int, FrameType], None]) -> None:
        self.after, self.handle, self.seen = after, handle, 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        is_module = frame.f_code.co_name == "<module>"
        if not is_module or not frame.f_globals.get("__name__", "").startswith("srcad"):
            return None
        self.seen += event == "line"
        if event == "line" and self.seen == self.after:
            sys.settrace(None)
            self.handle(0, frame)
        return self


def struck(kind: str, after: float, error: type[BaseException]) -> str:
    """What became of one start, struck after some seconds, and of the next one."""
    thrown: list[BaseException] = []
    stack: list[str] = []

    def handle(number: int, frame: Any) -> None:
        thrown.append(error("struck"))
        stack.extend(traceback.format_stack(frame))
        raise thrown[-1]

    dropped: list[Any] = []
    sys.unraisablehook = dropped.append
    warnings.simplefilter("error", RuntimeWarning)
    signal.signal(signal.SIGALRM, handle)
    raised: BaseException | None = None
    lines = Lines(after, handle) if kind == "modules" else None
    sys.settrace(lines)
    signal.setitimer(signal.ITIMER_REAL, 0 if lines else after)
    try:
        start(kind)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as problem:
        raised = problem
    signal.setitimer(signal.ITIMER_REAL, 0)
    sys.settrace(None)
    # Numba drops what is an `Exception` where it tries what fits; it tells of others.
    is_numbas = kind == "native" and error is Struck and raised is None
    is_lost = (raised not in thrown) if thrown else (raised is not None)
    is_pythons = is_lost and (any(map(is_of_import, dropped)) or is_of_compiler(stack))
    if is_lost and not (is_numbas or is_pythons):
        told = f"raised {raised!r}, dropped by {[x.object for x in dropped]}"
        return f"lost: {thrown!r}, {told}, struck at\n{''.join(stack)}"
    try:
        start(kind)
    except BaseException as problem:
        trace = "".join(traceback.format_exception(thrown[0])) if thrown else ""
        if any(map(is_half_imported, list(sys.modules.values()))):
            return "of Python's"
        return f"broken: {type(problem).__name__}: {problem}\nafter\n{trace}"
    if is_lost:
        return "of Python's" if is_pythons else "of Numba's"
    return "struck" if thrown else f"ended before: {lines.seen if lines else 0}"


def is_of_import(told: Any) -> bool:
    """Whether Python itself dropped an exception: where `importlib` forgets the lock of a module,
    in a callback, from which nothing can be raised.
    """
    code = getattr(told.object, "__code__", None)
    return code is not None and "importlib" in code.co_filename


def is_of_compiler(stack: list[str]) -> bool:
    """Whether Python itself dropped an exception: where it compiles a module and folds constants,
    it takes what a handler raises there, but for KeyboardInterrupt, for an error of theirs.
    """
    return any("in source_to_code" in each for each in stack[-2:])


def is_half_imported(module: Any) -> bool:
    """Whether Python itself keeps a module of which it never ended the import: it was struck
    between entering the module and the `try` that would take it out again.
    """
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def in_fork(call: Callable[[], str]) -> str:
    """What a call returns in a forked process; it is killed where it hangs, by its own alarm if
    it sets one.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            os.write(writer, call().encode()[:60_000])
        except BaseException as problem:
            os.write(writer, f"broken: {problem!r}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    until = time.monotonic() + LIMIT_S
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reader)
            return "hangs"
        time.sleep(0.002)
    with os.fdopen(reader) as file:
        told = file.read()
    is_over = os.WIFSIGNALED(ended[1]) and os.WTERMSIG(ended[1]) == signal.SIGALRM
    return told or ("hangs" if is_over else f"died with {ended[1]}")


def many(kind: str, count: int, seed: int = 1) -> dict[str, Any]:
    """Interrupted starts, counted by what became of them."""
    if kind not in ("import", "disk"):
        import srcad  # noqa: F401
    if kind == "scipy":
        import scipy.special  # noqa: F401
    if kind == "native":
        import numba  # noqa: F401
    os.environ["SRCAD_CACHE"] = "1" if kind in ("disk", "native") else "0"
    first = in_fork(lambda: struck(kind, 0.0, Struck))
    assert first.startswith("ended before"), first
    lines = int(first.partition(":")[2])
    begin = time.perf_counter()
    in_fork(lambda: struck(kind, 0.0, Struck))
    reach = time.perf_counter() - begin
    rng, counts, told = random.Random(seed), Counter[str](), []
    for k in range(count):
        after, error = rng.uniform(1e-4, reach), rng.choice((KeyboardInterrupt, Struck))
        if kind == "modules":
            after = 1 + int((k + rng.random()) * lines / count)
        found = in_fork(lambda after=after, error=error: struck(kind, after, error))
        what = found.partition(":")[0]
        counts[what] += 1
        reach *= 0.9 if what == "ended before" else 1.02
        if what not in ("struck", "ended before") and len(told) < 3:
            told.append(found)
    return {"counts": dict(counts), "told": told}


if __name__ == "__main__":
    kind, count, *seed = sys.argv[1:]
    print(json.dumps(many(kind, int(count), *map(int, seed))))
