"""The programs of `cliffs.py`, by name, and what they are called with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

PROGRAMS: dict[str, Program] = {}


@dataclass(frozen=True)
class Program:
    """A function of floats first, and what it is called with."""

    function: Callable[..., object]
    args: tuple[object, ...]


def program(*args: object) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Note a function and its arguments."""

    def note(function: Callable[..., object]) -> Callable[..., object]:
        PROGRAMS[function.__name__] = Program(function, args)
        return function

    return note


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Return numbers between 0.1 and 1."""
    return np.random.default_rng(seed).uniform(0.1, 1.0, shape)
