from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare

from srcad.pipeline.request import Request

X = np.array([[0.3, -0.7, 1.1], [0.2, -0.4, 0.5], [0.9, 0.8, -0.1]])


def borders(x, n):
    """The interior's slices need two rows and columns: so the first and last ones exist."""
    u = x.copy()
    for _ in range(2):
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] - u[:-2, 1:-1])
        u[0, :] = u[1, :]
        u[:, -1] = u[:, -2] * u[-1, 0]
    return np.sum(u * u)


def one_row(x, n):
    """Nothing says that there is a second row."""
    u = x.copy()
    for _ in range(2):
        u[0] = np.sin(u[1])
    return np.sum(u * u)


def as_many(x, n):
    """The check of the loop over `n` rows says nothing of one more."""
    s = 0.0
    for i in range(n):
        s = s + x[i, 0] * x[i + 1, 1]
    return s


def made(f, n):
    return both(Request("value_and_grad", f, (0,), single=False), (X, n), 2)


def checks(text):
    return text.count("    check_range(")


def test_checks_that_cannot_fail_are_gone():
    pair = made(borders, 2)
    assert pair.functions
    assert checks(pair.text) == 0
    assert "check_range" not in pair.text
    for rows in (3, 2):
        assert compare(pair, (X[:rows], 2)) == "equal"


@pytest.mark.parametrize(("f", "bad"), [(one_row, (X[:0], 2)), (as_many, (X, 3))])
def test_checks_that_can_fail_stay(f, bad):
    pair = made(f, 2)
    assert pair.functions
    assert checks(pair.text) > 0
    assert compare(pair, (X, 2)) == "equal"
    assert compare(pair, bad) in ("left", "equal")  # an IndexError of both
