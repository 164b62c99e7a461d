"""Objects, named tuples and frozen dataclasses from outside as keys of dicts."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import srcad

Species = namedtuple("Species", "name charge logk")


@dataclass(frozen=True)
class Part:
    name: str
    mass: float = 1.0


class Node:
    def __init__(self, weight):
        self.weight = weight


SPECIES = [Species("H", 1, 0.5), Species("OH", -1, 1.5)]
PARTS = [Part("a", 2.0), Part("b")]
NODES = [Node(1.0), Node(2.5)]
X = np.array([0.7, 1.3])


def _species(x):
    held = {}
    for s in SPECIES:
        held[s] = x[0] * s.logk
    total = sum(c * s.charge**2 * s.logk for s, c in held.items())
    return total * held[SPECIES[1]] + held[Species("H", 1, 0.5)] * x[1]


def _parts(x):
    held = {p: x[k] ** 2 for k, p in enumerate(PARTS)}
    return sum(v * p.mass for p, v in held.items()) + held[Part("b", 1.0)]


def _nodes(x):
    held = {}
    for k, node in enumerate(NODES):
        held[node] = x[k] * node.weight
    first = next(iter(held))
    total = sum(v if node is NODES[0] else v**2 * node.weight for node, v in held.items())
    return total + held[NODES[1]] * first.weight + sum(n in NODES[:1] for n in held)


@pytest.mark.parametrize("f", [_species, _parts, _nodes])
def test_are_those_that_were_put_in(f):
    value, gradient = srcad.value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    steps = 1e-6 * np.eye(2)
    assert gradient == pytest.approx([(f(X + e) - f(X - e)) / 2e-6 for e in steps], rel=1e-6)


def test_what_they_hold_may_change(monkeypatch):
    gradient = srcad.grad(_nodes)
    before = gradient(X)
    monkeypatch.setattr(NODES[1], "weight", 4.0)
    assert gradient(X).tolist() != before.tolist()
    monkeypatch.setitem(globals(), "SPECIES", [Species("H", 1, 2.0), Species("OH", -1, 1.5)])
    with pytest.raises(KeyError):
        srcad.grad(_species)(X)


def test_keys_that_vary_are_refused():
    with pytest.raises(srcad.SrcadError, match="that is no int") as caught:
        srcad.grad(lambda x: {Part("a", x[0]): x[1]}[Part("a", x[0])])(X)
    assert caught.value.code == "E123"
