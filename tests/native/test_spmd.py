"""Compiled functions that threads share compute what one thread computes, and no thread touches
what another writes: run as Python, by three threads, with a detector of races.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from corpus.test_derivatives import is_single
from native import backends, plain_teams
from native.backends import both, compare, outcome
from native.plain_teams import Race
from native.test_corpus import NAMES, requests
from native.test_matrix_products import CALLS
from native.test_random_programs import FIXED, compared

import srcad
from srcad import nn
from srcad.kernels import teams
from srcad.kernels.products import alone
from srcad.kernels.threads import thread_count
from srcad.native.loops.dependence import Iterations
from srcad.native.threads import spmd, touched_arrays
from srcad.native.threads.alias_scopes import mark_alias_scopes
from srcad.native.threads.team_calls import share_among_threads
from srcad.pipeline.request import Request

BLOCKS = 20
_loops = backends.loops


def loops_for_threads(program, left):
    """The program with compiled functions that threads share."""
    return mark_alias_scopes(share_among_threads(_loops(program, left)))


@pytest.fixture
def three(monkeypatch):
    """However little the work is, three threads share it."""
    monkeypatch.setattr(backends, "loops", loops_for_threads)
    monkeypatch.setattr(spmd, "may_pay", lambda gain: True)
    monkeypatch.setattr(teams, "thread_count", lambda work: 3 if thread_count(1 << 60) > 1 else 1)


@pytest.fixture(autouse=True)
def number_of_threads():
    before = srcad.num_threads()
    srcad.set_num_threads(3)
    yield
    srcad.set_num_threads(before)


def shared(program):
    """What came of the calls of a program of the corpus, where threads share something."""
    found = Counter()
    single = program.single or is_single(program.arguments()[0])
    for request, args in requests(program):
        pair = both(request, args, len(program.arguments()[0]))
        if "together(" in pair.text:
            found[compare(pair, args, single, kinds=False)] += 1
    return found


def run_block(block):
    """Every twentieth program of the corpus."""
    total = Counter()
    for name in list(NAMES)[block::BLOCKS]:
        try:
            total.update(shared(NAMES[name]))
        except AssertionError as problem:
            raise AssertionError(f"{name}: {problem!r}") from None
    print(total)
    assert total["equal"] > 5 * total["left"]


@pytest.mark.parametrize("block", [3, 17])
def test_programs_of_the_corpus(three, block):
    run_block(block)


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(BLOCKS))
def test_all_programs_of_the_corpus(three, block):
    run_block(block)


def test_random_programs(three):
    total = Counter()
    for seed in FIXED[::3]:
        total.update(compared(seed))
    print(total)
    assert total["equal"]


# Loops that must not be shared -------------------------------------------------------------------


def recurrence(x):
    y = x * 1.0
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + np.sin(x[i])
    return np.sum(y * y)


def scattered(x, rows):
    y = np.zeros(len(x))
    for i in range(len(rows)):
        y[rows[i]] += x[i] * x[i]
        y[rows[i]] *= 1.5
    return np.sum(y * y)


def scanned(x):
    s = 0.0
    y = x * 1.0
    for i in range(len(x)):
        s = s * 0.9 + x[i]
        y[i] = s
    return np.sum(y * y)


def reversed_in_place(x):
    y = x * 1.0
    n = len(x)
    for i in range(n):
        y[i] = y[n - 1 - i] * 2.0
    return np.sum(y * y)


def shifted(x):
    """Iterations are two apart, what they touch overlaps."""
    y = x * 1.0
    for i in range(len(x) - 2):
        y[i : i + 3] = y[i : i + 3] * 1.1 + x[i]
    return np.sum(y * y)


R = np.random.default_rng(7)
X = np.linspace(0.2, 1.4, 11)
TOGETHER = {
    recurrence: (X,),
    scattered: (X, np.array([3, 1, 3, 0])),
    scanned: (X,),
    reversed_in_place: (X,),
    shifted: (X,),
}


@pytest.mark.parametrize("fn", TOGETHER, ids=lambda fn: fn.__name__)
def test_loops_whose_turns_depend_on_one_another(three, fn):
    args = TOGETHER[fn]
    pair = both(Request("value_and_grad", fn, (0,), single=False), args, len(args))
    assert "together(" in pair.text  # the loops around it are shared
    assert compare(pair, args) == "equal"


@pytest.mark.parametrize("fn", [recurrence, reversed_in_place, shifted], ids=lambda f: f.__name__)
def test_the_detector_sees_races(three, fn, monkeypatch):
    monkeypatch.setattr(Iterations, "are_apart", lambda *_: True)
    args = TOGETHER[fn]
    pair = both(Request("value_and_grad", fn, (0,), single=False), args, len(args))
    assert isinstance(outcome(pair.native, args)[0], Race)


# What is shared ----------------------------------------------------------------------------------


def rows(x, c):
    """Each iteration has rows of its own; all add to the gradient of c."""
    s = 0.0
    for i in range(len(x)):
        t = np.exp(x[i] * c)
        s += np.sum(t / np.sum(t))
        s += np.max(t)
    return s


def relaxed(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return np.sum(u * u)


def updated(a, u, v):
    """The gradients of u and v are sums that threads add to, in memory of the caller's."""
    a = a + np.outer(u, v)
    return np.sum(np.sin(a) * np.outer(v, u))


def test_what_threads_add_to_may_be_a_result(three):
    args = (np.outer(X, X), X, X + 0.1)
    pair = both(Request("value_and_grad", updated, (0, 1, 2), single=False), args, len(args))
    assert "own_part(" in pair.text
    assert "if t:" not in pair.text
    assert compare(pair, args) == "equal"


@pytest.mark.parametrize(
    ("fn", "args"), [(rows, (np.outer(X, X), X)), (relaxed, (np.outer(X, X), 3))]
)
def test_rows_and_time_loops_are_shared(three, fn, args):
    pair = both(Request("value_and_grad", fn, (0,), single=False), args, len(args))
    assert "share(team, me," in pair.text
    assert compare(pair, args) == "equal"


@pytest.mark.parametrize("name", CALLS)
def test_loops_with_products_are_shared(three, name):
    fn, calls = CALLS[name]
    pair = both(Request("value_and_grad", fn, (0, 1), single=False), calls[0], len(calls[0]))
    assert ("matmul_rows(" in pair.text) == (name != "halves")  # as many iterations as it takes
    found = [compare(pair, args, "single" in name) for args in calls]
    assert found == ["equal"] * len(found)


def of_one_row(v, w):
    return np.sum(np.tensordot(np.tanh(v), w, axes=((0,), (0,))))


def one_row_of_many(b, p, n):
    b = b + np.sum(np.tanh(p))
    rows = np.broadcast_to(X[:3], (n, 3))
    return np.sum(np.cross(np.tensordot(np.full((n,), b), rows, axes=1), X[3:6]))


def test_a_row_may_be_an_argument(three):
    """Its cotangent is known before the compiled function is called."""
    calls = [(0.3, np.outer(X, X), 4), (-0.3, np.outer(X[1:4], X[3:6]).T, 2)]
    pair = both(Request("value_and_grad", one_row_of_many, (0, 1), single=False), calls[0], 3)
    assert [compare(pair, args) for args in calls] == ["equal", "equal"]


def test_a_product_of_one_row_is_that_of_one_thread(three):
    calls = [(X, np.outer(X, X[:3])), (X[:3], np.outer(X, X[:3]).T)]
    pair = both(Request("value_and_grad", of_one_row, (0,), single=False), calls[0], 2)
    assert "matmul_rows(" in pair.text
    assert [compare(pair, args) for args in calls] == ["equal", "equal"]


def last_state(p, x):
    zeros = np.zeros((x.shape[1], p[1].shape[0]), x.dtype)
    return np.sum(nn.lstm(x, zeros, zeros, *p)[0][-1] ** 2)


RECURRENT = {"rnn": CALLS["rnn"], "lstm": (last_state, CALLS["lstm"][1])}


@pytest.mark.parametrize("name", RECURRENT)
def test_threads_go_through_time_with_rows_of_their_own(three, name):
    """In no iteration does a thread wait for another: each has its samples."""
    fn, calls = RECURRENT[name]
    pair = both(Request("value_and_grad", fn, (0, 1), single=False), calls[0], len(calls[0]))
    loops = re.findall(r"^    for \w+ in range\(n.*\n((?:     .*\n)+)", pair.text, flags=re.M)
    with_products = [body for body in loops if "matmul_rows(" in body]
    assert len(with_products) == 2, pair.text
    assert not any("wait(" in body for body in with_products), pair.text
    assert [compare(pair, args) for args in calls] == ["equal"] * len(calls)


def shares_that_grow(x, n):
    """Rows that become more from one iteration to the next, and so other threads'."""
    y = x * 1.0
    for t in range(n):
        for j in range(t):
            y[j] = np.tanh(y[j] * 1.1) + 0.1 * x[j]
    return np.sum(y * y)


def test_rows_whose_number_changes_are_waited_for(three):
    args = (np.outer(X, X), len(X))
    pair = both(Request("value_and_grad", shares_that_grow, (0,), single=False), args, len(args))
    assert re.search(r"for \w+ in range\(share\(", pair.text)
    assert [compare(pair, args) for _ in range(20)] == ["equal"] * 20


@pytest.mark.parametrize("name", ["powers", "recurrent", "rnn"])
def test_the_detector_sees_factors_that_others_write(three, name, monkeypatch):
    monkeypatch.setattr(touched_arrays, "_meet", lambda some, others: False)
    fn, calls = CALLS[name]
    pair = both(Request("value_and_grad", fn, (0, 1), single=False), calls[0], len(calls[0]))
    assert isinstance(outcome(pair.native, calls[0])[0], Race)


def test_functions_with_too_many_arguments_have_one_thread(three, monkeypatch):
    args = (np.outer(X, X), X)
    request = Request("value_and_grad", rows, (0,), single=False)
    assert "together(" in both(request, args, len(args)).text
    monkeypatch.setattr(spmd, "MOST_WORDS", 9 + 20)
    pair = both(request, args, len(args))
    assert "together(" not in pair.text
    assert compare(pair, args) == "equal"


@pytest.fixture
def threads_of_python(monkeypatch):
    """What is not compiled cannot have others begin."""
    with ThreadPoolExecutor(8) as threads:
        monkeypatch.setattr(teams, "shared_pool", lambda count: threads)
        yield


@pytest.mark.usefixtures("threads_of_python")
def test_a_failing_thread_ends_the_others():
    def fn(team, me, x):
        if me == 1:
            raise IndexError("out of bounds")
        plain_teams.wait(team)

    srcad.set_num_threads(2)
    with pytest.raises(IndexError, match="out of bounds"):
        teams.together(fn, 1 << 40, X)
    assert teams.together(lambda team, me, x: me, 1 << 40, X) == 0


@pytest.mark.usefixtures("threads_of_python")
@pytest.mark.skipif(not alone.can_be_alone(), reason="NumPy's BLAS is not an OpenBLAS with threads")
def test_blas_has_one_thread_in_a_team_that_multiplies():
    get, _ = alone._functions()
    before, seen = get(), []

    def fn(team, me, x):
        seen.append(get())
        if x is None:
            raise ValueError("nothing")

    srcad.set_num_threads(2)
    teams.together_multiplying(fn, 1 << 40, X)
    assert (seen, get()) == ([1, 1], before)
    with pytest.raises(ValueError, match="nothing"):
        teams.together_multiplying(fn, 1 << 40, None)
    assert get() == before
    seen.clear()
    teams.together_multiplying(fn, 0, X)  # too little for two
    assert seen == [before]


@pytest.mark.usefixtures("threads_of_python")
def test_teams_of_several_callers_do_not_wait_for_one_another():
    def fn(team, me, x):
        for _ in range(20):
            plain_teams.wait(team)
        return me

    found = []
    threads = [
        threading.Thread(target=lambda: found.append(teams.together(fn, 1 << 40, X)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [0] * 4


# Behind the border from which the caller's arrays are written -------------------------------------


def descent(w, x, rate):
    w -= rate * np.outer(x, x)


def descent_by_sums(w, x, rate):
    """Each thread adds to an array of its own, for which there may be no memory."""
    w -= rate * np.sum(np.outer(x, x), axis=0)


@pytest.mark.parametrize("fn", [descent, descent_by_sums])
def test_what_needs_no_memory_is_shared_when_arrays_are_written(three, fn):
    pytest.importorskip("numba")
    step = srcad.compile(fn, backend="native")
    w = np.outer(X, X) if fn is descent else X.copy()
    wanted = w.copy()
    fn(wanted, X, 0.1)
    step(w, X, 0.1)
    np.testing.assert_allclose(w, wanted, rtol=1e-12)
    assert ("together(" in step.source()) == (fn is descent)


def test_where_no_thread_can_be_started_there_is_one(monkeypatch):
    def refused(count):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(teams, "shared_pool", refused)
    assert teams.together(lambda team, me, x: (team[teams.COUNT], me), 1 << 40, X) == (1, 0)


def big(x, c):
    s = 0.0
    for i in range(len(x)):
        t = np.tanh(x[i] * c)
        s += np.sum(t * t) * np.sum(t)
    return s


def recurrent(x, w):
    h = nn.rnn(x, np.zeros((x.shape[1], len(w))), w, w, w[0])
    return np.sum(h[-1] ** 2)


MACHINE_CODE = {big: ((400, 300), (300,)), recurrent: ((7, 50, 40), (40, 40))}


@pytest.mark.parametrize("fn", MACHINE_CODE, ids=lambda fn: fn.__name__)
def test_machine_code_is_the_same_each_time_and_for_any_number(fn):
    pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    args = [0.3 * rng.standard_normal(shape) for shape in MACHINE_CODE[fn]]
    gradient = srcad.value_and_grad(fn, argnums=(0, 1), backend="native")
    wanted = srcad.value_and_grad(fn, argnums=(0, 1), backend="numpy")(*args)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(teams, "thread_count", lambda work: srcad.num_threads())
        for count in (1, 2, 3, 4):
            srcad.set_num_threads(count)
            value, bars = gradient(*args)
            assert value == pytest.approx(wanted[0], rel=1e-10)
            for bar, other in zip(bars, wanted[1], strict=True):
                np.testing.assert_allclose(bar, other, rtol=1e-9, atol=1e-12)
            for _ in range(1000 if count == 2 else 50):
                again, found = gradient(*args)
                assert again == value
                assert all(map(np.array_equal, found, bars))


def singles(x, c):
    """Threads that do not sum are told the sum, which machine code has in double precision."""
    s = c * 0
    for i in range(len(x)):
        s = s * c + x[i] * x[i]
    return np.sum(x * s)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2])
def test_what_the_first_thread_tells_has_the_type_that_the_others_read(dtype, count, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(spmd, "may_pay", lambda gain: True)
    monkeypatch.setattr(teams, "thread_count", lambda work: count)
    x = np.linspace(0.5, 1.5, 20, dtype=dtype)
    args = x, dtype(0.3)
    pair = both(Request("value_and_grad", singles, (0, 1), single=False), args, 2, numba=True)
    assert "put(team, me," in pair.text
    assert compare(pair, args) == "equal"


def turned(x):
    """Complex numbers take two words, and threads tell each other numbers of one."""
    z = 1 + 0j
    for k in range(len(x)):
        z = z * np.exp(0.3j * k) + x[k]
    return abs(z) * np.sum(x * x)


def test_complex_numbers_are_not_told(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(spmd, "may_pay", lambda gain: True)
    args = (np.linspace(0.5, 1.5, 20),)
    pair = both(Request("value_and_grad", turned, (0,), single=False), args, 1, numba=True)
    assert "put(team, me," not in pair.text
    assert compare(pair, args) == "equal"


def to_and_fro(a, b, steps):
    """The adjoint of a step is one nest, whose ends are written out: many reads and writes."""
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )
    return np.sum(a * a) + np.sum(b * b)


def by_way_of_a_row(a, b, steps):
    """The adjoint of a step adds up each row in an array of its own, whose ends are written out."""
    for _ in range(steps):
        p = a.copy()
        a[1:-1, 1:-1] = 0.2 * (p[1:-1, :-2] + p[1:-1, 2:] + p[2:, 1:-1] + p[:-2, 1:-1]) - b
    return np.sum(a * a)


@pytest.mark.parametrize("fn", [to_and_fro, by_way_of_a_row])
def test_no_nest_of_rows_is_left_to_the_first_thread(three, fn):
    b = np.outer(X, 2 * X) if fn is to_and_fro else np.outer(X, 2 * X)[1:-1, 1:-1]
    args = np.outer(X, X), b, 3
    pair = both(Request("value_and_grad", fn, (0, 1), single=False), args, len(args))
    assert "share(team, me," in pair.text
    assert "me == 0" not in pair.text
    assert compare(pair, args) == "equal"


def windows(x, w):
    """The windows of all rows overlap, so that their adjoint adds to what others add to."""
    k, n, m = w.shape[0], x.shape[1], x.shape[2]
    out = np.empty((len(x), n - k + 1, m - k + 1, w.shape[2]))
    for i in range(n - k + 1):
        for j in range(m - k + 1):
            out[:, i, j] = np.sum(x[:, i : i + k, j : j + k, None] * w, axis=(1, 2))
    return np.sum(np.sin(out))


def test_the_outermost_loop_is_shared_where_windows_overlap(three):
    """Each thread adds to an array of its own once, not in each iteration of the outer loop."""
    args = R.random((2, 12, 9)), R.random((3, 3, 4))
    pair = both(Request("grad", windows, (0, 1), single=False), args, len(args))
    lines = [line for line in pair.text.splitlines() if "own_part(" in line]
    assert [len(line) - len(line.lstrip()) for line in lines if "import" not in line] == [4, 4]
    assert compare(pair, args) == "equal"


# Where threads are worth it ----------------------------------------------------------------------


def layers(x, u, v, w):
    """Some products of a vector with matrices: all wait a dozen times."""
    h = np.tanh(np.tanh(x @ u) @ v) @ w
    return np.sum(h * h)


@pytest.mark.parametrize(
    ("fn", "draw"),
    [
        (layers, lambda n: (np.ones(n), *[np.full((n, n), 1 / n)] * 3)),
        (rows, lambda n: (np.ones((n // 3, n)), np.ones(n))),
        (to_and_fro, lambda n: (np.ones((n, n)), np.ones((n, n)), 2)),
    ],
)
def test_threads_are_for_work_that_is_worth_it(fn, draw, monkeypatch):
    pytest.importorskip("numba")
    wanted = []
    monkeypatch.setattr(teams, "thread_count", lambda work: wanted.append(thread_count(work)) or 1)
    gradient = srcad.value_and_grad(fn, backend="native")
    for n in (100, 1200):
        gradient(*draw(n))
    assert wanted == [1, 3]


def triangle(x):
    """The first thread has the long rows."""
    y = x * 1.0
    for i in range(len(x)):
        for j in range(i, len(x)):
            y[i, j] = np.sin(x[i, j])
    return np.sum(y)


def square(x):
    y = x * 1.0
    for i in range(len(x)):
        for j in range(len(x)):
            y[i, j] = np.sin(x[i, j])
    return np.sum(y)


def test_less_is_gained_of_a_triangle(monkeypatch):
    pytest.importorskip("numba")
    gained = []
    monkeypatch.setattr(teams, "thread_count", lambda work: gained.append(work) or 1)
    for fn in (triangle, square):
        srcad.value_and_grad(fn, backend="native")(np.ones((1000, 1000)))
    assert gained[0] < 0.6 * gained[1]


@pytest.mark.parametrize("fn", [recurrence, scanned], ids=lambda fn: fn.__name__)
def test_what_is_mostly_a_recurrence_is_left_to_one(fn):
    pytest.importorskip("numba")
    text = srcad.value_and_grad(fn, backend="native").source(X)
    assert "together" not in text


def test_complex_sums_of_threads_are_added():
    pytest.importorskip("numba")

    def f(p):
        return np.sum(((p * 1j) @ np.outer(p * 1j, p)).real)

    p = np.linspace(-1.0, 1.0, 700)
    gradient = srcad.grad(f, backend="native")
    assert "merge(team" in gradient.source(p)
    np.testing.assert_allclose(gradient(p), srcad.grad(f, backend="numpy")(p), rtol=1e-10)
