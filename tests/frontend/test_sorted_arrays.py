"""`sorted` gives the very arrays that it is given: what is read of them is right, a write refused.

Keys that NumPy compares otherwise in one array than Python does one by one are refused as well.
"""

import numpy as np
import pytest
from conformance.outcome import disagreement, run

import srcad
from srcad.errors import SrcadError

X, Y = np.array([1.0, 2.0]), np.array([3.0, 0.5])


def read(x, y):
    low, high = sorted([x, y * 2.0], key=np.sum)
    return np.sum(low * high) + 2 * high[0]


def reversed_by_floats(x, y):
    best = sorted([x * y + 5, x, y], key=lambda v: float(v[1]) * 2, reverse=True)[0]
    return np.sum(best * best)


def of_a_matrix(x, y):
    total = 0.0
    for row in sorted(np.stack([x, y, x * y]), key=np.sum):
        total = total * 2.0 + row[0]
    return total


def in_place(x, y):
    rows = [x + y, x * y]
    rows.sort(key=lambda v: -v[1])
    return np.sum(np.array(rows)[0])


def of_many(x, y):
    rows = [x * k - y for k in range(50)]
    return np.sum(sorted(rows, key=lambda v: np.sum(v) ** 2)[3] * x)


def of_many_rows(x, y):
    rows = np.outer(np.arange(50.0), x) - y
    return np.sum(sorted(rows, key=lambda v: np.sum(v) ** 2)[3] * x)


@pytest.mark.parametrize(
    "f", [read, reversed_by_floats, of_a_matrix, in_place, of_many, of_many_rows]
)
def test_arrays_that_are_read(f):
    want, got = (run(g, (X, Y)) for g in (f, srcad.compile(f, backend="numpy")))
    assert disagreement(want, got, (X, Y)) is None
    value, slope = srcad.value_and_grad(f)(X, Y)
    steps = [1e-6 * each for each in np.eye(2)]
    assert value == f(X, Y)
    np.testing.assert_allclose(slope, [(f(X + h, Y) - f(X - h, Y)) / 2e-6 for h in steps], 1e-6)


def given_back(x, y):
    return sorted([x, y[:1]], key=np.sum)


def beside_a_number(x, y):
    return sorted([x[0], y], key=np.sum)


def numbers_of_several_kinds(x, y):
    return sorted([1, float(y[1]), x[1], True, 0.5]), sorted([len(x), x[0]])


def numbers_beside_single_precision(x, y):
    return sorted([np.float32(x[1]), 0.0, 1])


@pytest.mark.parametrize(
    "f", [given_back, beside_a_number, numbers_of_several_kinds, numbers_beside_single_precision]
)
def test_what_is_given_back(f):
    want, got = (run(g, (X, Y)) for g in (f, srcad.compile(f, backend="numpy")))
    assert disagreement(want, got, (X, Y)) is None


def scaled_in_turn(x, y):
    a, b = x * 1.0, y * 1.0
    for v in sorted([a, b], key=np.sum):
        v *= 3.0
    return np.sum(a * a) + np.sum(b)


def arguments_scaled(x, y):
    for v in sorted([x, y], key=np.sum):
        v *= 2.0
    return np.sum(x)


def entry_of_a_sorted_list(x, y):
    a, b = x * 1.0, y * 1.0
    rows = [a, b]
    rows.sort(key=np.sum)
    rows[0][0] = 5.0
    return np.sum(a * a) + np.sum(b)


def written_before_it_is_read(x, y):
    a, b = x * 1.0, y * 1.0
    rows = sorted([a, b], key=np.sum)
    a[0] = 7.0
    return np.sum(rows[0] * 2) + np.sum(rows[1])


def the_lower_one(x, y):
    a, b = x * 1.0, y * 1.0
    low, _ = sorted([a, b], key=np.sum)
    low -= 1.0
    return np.sum(a * a)


def an_out(x, y):
    a, b = x * 1.0, y * 1.0
    rows = sorted([a, b], key=np.sum)
    np.add(a, b, out=a)
    return rows[0][0]


def rows_of_a_matrix(x, y):
    m = np.stack([x, y])
    for v in sorted(m, key=np.sum):
        v[0] = 2.0
    return np.sum(m)


WRITTEN = [
    scaled_in_turn, arguments_scaled, entry_of_a_sorted_list, written_before_it_is_read,
    the_lower_one, an_out, rows_of_a_matrix,
]  # fmt: skip


@pytest.mark.parametrize("f", WRITTEN)
def test_data_says_which_is_written(f):
    for x, y in ((X, Y), (Y, X)):
        theirs, ours = np.array([x, y]), np.array([x, y])
        assert srcad.compile(f, backend="numpy")(*ours) == f(*theirs)
        np.testing.assert_array_equal(ours, theirs)
        found = srcad.grad(f, argnums=(0, 1), backend="numpy")(x.copy(), y.copy())
        for k, gradient in enumerate(found):
            for i in range(gradient.size):
                ends = [np.array([x, y]), np.array([x, y])]
                ends[0][k, i] += 1e-6
                ends[1][k, i] -= 1e-6
                slope = (f(*ends[0]) - f(*ends[1])) / 2e-6
                assert gradient[i] == pytest.approx(slope, abs=1e-6)


def one_of_many(x, y):
    rows = [x * k for k in range(50)]
    best = sorted(rows, key=lambda v: -np.sum(v))
    rows[49][0] = 1.0
    return np.sum(best[0])


def one_of_many_rows(x, y):
    m = np.outer(np.arange(50.0), x)
    sorted(m, key=lambda v: -np.sum(v))[0][:] = 0.0
    return np.sum(m)


def in_two_precisions(x, y):
    return float(sorted([np.float32(x[0]), float(y[0])])[0])


def constants_in_two_precisions(x, y):
    return float(sorted([np.float32(0.1), 0.1 + 0 * float(x[0])])[0])


def a_long_int(x, y):
    return float(sorted([2**53 + 1, float(x[0])])[0])


def keys_in_two_precisions(x, y):
    return sorted(x, key=lambda v: np.float32(v) if v > 1 else 0.1)[0]


def with_and_without_sign(x, y):
    return float(sorted([np.uint64(x[0]), np.int64(y[0])])[0])


@pytest.mark.parametrize(
    "f",
    [
        one_of_many,
        one_of_many_rows,
        in_two_precisions,
        constants_in_two_precisions,
        a_long_int,
        keys_in_two_precisions,
        with_and_without_sign,
    ],
)
@pytest.mark.parametrize("of", [srcad.compile, srcad.value_and_grad])
def test_what_is_refused(f, of):
    with pytest.raises(SrcadError):
        of(f, backend="numpy")(X.copy(), Y.copy())


def is_the_first(x, y):
    return sorted([x, y], key=np.sum)[0] is x


def test_which_one_it_is():
    with pytest.raises(SrcadError, match="`is`"):
        srcad.compile(is_the_first)(X, Y)
