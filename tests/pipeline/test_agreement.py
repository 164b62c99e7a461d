"""Which results count as the same."""

from collections import deque
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from srcad.pipeline.calls.agreement import difference

X = np.array([1.0, 2.0, np.nan, np.inf])


@dataclass
class Pair:
    a: object
    b: object


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (X, X.copy()),
        (1.0, 1.0 + 1e-12),
        ((np.float64(3.0), np.array([0.0])), (np.float64(3.0), np.array([1e-9]))),
        (np.zeros(2), np.array([1e-16, -1e-16])),
        (np.float32([1.0, 2.0]), np.float32([1.0001, 2.0])),
        ({"w": [X, 1]}, {"w": [X, 1]}),
        (Pair(X, 1j), Pair(X, 1j + 1e-10)),
        ((1.0, difference), (1.0, np.sin)),
        (np.zeros((0, 3)), np.zeros((0, 3))),
    ],
)
def test_the_same_but_for_rounding(a, b):
    assert difference(a, b) == ""


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (1.0, 1.001, "1.001 instead of 1.0"),
        (X, np.array([1.0, 2.0, 3.0, np.inf]), "3.0 instead of nan"),
        (X, -X, "-1.0 instead of 1.0"),
        (np.zeros(3), np.zeros(2), "float64[2] instead of float64[3]"),
        (np.float32(1.0), np.float64(1.0), "float64[] instead of float32[]"),
        ((1.0, 2.0), (1.0,), "2 arrays instead of 1"),
        (np.array([1, 2]), np.array([1, 3]), "3 instead of 2"),
        (Pair(X, 1j), Pair(X, 2j), "2j instead of 1j"),
    ],
)
def test_more_than_rounding(a, b, words):
    assert words in difference(a, b)


class Node:
    """An object that leads back to itself."""

    def __init__(self, x):
        self.x, self.queue = x, deque([x])
        self.child = SimpleNamespace(parent=self)


def test_objects_that_lead_back():
    assert difference(Node(1.0), Node(1.0)) == ""
    assert "2.0 instead of 1.0" in difference(Node(1.0), Node(2.0))


def test_items_of_a_queue():
    assert "2.0 instead of 1.0" in difference(deque([1.0]), deque([2.0]))
