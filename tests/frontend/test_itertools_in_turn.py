"""Iterators of `itertools`, and parts of `zip` of other lengths, ask for items as Python does."""

import itertools

import numpy as np
import pytest
from frontend.as_python import same, slope

import srcad
from srcad.errors import SrcadError


def scaled(x):
    """A function that counts its calls, and what says how many there were."""
    n = 0

    def s(t):
        nonlocal n
        n += 1
        return t * n

    def calls():
        return n

    return s, calls


# Iterators of `itertools` ------------------------------------------------------------------------


def neighbours(v):
    s = 0.0
    for a, b in itertools.pairwise(v):
        s += a * b
        v[-1] = s
    return s


@pytest.mark.parametrize("n", [1, 3, 12])
def test_pairs_of_an_array_that_is_written(n):
    x = np.linspace(0.5, 2.0, n)
    given = [x.copy() for _ in range(3)]
    assert srcad.compile(neighbours, backend="numpy")(given[0]) == neighbours(given[1])
    assert np.array_equal(given[0], given[1])
    if n == 3:
        value, slope = srcad.value_and_grad(neighbours)(given[2])
        a, b, _ = x
        assert value == neighbours(x.copy()) == a * b + a * b * b
        assert slope == pytest.approx([b + b * b, a + 2 * a * b, 0.0])


def neighbours_in_a_list(x):
    items = [x, 2.0, 3.0]
    s = 0.0
    for a, b in itertools.pairwise(items):
        s += a * b
        items[-1] = s
    return s


def neighbours_asked_for(x):
    s, calls = scaled(x)
    return sum(a * b * calls() for a, b in itertools.pairwise(map(s, (x, 2.0, 3.0))))


def groups_by_key(x):
    rows = [("a", x), ("a", 2.0), ("b", x * x)]
    return sum(
        sum(v for _, v in g) * len(k) for k, g in itertools.groupby(rows, key=lambda r: r[0])
    )


@pytest.mark.parametrize("f", [neighbours_in_a_list, neighbours_asked_for, groups_by_key])
@pytest.mark.parametrize("x", [1.5, 0.7])
def test_iterators_of_itertools(f, x):
    same(f, x)
    slope(f, x)


def test_groups_that_were_passed_by_are_empty():
    def f(x):
        gone = [g for _, g in itertools.groupby([1, 1, 2])]
        k, first = next(itertools.groupby([1.0, 1.0, 2.0]))
        return [len(list(g)) for g in gone], sum(first) * k * x

    same(f, 1.5)


def test_items_that_are_seen_to_be_taken_ahead_are_refused():
    def grouped(x):
        s, calls = scaled(x)
        return sum(sum(g) * calls() for _, g in itertools.groupby([1.0, 2.0], key=s))

    def shared(x):
        s, calls = scaled(x)
        a, b = itertools.tee(map(s, (x, 2.0)))
        return next(a) * calls() + sum(b)

    for f in (grouped, shared):
        with pytest.raises(SrcadError, match="that raise, print or change something"):
            srcad.compile(f)(1.5)


# The parts of a `zip` of another length ----------------------------------------------------------


def counting():
    n = 0

    def s(t):
        nonlocal n
        n += 1
        return t

    return s, lambda: n


def longer_map(v, w):
    s, calls = counting()
    total = 0.0
    for a, b in zip(map(s, v), w):
        total += a * b
    return total * calls()


def longer_expression(v, w):
    s, calls = counting()
    return sum(a * b for a, b in zip((s(t) for t in v), w)) * calls()


def longer_inside(v, w):
    s, calls = counting()
    total = 0.0
    for i, ((a, b), c) in enumerate(zip(zip(map(s, v), w), v)):
        total += a * b * c * i
    return total * calls()


def left_early(v, w):
    s, calls = counting()
    total = 0.0
    for a, b in zip(map(s, v), w):
        if a > 1.8:
            break
        total += a * b
    else:
        total = total * 2
    return total * calls()


def last_bound(v, w):
    k = total = 0.0
    for a, b in zip(((k := t) for t in v), w):
        total += a * b
    return total * k


def of_some(v, w):
    some = [t for t in v if t > 0.9]
    s, calls = counting()
    total = 0.0
    for a, b in zip((s(t) for t in some), w):
        total += a * b
    for a, b in zip(map(s, w), some):
        total += a * b
    return total * calls()


def all_at_once(v, w):
    s, calls = counting()
    pairs = list(zip(map(s, v), w, map(s, w)))
    return pairs[0][0] * pairs[-1][1] * calls()


@pytest.mark.parametrize("sizes", [(3, 2), (2, 3), (3, 3), (12, 9), (9, 12)])
@pytest.mark.parametrize(
    "f",
    [
        *(longer_map, longer_expression, longer_inside, left_early, last_bound, of_some),
        all_at_once,
    ],
)
def test_an_item_that_zip_asks_for_and_drops(f, sizes):
    v, w = (np.linspace(0.5, 2.0, n) for n in sizes)
    same(f, v, w)
    _, slope = srcad.value_and_grad(f)(v, w)
    step = np.zeros_like(v)
    step[-2] = 1e-6
    wanted = (f(v + step, w) - f(v - step, w)) / 2e-6
    assert slope[-2] == pytest.approx(wanted, abs=1e-4, rel=1e-6)


def test_an_item_that_raises_when_zip_asks_for_it():
    def f(v, w):
        def s(t):
            if t > 1.9:
                raise ValueError("too large")
            return t

        return sum(a * b for a, b in zip(map(s, v), w))

    v = np.linspace(0.5, 2.0, 4)
    for w in (v[1:], v[:2], v):
        same(f, v, w)


def test_what_only_computes_is_not_asked_for():
    def f(v, w):
        return sum(a * b for a, b in zip(map(np.sin, v), w))

    assert "if" not in srcad.compile(f).source(np.ones(4), np.ones(3))
