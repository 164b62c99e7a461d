"""What a compiled function returns is the caller's array wherever it is in Python, and new where it
is new: behind loops that have no iterations, branches, and what was written before.
"""

from __future__ import annotations

import numpy as np
import pytest
from conformance.outcome import disagreement, run
from optional import needs_numba

import srcad
from srcad.errors import SrcadError


def added(a, b):
    return sum(a, b)


def accumulated(a, b):
    t = b
    for x in a:
        t = t + x
    return t


def accumulated_downwards(a, b):
    t = b
    for i in range(len(a) - 1, -1, -1):
        t = t + a[i]
    return t


def beside_its_start(a, b):
    t = b
    for x in a:
        t = t + x
    return t, b


def twice(a, b):
    t = b
    for x in a:
        t = t + x
    for x in a:
        t = t - 2.0 * x
    return t


def chosen(a, b):
    if len(a) > 1:
        y, z = b, 0.0
    else:
        y, z = b * 2.0, 0.0
        for i in range(10):
            z = z + b[0] * i
    return y, z


def on_some_turns(a, b):
    t = b
    for x in a:
        if x > 0:
            t = t + x
    return t


def in_turns_of_turns(a, b):
    t = b
    for x in a:
        for y in a:
            t = t + x * y
    return t


def while_there_is_some(a, b):
    t, n = b, len(a)
    while n > 0:
        t = t + 1.0
        n = n - 1
    return t


def in_three_turns(a, b):
    t = b
    for i in range(3):
        t = t + i
    return t


FIRST = (added, accumulated, accumulated_downwards, beside_its_start, twice, chosen, in_three_turns)


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize(
    ("f", "backend"),
    [(f, "numpy") for f in FIRST]
    + [pytest.param(f, "native", marks=needs_numba) for f in FIRST]
    + [(f, "numpy") for f in (on_some_turns, in_turns_of_turns, while_there_is_some)],
)
def test_what_comes_back(f, backend, n):
    compiled = srcad.compile(f, backend=backend, cache=False)
    for a in (np.arange(1.0, n + 1.0), -np.arange(1.0, n + 1.0)):
        given = [(a.copy(), np.array([1.0, 2.5])) for _ in range(3)]
        want, got = run(f, given[0]), run(compiled, given[1])
        assert got.raised is None
        assert disagreement(want, got, given[2]) is None


@pytest.mark.parametrize("f", [accumulated, accumulated_downwards, in_three_turns])
def test_loops_write_in_place_still(f):
    compiled = srcad.compile(f, backend="numpy", cache=False)
    compiled(np.ones(3), np.ones(2))
    assert "t = b.copy()" in compiled.source()


def written_on_one_path(a, b):
    a[0] = b
    if b > 1.0:
        return a
    return np.ones(2)


def written_or_a_number(a, b):
    a[0] = b
    return a if b > 1.0 else 1.0


def written_in_a_branch(a, b):
    if b > 1.0:
        a[0] = b
        return a
    return a * 2.0


def written_in_an_attempt(a, b):
    try:
        a[0] = b
    except TypeError:
        return 1.0
    return a


def test_what_cannot_fail_is_written():
    """A number goes into an array of floats, so that there is one way out."""
    compiled = srcad.compile(written_in_an_attempt, backend="numpy", cache=False)
    given = [(np.ones(2), 2.5) for _ in range(3)]
    want, got = run(written_in_an_attempt, given[0]), run(compiled, given[1])
    assert got.raised is None
    assert disagreement(want, got, given[2]) is None


@pytest.mark.parametrize("f", [written_on_one_path, written_or_a_number, written_in_a_branch])
def test_what_was_written_is_no_copy_of_itself(f):
    for b in (2.5, 0.5):
        compiled = srcad.compile(f, backend="numpy", cache=False)
        given = [(np.ones(2), b) for _ in range(3)]
        assert disagreement(run(f, given[0]), run(compiled, given[1]), given[2]) is None
        with pytest.raises(SrcadError, match="E117"):
            compiled(np.ones(2), b)


def written_and_returned(a, b):
    if b > 1.0:
        a[0] = b
    return a


def test_what_is_written_on_one_path_and_returned_on_each_comes_back():
    compiled = srcad.compile(written_and_returned, backend="numpy", cache=False)
    for b in (2.5, 0.5):
        a = np.ones(2)
        assert compiled(a, b) is a
        assert a[0] == max(b, 1.0)
