"""An item of a list that leaves beside the list is one array with it, in compiled code too."""

from __future__ import annotations

import numpy as np
import pytest
from frontend.test_lists_of_views import outcome

import srcad


def made(x, n):
    rows = []
    for i in range(n):
        rows.append(x * i)
    return rows


def before_it(x, n):
    rows = made(x, n)
    return rows[int(x[0])], rows


def the_last(x, n):
    rows = made(x, n)
    return {"all": rows, "last": rows[-1]}


def parts_of_items(x, n):
    rows = made(x, n)
    return rows, rows[-1][0], rows[0][1:], rows[1][::-1]


def put_in_as_well(x, n):
    rows = []
    for i in range(n):
        last = x * i
        rows.append(last)
    return rows, last


def of_pairs(x, n):
    pairs = []
    for i in range(n):
        pairs.append((x * i, x + i))
    return pairs[0][1], pairs


def one_by_one(x, n):
    rows = [x * 2, x * 3]
    return rows[0], rows[int(x[0] > 1)], rows


def of_a_literal(x, n):
    a, b = x * 2, x * 3
    return a, [a, b][int(x[0] > 1)], b[1:]


def popped(x, n):
    rows = made(x, n)
    row = rows.pop()
    return rows, row


def parts_of_it(x, n):
    rows = made(x, n)
    return rows, rows[1:], rows[::-1]


def twice(x, n):
    rows = made(x, n)
    rows.append(rows[1])
    return rows


def first_twice(x, n):
    rows = made(x, n)
    rows.insert(0, rows[-1])
    return rows


def again(x, n):
    rows = made(x, n)
    return rows * 2


def with_others(x, n):
    rows = made(x, n)
    return rows + [x * 7, rows[0]]


def stored(x, n):
    rows = made(x, n)
    rows[0] = rows[1]
    return rows


def best_of(x, n):
    rows = made(x, n)
    best = rows[0]
    for row in rows:
        if row[0] > 1.0:
            best = row
    return rows, best


def best_so_far(x, n):
    best, least, y = x.copy(), 1e9, x * 1.0
    for _ in range(n):
        y = y * 0.5 + 0.1 * x
        value = np.sum((y - 0.3) ** 2)
        if value < least:
            least, best = value, y
    return best, y


def copied(x, n):
    rows = made(x, n)
    return rows, np.array(rows), np.array(rows)[1:], rows[0].copy()


PROGRAMS = [
    before_it, the_last, parts_of_items, put_in_as_well, of_pairs, one_by_one, of_a_literal, popped,
    parts_of_it, twice, first_twice, again, with_others, stored, best_of, best_so_far, copied,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_they_are_one_as_in_python(f):
    compiled = srcad.compile(f, backend="numpy")
    for x, n in ((np.array([1.0, 2.0]), 4), (np.array([0.1, 0.2, 0.3]), 3)):
        assert outcome(compiled, x, n) == outcome(f, x, n)


def picked(x, n):
    rows = [x * 2, x * 3]
    return rows, rows[int(x[0])]


def test_a_place_that_there_is_not_is_that_of_python():
    with pytest.raises(IndexError):
        srcad.compile(picked, backend="numpy")(np.array([5.0, 1.0]), 2)


def some(x, n):
    rows = made(x, n)
    return [row for row in rows if row[0] > 1], rows


def test_what_data_picks_from_a_list_is_refused_beside_it():
    with pytest.raises(srcad.SrcadError, match="E139"):
        srcad.compile(some, backend="numpy")(np.array([1.0, 2.0]), 4)
