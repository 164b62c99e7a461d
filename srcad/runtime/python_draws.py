"""Draws of places in a sequence by a generator of Python's `random`."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

Places = np.ndarray[Any, np.dtype[np.int64]]


def choices(rng: random.Random, count: int, weights: Any, cumulative: Any, k: int) -> Places:
    """Where `rng.choices` takes items of a sequence of `count`."""
    return np.array(rng.choices(range(count), weights, cum_weights=cumulative, k=k), np.int64)


def sample(rng: random.Random, count: int, k: int) -> Places:
    """Where `rng.sample` takes items of a sequence of `count`."""
    return np.array(rng.sample(range(count), k), np.int64)


def shuffle(rng: random.Random, count: int) -> Places:
    """Where the items of a sequence of `count` come from that `rng.shuffle` has shuffled."""
    places = list(range(count))
    rng.shuffle(places)
    return np.array(places, np.int64)
