"""Lists of views that are edited, sorted, joined or filtered hold views, or are refused."""

from __future__ import annotations

import copy
from itertools import combinations

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


def one_replaced(x, n):
    rows = [x[i] for i in range(n)]
    rows[0] = x[1]
    return rows


def one_twice(x, n):
    rows = list(x)
    rows[0] = rows[1]
    return rows


def one_less(x, n):
    rows = [x[i] for i in range(n)]
    rows.pop()
    return rows


def reversed_and_written(x, n):
    rows = [x[i] for i in range(n)]
    rows.reverse()
    rows[1][:] = 5
    return x


def inserted_and_written(x, n):
    rows = [x[i] for i in range(n)]
    rows.insert(1, np.zeros(2))
    rows[0][:] = 5
    return rows


def extended(x, n):
    rows = [x[i] for i in range(n)]
    rows.extend([x[0], x[1]])
    return rows


def repeated(x, n):
    return [x[i] for i in range(n)] * 2


def joined(x, n):
    u = np.zeros(2)
    return [u] + [x[i] for i in range(n)]


def begun(x, n):
    rows = [x[0] * 2, x[1]]
    for i in range(n):
        rows.append(x[i])
    return rows


def of_two_loops(x, n):
    rows = []
    for i in range(n):
        for j in range(i):
            rows.append(x[j])
    return rows


def a_part(x, n):
    return [x[i] for i in range(n)][1:]


def read_as_well(x, n):
    rows = [x[i] for i in range(n)]
    return rows, sum(r[0] for r in rows)


def beside_one(x, n):
    rows = [x[i] for i in range(n)]
    return {"rows": rows, "first": rows[0]}


def given_on(x, n):
    def more(rows):
        rows.append(rows[0])
        return rows

    return more([x[i] for i in range(n)])


def copied_again(x, n):
    rows = []
    for row in [x[i] for i in range(n)]:
        rows.append(row)
    return rows


def filtered(x, n):
    rows = [x[i] for i in range(n)]
    return [row for row in rows if row[0] > 1]


def in_order(x, n):
    rows = [x[i] for i in range(n)]
    rows.sort(key=lambda row: -row[0])
    return rows


def in_order_and_written(x, n):
    rows = sorted(x, key=lambda row: -row[0])
    rows[0][:] = 5
    return x


def written_before(x, n):
    x[0] = 7
    rows = [x[1]]
    for i in range(n):
        rows.append(x[i])
    return rows


def by_data(x, n):
    rows = [x[i] for i in range(n)]
    rows[int(x[0, 1])] = x[0]
    return rows


VIEWS = [
    one_replaced, one_twice, one_less, reversed_and_written, inserted_and_written, extended,
    repeated, joined, begun, of_two_loops, a_part, read_as_well, beside_one, given_on, copied_again,
    written_before, in_order, in_order_and_written,
]  # fmt: skip
REFUSED = [filtered, by_data]


def arrays(tree):
    if isinstance(tree, np.ndarray):
        return [tree]
    items = tree.values() if isinstance(tree, dict) else tree
    return [a for x in items for a in arrays(x)] if isinstance(tree, dict | list | tuple) else []


def outcome(f, *args):
    """What is returned, what became of the arguments, and which arrays are one or share memory."""
    own = copy.deepcopy(args)
    found = f(*own)
    pairs = combinations(arrays((found, own)), 2)
    shared = [(a is b, np.shares_memory(a, b)) for a, b in pairs]
    return repr(found), repr(own), shared


X = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize("f", VIEWS)
def test_its_items_are_those_of_python(f):
    for n in (3, 2):
        assert outcome(srcad.compile(f, backend="numpy"), X, n) == outcome(f, X, n)


@pytest.mark.parametrize("f", REFUSED)
def test_what_data_moves_is_refused(f):
    with pytest.raises(SrcadError):
        srcad.compile(f, backend="numpy")(X.copy(), 3)


def total(x, n):
    rows = [x[i] for i in range(n)]
    rows.sort(key=lambda row: -row[0])
    return rows[0][0] + sum(row[1] * k for k, row in enumerate(rows) if row[0] > 1)


def test_what_is_only_read_is_accepted():
    for run in (srcad.compile(total), lambda *args: srcad.value_and_grad(total)(*args)[0]):
        assert run(X, 3) == total(X, 3)


# Arrays of the function's own ---------------------------------------------------------------------


def the_same(x, n):
    a = x * 2
    return [a for _ in range(n)]


def beside_it(x, n):
    a = x * 2
    return a, [a for _ in range(n)]


def history(x, n):
    w, path = x * 2, []
    for _ in range(n):
        w = w * 0.5
        path.append(w)
    return w, path


def begun_history(x, n):
    w = x * 2
    path = [w]
    for _ in range(n):
        w = w * 0.5
        path.append(w)
    return w, path


def of_the_argument(x, n):
    path = [x]
    for _ in range(n):
        x = x * 0.5
        path.append(x)
    return path


def with_copies(x, n):
    w, path = x * 2, []
    for _ in range(n):
        w = w * 0.5
        path.append(w.copy())
    return w, path, w * 1.0


def with_products(x, n):
    y = x * 2
    return [y * 1.0 for _ in range(n)], y


def in_two_lists(x, n):
    first, second = [], []
    for i in range(n):
        v = x * i
        first.append(v)
        second.append(v)
    return first, second


def one_in_pairs(x, n):
    pairs = []
    for i in range(n):
        v = x * i
        pairs.append((v, v, x * i))
    return pairs


def perhaps_new(x, n):
    w, path = x * 2, []
    while n > 0:
        if n % 2:
            w = w * 0.5
        path.append(w)
        n -= 1
    return path


def stored(x, n):
    given = {}
    path = []
    for _ in range(n):
        x = x - 0.1
        path.append(x)
    given["w"] = x
    return given, path


OWN = [
    the_same, beside_it, history, begun_history, of_the_argument, with_copies, with_products,
    in_two_lists, one_in_pairs, perhaps_new, stored,
]  # fmt: skip


@pytest.mark.parametrize("f", OWN)
def test_an_array_is_one_wherever_it_stands(f):
    for n in (3, 2, 0):
        assert outcome(srcad.compile(f, backend="numpy"), X, n) == outcome(f, X, n)


@pytest.mark.parametrize("f", OWN)
def test_numbers_are_those_of_compiled_code(f):
    pytest.importorskip("numba")
    for n in (3, 2, 0):
        assert outcome(srcad.compile(f, backend="native"), X, n)[:2] == outcome(f, X, n)[:2]


def test_a_long_history_stays_a_loop():
    compiled = srcad.compile(of_the_argument, backend="numpy")
    assert len(compiled(X, 5000)) == 5001
    assert len(compiled.source(X, 5000).splitlines()) < 40
