"""Lists that leave a compiled function hold the arrays that Python puts there, no copies."""

from __future__ import annotations

import numpy as np
import pytest

import srcad


def rows(x, n):
    return [x[i] for i in range(n)]


def rows_one_by_one(x, n):
    found = []
    for row in x[:n]:
        found.append(row)
    return found


def some_rows(x, n):
    found = []
    for i in range(n):
        if x[i, 0] > 2:
            found.append(x[i][::-1])
    return found


def pairs(x, n):
    return [(i, x[i], x[:, 0]) for i in range(n)]


def the_same(x, n):
    return [x for _ in range(n)]


def history(x, n):
    found = []
    for _ in range(n):
        found.append(x)
        x = x * 0.5
    return found


def in_a_dict(x, n):
    return {"rows": [x[i] for i in range(n)]}


def with_while(x, n):
    found = []
    while n > 0:
        found.append(x[n])
        n -= 1
    return found


def copied(x, n):
    found = [x[i].copy() for i in range(n)]
    x[0] = 5.0
    return found


def multiplied(x, n):
    return [x[i] * 1.0 for i in range(n)]


def copied_before(x, n):
    x = x.copy()
    return [x[i] for i in range(n)]


def written_after(x, n):
    found = [x[i] for i in range(n)]
    x[0] = 5.0
    return found


def _arrays(tree):
    if isinstance(tree, np.ndarray):
        return [tree]
    items = tree.values() if isinstance(tree, dict) else tree
    return [a for item in items for a in _arrays(item)] if not np.isscalar(tree) else []


def _with(x, tree):
    return [(a is x, np.shares_memory(a, x)) for a in _arrays(tree)]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(
    "f",
    [
        rows, rows_one_by_one, some_rows, pairs, the_same, history, in_a_dict, with_while, copied,
        multiplied, copied_before, written_after,
    ],
)  # fmt: skip
def test_items_share_memory_as_in_python(f, backend):
    if backend == "native":
        pytest.importorskip("numba")
    made = srcad.compile(f, backend=backend)
    for n in (3, 0, 1, 3):
        x, own = np.arange(12.0).reshape(4, 3), np.arange(12.0).reshape(4, 3)
        wanted, got = f(x, n), made(own, n)
        assert repr(got) == repr(wanted)
        np.testing.assert_array_equal(own, x)
        assert _with(own, got) == _with(x, wanted)


def test_a_history_is_compiled():
    pytest.importorskip("numba")
    made = srcad.compile(history, backend="native")
    made(np.ones((2, 2)), 3)
    assert made.explain().compiled
