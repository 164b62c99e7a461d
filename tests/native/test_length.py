"""Long functions: what Numba would take too long for stays NumPy's, and loops are compiled.

Passes over loops take time by the number of loops."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad.native.boundary import length
from srcad.native.loops.accesses import Places
from srcad.native.scalarize.buffer_placement import Rooms

X = np.linspace(0.1, 1.0, 7)


def lines(x):
    a = x * 0.9 + np.sin(x)
    b = a * 0.9 + np.sin(a)
    c = b * 0.9 + np.sin(b)
    return np.sum(c * a)


def lines_and_loops(x):
    a = x * 0.9 + np.sin(x)
    for i in range(1, len(a)):
        a[i] = a[i] + a[i - 1] * a[i]
    b = a * 0.9 + np.sin(a)
    for i in range(1, len(b)):
        b[i] = b[i] - b[i - 1] * 0.5
    c = b * 0.9 + np.sin(b)
    return np.sum(c * c)


def gradient(f):
    return srcad.value_and_grad(f, backend="native", cache=False)


def assert_same(found, f):
    for mine, other in zip(found, srcad.value_and_grad(f, backend="numpy")(X), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-12)


def explained(f):
    """What the gradient of `f` tells of itself, after a call that gives what it has to."""
    made = gradient(f)
    assert_same(made(X), f)
    return made.explain()


@pytest.mark.parametrize("limit", ["MOST", "MOST_OPERATIONS"])
def test_straight_lines_that_take_too_long_stay(limit, monkeypatch):
    monkeypatch.setattr(length, limit, 10)
    told = explained(lines)
    assert not told.compiled
    line = lines.__code__.co_firstlineno + 1
    assert told.stays[0].startswith(f"line {line}, `a = x * 0.9 + np.sin(x)`: Numba would take")


def test_loops_among_them_are_compiled(monkeypatch):
    monkeypatch.setattr(length, "MOST_OPERATIONS", 5)
    told = explained(lines_and_loops)
    assert len(told.compiled) == 4
    assert not any("loop" in each for each in told.stays)


def one_that_needs_the_lines(x):
    s = 0.0
    for v in x:
        s = s * 0.9 + v * v
    b = x * s + np.sin(x)
    t = 1.0
    for v in b:
        t = t * 0.9 + v * s
    return np.sum(b * b) * t


def test_lines_are_compiled_where_a_loop_would_stay_without_them(monkeypatch):
    monkeypatch.setattr(length, "MOST_OPERATIONS", 5)
    told = explained(one_that_needs_the_lines)
    assert len(told.compiled) == 1
    assert not told.stays


def test_each_fits_where_it_is_short():
    for f in (lines, lines_and_loops):
        assert len(explained(f).compiled) == 1


@pytest.fixture
def families(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    yield __import__("compile_size")
    for name in ("compile_size", "compile_families", "compile_plain", "timing"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("cls", "name"), [(Places, "_collect_op"), (Rooms, "accesses")])
def test_four_times_the_lines_are_four_times_the_work(cls, name, families, tmp_path, monkeypatch):
    count = 0
    inner = getattr(cls, name)

    def counted(*args):
        nonlocal count
        count += 1
        return inner(*args)

    monkeypatch.setattr(cls, name, counted)
    counts = []
    for n in (20, 80):
        f, args = families.made("stored", n, tmp_path)
        count = 0
        with contextlib.redirect_stdout(io.StringIO()):
            gradient(f).show(*args)
        counts.append(count)
    assert 0 < counts[1] < 5 * counts[0]
