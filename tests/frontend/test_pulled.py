"""Iterators that are taken from one item at a time: where they stand is what Python says."""

import itertools

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([0.3, 0.9, 1.4])


def three(x):
    yield x[0]
    yield x[1] * 2
    yield x[2]


def powers(v):
    p = 1.0
    while True:
        yield p
        p = p * v


def triangle(x):
    for i in range(x.shape[0]):
        if i == 1:
            continue
        for j in range(i + 1):
            yield x[i] * x[j]
    else:
        yield x[0]


def next_of_a_generator(x):
    it = three(x)
    return next(it) * next(it) + sum(it) + next(it, 2.0)


def past_the_end(x):
    it = iter([x[0]])
    return next(it) + next(it)


def in_a_loop(x):
    it, s = powers(x[0]), 0.0
    for i in range(3):
        s = s + next(it) * x[i]
    return s


def in_a_while(x):
    it, s, i = powers(x[1]), 0.0, 0
    while i < 3:
        s = s + next(it) * x[i]
        i += 1
    return s * next(it)


def of_an_array(x):
    it = iter(x)
    m = next(it)
    for v in it:
        m = m * v + v
    return m


def two_by_two(x):
    it = iter([x[0], x[1], x[2], x[0]])
    return sum(a * b for a, b in zip(it, it))


def zips(x):
    pairs = [a * b for a, b in zip(three(x), powers(x[2]))]
    return sum(pairs) + sum(a * b * c for a, (b, c) in zip([1, 2], zip(three(x), x)))


def unpacked(x):
    first, *rest = three(x)
    a, b, c, d = (*three(x[::-1]), 1.0)
    return first * sum(rest) + a * b * c * d


def taken(x):
    ends = itertools.islice(powers(x[0]), 1, 4)
    return sum(ends) * dict(zip("abc", three(x)))["b"] + sum(itertools.accumulate(three(x)))


def nested_loops(x):
    it = triangle(x)
    return next(it) + 10 * next(it) + 100 * sum(it)


def each_sees_the_other(x):
    s = [0.0]

    def g():
        for k in range(3):
            s[0] = s[0] + x[k]
            yield s[0]

    it = g()
    a = next(it)
    s[0] = 5.0 * x[2]
    return a * next(it) + s[0]


def left_by_a_known_test(x):
    it = iter([x[0], x[1], x[2]])
    for k, v in zip(range(9), it):
        if k == 1:
            break
    return v * 10 + next(it)


def in_an_object(x):
    class Steps:
        def __init__(self):
            self.it = three(x)

        def step(self):
            return next(self.it)

    steps = Steps()
    return steps.step() + 10 * steps.step()


def own_iterator(x):
    class Count:
        def __init__(self):
            self.k = -1

        def __next__(self):
            self.k += 1
            return x[self.k]

    count = Count()
    return next(count) * 10 + next(count)


FUNCTIONS = [
    next_of_a_generator, in_a_loop, in_a_while, of_an_array, two_by_two, zips, unpacked,
    taken,    nested_loops, each_sees_the_other, left_by_a_known_test, in_an_object, own_iterator,
]  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_items_are_taken_as_python_takes_them(fn):
    value, x_bar = srcad.value_and_grad(fn)(X)
    assert value == fn(X)
    assert type(value) is type(fn(X))
    differences = [(fn(X + h) - fn(X - h)) / 2e-6 for h in np.eye(3) * 1e-6]
    np.testing.assert_allclose(x_bar, differences, rtol=1e-6, atol=1e-8)


def test_an_iterator_that_is_used_up_gives_nothing():
    def f(x):
        z = zip([x[0], 2.0], [3.0, x[1]])
        g = (v * 2 for v in [x[0], x[1]])
        s = sum(a * b for a, b in z) + 10 * sum(g)
        pairs = itertools.pairwise([x[0], 2.0, x[0]])
        return s + len(list(z)) + sum(g) + sum(a * b for a, b in pairs) + len(list(pairs))

    assert srcad.compile(f)(X) == f(X)


def test_past_the_end():
    with pytest.raises(StopIteration):
        srcad.grad(past_the_end)(X)


def in_a_branch(x):
    it = three(x)
    if x[0] > 0:
        next(it)
    return next(it)


def in_both_branches(x):
    it = three(x)
    a = next(it) if x[0] > 0 else 2 * next(it)
    return a * next(it)


def after_a_loop_left_by_data(x):
    it = iter([x[0], x[1]])
    for v in it:
        if v > 0.1:
            break
    return next(it, 1.0)


@pytest.mark.parametrize("fn", [in_a_branch, in_both_branches, after_a_loop_left_by_data])
def test_what_a_branch_decides_is_refused(fn):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(X)
    assert caught.value.code == "E127"


def ends_by_data(x):
    def g():
        yield x[0]
        if x[0] > 0:
            return
        yield x[1]

    return next(zip(g(), [1.0, 2.0]))[0]


def yields_by_data(x):
    def g():
        if x[0] > 0:
            yield x[1]
        yield x[0]

    return next(g())


def yields_in_a_try(x):
    def g():
        try:
            yield x[0]
        finally:
            pass

    return next(g())


@pytest.mark.parametrize(
    ("fn", "code"), [(yields_by_data, "E123"), (yields_in_a_try, "E111"), (ends_by_data, "")]
)
def test_generators_of_which_the_next_item_is_not_known(fn, code):
    if not code:  # it is not asked as far as that
        assert srcad.compile(fn)(X) == fn(X)
        return
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(X)
    assert caught.value.code == code


def first_place(x):
    return next(i for i, v in enumerate(x) if v > 1)


def first_of_two(x):
    return next(v for v in (x[0], x[1] * x[1]) if v > 1)


def first_int(x):
    return next(i for i in range(5) if i > x[0])


def first_twice(x):
    return next(v * 2 for v in x if v > 1)


def first_squared(x):
    v = next(v for v in x if v > 1)
    return v * v


@pytest.mark.parametrize("f", [first_place, first_of_two, first_int, first_twice, first_squared])
@pytest.mark.parametrize("x", [[7.0, 0.5], [0.5, 3.0]])
def test_next_of_an_expression_that_finds_nothing(f, x):
    x, none = np.array(x), np.array([7.0 if f is first_int else 0.0, 0.5])
    with pytest.raises(StopIteration):
        f(none)
    compiled = srcad.compile(f)
    if (f, x[0]) != (first_int, 7.0):
        assert repr(compiled(x)) == repr(f(x))
    with pytest.raises(StopIteration):
        compiled(none)
    if f in (first_of_two, first_twice, first_squared):
        with pytest.raises(StopIteration):
            srcad.value_and_grad(f)(none)
