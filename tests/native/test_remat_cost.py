"""Which loops take less time to run again than their results from memory."""

from __future__ import annotations

import numpy as np
import pytest
from native.test_rematerialization import draw, pair_of


def product(x, c, steps, sweeps):
    for _ in range(steps):
        for _ in range(sweeps):
            y = x
            for _ in range(3):
                y = y * x + c
            x = y
    return np.sum(x)


def quotient(x, c, steps, sweeps):
    for _ in range(steps):
        for _ in range(sweeps):
            y = x.copy()
            x = x + c / (y + 2.0)
    return np.sum(x)


def quotients(x, c, steps, sweeps):
    for _ in range(steps):
        for _ in range(sweeps):
            y = x.copy()
            x = x + c / (y + 2.0) + c / (y + 3.0) + 1 / (y + 4.0) + 1 / (y + 5.0) + 1 / (y + 6.0)
    return np.sum(x)


def ordered(x, c, steps, sweeps):
    for _ in range(steps):
        for _ in range(sweeps):
            x = np.sort(x * x) * c
    return np.sum(x)


def gathered(x, c, steps, sweeps):
    """A sum for each entry: more work than entries."""
    for _ in range(steps):
        for _ in range(sweeps):
            x = x * (c + np.sum(x * x[:, None], axis=0))
    return np.sum(x)


@pytest.mark.parametrize(
    ("fn", "is_cheap"),
    [
        (product, True), (quotient, True), (quotients, False),
        (ordered, False), (gathered, False),
    ],
)  # fmt: skip
def test_what_is_run_again(fn, is_cheap):
    pair = pair_of(fn, (draw(7), 0.3, 5, 3))
    assert ("kept(" in pair.text) == is_cheap
