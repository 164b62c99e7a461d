"""Which loops become one: of several that would do, the one that made what the loop reads."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from native.backends import both, compare
from native.test_alignment import add, array, function

from srcad.ir import For, Op
from srcad.ir.evaluate import evaluate
from srcad.ir.inplace import index_iadd
from srcad.native.loops.accesses import Places
from srcad.native.loops.fusion import fuse_loops
from srcad.native.loops.store_forwarding import forward_stores
from srcad.pipeline.request import Request


def loops(fn):
    """The arrays that each loop writes."""
    return [
        {op.args[0].name for op in stmt.body.body if isinstance(op, Op) and op.fn is index_iadd}
        for stmt in fn.body.body
        if isinstance(stmt, For)
    ]


def outcome(fn, seed=0):
    """The arrays after a call."""
    rng = np.random.default_rng(seed)
    given = [rng.standard_normal(9) for _ in fn.params[:-1]]
    evaluate(fn, *given, 8)
    return given


def chain():
    a, t, x, z = (array(name, 1) for name in "atxz")

    def write(code, n):
        add(code, t, a, n, 0)
        add(code, x, t, n, 0)
        add(code, x, a, n, 1)  # not in step: a loop of its own
        add(code, z, t, n, 0)  # fits both

    return function([a, t, x, z], write)


def test_a_loop_joins_the_one_that_wrote_what_it_reads():
    before = chain()
    made = fuse_loops(before)
    assert loops(before) == [{"t"}, {"x"}, {"x"}, {"z"}]
    assert loops(made) == [{"t", "x", "z"}, {"x"}]
    for got, expected in zip(outcome(forward_stores(made)), outcome(before), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_loop_that_reads_nothing_of_theirs_joins_the_last():
    a, t, x, z = (array(name, 1) for name in "atxz")

    def write(code, n):
        add(code, t, a, n, 0)
        add(code, x, t, n, 0)
        add(code, x, a, n, 1)
        add(code, z, a, n, 0)

    assert loops(fuse_loops(function([a, t, x, z], write))) == [{"t", "x"}, {"x", "z"}]


def test_a_loop_does_not_pass_one_that_changes_what_it_reads():
    a, t, x, z = (array(name, 1) for name in "atxz")

    def write(code, n):
        add(code, t, a, n, 0)
        add(code, t, a, n, 1)
        add(code, t, x, n, 0)
        add(code, z, t, n, 1)

    before = function([a, t, x, z], write)
    made = fuse_loops(before)
    for got, expected in zip(outcome(made), outcome(before), strict=True):
        np.testing.assert_array_equal(got, expected)


def rows(start, column, value, x):
    y = np.empty(len(start) - 1)
    for i in range(len(start) - 1):
        columns = column[start[i] : start[i + 1]]
        y[i] = value[start[i] : start[i + 1]] @ x[columns]
    return np.sum(y * y)


def test_loops_over_slices_whose_ends_are_entries_join():
    """In the reverse sweep one adds to the values, one to the entries of the vector."""
    start, column = np.array([0, 2, 2, 5]), np.array([0, 2, 1, 0, 2])
    args = start, column, np.arange(1.0, 6.0), np.array([0.3, -0.7, 1.1])
    pair = both(Request("value_and_grad", rows, (2, 3), single=False), args, len(args))
    assert pair.text.count("for j in range(") == 2
    assert compare(pair, args) == "equal"


def test_a_statement_is_looked_at_once_however_many_loops_there_are(monkeypatch):
    """Straight lines of arrays are as many loops, which all become one."""
    seen = []
    collect = Places.within
    monkeypatch.setattr(Places, "within", lambda *args: seen.append(1) or collect(*args))
    counts = []
    for size in (10, 40):
        arrays = [array(f"t{k}", 1) for k in range(size + 1)]

        def write(code, n, arrays=arrays):
            for a, b in pairwise(arrays):
                add(code, b, a, n, 0)

        seen.clear()
        assert len(loops(fuse_loops(function(arrays, write)))) == 1
        counts.append(len(seen))
    assert counts[1] <= 4 * counts[0]
