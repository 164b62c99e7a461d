"""Dicts and sets that get known keys on some paths only: `if c: d["a"] = x`."""

import numpy as np
import pytest
from like_python import check_like_python
from optional import BACKENDS

import srcad

X = np.array([3.0, 1.0, 2.0])


def _read(x):
    held = {}
    if x[0] > 1:
        held["b"] = x[1]
    return held.get("b", 0.0) * x[2] + ("b" in held)


def _in_order(x):
    held = {"q": x[2]}
    if x[0] > 1:
        held["b"] = x[1]
    if x[1] > 5:
        held["c"] = x[1] ** 2
    held["z"] = x[0]
    total = 0.0
    for place, (key, v) in enumerate(held.items()):
        total = total + v * (place + 1) * (2 if key == "z" else 1)
    return total + len(held) * x[0]


def _least(x):
    best = {}
    for k in range(3):
        key = "low" if k < 2 else "high"
        if key not in best or x[k] < best[key]:
            best[key] = x[k]
    return sum(best.values()) * best["low"]


def _path(x):
    edges = [("a", "b", x[0]), ("a", "c", x[1]), ("b", "c", x[2]), ("c", "d", x[0])]
    length = dict.fromkeys("abcd", np.inf)
    length["a"] = 0.0
    before = {}
    for _ in range(3):
        for u, v, w in edges:
            if length[u] + w < length[v]:
                length[v] = length[u] + w
                before[v] = u
    path, node = [], "d"
    while node != "a":
        path.append(node)
        node = before[node]
    return length["d"] + 0.1 * len(path) * x[1]


def _removed(x):
    held = {"a": x[0], "b": x[1]}
    if x[2] > 1:
        del held["a"]
    else:
        held.pop("b")
    return sum(v**2 for v in held.values())


def _members(x):
    seen = set()
    for k, name in enumerate("abca"):
        if x[k % 3] > 1.5:
            seen.add(name)
    return sum(x[0] * (c in seen) for c in "abc") + len(seen)


def _longer(x):
    numbers = {1}
    if x[0] > 1:
        numbers.add(2)
    if x[1] > 1:
        numbers.add(1)
    return np.sum(x) * len(numbers)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [_read, _in_order, _least, _path, _removed, _members, _longer])
def test_are_there_where_python_has_them(f, backend):
    compiled = srcad.value_and_grad(f, backend=backend)
    for x in (X, np.array([0.5, 6.0, 0.3]), np.array([1.2, 1.7, 0.1])):
        check_like_python(f, compiled, x)


def test_a_key_that_is_missing_raises():
    def f(x):
        held = {}
        if x[0] > 5:
            held["b"] = x[1]
        return held["b"] * x[0]

    assert srcad.grad(f)(X + 5).tolist() == [6.0, 8.0, 0.0]
    with pytest.raises(KeyError, match="'b'"):
        srcad.grad(f)(X)
