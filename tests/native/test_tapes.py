"""What loops save: how large, where it is read, and when nothing is written at all."""

from __future__ import annotations

import re

import numpy as np
import pytest
from native.backends import both, compare

from srcad.pipeline.request import Request

X = np.array([0.3, -0.7, 1.1, 0.2, -0.4, 0.9])


def numbers(x, n):
    s = 0.5
    for i in range(n):
        s = np.tanh(s * x[i])
    return s


def rows(x, n):
    y = x * 1.0
    for _ in range(n):
        y = np.tanh(y + 0.1 * y[::-1])
    return np.sum(y)


def nested(x, n):
    s = 0.0
    for i in range(n):
        t = x[i]
        for _ in range(n):
            t = np.sin(t) + 0.1 * t
        s = s + t * t
    return s


def triangle(x, n):
    """The inner loop's iterations depend on the outer one."""
    s = 1.0
    for i in range(n):
        for j in range(i):
            s = np.cos(s * x[j]) + 0.1 * x[i]
    return s


def backwards(x, n):
    s = 0.5
    for i in range(n - 1, 0, -2):
        s = np.tanh(s * x[i])
    return s


def until(x, limit):
    """A tape that grows: 32 iterations at first."""
    y = x * 1.0
    turns = 0
    while np.sum(y * y) > limit:
        y = y * np.cos(0.1 * y) * 0.97
        turns = turns + 1
    return np.sum(y) + turns


def left_early(x, limit):
    s = 0.5
    for i in range(len(x)):
        s = np.tanh(s + x[i])
        if s > limit:
            break
    return s


def indices(x, n):
    """Integers that the index tells are not saved."""
    s = 0.0
    for i in range(n):
        for k in range(len(x) - 1 - i):
            s = s + x[k] * x[i]
    return s


def relaxed(x, n):
    """What is saved of `y` in an iteration is `y` until that is written."""
    y, s = x * 1.0, 0.0
    for _ in range(n):
        s = s + np.sum(y * y)
        y[1:-1] = 0.5 * (y[2:] + y[:-2])
    return s


def relaxed_twice(x, n):
    y, s = x * 1.0, 0.0
    for _ in range(n):
        s = s + np.sum(y * y)
        y[0] = y[1] - y[-1]
        y[1:-1] = 0.5 * (y[2:] + y[:-2])
        y[1:] += 0.3 * y[:-1]
    return s


def relaxed_in_a_branch(x, n):
    y, s = x * 1.0, 0.0
    for i in range(n):
        s = s + np.sum(y * y)
        if x[i] > 0:
            y[1:-1] = 0.5 * (y[2:] + y[:-2])
        y[1:] = 0.3 * y[:-1]
    return s


def relaxed_in_an_inner_loop(x, n):
    y, s = x * 1.0, 0.0
    for _ in range(n):
        s = s + np.sum(y * y)
        for _ in range(2):
            y[1:] = 1.5 * y[:-1]
        y[:-1] = 0.5 * y[1:]
    return s


def until_in_each_turn(x, limit):
    s = 0.0
    for i in range(len(x)):
        y = abs(x[i]) + 0.1
        while y > limit:
            for k in range(2):
                y = np.sin(y) * (0.8 + 0.1 * x[k])
        if i % 2 == 0:
            while y < 2.0:
                y = y * 1.5
        s = s + y * x[i]
    return s


def until_within_until(x, limit):
    """The last iteration of the outer loop ends before the inner one begins."""
    s, n = 0.0, 0
    while True:
        y = x[n] * x[n]
        if n == 4:
            return s * y
        while y > limit:
            y = np.sin(y) * 0.9
        n = n + 1
        s = s + y * y


def until_in_a_branch(x, limit):
    y = x * 1.0
    if limit < 1.0:
        n = 0
        while np.sum(y * y) > limit:
            y = np.sin(y) * x * 0.8
            n = n + 1
        return np.sum(y) * n
    return np.sum(y)


def until_in_branches(x, limit):
    y = x[0]
    if limit < 1.0:
        y = y * x[1]
        if y < 0.0:
            while y * y > limit:
                y = np.sin(y) * 0.9
        else:
            y = y * 2.0
    return y * np.sum(x)


def skipped(x, n):
    s = 0.5
    for i in range(n):
        if i % 3 == 1:
            continue
        for k in range(len(x)):
            s = np.tanh(s + x[k])
            if s > 0.8:
                break
    return s


CALLS = {
    until_in_each_turn: [(X, 0.3), (X, 9.0), (X, 0.01)],
    until_within_until: [(X, 0.2), (X, 9.0), (X, 0.01)],
    until_in_a_branch: [(X, 0.3), (X, 9.0), (X, 1e-9)],
    until_in_branches: [(X, 1e-3), (X, 9.0), (-X[::-1], 1e-3), (X, 0.9)],
    skipped: [(X, 7), (X, 2), (X, 0)],
    numbers: [(X, 6), (X, 0), (X, 1)],
    rows: [(X, 4), (X, 0)],
    nested: [(X, 5), (X, 0), (X, 1)],
    triangle: [(X, 6), (X, 1), (X, 0)],
    backwards: [(X, 6), (X, 5), (X, 1)],
    until: [(X, 1e-3), (X, 9.0), (X, 1e-9)],
    left_early: [(X, 0.6), (X, 9.0), (X, -9.0)],
    indices: [(X, 6), (X, 0)],
    relaxed: [(X, 3), (X, 0)],
    relaxed_twice: [(X, 3), (X, 1)],
    relaxed_in_a_branch: [(X, 5), (X, 0)],
    relaxed_in_an_inner_loop: [(X, 3), (X, 0)],
}
SHAPES = {numbers: 1, rows: 2, nested: 2, triangle: 2, backwards: 1, until: 2, left_early: 1}


def derivative(fn, numba=False):
    request = Request("value_and_grad", fn, (0,), single=False)
    return both(request, CALLS[fn][0], 2, numba)


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_what_is_saved_is_what_is_read(fn):
    """New memory is full of NaN here, and each access is checked."""
    pair = derivative(fn)
    assert pair.functions == 1
    assert not pair.reasons
    assert [compare(pair, args) for args in CALLS[fn]] == ["equal"] * len(CALLS[fn])


def tapes(text):
    """The extents of the tapes of a program."""
    text = re.sub(r"max\((.*?), 0\)", r"\1", text)
    return re.findall(r"\w*tape\w* = (?:np|kernels)\.empty\(\((.*?),?\)", text)


@pytest.mark.parametrize("fn", SHAPES, ids=lambda fn: fn.__name__)
def test_a_tape_has_an_axis_for_each_loop_and_those_of_what_is_saved(fn):
    found = tapes(derivative(fn).text)
    assert found, "something is saved"
    assert max(len(shape.split(",")) for shape in found) == SHAPES[fn], found


def test_integers_that_an_index_tells_are_not_saved():
    assert not tapes(derivative(indices).text)


GROWING = (until, until_in_each_turn, until_within_until, until_in_a_branch, until_in_branches)


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_a_tape_of_a_loop_that_nobody_can_count_grows(fn):
    text = derivative(fn).text
    assert ("lengthened(" in text) == (fn in GROWING)
    assert ("np.empty((32," in text) == (fn in GROWING)


@pytest.mark.parametrize("fn", GROWING, ids=lambda fn: fn.__name__)
def test_machine_code_that_grows_tapes(fn):
    pytest.importorskip("numba")
    pair = derivative(fn, numba=True)
    assert [compare(pair, args) for args in CALLS[fn]] == ["equal"] * len(CALLS[fn])


def test_what_grows_inside_loops_has_a_row_for_each_turn_there_was():
    """All runs together: not as many for each as the longest has."""
    text = derivative(until_in_each_turn).text
    shapes = [shape for shape in tapes(text) if shape.startswith("32")]
    assert set(shapes) == {"32, 2"}, shapes


def test_what_is_overwritten_is_read_where_it_was_saved():
    """And not kept in an array of its own."""
    text = derivative(relaxed).text
    assert "0.5 * (y_tape[at(i, j + 2)] + y_tape[at(i, j)])" in text


@pytest.mark.parametrize("fn", [triangle, until, relaxed_twice])
def test_machine_code_saves_and_reads_the_same(fn):
    pytest.importorskip("numba")
    pair = derivative(fn, numba=True)
    assert [compare(pair, args) for args in CALLS[fn]] == ["equal"] * len(CALLS[fn])


def labels_with_blanks(x, labels):
    ext = [0]
    for k in labels:
        ext.append(k)
        ext.append(0)
    s = 0.0
    for i in range(len(ext)):
        s += x[ext[i]] ** 2 * (i + 1)
    return s


def numbers_between(x, labels):
    ext, keep, i = [], [], 0
    while i < len(x) and x[i] < 2.0:
        ext.append(1.5)
        ext.append(x[labels[i]])
        keep.append(True)
        keep.append(x[i] > 0.0)
        i += 1
    return sum(ext[j] * (j + 1.0) for j in range(len(ext)) if keep[j])


def only_a_constant(x, labels):
    out = []
    for _ in labels:
        out.append(0.25)
    return np.sum(np.array(out) * x)


def of_one_precision(x, labels):
    out = []
    for k in labels:
        out.append(np.float32(0.25))
        out.append(np.float32(x[k]))
    return np.sum(np.array(out) ** 2) * x[0]


@pytest.mark.parametrize(
    "fn", [labels_with_blanks, numbers_between, only_a_constant, of_one_precision]
)
def test_constants_that_loops_append_are_on_tapes(fn):
    args = np.array([0.3, -0.7, 1.1, 0.2]), np.array([3, 1, 2, 1])
    pair = both(Request("value_and_grad", fn, (0,), single=False), args, 2)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, args) == "equal"


def histories(beta, u):
    infected, total, day = 10.0, 0.0, 0
    history = {"I": [], "T": []}
    while infected > 0.5 and day < 30:
        infected = infected * (1 - beta * u[day])
        total = total + infected
        for key, value in zip("IT", (infected, total), strict=True):
            history[key].append(value)
        day += 1
    return max(history["I"]) + 0.1 * np.mean(history["T"])


def test_lists_that_a_loop_over_names_makes_longer_are_tapes():
    """They were copied in each iteration: the names are bound where the loop runs."""
    args = 0.3, np.linspace(0.2, 0.9, 40)
    pair = both(Request("value_and_grad", histories, (0,), single=False), args, 2)
    assert (pair.functions, pair.reasons, compare(pair, args)) == (1, [], "equal")
    assert "spare" not in pair.text
