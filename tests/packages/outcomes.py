"""What becomes of a program: right, wrong, refused or a crash.

Right is a value equal to Python's and a gradient that central differences confirm, both of one call
of `srcad.value_and_grad`.
"""

from __future__ import annotations

import json
import re
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from packages.registry import Program

import srcad

EXPECTED = Path(__file__).parent / "outcomes.json"
LIMIT_S = 60
STEPS = (1e-3, 1e-4, 1e-5, 1e-6)
DIRECTIONS = 3
RTOL = 1e-6


@dataclass(frozen=True)
class Outcome:
    """`kind`: right, wrong, refused or crash. `reason`: the code of a refusal and its text without
    names, or what was wrong. `seconds`: to the first gradient, of processor time."""

    kind: str
    reason: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}" if self.reason else self.kind


class Unfit(Exception):
    """Python cannot run the program, or the function is not smooth at the point."""


class _TooLong(BaseException):
    pass


def outcome(program: Program) -> Outcome:
    """Compile the program, run it, and compare with Python."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return _outcome(program)


def _outcome(program: Program) -> Outcome:
    want, slopes, directions = _reference(program)
    start = time.process_time()
    try:
        with _limit(LIMIT_S):
            value, gradient = srcad.value_and_grad(program.f, tuple(range(len(program.args))))(
                *_copies(program.args)
            )
    except srcad.errors.SrcadError as e:
        return Outcome("refused", f"{e.code} {_without_names(e.title)}", _since(start))
    except np.linalg.LinAlgError as e:  # the reverse sweep, of vectors that are not determined
        return Outcome("refused", f"LinAlgError {e}", _since(start))
    except _TooLong:
        return Outcome("crash", f"more than {LIMIT_S} s", _since(start))
    except Exception as e:
        return Outcome("crash", f"{type(e).__name__} {_without_names(str(e))}", _since(start))
    seconds = _since(start)
    if not np.allclose(value, want, rtol=1e-12, atol=1e-13):
        return Outcome("wrong", f"value {value!r}, in Python {want!r}", seconds)
    for slope, direction in zip(slopes, directions, strict=True):
        got = sum(float(np.sum(g * d)) for g, d in zip(gradient, direction, strict=True))
        if not any(_close(got, each, want) for each in slope):
            return Outcome("wrong", f"derivative {got!r}, by differences {slope}", seconds)
    return Outcome("right", "", seconds)


def _reference(program: Program) -> tuple[Any, Any, Any]:
    """The value, and the slopes for each step along random directions."""
    try:
        return _differences(program)
    except Exception as e:
        raise Unfit(f"{type(e).__name__}: {e}") from e


def _differences(program: Program) -> tuple[Any, Any, Any]:
    want = program.f(*_copies(program.args))
    if not (np.ndim(want) == 0 and np.isfinite(want) and not np.iscomplexobj(want)):
        raise Unfit(f"the value is {want!r}")
    if not program.args:
        raise Unfit("there are no arguments")
    rng = np.random.default_rng(0)
    # An entry moves by a part of its own size: there are volts beside saturation currents.
    sizes = [np.where(x == 0, 1.0, np.abs(x)) for x in program.args]
    directions = [[s * rng.standard_normal(s.shape) for s in sizes] for _ in range(DIRECTIONS)]

    def at(direction: list[Any], step: float) -> float:
        moved = zip(program.args, direction, strict=True)
        return float(program.f(*(x + step * d for x, d in moved)))

    slopes = [[_slope(at, direction, h) for h in STEPS] for direction in directions]
    for slope in slopes:
        if not any(_close(a, b, want) for a, b in pairwise(slope)):
            raise Unfit(f"differences do not settle: {slope}")
    return want, slopes, directions


def _slope(at: Callable[[Any, float], float], direction: Any, h: float) -> float:
    """The central difference of fourth order."""
    near = at(direction, h) - at(direction, -h)
    far = at(direction, 2 * h) - at(direction, -2 * h)
    return (8 * near - far) / (12 * h)


def _close(a: float, b: float, value: float) -> bool:
    return abs(a - b) <= RTOL * (max(abs(a), abs(b)) + 1e-3 * abs(value)) + 1e-9


def _copies(args: tuple[Any, ...]) -> list[Any]:
    return [x.copy() if isinstance(x, np.ndarray) else x for x in args]


def _since(start: float) -> float:
    return time.process_time() - start


def _without_names(text: str) -> str:
    return re.sub(r"`[^`]*`|'[^']*'", "…", text.split("\n")[0])


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    def stop(signum: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def expected() -> dict[str, Any]:
    """What was found last: by package its version and the outcome of each program."""
    return json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}
