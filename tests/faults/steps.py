"""Calls to be interrupted, and laws that hold for what they leave behind.

A training step counts how often it ran: its arguments are as before it or as behind it, and behind
an interrupted step the next one is right and runs on the same backend.
"""

from __future__ import annotations

import copy
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from faults.strikes import Found

import srcad


def loss(w: Any, b: Any, x: Any, y: Any) -> Any:
    h = np.tanh(x @ w + b)
    s = 0.0
    for k in range(len(h)):
        s = s * 0.5 + np.sum((h[k] - y[k]) ** 2)
    return s


def step(n: Any, w: Any, b: Any, m: Any, x: Any, y: Any) -> Any:
    n[0] += 1
    value, (w_bar, b_bar) = srcad.value_and_grad(loss, argnums=(0, 1))(w, b, x, y)
    m *= 0.9
    m += 0.1 * w_bar
    w -= 0.01 * m / (1.0 + np.sqrt(np.abs(m)))
    b -= 0.01 * b_bar
    return value


def drawing(n: Any, w: Any, rng: Any) -> Any:
    n[0] += 1
    noise = rng.standard_normal(w.shape)
    s = 0.0
    for k in range(len(w)):
        s = s * 0.5 + np.sum(np.sin(w[k]) * noise[k])
    w -= 0.01 * np.cos(w) * noise
    return s


def refused(n: Any, w: Any, index: Any) -> Any:
    """Positions that wrap: compiled code leaves them to NumPy's."""
    n[0] += 1
    s = 0.0
    for k in range(len(index)):
        s = s + np.sin(w[index[k]]) * s
    w -= 0.01 * np.cos(w)
    return s


def arguments(name: str, size: int) -> list[Any]:
    """Of a program, with arrays of this extent."""
    rng = np.random.default_rng(size)
    n, w = np.zeros(1), rng.standard_normal((size, size))
    if name == "drawing":
        return [n, w, np.random.default_rng(1)]
    if name == "refused":
        return [n, w[0].copy(), -1 - np.arange(size)]
    data = [rng.standard_normal(size), np.zeros((size, size)), rng.standard_normal((20, size))]
    return [n, w, *data, rng.standard_normal((20, size))]


# Whether NumPy's program and the compiled one are compared for ever.
ENDLESS: list[bool] = []
NOTE = "the arguments may have been written in part, which could not be finished"
PROGRAMS: dict[str, Callable[..., Any]] = {"step": step, "drawing": drawing, "refused": refused}


def same(a: Any, b: Any) -> bool:
    """Whether two lists of arguments, or results, are equal but for rounding."""
    if isinstance(a, np.random.Generator):
        return bool(a.bit_generator.state == b.bit_generator.state)
    if isinstance(a, list | tuple):
        return all(map(same, a, b))
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-12))


def notes(found: Found) -> tuple[str, ...]:
    return tuple(getattr(found.raised, "__notes__", ()))


class Laws:
    """Interrupted calls, counted by what became of them."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.told: list[str] = []

    def note(self, what: str, found: Found) -> None:
        """Count a fault."""
        self.counts[what] += 1
        if len(self.told) < 5:
            raised = f"{type(found.raised).__name__}: {found.raised}"[:200]
            trace = "".join(traceback.format_exception(found.raised)[-6:])
            self.told.append(f"{what}: struck with {found.struck!r}, raised {raised}\n{trace}")

    def hold(self, found: Found) -> None:
        """Look at what came out of a call."""
        self.counts["calls"] += 1
        if found.struck is not None:
            self.counts["struck"] += 1
        if found.struck is not None and found.raised is None:
            self.note("lost", found)
        elif not found.is_told:
            text = str(found.raised)
            # NumPy's own way to tell that it has no memory, here and there.
            is_numpys = isinstance(found.raised, SystemError) and "without" in text
            if is_numpys:
                self.counts["of NumPy's"] += 1
            else:
                self.note("another", found)


class Writing(Laws):
    """A compiled function that changes its arguments."""

    def __init__(self, name: str, size: int, backend: str) -> None:
        super().__init__()
        self.plain, self.args = PROGRAMS[name], arguments(name, size)
        self.call = srcad.compile(PROGRAMS[name], backend=backend)
        self.runs = warmed(self.call, self.args, backend)

    def __call__(self) -> Any:
        return self.call(*self.args)

    def look(self, found: Found) -> None:
        """Hold an interrupted call to the laws; `self.before` are copies of what it was given."""
        self.hold(found)
        once = copied(self.before)
        self.plain(*once)
        if same(self.args, once):
            self.counts["ran"] += 1
            if found.struck is None and found.raised is not None:
                self.note("told though it ran", found)
        elif same(self.args, self.before) or self.has_drawn_only(once):
            self.counts["did not run"] += 1
            if found.raised is None:
                self.note("lost a step", found)
        else:
            twice = copied(once)
            self.plain(*twice)
            is_told = isinstance(found.raised, MemoryError) and NOTE in notes(found)
            if is_told:
                self.counts["told that in part"] += 1
            else:
                self.note("twice" if same(self.args, twice) else "between", found)
        self.after(found)

    def has_drawn_only(self, once: Sequence[Any]) -> bool:
        """Whether only the generator is as behind a step: Python does not put it back either."""
        kinds = [isinstance(each, np.random.Generator) for each in self.args]
        wanted = [b if drawn else a for a, b, drawn in zip(self.before, once, kinds, strict=True)]
        return any(kinds) and same(self.args, wanted)

    def prepare(self) -> None:
        """Begin a call."""
        self.args[1][...] = np.sin(self.args[1] + 1.0)
        self.before = copied(self.args)

    def after(self, found: Found) -> None:
        """The next call is right, on the same backend."""
        want, got = copied(self.args), self.args
        value = self.plain(*want)
        if not same(self.call(*got), value) or not same(got, want):
            self.note("wrong afterwards", found)
        if (runs := told_backend(self.call)) != self.runs:
            self.note(f"left {self.runs} for {runs}", found)
            self.call.cache_clear()
            self.runs = warmed(self.call, self.args, self.call.__srcad_request__.backend)


class Gradient(Laws):
    """A gradient, whose arguments stay what they are; into an array of the user's, if asked."""

    def __init__(self, name: str, size: int, backend: str) -> None:
        super().__init__()
        self.args = arguments("step", size)[1:]
        del self.args[2]
        self.plain = srcad.value_and_grad(loss, backend="numpy")
        self.call = srcad.value_and_grad(loss, backend=backend)
        self.out = {"out": np.empty_like(self.args[0])} if name == "out" else {}
        self.runs = warmed(self.call, self.args, backend)

    def __call__(self) -> Any:
        return self.call(*self.args, **self.out)

    def prepare(self) -> None:
        self.args[0][...] = np.sin(self.args[0] + 1.0)
        self.before = copied(self.args)

    def look(self, found: Found) -> None:
        self.hold(found)
        if not same(self.args, self.before):
            self.note("changed", found)
        want = self.plain(*self.args)
        if found.raised is None and not same(found.result, want):
            self.note("wrong", found)
        if not same(self(), want):
            self.note("wrong afterwards", found)
        if (runs := told_backend(self.call)) != self.runs:
            self.note(f"left {self.runs} for {runs}", found)
            self.call.cache_clear()
            self.runs = warmed(self.call, self.args, self.call.__srcad_request__.backend)


def copied(args: Sequence[Any]) -> list[Any]:
    return copy.deepcopy(list(args))


def told_backend(call: Any) -> str:
    """What runs: `compiled code`, `NumPy`, or both."""
    newest = call._specializer.newest
    if newest.takeover is not None:
        state = newest.takeover.state
        return state if state in ("compares", "left") else "watches"
    return "compiled" if newest.again is not None else "NumPy"


def warmed(call: Any, args: Sequence[Any], backend: str) -> str:
    """Call until nothing changes any more; what runs then."""
    until = time.monotonic() + 120
    for k in range(10**9):
        given = copied(args)
        call(*given)
        if k < 5:
            continue
        found = told_backend(call)
        if backend != "auto" or found == "left" or call._specializer.newest.takeover is None:
            return found
        takeover = call._specializer.newest.takeover
        is_racing = found == "compares" and ENDLESS
        if is_racing or any(race.winner for race in takeover.races) or time.monotonic() > until:
            return found
    raise AssertionError


def campaign_of(name: str, size: int, backend: str) -> Writing | Gradient:
    """The calls of a program by its name."""
    kind = Gradient if name in ("gradient", "out") else Writing
    return kind(name, size, backend)
