"""Inner loops that the reverse sweep runs again compute what a whole tape would have given them."""

from __future__ import annotations

import numpy as np
import pytest
from native import uncompiled
from native.backends import assert_alike, both, compare
from native.test_spmd import number_of_threads, three

import srcad
from benchmarks.numerical.stencils import cavity_flow
from srcad.native.tape import rematerialization
from srcad.pipeline.request import Request

__all__ = ["number_of_threads", "three"]  # fixtures


@pytest.fixture
def small(monkeypatch):
    """No tape is small enough to be kept as a whole."""
    monkeypatch.setattr(rematerialization, "_ROOM", 0)
    monkeypatch.setattr(rematerialization, "_KEPT", 0)
    monkeypatch.setattr(rematerialization, "_FEWEST", 1)
    monkeypatch.setattr(rematerialization, "_FEW", 0)


def heat(u, dt, steps, sweeps):
    """What an inner loop reads, saved in a tape of the outer one or not, changes step by step."""
    for _ in range(steps):
        b = u.copy()
        for _ in range(sweeps):
            v = u.copy()
            u[1:-1] = (b[1:-1] + dt * (v[:-2] + v[2:])) / (1 + 2 * dt)
    return np.sum(u * u)


def two(u, w, dt, steps, sweeps):
    """The state is two arrays; a number of the outer loop's iteration is computed again."""
    for k in range(steps):
        c = dt * k
        for _ in range(sweeps):
            p, q = u.copy(), w.copy()
            u[1:-1] = p[1:-1] * p[1:-1] + c * (q[:-2] - q[2:])
            w[1:-1] = q[1:-1] * p[1:-1] + dt * (p[:-2] - p[2:])
        u[0] = w[1] * u[0]
    return np.sum(u * u) + np.sum(w)


def driven(u, f, dt, steps, sweeps):
    """A source is written before and after the inner loop reads it."""
    for _ in range(steps):
        f[1:-1] = f[1:-1] * u[2:] + 0.1
        for _ in range(sweeps):
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + f[1:-1] - p[:-2]
        f[0] = u[1]
    return np.sum(u * u) + np.sum(f)


def taped_source(u, f, dt, steps, sweeps):
    """A source that is on a tape of its own."""
    for _ in range(steps):
        g = f.copy()
        for _ in range(sweeps):
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + f[1:-1] * p[:-2]
        f[1:] = g[:-1] * g[1:] + u[1:]
    return np.sum(u * u)


def backwards(u, dt, steps, sweeps):
    """Both loops count down; their numbers are read."""
    for k in range(steps - 1, -1, -1):
        for s in range(sweeps, 0, -1):
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + p[:-2] * (k + s)
    return np.sum(u * u)


def upwind(u, dt, steps, sweeps):
    """Iterations from another number on; choices."""
    for _ in range(2, steps):
        for _ in range(sweeps):
            p = u.copy()
            c, d = p[1:-1] - p[:-2], p[2:] - p[1:-1]
            u[1:-1] = p[1:-1] - dt * np.where(p[1:-1] > 0, c, d) * p[1:-1]
    return np.sum(u * u)


def returned(u, dt, steps, sweeps):
    """The state is a result: the loop that is run again has memory of its own."""
    for _ in range(steps):
        for _ in range(sweeps):
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + p[:-2]
    return np.sum(u * u) + np.sum(u[1:] * u[:-1]), u


def twice(u, w, dt, steps, sweeps):
    """Two inner loops; the second reads what the first leaves."""
    for _ in range(steps):
        for _ in range(sweeps):
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + p[:-2]
        for _ in range(sweeps):
            q = w.copy()
            w[1:-1] = q[1:-1] * q[2:] * dt + u[1:-1] * q[:-2]
    return np.sum(u * u) + np.sum(w)


def cavity(u, v, p, dx, steps, sweeps):
    out = cavity_flow(u, v, p, 1.0, 0.1, 0.01, dx, 0.1, steps, sweeps)
    return sum(np.sum(each * each) for each in out)


def draw(*shape):
    return np.random.default_rng(0).uniform(0.1, 0.9, shape)


CASES = [
    (heat, (draw(7), 0.3)),
    (heat, (draw(5, 4), 0.3)),
    (two, (draw(7), draw(7) - 0.5, 0.3)),
    (driven, (draw(7), draw(7) + 0.2, 0.3)),
    (taped_source, (draw(7), draw(7) - 0.2, 0.3)),
    (backwards, (draw(7), 0.1)),
    (upwind, (draw(8) - 0.5, 0.2)),
    (twice, (draw(6), draw(6) - 0.3, 0.3)),
    (cavity, (draw(6, 7), draw(6, 7) - 0.5, draw(6, 7), 0.2)),
]
TURNS = [(5, 3), (0, 3), (4, 0), (1, 2), (4, 1), (2, 4)]


def pair_of(fn, args, numba=False, **options):
    wrt = tuple(range(len(args) - 2))
    request = Request("value_and_grad", fn, wrt, single=False, **options)
    return both(request, args, len(args), numba)


@pytest.mark.parametrize(("fn", "args"), CASES)
def test_gradients_are_those_of_a_whole_tape(small, fn, args):
    pair = pair_of(fn, (*args, 5, 3))
    assert "= kept(" in pair.text
    for turns in TURNS:
        assert compare(pair, (*args, *turns)) == "equal", turns


@pytest.mark.parametrize(("fn", "args"), CASES)
def test_a_tape_that_is_small_is_whole(fn, args):
    pair = pair_of(fn, (*args, 5, 3))
    assert "= kept(" in pair.text
    for turns in TURNS:
        assert compare(pair, (*args, *turns)) == "equal", turns


@pytest.mark.parametrize(("fn", "args"), CASES)
def test_threads_share_what_is_run_again(three, small, fn, args):
    pair = pair_of(fn, (*args, 5, 3))
    assert ("share(team, me, n_again" in pair.text) == (np.ndim(args[0]) == 2)
    for turns in TURNS[:3]:
        assert compare(pair, (*args, *turns)) == "equal", turns


@pytest.mark.parametrize("count", [1, 2])
def test_machine_code(monkeypatch, count):
    """Half of the calls have a tape that is too large."""
    pytest.importorskip("numba")
    monkeypatch.setattr(rematerialization, "_ROOM", 8 * 4 * 3 * 42)
    monkeypatch.setattr(srcad.kernels.teams, "thread_count", lambda work: count)
    fn, args = CASES[-1]
    pair = pair_of(fn, (*args, 5, 3), numba=True)
    for turns in [(4, 3), (5, 3), (0, 9), (3, 9), (40, 1)]:
        assert compare(pair, (*args, *turns)) == "equal", turns


def test_a_state_that_is_a_result(small):
    args = (draw(7), 0.3, 5, 3)
    pair = pair_of(returned, args, has_aux=True)
    assert "= kept(" in pair.text
    assert_alike(pair.native(*args), pair.numpy(*args))


def test_forward_over_reverse(small):
    args = (draw(7), 0.3, 5, 3)
    tangents = (draw(7), 0.1, 0, 0)

    def pushed(u, dt, steps, sweeps):
        return srcad.value_and_grad(heat, (0, 1))(u, dt, steps, sweeps)

    pair = both(Request("jvp", pushed, ()), (*args, *tangents), len(args))
    assert_alike(pair.native(*args, *tangents), pair.numpy(*args, *tangents))


# What changes ------------------------------------------------------------------------------------


def swept(x, c, steps, sweeps):
    for _ in range(steps):
        for _ in range(sweeps):
            x = x * (x + c)
    return np.sum(x)


AHEAD = """
    n_2 = 8 * sweeps * n
    n_3 = n_2 * steps
    t_2 = (n_3 > 16777216) & ((n_2 <= 16777216) | (n_3 > 1073741824)) & (steps > 3)
    if t_2 & (sweeps > 2):
        rows = 1
        starts = steps
        turns_again = sweeps
        n_again = n
    else:
        rows = steps
        starts = 0
        turns_again = 0
        n_again = 0
"""
OUTER = """
        for j in range(n_again):
            x_start[at(i, j)] = x[at(j)]
        for i_2 in range(sweeps):
            # for _ in range(sweeps):
            for k in range(n):
                t = x[at(k)]
                tape[at(row, i_2, k)] = t
"""
REVERSE = """
        for j in range(n_again):
            x[at(j)] = x_start[at(i, j)]
        for i_2 in range(turns_again):
            # for _ in range(sweeps):
            for k in range(n):
                t = x[at(k)]
                tape[at(row, i_2, k)] = t
                # x = x * (x + c)
                x[at(k)] = t * (t + c)
        for i_2 in range(sweeps - 1, -1, -1):
            t = 0.0
            for k in range(n):
                t_2 = x_bar_2[at(k)]
                t_3 = tape[at(row, i_2, k)]
"""


def test_text():
    """One row serves all iterations, or each iteration has its own and nothing is run again."""
    text = pair_of(swept, (draw(7), 0.3, 5, 3)).text
    for part in (AHEAD, OUTER, REVERSE):
        assert part in text
    assert text.count("row = kept(i, rows)") == 2
    assert "tape = kernels.empty((rows, sweeps, n))" in text
    assert "x_start = kernels.empty((starts, n))" in text


def test_what_is_on_a_tape_is_not_saved_again():
    text = pair_of(taped_source, (draw(7), draw(7), 0.3, 5, 3)).text
    assert "f_start" not in text
    assert "u_start" in text
    assert "f_start" in pair_of(driven, (draw(7), draw(7), 0.3, 5, 3)).text


def test_memory_is_what_the_turns_of_each_loop_need(monkeypatch):
    """Arrays for the steps, and for the sweeps of one."""
    made = []

    def empty(shape, dtype=float):
        made.append(shape)
        return uncompiled._Numpy.empty(shape, dtype).view(np.ndarray)

    monkeypatch.setattr(rematerialization, "_ROOM", 1000)
    monkeypatch.setattr(rematerialization, "_KEPT", 10_000)
    monkeypatch.setattr(uncompiled.KERNELS, "empty", empty, raising=False)
    pair = pair_of(swept, (draw(7), 0.3, 5, 3))
    for steps, sweeps in [(5, 3), (7, 3), (3, 9), (30, 2), (4, 20), (9, 20)]:
        made.clear()
        assert compare(pair, (draw(7), 0.3, steps, sweeps)) == "equal"
        size = steps * sweeps * 7 * 8
        is_large = size > 1000 and steps > 3 and sweeps > 2
        is_large &= size < 1000 * steps or size > 10_000
        rows, starts = (1, steps) if is_large else (steps, 0)
        assert made == [(rows, sweeps, 7), (starts, 7)]


def three_by_four(x, c, steps, sweeps):
    """Less than what there is room for, as is known."""
    y = np.zeros(3)
    y[:] = x
    for _ in range(5):
        for _ in range(4):
            y = y * (y + c)
    return np.sum(y) * steps * sweeps


def test_what_is_known_to_be_small_is_left_alone(monkeypatch):
    args = (draw(3), 0.3, 5, 3)
    assert "kept(" not in pair_of(three_by_four, args).text
    monkeypatch.setattr(rematerialization, "_ROOM", 100)
    pair = pair_of(three_by_four, args)
    assert "kept(" in pair.text
    assert compare(pair, args) == "equal"


# What is left alone -------------------------------------------------------------------------------


def with_functions(u, dt, steps, sweeps):
    for _ in range(steps):
        for _ in range(sweeps):
            p = u.copy()
            u[1:-1] = np.exp(-p[:-2]) * p[2:]
    return np.sum(u * u) * dt


def one_after_another(u, dt, steps, sweeps):
    """Each entry waits for the one before."""
    for _ in range(steps):
        for _ in range(sweeps):
            for i in range(1, len(u) - 1):
                u[i] = u[i] * u[i - 1] * dt + u[i + 1]
    return np.sum(u * u)


def with_sum(u, dt, steps, sweeps):
    """The inner loop carries a number."""
    t = 0.0
    for _ in range(steps):
        for _ in range(sweeps):
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + p[:-2]
            t += np.sum(p * u)
    return np.sum(u * u) + t


def until(u, dt, steps, sweeps):
    for _ in range(steps):
        n = 0
        while n < sweeps:
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + p[:-2]
            n += 1
    return np.sum(u * u)


def left_early(u, dt, steps, sweeps):
    for _ in range(steps):
        for _ in range(sweeps):
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + p[:-2]
            if u[1] > 0.7:
                break
    return np.sum(u * u)


def triangle(u, dt, steps, sweeps):
    """How often the inner loop iterations depends on the iteration of the outer one."""
    for k in range(steps):
        for _ in range(k * sweeps):
            p = u.copy()
            u[1:-1] = p[1:-1] * p[2:] * dt + p[:-2]
    return np.sum(u * u)


def rows_of_their_own(u, dt, steps, sweeps):
    """Iterations of the outer loop have nothing to do with one another: threads share it."""
    s = 0.0
    for i in range(len(u)):
        x = u[i]
        for _ in range(sweeps):
            x = x * (x + dt)
        s += np.sum(x)
    return s * steps


def alone(x, c, steps, sweeps):
    """No outer loop."""
    for _ in range(steps):
        x = x * (x + c)
    return np.sum(x) * sweeps


LEFT = [
    (with_functions, draw(7)), (one_after_another, draw(7)), (with_sum, draw(7)),
    (until, draw(7)), (left_early, draw(7)), (triangle, draw(7)),
    (rows_of_their_own, draw(4, 5)), (alone, draw(6)),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "x"), LEFT)
def test_what_cannot_be_run_again_or_does_not_pay(small, fn, x):
    args = (x, 0.3, 5, 3)
    pair = pair_of(fn, args)
    assert "kept(" not in pair.text
    assert compare(pair, args) == "equal"
