"""Slices that NumPy moves into the array: compiled loops do too, or leave the call to NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare

from srcad.ir import Value
from srcad.ir.affine import Affine
from srcad.native.helpers import check_natural, clipped
from srcad.native.scalarize.handlers.slices import sliced
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.pipeline.request import Request

X = np.linspace(0.1, 1.3, 9)


def counted(x, a, b):
    y = x[a:b] * 2.0
    return np.sum(y * y) + x[0] * len(y)


def shifted(x, a, b):
    y = x[a + 1 : b + 1] * 2.0
    return np.sum(y * y) + x[0] * len(y)


def shrunk(x):
    return np.sum(x[2:-2] ** 2) + x[0] * len(x[2:-2])


def around(x, w):
    s = 0.0
    for i in range(len(x)):
        y = x[max(0, i - w) : min(len(x), i + w + 1)]
        s = s + np.sum(y) ** 2
    return s


def ahead(x):
    s = 0.0
    for i in range(len(x)):
        s = s + np.prod(x[i : i + 3]) * len(x[i : i + 3])
    return s


def behind(x, w):
    """A start before the first entry counts from the end."""
    s = 0.0
    for i in range(len(x)):
        s = s + np.sum(x[i - w : i]) ** 2
    return s


def batches(x):
    s = 0.0
    for i in range(0, len(x), 4):
        y = np.exp(x[i : i + 4])
        s = s + np.sum(y) ** 2 / len(y)
    return s


def batches_of(x, n):
    s = 0.0
    for i in range(0, len(x), n):
        y = x[i : i + n]
        s = s + np.sum(y * y) ** 2 / len(y)
    return s


def head_and_tail(x, k):
    return np.sum(np.tanh(x[:k]) ** 2) + np.sum(x[k:] ** 3)


def lagged(x, k):
    return np.sum(x[k:] * x[:-k])


def inner(x, k):
    y = x * x
    y[k:-k] = y[k:-k] * 0.5 + 1.0
    return np.sum(y)


def written(x, n):
    y = np.zeros(len(x))
    for i in range(0, len(x), 4):
        y[i : i + 4] += x[i : i + 4] * n
    return np.sum(y * y)


def collected(x, n):
    """Parts of several lengths are saved."""
    total = 0.0
    for i in range(len(x)):
        y = np.exp(x[i : i + 3] * total * 0.01)
        total = total + np.sum(y * y) * n
    return total


# The calls, and those that are left to NumPy: a length would be negative, a slice reaches over an
# end where that is not expected.
CALLS = {
    counted: ([(X, 1, 4), (X, 2, 20), (X, 3, 3), (X, 4, 1), (X, -3, -1)], []),
    shifted: ([(X, 1, 4), (X, 3, 3)], [(X, 4, 1), (X, 2, 20), (X, -3, -1)]),
    shrunk: ([(X,), (X[:4],)], [(X[:3],), (X[:2],)]),
    around: ([(X, 2), (X, 0), (X, 20)], []),
    ahead: ([(X,), (X[:2],), (X[:0],)], []),
    behind: ([(X, 2), (X, 1), (X, 30)], []),
    batches: ([(X,), (X[:8],), (X[:3],), (X[:0],)], []),
    batches_of: ([(X, 4), (X, 3), (X, 1), (X, 20)], [(X, -1)]),
    head_and_tail: ([(X, 3), (X, 30), (X, -2), (X, -30), (X, 0)], []),
    lagged: ([(X, 1), (X, 8), (X, 9)], [(X, 0), (X, 10)]),
    inner: ([(X, 1), (X, 4), (X, 5), (X, 10)], [(X, 0)]),
    written: ([(X, 2), (X[:2], 3)], []),
    collected: ([(X, 2), (X[:2], 3)], []),
}


def check(fn, numba):
    equal, left = CALLS[fn]
    request = Request("value_and_grad", fn, (0,), single=False)
    pair = both(request, equal[0], len(equal[0]), numba)
    assert pair.functions
    assert not any("step" in reason for reason in pair.reasons)
    assert [compare(pair, args) for args in equal] == ["equal"] * len(equal)
    if not numba:  # whose exceptions have no trace
        found = [compare(pair, args) for args in left]
        assert found == ["left"] * len(left)


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_loops_and_numpy_agree(fn):
    check(fn, numba=False)


@pytest.mark.parametrize("fn", [around, batches_of, head_and_tail, collected])
def test_machine_code_and_numpy_agree(fn):
    pytest.importorskip("numba")
    check(fn, numba=True)


@pytest.mark.parametrize("n", range(4))
def test_clipped_is_what_a_slice_does(n):
    for at in range(-6, 7):
        assert clipped(at, n) == len(range(n)[:at])


# One slice at a time ------------------------------------------------------------------------------


def ends(part, n, code):
    """Start, step and length, and the checks made."""
    whole = lambda atom: atom if isinstance(atom, Affine) else Affine.of(atom)  # noqa: E731
    start, step, length = sliced(code, part, n, whole)
    body = [op for frame in code.frames for op in frame.body]
    checks = [op for op in body if op.fn is check_natural]
    return (start, step, length), len(checks)


def known(code, name, is_natural=True):
    value = Value(name, INT)
    code.level[value] = 0
    if is_natural:
        code.naturals.add(value)
    return Affine.of(value)


@pytest.mark.parametrize(
    ("part", "start", "length", "checks"),
    [
        (slice(None), 0, 0, 0),
        (slice(1, None), 1, -1, 1),
        (slice(None, -2), 0, -2, 1),
        (slice(1, -1), 1, -2, 1),
        (slice(0, None), 0, 0, 0),
    ],
)
def test_ends_that_are_numbers_keep_their_form(part, start, length, checks):
    code = Code()
    n = known(code, "n")
    assert ends(part, n, code) == ((Affine(start), 1, n + length), checks)


def test_a_slice_from_its_end_backwards():
    code = Code()
    n = known(code, "n")
    assert ends(slice(None, None, -1), n, code) == ((n - 1, -1, n), 0)
    assert ends(slice(3, None, -1), n, code) == ((Affine(3), -1, Affine(4)), 1)
    with pytest.raises(Unsuited):
        ends(slice(None, None, 0), n, Code())


def test_an_index_of_a_loop_over_the_array_needs_no_check():
    code = Code()
    n = known(code, "n")
    with code.loop(n) as i:
        assert ends(slice(i + 1, None), n, code) == ((i + 1, 1, n - i - 1), 0)
        assert ends(slice(None, i), n, code) == ((Affine(), 1, i), 0)
        (start, _, length), checks = ends(slice(i, i + 3), n, code)
        assert (start, checks) == (i, 0)
        ((value, _),) = length.terms
        assert code.limits[value] == (Affine(), n), "counted, at most all"
