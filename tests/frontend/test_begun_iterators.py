"""Iterators begin when they are made: what is changed after that they see as in Python, or it is
refused.
"""

import itertools
from collections import deque

import pytest

import srcad
from srcad.errors import SrcadError


def check(f, *args):
    """The value and the first derivative, beside Python and a difference quotient."""
    wanted = f(*args)
    got = srcad.compile(f, backend="numpy")(*args)
    assert (type(got), got) == (type(wanted), wanted)
    value, slope = srcad.value_and_grad(f)(*args)
    x, *more = args
    assert value == wanted
    assert slope == pytest.approx((f(x + 1e-6, *more) - f(x - 1e-6, *more)) / 2e-6, abs=1e-4)


# `reversed` of a list ----------------------------------------------------------------------------


def grown(items, x):
    items.append(x * 9.0)


def popped(items, x):
    items.pop()


def popped_first(items, x):
    items.pop(0)


def inserted(items, x):
    items.insert(0, x * 5.0)


def extended(items, x):
    items.extend([x, 4.0])


def added(items, x):
    items += [3.0 * x]


def repeated(items, x):
    items *= 2


def cut(items, x):
    del items[1:]


def replaced(items, x):
    items[:] = [x, x]


def made_anew(items, x):
    items.clear()
    items.append(x)


CHANGES = [
    *(grown, popped, popped_first, inserted, extended, added, repeated, cut, replaced, made_anew)
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_list_that_changes_after_reversed(change):
    def plain(x):
        items = [x, 1.0, x * x]
        it = reversed(items)
        change(items, x)
        return sum(it, x)

    def numbered(x):
        items = [x, 1.0, x * x]
        it = enumerate(reversed(items))
        change(items, x)
        return sum((i * v for i, v in it), x)

    def zipped(x):
        items = [x, 1.0, x * x]
        it = zip(items, reversed(items))
        change(items, x)
        return sum((v * w for v, w in it), x)

    def begun(x):
        items = [x, 1.0, x * x]
        it = reversed(items)
        first = next(it)
        change(items, x)
        return sum(it, first)

    for f in (plain, numbered, zipped, begun):
        check(f, 1.5)


def test_a_list_that_data_changes_after_reversed_is_refused():
    def f(x):
        items = [x, 1.0]
        it = reversed(items)
        if x > 1:
            items.append(5.0)
        return sum(it)

    with pytest.raises(SrcadError, match="a list that changes while it is iterated over"):
        srcad.compile(f)(1.5)


def test_what_has_no_order_and_what_is_an_iterator_cannot_be_reversed():
    with pytest.raises(SrcadError, match="`reversed` of"):
        srcad.compile(lambda x: sum(reversed(iter([x]))))(1.5)


# Dicts and deques --------------------------------------------------------------------------------


def last_items_first(x, y):
    d, s = {"a": x, "b": y}, 0.0
    for _, v in reversed(d.items()):
        s = s * 10 + v
        d["a"] = x * y
    return s


def from_both_ends(x, y):
    d, s = {"a": x, "b": y}, 0.0
    for v, w in zip(d.values(), reversed(d.values())):
        s = s * 10 + v * w
        d["a"] = x * y
        d["b"] = s
    return s


def last_keys_first(x, y):
    d, s = {"a": x, "b": y}, 0.0
    for k in reversed(d):
        s = s * 10 + d[k]
        d["a"] = x * y
    for k in reversed(d.keys()):
        s = s * 10 + d[k]
        d["b"] = x * y
    return s


def other_values(x, y):
    d = {"a": x, "b": y}
    it = iter(d.values())
    d["a"] = y * y
    d["b"] = x
    return sum(it)


def begun_later(x, y):
    d = {"a": x}
    values, it = d.values(), itertools.chain(d.values(), [1.0])
    d["b"] = y * x
    return sum(it) * sum(values)


def entries_of_a_deque(x, y):
    d, s = deque([x, y]), 0.0
    for i, v in enumerate(d):
        d[i] = v * 2
        s = s * 3 + v
    return s + sum(d)


def turned_round(x, y):
    d, s = deque([x, y, 1.0]), 0.0
    for v in d:
        d.reverse()
        s = s * 10 + v
    return s


def left_at_once(x, y):
    d, s = deque([x, y]), 0.0
    for v in d:
        d.append(v * y)
        break
    while d:
        s = s * 2 + d.popleft()
    d.extend([s, y])
    return sum(a * b for a, b in zip(d, reversed(d)))


@pytest.mark.parametrize(
    "f",
    [
        *(last_items_first, from_both_ends, last_keys_first, other_values, begun_later),
        *(entries_of_a_deque, turned_round, left_at_once),
    ],
)
def test_values_that_change_meanwhile(f):
    check(f, 2.0, 3.0)


def new_key(d):
    d["c"] = 1.0


def lost_key(d):
    del d["a"]


MADE = [
    lambda d: iter(d.values()),
    lambda d: enumerate(d),
    lambda d: zip(d, d.values()),
    lambda d: map(lambda v: v, d.values()),
    lambda d: (v for v in d.values()),
    lambda d: reversed(d),
    lambda d: reversed(d.items()),
    lambda d: itertools.accumulate(d.values()),
]


@pytest.mark.parametrize("change", [new_key, lost_key])
@pytest.mark.parametrize("make", MADE)
def test_keys_that_change_before_the_first_item_are_refused(make, change):
    def f(x):
        d = {"a": x, "b": 2.0}
        it = make(d)
        change(d)
        return len(list(it)) * x

    with pytest.raises(RuntimeError, match="changed size"):
        f(1.5)
    with pytest.raises(SrcadError, match="a dict whose keys change while it is iterated over"):
        srcad.compile(f)(1.5)


MOVES = [
    lambda d: d.append(1.0),
    lambda d: d.appendleft(1.0),
    lambda d: d.pop(),
    lambda d: d.popleft(),
    lambda d: d.rotate(1),
    lambda d: d.extend([1.0]),
    lambda d: d.extendleft([1.0]),
    lambda d: d.clear(),
    lambda d: d.__delitem__(0),
]


def before_the_first(d, move):
    it = iter(d)
    move(d)
    return sum(it)


def in_an_expression(d, move):
    it = (v for v in d)
    move(d)
    return sum(it)


def in_a_loop(d, move):
    s = 0.0
    for v in d:
        s += v
        move(d)
    return s


def in_a_loop_backwards(d, move):
    s = 0.0
    for v in reversed(d):
        s += v
        move(d)
    return s


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(
    "walk", [before_the_first, in_an_expression, in_a_loop, in_a_loop_backwards]
)
def test_a_deque_that_changes_meanwhile_is_refused(walk, move):
    def f(x):
        return walk(deque([x, 2.0, 3.0]), move)

    with pytest.raises(RuntimeError, match="mutated during iteration"):
        f(1.5)
    with pytest.raises(SrcadError, match=r"a deque that changes while|E121|E119"):
        srcad.compile(f)(1.5)
