"""Lists of lists of which run-time values give the sizes: grids, tables, rows of one length."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError


def grid(x, v):
    n = round(x * float(v[0]))
    cells = [[0.0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            cells[i][j] = x * i + j
    return cells


def computed(x, v):
    n = int(v[0])
    return [[x * i + j for i in range(n)] for j in range(n)]


def sum_of_rows(x, v):
    n = int(v[0])
    return sum(sum(row) for row in [[x * i + j for i in range(n)] for j in range(n)])


def of_two_sizes(x, v):
    n, m = int(v[0]), int(v[1])
    table = [[x * i + j for i in range(n)] for j in range(m)]
    table[0][0] = 7.0
    return [[table[j][i] for j in range(m)] for i in range(n)]


def one_row_less(x, v):
    n = int(v[0])
    return [[x * i + j for i in range(n)] for j in range(n - 1)]


def products(x, v):
    n, m = int(v[0]), int(v[1])
    a = np.array([[x * i + j for i in range(n)] for j in range(m)])
    b = np.array([[x * i + j for i in range(m)] for j in range(n)])
    return float((a @ b).sum())


def made_in_a_loop(x, v):
    total = 0.0
    for k in range(len(v)):
        n = int(v[k])
        table = [[x * i + j for i in range(n)] for j in range(n)]
        total += sum(sum(row) for row in table)
    return total


def rows_of_other_lengths(x, v):
    rows = []
    for k in range(len(v)):
        n = int(v[k])
        rows.append([x * i for i in range(n)])
    return rows


def count_that_the_loop_changes(x, v):
    n, rows = int(v[0]), []
    for k in range(len(v)):
        rows.append([x * i for i in range(n)])
        n = int(v[k])
    return sum(sum(row) for row in rows)


def length_of_the_one_before(x, v):
    before, total = np.zeros(int(v[0])), 0.0
    for k in range(len(v)):
        now = np.array([x * i for i in range(int(v[k]))])
        total += 2 * len(before) + len(now)
        before = now
    return total * x


def as_wide_as_the_index(x, v):
    total = 0.0
    for k in range(len(v) + 1):
        table = [[x * i + j for i in range(k)] for j in range(k + 1)]
        total += sum(sum(row) for row in table)
    return total


def negative(x, v):
    n = -2 if v[0] > 2 else 3
    return [[x * i + j for i in range(n)] for j in range(n)], [
        [x for _ in range(n)] for _ in (1, 2)
    ]


def by_a_function(x, v):
    n = int(v[0])

    def row(j):
        return [x * i + j for i in range(n)]

    return [row(j) for j in range(n)]


def a_copy(x, v):
    n = int(v[0])
    a = [[x * i for i in range(n)] for _ in range(n)]
    b = [row[:] for row in a]
    b[0][0] = 9.0
    return a, b


def flags(x, v):
    n = int(v[0])
    seen = [[False for _ in range(n)] for _ in range(n)]
    seen[0][n - 1] = x > 1
    return seen


def numpys_numbers(x, v):
    n = int(v[1])
    return [[v[0] * i for i in range(n)] for _ in range(n)]


FUNCTIONS = [
    grid, computed, sum_of_rows, of_two_sizes, one_row_less, products, made_in_a_loop,
    rows_of_other_lengths, count_that_the_loop_changes, length_of_the_one_before,
    as_wide_as_the_index, negative, by_a_function, a_copy, flags, numpys_numbers,
]  # fmt: skip
SIZES = [np.array([3.0, 2.0]), np.array([2.0, 4.0, 1.0]), np.array([1.0, 1.0])]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_as_python(f, backend):
    compiled = srcad.compile(f, backend=backend)
    for v in SIZES:
        # The texts tell numbers of NumPy's from Python's.
        assert repr(compiled(1.5, v)) == repr(f(1.5, v))


@pytest.mark.parametrize("f", [f for f in FUNCTIONS if isinstance(f(1.5, SIZES[0]), float)])
def test_derivatives(f):
    for v in SIZES:
        difference = (f(1.5 + 1e-6, v) - f(1.5 - 1e-6, v)) / 2e-6
        assert srcad.grad(f)(1.5, v) == pytest.approx(difference, rel=1e-6)


def test_rows_that_are_returned_are_lists_of_their_own():
    rows = srcad.compile(computed)(1.5, SIZES[0])
    rows[0][0] = 5.0
    assert rows[1][0] == 1.0


def row_twice(x, a):
    table = [[x * i for i in a] for j in a]
    return table[1], table[1]


def item_twice(x, a):
    pairs = [[x, i * 1.0] for i in a]
    return pairs[1], pairs[1]


def written_row_twice(x, a):
    n = int(a[0])
    table = [[x for _ in range(n)] for _ in range(n)]
    table[0][0] = 2.0
    return table[1], table[1]


def table_and_row(x, a):
    n = int(a[0])
    table = [[x for _ in range(n)] for _ in range(n)]
    return table, table[0]


def first_and_last(x, a):
    n = int(a[0])
    table = [[x for _ in range(n)] for _ in range(n)]
    return table[0], table[-1]


def list_and_last_item(x, a):
    rows = []
    for v in a:
        row = [v * u for u in a]
        rows.append(row)
    return rows, row


def list_and_its_copy(x, a):
    rows = [[v * u * x for u in a] for v in a]
    return rows, rows[:]


def part_of_an_item(x, a):
    pairs = [(v, [v, x]) for v in a]
    return pairs[0][1], pairs[0]


REFUSED = [
    row_twice, item_twice, written_row_twice, table_and_row, first_and_last, list_and_last_item,
    list_and_its_copy, part_of_an_item,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_one_list_in_two_places_is_refused(f):
    with pytest.raises(SrcadError):
        srcad.compile(f)(1.5, SIZES[0])


def two_rows(x, a):
    table = [[x * i + j for i in a] for j in a]
    return table[0], table[1]


def two_items(x, a):
    pairs = [[x, i * 1.0] for i in a]
    return pairs[1], pairs[0]


def numbers_and_their_copy(x, a):
    found = [x * v for v in a]
    return found, found[:]


@pytest.mark.parametrize("f", [two_rows, two_items, numbers_and_their_copy])
def test_two_lists_are_two(f):
    assert srcad.compile(f)(1.5, SIZES[0]) == f(1.5, SIZES[0])
