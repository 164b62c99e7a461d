"""What Python runs once, or not at all: messages of assertions, bodies of cached functions.

PYTEST_DONT_REWRITE: the assertions of the programs stay as they are.
"""

import functools
import random

import numpy as np
import pytest
from optional import BACKENDS

import srcad

# Messages ----------------------------------------------------------------------------------------


def message_counts(x):
    n = 1.0

    def message():
        nonlocal n
        n += 1
        return "large"

    assert x < 2, message()
    return x * n


def message_appends(x):
    items = [1.0]
    assert x < 2, items.append(x)
    return x * sum(items)


def message_prints(x):
    assert x < 2, print("large")  # noqa: RUF030 -- as people write
    return x


def message_names(x):
    k = 3
    for i in range(50):
        assert x < 2, (k := i)  # noqa: RUF018 -- only where it fails
        x = x * 1.02
    return x * k


def message_draws(x):
    random.seed(3)
    assert x < 2, random.random()
    return x * random.random()


def message_formats(x):
    assert x < 2, f"{x:.3f} is large"
    return x


def message_of_a_loop(x):
    i = 0
    while x < 1.9:
        assert i < 30, "not after %d" % i
        x, i = x * 1.3, i + 1
    return x


def message_is_caught(x):
    try:
        assert x < 1, f"{x} is large"
    except AssertionError:
        return x * 2.0
    return x


def message_of_what_never_holds(x):
    n = 1.0
    assert n > 2, f"{n} at {x}"
    return x


# Cached functions --------------------------------------------------------------------------------


@functools.lru_cache
def doubled(t):
    return t * 2


@functools.cache
def told(t):
    print(t)
    return t * 2


def counted_for_a_variable(x):
    n = 0.0

    @functools.cache
    def twice(t):
        nonlocal n
        n += 1
        return t * 2

    return twice(x) + twice(x) + n


def counted_for_a_constant(x):
    n = 0.0

    @functools.cache
    def twice(t):
        nonlocal n
        n += 1
        return t * 2

    return twice(1) + twice(1) * x + n


def counted_on_a_path(x):
    n = 0.0

    @functools.cache
    def twice(t):
        nonlocal n
        n += 1
        return t * 2

    s = twice(1) if x > 1 else 0.0
    return s + twice(1) * x + n


def counted_in_a_loop(x):
    n = [0.0]

    @functools.cache
    def twice(t):
        n[0] += 1
        return t * 2

    s = 0.0
    for _ in range(60):
        s = s + twice(1) * x
    return s + n[0]


def drawn_once(x):
    @functools.cache
    def drawn(t):
        return random.random() * t

    return drawn(x) - drawn(x)


def printed_by_another_call(x):
    return told(2) * x


def pure(x):
    @functools.cache
    def paths(i, j):
        return x if i == 0 or j == 0 else paths(i - 1, j) + paths(i, j - 1) * 0.5

    return paths(5, 5) + doubled(x) + doubled(x) + doubled(3) * x


def raises_or_writes_its_own(x):
    @functools.cache
    def area(t):
        if t < 0:
            raise ValueError("negative")
        y = np.zeros(3)
        for i in range(3):
            y[i] = t * i
        return y.sum()

    return area(x) + area(x)


MAY_BE_REFUSED = (
    counted_for_a_variable, counted_on_a_path, counted_in_a_loop, drawn_once,
    printed_by_another_call,
)  # fmt: skip
PROGRAMS = [
    message_counts, message_appends, message_prints, message_names, message_draws, message_formats,
    message_of_a_loop, message_is_caught, message_of_what_never_holds, counted_for_a_constant, pure,
    raises_or_writes_its_own, *MAY_BE_REFUSED,
]  # fmt: skip


def outcome(fn, x, capsys):
    """What a call gives, or the exception it raises, and what it prints."""
    try:
        found = fn(x)
    except srcad.SrcadError:
        raise
    except (AssertionError, ValueError) as problem:
        found = type(problem), problem.args
    return found, capsys.readouterr().out


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_what_runs_once(fn, backend, capsys):
    compiled = srcad.compile(fn, backend=backend)
    for x in (0.5, 1.5, 2.5, -1.0):
        wanted = outcome(fn, x, capsys)
        try:
            got = outcome(compiled, x, capsys)
        except srcad.SrcadError:
            assert fn in MAY_BE_REFUSED
            return
        assert got == wanted


@pytest.mark.parametrize("fn", [fn for fn in PROGRAMS if fn not in MAY_BE_REFUSED])
def test_what_runs_once_has_its_derivative(fn, capsys):
    for x in (0.5, 1.5):
        try:
            wanted = fn(x)
        except AssertionError:
            continue
        value, slope = srcad.value_and_grad(fn)(x)
        assert value == wanted
        assert slope == pytest.approx((fn(x + 1e-6) - fn(x - 1e-6)) / 2e-6, abs=1e-6)
