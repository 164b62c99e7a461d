"""Names that comprehensions bind with `:=`, under conditions that data decides."""

import numpy as np
import pytest

import srcad


def in_the_condition(x):
    return sum([y * y for v in x if (y := v * 2) > 0.7])


def read_after(x):
    items = [y * y for v in x if (y := v * 2) > 0.7]
    return sum(items) + y


def bound_before(x):
    y = 5.0
    items = [v for v in x[:0] if (y := v * 2) > 0.7]
    return len(items) + x[0] + y


def never_bound(x):
    items = [v for v in x[:0] if (y := v * 2) > 0.7]
    return len(items) + x[0] + y


def running(x):
    t = 0.0
    items = [t := t + v for v in x if v > 0.2]
    return items[0] * t


def two(x):
    return sum([y * z for v in x if (y := v * 2) > 0.7 if (z := y * y) < 1.5])


def in_a_generator(x):
    return sum(y * z for v in x if (y := v * 2) > 0.7 and (z := y * y) < 1.5)


def in_a_loop(x):
    t = 0.0
    for r in range(3):
        t = t + sum([y for v in x if (y := v * r) > 0.7])
    return t + y


EACH = [in_the_condition, read_after, bound_before, running, two, in_a_generator, in_a_loop]


@pytest.mark.parametrize("n", [4, 50])
@pytest.mark.parametrize("f", EACH)
def test_names_bound_in_comprehensions(f, n):
    x = np.linspace(0.1, 0.9, n) ** 1.3
    value, slope = srcad.value_and_grad(f)(x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)
    t = np.cos(np.arange(n))
    np.testing.assert_allclose(slope @ t, (f(x + 1e-6 * t) - f(x - 1e-6 * t)) / 2e-6, rtol=1e-6)


def test_a_name_that_no_item_binds():
    for call in (never_bound, srcad.compile(never_bound), srcad.grad(never_bound)):
        with pytest.raises(UnboundLocalError):
            call(np.ones(3))
