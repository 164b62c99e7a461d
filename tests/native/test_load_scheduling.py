"""Neighbours are read ahead of the first store of an iteration, where that changes nothing."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from native.test_alignment import N, array, function

from srcad.ir import For, Op
from srcad.ir.evaluate import evaluate
from srcad.ir.inplace import DESTROYS, index_set
from srcad.ir.walk import statements
from srcad.native.helpers import check_range
from srcad.native.loops.load_scheduling import schedule_loads

X, Y, Z = (array(name, 1) for name in "xyz")


def turns(fn):
    """What the only loop does in an iteration, told by letters: r(ead), w(rite)."""
    (loop,) = (stmt for stmt in statements(fn.body) if isinstance(stmt, For))
    told = {operator.getitem: "r", **dict.fromkeys(DESTROYS, "w")}
    return "".join(told.get(op.fn, "") for op in loop.body.body if isinstance(op, Op))


def stencil(*offsets, target=Y, before=None):
    """`y[k] = x[k + 0]; z[k] = x[k + 1]; z[k] = x[k + 2]`, for other offsets too."""

    def write(code, n):
        with code.loop(n) as k:
            if before is not None:
                before(code, k)
            for to, offset in zip((target, Z, Z), offsets, strict=True):
                entry = code.load(X, (k + offset,), np.float64)
                code.store(index_set, to, (k,), entry)

    return function([X, Y, Z], write)


def checked(code, k):
    at = code.whole(k)
    code.add(Op(check_range, (0, at, at, N), {}, (), effect=True))


@pytest.mark.parametrize(
    ("fn", "after"),
    [
        (stencil(0, 1, 2), "rrrwww"),
        (stencil(2, 0, 1), "rrrwww"),
        (stencil(0, 2, 1, target=X), "rwrwrw"),  # the array is written
        (stencil(0, 1, 2, before=checked), "rwrwrw"),  # it may lie behind an end
    ],
)
def test_reads_of_neighbours_come_first(fn, after):
    assert turns(fn) == "rwrwrw"
    assert turns(schedule_loads(fn)) == after


def test_what_lies_apart_stays():
    """Entries of two arrays, and two entries alone."""

    def write(code, n):
        with code.loop(n) as k:
            for source, offset in ((X, 0), (Y, 1), (X, 2)):
                entry = code.load(source, (k + offset,), np.float64)
                code.store(index_set, Z, (k,), entry)

    assert turns(schedule_loads(function([X, Y, Z], write))) == "rwrwrw"


@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_same_numbers(n):
    for offsets in ((0, 1, 2), (2, 0, 1)):
        fn = stencil(*offsets)
        results = []
        for version in (fn, schedule_loads(fn)):
            given = [np.linspace(0.0, 1.0, 9) * k for k in range(1, 4)]
            evaluate(version, *given, n)
            results.append([x.tobytes() for x in given])
        assert results[0] == results[1]
