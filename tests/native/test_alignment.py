"""Loops over shifted places in one: the text, and the same bits as the loops one after another."""

from __future__ import annotations

import operator
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native.backends import both, compare

from srcad.ir import ArrayType, Block, Dim, Function, If, Op, Value, verify
from srcad.ir.affine import Affine
from srcad.ir.evaluate import evaluate
from srcad.ir.inplace import DESTROYS, index_iadd, index_imul, index_isub, index_set
from srcad.ir.printer import show
from srcad.ir.walk import statements
from srcad.native.loops import alignment
from srcad.native.loops.alignment import align_loops
from srcad.native.loops.bounds_checks import eliminate_bounds_checks
from srcad.native.loops.contraction import contract_arrays
from srcad.native.loops.fusion import fuse_loops
from srcad.native.loops.store_forwarding import forward_stores
from srcad.native.scalarize.loop_builder import INT, Code
from srcad.pipeline.request import Request

N = Value("n", INT)


def array(name, rank, dtype=np.float64):
    return Value(name, ArrayType(np.dtype(dtype), tuple(Dim(f"s{k}") for k in range(rank))))


def function(params, write):
    """The function of `params` and `n` that `write` writes."""
    code = Code()
    for value in (*params, N):
        code.level[value] = 0
    write(code, Affine.of(N))
    return Function("f", Block([*params, N], code.frames[0].body, []), native=True)


def add(code, x, a, n, to, of=0, fn=index_iadd):
    """`x[to : to + n] += a[of : of + n]`, along one axis or several."""
    to, of = (k if isinstance(k, tuple) else (k,) for k in (to, of))
    with code.loops((n,) * len(to)) as at:
        place = tuple(i + k for i, k in zip(at, of, strict=True))
        entry = code.load(a, place, a.type.dtype)
        target = tuple(i + k for i, k in zip(at, to, strict=True))
        code.store(fn, x, target, entry)


GATHERED = """\
def f(x: f64[s0], a: f64[s0], n: int):
    t: int = sub(n, 1)
    t_2: bool = le(1, t)
    if t_2:
        t_3: f64 = getitem(a, (0,))
        t_4: f64 = getitem(x, (0,))
        t_5: f64 = add(t_4, t_3)
        index_set(x, (0,), t_5)
        t_6: int = sub(n, 1)
        for i: int in range(1, t_6, 1) carrying () = ():
            t_7: int = sub(i, 1)
            t_8: f64 = getitem(a, (t_7,))
            t_9: f64 = getitem(x, (i,))
            t_10: f64 = add(t_9, t_8)
            t_11: f64 = getitem(a, (i,))
            t_12: f64 = add(t_10, t_11)
            index_set(x, (i,), t_12)
        t_13: int = sub(n, 2)
        t_14: f64 = getitem(a, (t_13,))
        t_15: int = sub(n, 1)
        t_16: f64 = getitem(x, (t_15,))
        t_17: f64 = add(t_16, t_14)
        index_set(x, (t_15,), t_17)
    else:
        for i_2: int in range(1, n, 1) carrying () = ():
            t_18: int = sub(i_2, 1)
            t_19: f64 = getitem(a, (t_18,))
            index_iadd(x, (i_2,), t_19)
        t_20: int = sub(n, 1)
        for i_3: int in range(0, t_20, 1) carrying () = ():
            t_21: f64 = getitem(a, (i_3,))
            index_iadd(x, (i_3,), t_21)
    return
"""


def test_scatters_are_gathers():
    x, a = array("x", 1), array("a", 1)

    def write(code, n):
        add(code, x, a, n - 1, 1)
        add(code, x, a, n - 1, 0)

    assert show(forward_stores(align_loops(function([x, a], write)))) == GATHERED


def outcomes(fn, shapes, n, seed=0):
    """The arrays after both versions; they share values that sums are not indifferent to."""
    rng = np.random.default_rng(seed)
    given_ = [rng.standard_normal(shape) * 10.0 ** rng.integers(-8, 8, shape) for shape in shapes]
    for x in given_:
        x[rng.random(x.shape) < 0.1] = np.nan
        x[rng.random(x.shape) < 0.1] = -0.0
    made = align_loops(fn)
    verify(made, "native")
    results = []
    fused = contract_arrays(forward_stores(fuse_loops(made)))
    for version in (fn, made, eliminate_bounds_checks(fused)):
        copies = [x.copy() for x in given_]
        with np.errstate(all="ignore"):
            evaluate(version, *copies, n)
        results.append([x.tobytes() for x in copies])
    return results


LOOPS = st.tuples(
    st.sampled_from(["x", "y", "a"]), st.sampled_from(["x", "y", "a"]),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 3),
    st.sampled_from([index_set, index_iadd, index_isub, index_imul]),
)  # fmt: skip


@given(st.integers(1, 2), st.lists(LOOPS, min_size=2, max_size=5), st.integers(0, 7))
@settings(max_examples=150, deadline=None)
def test_any_loops_one_after_another(rank, loops, n):
    """Whatever they read and write: overlapping, dependent, with few iterations or none."""
    arrays = {name: array(name, rank) for name in ("x", "y", "a")}

    def write(code, extent):
        for target, source, to, of, less, fn in loops:
            where = to[:rank], of[:rank]
            add(code, arrays[target], arrays[source], extent - less, *where, fn)

    fn = function(list(arrays.values()), write)
    old, new, last = outcomes(fn, [(n + 4,) * rank] * 3, n)
    assert old == new == last


def is_aligned(fn):
    return show(align_loops(fn)) != show(fn)


def test_loops_that_read_what_another_writes_elsewhere_stay():
    x, y, a = (array(name, 1) for name in "xya")

    def write(code, n):
        add(code, x, a, n, 1)
        add(code, a, y, n, 1)
        add(code, x, y, n, 0)

    def read(code, n):
        add(code, x, a, n, 1)
        add(code, x, x, n, 2, 0)
        add(code, x, a, n, 0)

    assert is_aligned(function([x, y, a], write))  # the second comes after
    assert not is_aligned(function([x, a], read))


def test_loops_that_count_down_or_sum_up_stay():
    x, a = array("x", 1), array("a", 1)

    def downwards(code, n):
        for to in (1, 0):
            with code.iterations(n - 1, Affine(-1), -1) as frame:
                i = Affine.of(frame.index)
                code.store(index_iadd, x, (i + to,), code.load(a, (i,), np.float64))
            code.close(frame, n - 1, Affine(-1), -1)

    def onwards(code, n):
        for to in (1, 0):
            with code.loop(n) as i:
                code.store(index_iadd, x, (i + to,), code.load(x, (i + 1 - to,), np.float64))

    assert not is_aligned(function([x, a], downwards))
    assert not is_aligned(function([x], onwards))


def local(code, n, rank, name="t"):
    """Memory of a function's own."""
    return code.op(np.empty, ((code.whole(n),) * rank,), array(name, rank).type, name)


def clear(code, x, n):
    """`x[:n] = 0.0`, along all axes."""
    with code.loops((n,) * len(x.type.shape)) as at:
        code.store(index_set, x, at, 0.0)


def passed_on(read_again):
    """`t` of zeros, `t[1:] += a[:-1]; t[:-1] += a[1:]; x[1:-1] = 0; x += t`."""
    x, a = array("x", 1), array("a", 1)

    def write(code, n):
        t = local(code, n, 1)
        clear(code, t, n)
        add(code, t, a, n - 1, 1, 0)
        add(code, t, a, n - 1, 0, 1)
        with code.loop(n - 2) as i:
            code.store(index_set, x, (i + 1,), 0)
        add(code, x, t, n, 0)
        if read_again:
            add(code, x, t, n - 1, 0, 1)

    return function([x, a], write)


def test_what_is_read_of_a_sum_joins_it_and_needs_no_memory():
    once, twice = (forward_stores(align_loops(passed_on(again))) for again in (False, True))
    assert Counter(touched_together(once)) == {"x": 5, "a": 4}  # `x` is loaded at its ends alone
    assert "t" in touched_together(twice)


def touched_together(fn):
    """The names of the arrays of which the loops that are one load or store an entry."""
    chosen = (stmt for stmt in fn.body.body if isinstance(stmt, If))
    ops = (op for stmt in chosen for op in statements(stmt.then) if isinstance(op, Op))
    return [op.args[0].name for op in ops if op.fn is operator.getitem or op.fn in DESTROYS]


LOCAL_LOOPS = st.tuples(
    st.sampled_from(["x", "t", "u"]), st.sampled_from(["x", "t", "u", "a"]),
    st.tuples(st.integers(0, 2), st.integers(0, 2)),
    st.tuples(st.integers(0, 2), st.integers(0, 2)), st.integers(0, 2),
    st.sampled_from([index_set, index_iadd, index_iadd, index_isub]),
)  # fmt: skip


@given(
    st.integers(1, 2), st.lists(LOCAL_LOOPS, min_size=2, max_size=6), st.integers(0, 6),
    st.integers(1, 2),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_any_loops_over_arrays_of_their_own(rank, loops, n, turns):
    """One is filled in each iteration of a loop around them, the other one before."""
    given_ = {name: array(name, rank) for name in ("x", "a")}

    def write(code, extent):
        known = {**given_, **{name: local(code, extent + 3, rank, name) for name in ("t", "u")}}
        clear(code, known["u"], extent + 3)
        with code.loop(Affine(turns)):
            clear(code, known["t"], extent + 3)
            for target, source, to, of, less, fn in loops:
                where = to[:rank], of[:rank]
                add(code, known[target], known[source], extent - less + 1, *where, fn)

    fn = function(list(given_.values()), write)
    old, new, last = outcomes(fn, [(n + 4,) * rank] * 2, n)
    assert old == new == last


def test_other_steps():
    """`x[::2] += a; x[2::2] += a` are aligned; `x[1::2]` is another array, as it were."""
    x, a = array("x", 1), array("a", 1)

    def strided(*starts, step=2):
        def write(code, n):
            for start in starts:
                with code.loop(n) as i:
                    code.store(index_iadd, x, (i * step + start,), code.load(a, (i,), np.float64))

        return function([x, a], write)

    assert is_aligned(strided(0, 2))
    assert not is_aligned(strided(0, 1))
    assert is_aligned(strided(9, 8, step=-1))
    for fn in (strided(0, 2, 4), strided(4, 0, 2), strided(0, 1), strided(9, 8, 9, step=-1)):
        for n in range(6):
            old, new, last = outcomes(fn, [(20,), (20,)], n)
            assert old == new == last


def test_sums_in_single_precision_are_rounded_at_each_place():
    x, a = array("x", 1, np.float32), array("a", 1)

    def write(code, n):
        for to in (1, 0):
            with code.loop(n) as i:
                code.store(index_iadd, x, (i + to,), code.load(a, (i,), np.float64))

    fn = function([x, a], write)
    given_ = [np.full(9, 1e8, np.float32), np.full(9, 3.9)]
    results = []
    for version in (fn, forward_stores(align_loops(fn))):
        copies = [each.copy() for each in given_]
        evaluate(version, *copies, 6)
        results.append(copies[0].tobytes())
    assert results[0] == results[1]


def test_no_more_text_than_is_of_use():
    """Many loops with long bodies: the text would be several times as long."""
    x, a = array("x", 2), array("a", 2)

    def write(code, n):
        for k in range(60):
            add(code, x, a, n, (k % 3, k % 2), (0, 0))

    fn = function([x, a], write)
    assert sum(1 for _ in statements(align_loops(fn).body)) < 1000


# ------------------------------------------------------------------------------- whole programs


def line(x, c, steps):
    y = x * c
    for _ in range(steps):
        y[1:-1] = c * (y[:-2] + x[1:-1] + y[2:])
        x = x * 1.0
        x[1:-1] = c * y[1:-1] * (y[:-2] - x[2:])
    return np.sum(x * y)


def grid(x, c, steps):
    y = x * x
    for _ in range(steps):
        y[1:-1, 1:-1] = c * (y[1:-1, :-2] + y[1:-1, 2:] * x[2:, 1:-1] + y[:-2, 1:-1] - y[2:, 2:])
        y[0, :] = y[-1, :]
    return np.sum(y[:, 1:] * y[:, :-1]) + np.sum(y[2:] * x[:-2])


def levels(x, c, steps):
    up = x[1:] - x[:-1]
    flow = np.where(up * c > 0, up, 0.0)
    y = x * 1.0
    y[1:] -= flow * steps
    y[:-1] += flow * c
    return np.sum(y * y)


def backwards(x, c, steps):
    y = x[::-1] * c + x
    z = y[1:] * x[:-1] - y[:-1] * x[::-1][1:]
    return np.sum(z[::2] * steps) + np.sum(z * z)


def differences(x, c, steps):
    d = x[2:] - 2.0 * x[1:-1] + x[:-2]
    e = d[2:] * d[:-2] * c
    return np.sum(e * e) * steps


def relaxed(x, c, steps):
    for _ in range(steps):
        for _ in range(3):
            p = x.copy()
            x[1:-1] = c * (p[:-2] + p[2:])
        x = x * x
    return np.sum(x)


@pytest.mark.parametrize(("fn", "is_inner"), [(relaxed, True), (line, False)])
def test_of_a_long_function_the_innermost_of_nested_loops_are_aligned(fn, is_inner, monkeypatch):
    request = Request("value_and_grad", fn, (0, 1), single=False)
    args = arguments(line, 7)
    lines = []
    for most, more in [(1000, 0), (0, 0), (0, 300)]:
        monkeypatch.setattr(alignment, "_MOST", most)
        monkeypatch.setattr(alignment, "_MORE", more)
        pair = both(request, args, 3)
        assert compare(pair, args) == "equal"
        lines.append(pair.text.count("\n"))
    free, short, inner = lines
    assert short < free
    assert inner == (free if is_inner else short)


# The number of axes, and the least size that is not left to NumPy.
CALLS = {line: (1, 2), grid: (2, 2), levels: (2, 2), backwards: (1, 2), differences: (2, 4)}
SIZES = (7, 2, 3, 4, 5, 6, 9, 1, 0)


def arguments(fn, n):
    x = np.random.default_rng(n).standard_normal((n,) * CALLS[fn][0])
    if n > 5:
        x[(3,) * x.ndim] = np.inf
    return x, 0.3, 2


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_programs_of_all_sizes(fn):
    request = Request("value_and_grad", fn, (0, 1), single=False)
    pair = both(request, arguments(fn, 5), 3)
    assert pair.functions
    for n in SIZES:
        found = compare(pair, arguments(fn, n))
        assert found in ("equal", "left", "missed")
        assert found == "equal" or n < CALLS[fn][1]


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_machine_code_of_all_sizes(fn):
    pytest.importorskip("numba")
    request = Request("value_and_grad", fn, (0, 1), single=False)
    pair = both(request, arguments(fn, 5), 3, numba=True)
    sizes = [n for n in SIZES if n >= CALLS[fn][1]]
    assert {compare(pair, arguments(fn, n)) for n in sizes} == {"equal"}
