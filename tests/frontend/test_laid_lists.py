"""Lists of numbers, and lists of lists, that stand in arrays: one program for all lengths; as
Python has them, unrolled where an array cannot be that.
"""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError


def distance(a, b):
    n, m = len(a), len(b)
    d = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    d[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d[i][j] = abs(a[i - 1] - b[j - 1]) + min(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1])
    return d[n][m]


def rows_kept(a, b):
    rows = [list(a)]
    for v in b:
        rows.append([v * w + u for u, w in zip(rows[-1], a)])
    return sum(sum(row) for row in rows)


def with_options(a, b, n=40):
    table = [[0.0] * n for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(n):
            table[i][j] = a[i] * (b[0] + j)
    return np.sum(np.array(table))


def triangle(a, b):
    rows = [[1.0] * (i + 1) for i in range(len(a))]
    for i in range(2, len(a)):
        for j in range(1, i):
            rows[i][j] = rows[i - 1][j - 1] + a[i] * rows[i - 1][j]
    return sum(rows[-1]) + b[0]


@pytest.mark.parametrize("fn", [distance, rows_kept, triangle])
def test_one_program_serves_all_lengths(fn):
    gradient = srcad.grad(fn)
    for n in (30, 3, 200):
        gradient(np.ones(n), np.ones(n + 2))
    assert gradient.cache_info().misses == 1
    assert len(gradient.source().splitlines()) < 120


def kept_row(x):
    """`row` is another list than the first one from now on."""
    table = [[v * i for v in x] for i in range(len(x))]
    row = table[0]
    table[0] = [2.0 * v for v in x]
    row[0] = 100.0 * x[0]
    return table[0][0] + row[0]


def kept_after_swap(x):
    table = [[v * (i + 1) for v in x] for i in range(len(x))]
    row = table[0]
    table[0], table[1] = table[1], table[0]
    row[0] = 3.0 * x[1]
    return table[0][0] + 10 * table[1][0]


def one_in_two_places(x):
    table = [[v * (i + 1) for v in x] for i in range(len(x))]
    table[1] = table[2]
    table[1][1] = 7.0 * x[0]
    return sum(sum(row) for row in table)


def appended_and_written(x):
    rows = []
    for i in range(len(x)):
        row = [v * i for v in x]
        rows.append(row)
        row[0] = 100.0 * x[i]
    return sum(sum(row) for row in rows)


def appended_each_time(x):
    row, rows = [0.0] * len(x), []
    for i in range(len(x)):
        row[i] = 2 * x[i]
        rows.append(row)
    return sum(sum(row) for row in rows)


def longer(x):
    table = [[v * (i + 1) for v in x] for i in range(len(x))]
    table[0].append(x[0])
    table.append([1.0])
    return sum(sum(row) for row in table) + len(table[0])


def large_ints(x):
    fib = [0] * (len(x) + 90)
    fib[1] = 1
    for i in range(2, 94):
        fib[i] = fib[i - 1] + fib[i - 2]
    return x[0] / fib[93]


def identical(x):
    table = [[0.0] * len(x) for _ in range(len(x))]
    return x[0] * (1.0 if table[0] is table[0] else 2.0)


def nothing(x):
    table = [[0.0] * (len(x) - 30) for _ in range(len(x))]
    return x[0] + len(table[0])


def of_ints(x):
    table = [[0] * len(x) for _ in range(len(x))]
    for i in range(1, len(x)):
        table[i][0] = table[i - 1][0] + x[i]
    return 1.0 * table[len(x) - 1][0]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "fn",
    [
        kept_row, kept_after_swap, one_in_two_places, appended_and_written, appended_each_time,
        longer, large_ints, identical, nothing, of_ints,
    ],
)  # fmt: skip
def test_lists_are_those_of_python(fn, backend):
    x = np.array([0.7, 1.3, 0.4, 2.1])
    y, x_bar = srcad.value_and_grad(fn, backend=backend)(x)
    wanted = fn(x)
    assert type(y) is type(wanted)
    assert y == wanted
    step = 1e-6
    for k, e in enumerate(np.eye(len(x))):
        slope = (fn(x + step * e) - fn(x - step * e)) / (2 * step)
        assert x_bar[k] == pytest.approx(slope, abs=1e-6)


def divided(x):
    table = [[0.0] * len(x) for _ in range(len(x))]
    table[0][0] = x[0]
    return 1.0 / table[1][1]


def divided_by_int(x):
    table = [[0] * len(x) for _ in range(len(x))]
    for i in range(1, len(x)):
        table[i][i] = x[i]
    return 1.0 / table[0][0]


@pytest.mark.parametrize("fn", [divided, divided_by_int])
def test_numbers_of_python_raise(fn):
    with pytest.raises(ZeroDivisionError):
        srcad.grad(fn)(np.ones(3))


def beyond(x):
    table = [[0.0] * len(x) for _ in range(len(x))]
    for i in range(len(x) + 1):
        table[i][0] = x[0]
    return table[0][0]


def beyond_a_triangle(x):
    table = [[0.0] * (i + 1) for i in range(len(x))]
    for i in range(len(x)):
        table[i][0] = x[i]
    return table[1][2]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("beyond", [beyond, beyond_a_triangle])
def test_an_index_beyond_the_list_raises(beyond, backend):
    with pytest.raises((IndexError, SrcadError)):
        srcad.grad(beyond, backend=backend)(np.ones(3))


def test_the_length_may_be_an_argument():
    gradient = srcad.grad(with_options)
    for n in (5, 40):
        a_bar = gradient(np.ones(3), np.ones(1), n)
        assert np.allclose(a_bar, sum(1.0 + j for j in range(n)))
    assert gradient.cache_info().misses == 1


def written_in_place(x):
    n = 40
    values = [0.0] * (n + 1)
    for j in range(n + 1):
        values[j] = max(x[0] * j - 7.0, 0.0)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            values[j] = x[1] * values[j + 1] + values[j]
    return values[0]


def replaced(x):
    values = []
    for j in range(41):
        values.append(max(x[0] * j - 7.0, 0.0))
    for _ in range(40):
        earlier = []
        for j in range(len(values) - 1):
            earlier.append(x[1] * values[j + 1] + values[j])
        values = earlier
    return values[0]


def longer_each_time(x):
    product = [1.0]
    for _ in range(40):
        longer = [0.0] * (len(product) + 1)
        for i in range(len(product)):
            longer[i] += product[i] * x[0] / 2
            longer[i + 1] -= product[i] * x[1] / 2
        product = longer
    return sum(product)


def of_a_dozen(x):
    n = 12
    values = [max(1.0 - x[0] * 1.1**j * 0.9 ** (n - j), 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            hold = 0.99 * (x[1] * values[j + 1] + (1 - x[1]) * values[j])
            values[j] = max(hold, 1.0 - x[0] * 1.1**j * 0.9 ** (i - j))
    return values[0]


def product_of_tables(x):
    a = [[x[0] * i + x[1] * j for j in range(9)] for i in range(9)]
    b = [[x[0] * i * j + 1.0 for j in range(9)] for i in range(9)]
    c = [[0.0] * 9 for _ in range(9)]
    for i in range(9):
        for j in range(9):
            for k in range(9):
                c[i][j] += a[i][k] * b[k][j]
    return sum(sum(row) for row in c)


def diffusion(x):
    grid = [[0.0] * 10 for _ in range(10)]
    grid[5][5] = x[0]
    for _ in range(6):
        new = [row[:] for row in grid]
        for i in range(1, 9):
            for j in range(1, 9):
                around = grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]
                new[i][j] = grid[i][j] + x[1] * (around - 4 * grid[i][j])
        grid = new
    return sum(sum(row) for row in grid) + grid[2][3]


def interpolated(x):
    xs = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4]
    ys = [1.0, 0.5, 2.0, 0.3, 4.0, 0.5, 6.0, 0.7, 8.0, 0.9, 1.1, 0.2, 0.4, 2.0, 1.7]
    for i in range(len(xs) - 1):
        if xs[i] <= x[0] < xs[i + 1]:
            t = (x[0] - xs[i]) / (xs[i + 1] - xs[i])
            return ys[i] * (1 - t) + ys[i + 1] * t
    return ys[-1]


LOOPS = [
    written_in_place, replaced, longer_each_time, of_a_dozen, product_of_tables, diffusion,
    interpolated,
]  # fmt: skip


@pytest.mark.parametrize("fn", LOOPS)
def test_loops_of_constant_numbers_of_iterations_are_not_unrolled(fn):
    x = np.array([0.93, 0.3])
    gradient = srcad.grad(fn, backend="numpy")
    assert len(gradient.source(x).splitlines()) < 120
    step = 1e-6 * np.eye(2)
    slopes = [(fn(x + e) - fn(x - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(gradient(x), slopes, rtol=1e-5, atol=1e-8)
    assert srcad.compile(fn, backend="numpy")(x) == fn(x)


def counted(x):
    counts = [0] * 20
    for i in range(60):
        counts[i % 7] += 1
    return x[0] * counts[3]


def of_arrays(x):
    rows = [0.0] * 20
    for i in range(20):
        rows[i] = x * i
    return rows[3][0] + rows[7][1]


def of_either_kind(x):
    values = [0.0] * 30
    for i in range(30):
        values[i] = x[0] * i if i % 2 else 0
    return values[3] + values[4] if type(values[4]) is int else 0.0


def of_texts(x):
    parts = [0.0] * 20
    for i in range(20):
        parts[i] = "a" if i % 2 else "b"
    return x[0] * len("".join(parts))


def deleted_from(x):
    values = [0.0] * 30
    for i in range(30):
        values[-i] = x[0] * i
    del values[3]
    return values[3] + len(values)


def written_down(x):
    w = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3]
    v = w
    for i in range(13):
        v[i] = x[0] * i
    w.append(x[1])
    return w[3] + v[13] + len(v)


def triangle_of_known_rows(x):
    rows = [[0.0] * (i + 1) for i in range(10)]
    for i in range(10):
        rows[i][0] = x[0]
        rows[i][i] = x[1]
        for j in range(1, i):
            rows[i][j] = 0.5 * (rows[i - 1][j - 1] + rows[i - 1][j])
    return sum(rows[9])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "fn",
    [
        counted, of_arrays, of_either_kind, of_texts, deleted_from, written_down,
        triangle_of_known_rows,
    ],
)  # fmt: skip
def test_lists_of_equal_items_hold_anything(fn, backend):
    test_lists_are_those_of_python(fn, backend)
