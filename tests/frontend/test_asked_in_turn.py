"""What goes over an iterable asks for each item when Python does, and for no more than Python."""

import functools
import itertools
from collections import deque

import numpy as np
import pytest
from frontend.as_python import same, slope

import srcad
from srcad.errors import SrcadError

POINTS = [(3.0, 0.0), (3.0, 0.5), (0.5, 3.0), (0.25, 0.5)]


# `any` and `all` ---------------------------------------------------------------------------------


class Guarded:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        return 1 / self.v > 0.1


def of_a_tuple(x, y):
    return any(1 / t > 0.1 for t in (x, y))


def of_a_condition(x, y):
    return any(1 / t > 0.5 for t in (x, y, 0.5) if t > 1)


def of_a_generator(x, y):
    def g():
        yield x - 3
        yield 1 / y

    return all(g())


def of_a_map(x, y):
    return all(map(lambda t: 1 / t > 1, [x, y]))


def of_objects(x, y):
    return any([Guarded(x), Guarded(y)]), all(Guarded(t) for t in (x, y))


def of_a_zip(x, y):
    return any(a / b > 0.1 for a, b in zip([x, x], [y + 1, y], strict=True))


def of_a_chain(x, y):
    return any(1 / t > 0.1 for t in itertools.chain([x], [y]))


def inside_each_other(x, y):
    return all(any(1 / a > b for a in (x, y)) for b in (x, y, 2.0))


def in_a_try(x, y):
    try:
        return all(1 / t > 0.1 for t in (x, y, 0.0))
    except ZeroDivisionError:
        return x


def many(x, y):
    items = [x, y, x * y, 3.0, x + y] * 20
    return any(t > 9 for t in items), all(t < 9 for t in items), all([t < 3 for t in items])


def counted(x, y):
    n = 0

    def s(t):
        nonlocal n
        n += 1
        return t > 1

    v = np.array([x, y, 4.0])
    found = (
        any(map(s, v)),
        n,
        any(s(t) for t in itertools.islice(v, 2)),
        n,
        all(s(t) for t in itertools.chain(v, v)),
        n,
        any(s(a * b) for a, b in zip(v, v[::-1], strict=True)),
        n,
        all(s(t) for t in itertools.accumulate(v)),
    )
    return (*found, n)


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize(
    "f",
    [
        *(of_a_tuple, of_a_condition, of_a_generator, of_a_map, of_objects, of_a_zip),
        *(of_a_chain, inside_each_other, in_a_try, many, counted),
    ],
)
def test_any_and_all_stop_at_the_item_that_decides(f, x):
    same(f, *x)


def last_one(x, y):
    any((last := t) > 1 for t in (x, y))
    return last


def helped(items):
    return any(items)


def last_of_another(x, y):
    last = 0.0
    helped((last := t) > 1 for t in (x, y))
    return last


def kept(x, y):
    seen = []
    any(seen.append(t) or t > 1 for t in (x, y, 5.0))
    return sum(seen)


def left_over(x, y):
    it = iter([1.0, 2.0, x, y])
    any(v > 1 for v in it)
    return next(it) * 2 + next(it)


@pytest.mark.parametrize("f", [last_one, last_of_another, kept, left_over])
@pytest.mark.parametrize("x", [(3.0, 0.5), (0.5, 3.0), (0.25, 0.5)])
def test_what_is_done_for_the_items_asked_for(f, x):
    same(f, *x)
    slope(f, *x)


def test_what_data_leaves_in_an_iterator_is_refused():
    def f(x, y):
        it = iter([x, y, 1.0])
        any(v > 1 for v in it)
        return sum(it)

    with pytest.raises(SrcadError, match="of which a branch decides what is left"):
        srcad.compile(f)(3.0, 0.5)


# `reduce`, `max`, `min`, `extend` ----------------------------------------------------------------


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


def reduced(x):
    s, calls = scaled(x)
    return functools.reduce(lambda a, b: a * b + calls(), map(s, (x, 2.0, 3.0)))


def reduced_from_a_start(x):
    s, calls = scaled(x)
    return functools.reduce(lambda a, b: a * b + calls(), (s(t) for t in (x, 2.0)), x)


def reduced_of_a_generator(x):
    n = 0

    def g():
        nonlocal n
        for t in (x, 2.0, 3.0):
            n += 1
            yield t * n

    return functools.reduce(lambda a, b: a * b + n, g())


def reduced_on_paths(x):
    def g():
        if x > 1:
            yield x
        yield 2.0
        yield x * x

    return functools.reduce(lambda a, b: a * b + 1, g(), 1.0)


def reduced_of_squares(x):
    def g():
        for t in np.array([x, 2.0, x]):
            yield t * t

    return float(functools.reduce(lambda a, b: a * b + 1, g()))


def by_keys(x):
    s, calls = scaled(x)
    most = max(map(s, (x, 2.0, 3.0)), key=lambda t: t * (5 - 2 * calls()))
    return most + 10 * min((s(t) for t in (x, 2.0)), key=lambda t: -calls())


def by_keys_of_a_generator(x):
    n = 0

    def g():
        nonlocal n
        for t in (x, 2.0, 3.0):
            n += 1
            yield t * n

    return max(g(), key=lambda t: t * (5 - 2 * n))


def extended(x):
    items = [x]
    items.extend(items[-1] + t for t in (1.0, 2.0))
    items += (items[-1] * t for t in (2.0, x))
    items.extend(map(lambda t: items[0] + t, (1.0, x)))
    items.extend(items)
    return items[1] + 10 * items[-1] + 100 * items[-2] + len(items)


def extended_by_a_generator(x):
    items = [x]

    def g():
        yield items[-1] + 1
        yield items[-1] * 2

    items.extend(g())
    items += g()
    return sum(items)


def extended_until_it_raises(x):
    items = [x]
    try:
        items.extend(1 / t for t in (1.0, x - 1.5))
    except ZeroDivisionError:
        return -x
    return sum(items)


def extended_deque(x):
    items = deque([x], maxlen=3)
    items.extend(items[0] + t for t in (1.0, 2.0, 3.0))
    items.extendleft(items[0] * t for t in (2.0, 3.0))
    items.extend(items)
    return items[0] + 10 * items[1] + 100 * items[2]


def extended_by_data(x):
    items = []
    for t in np.array([x, 2 * x, 3.0]):
        if t > 1:
            items.append(t)
    items.extend(items[-1] * k for k in (2.0, 3.0))
    items += (items[-1] * k for k in (2.0, 3.0))
    return float(sum(items))


@pytest.mark.parametrize("x", [1.5, 0.7, 2.5])
@pytest.mark.parametrize(
    "f",
    [
        *(reduced, reduced_from_a_start, reduced_of_a_generator, reduced_on_paths),
        *(reduced_of_squares, by_keys, by_keys_of_a_generator, extended, extended_by_a_generator),
        *(extended_until_it_raises, extended_deque, extended_by_data),
    ],
)
def test_an_item_is_used_before_the_next_one_is_asked_for(f, x):
    same(f, x)
    if (f, x) != (extended_until_it_raises, 1.5):
        slope(f, x)


def test_a_condition_by_data_on_items_that_see_what_is_made_of_them():
    def of_a_map(x):
        n = 0

        def h(t):
            nonlocal n
            n += 10
            return t + n

        return sum([h(s) for s in (t * n for t in (x, 2.0, 3.0)) if s >= 0])

    def of_a_list(x):
        n = 0

        def h(t):
            nonlocal n
            n += 10
            return t + n

        return sum([h(s) for s in (x, 2.0, 3.0) if s >= 1]) + sum(
            [a * b for a, b in zip((x, 2.0), (1.0, x), strict=True) if a > 1]
        )

    for x in (1.5, 0.5):
        same(of_a_list, x)
        with pytest.raises(SrcadError, match="the condition of a comprehension"):
            srcad.compile(of_a_map)(x)
