"""What the derivative of Python's numbers divides by is asked for only where it has a part."""

import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad


def root_of_maximum(x):
    return 3.0 * math.sqrt(max(x, 0.0)) + x


def power_of_maximum(x):
    return max(0.0, x) ** 0.5 + x


def clipped_cosine(x):
    return math.acos(max(-1.0, min(1.0, x))) + x


def sine_of_bounded(x):
    return math.asin(max(-1.0, min(x, 1.0))) * x


def cube_root(x):
    return math.cbrt(min(0.0, -x)) + x


def distance(x):
    return math.sqrt(max(1.0 - x * x, 0.0)) * x + x


def in_a_loop(x):
    total = 0.0
    for k in range(4):
        total += math.sqrt(max(x - k, 0.0)) * k
    return total


def in_a_branch(x):
    y = max(x, 0.0)
    return math.sqrt(y) + x if x > -5.0 else 0.0


def of_two(x):
    return math.sqrt(max(x, 0.0)) / (1.0 + math.sqrt(max(-x, 0.0)))


FUNCTIONS = [
    root_of_maximum, power_of_maximum, clipped_cosine, sine_of_bounded, distance, in_a_loop,
    in_a_branch, of_two,
]  # fmt: skip
if hasattr(math, "cbrt"):
    FUNCTIONS.append(cube_root)


def slope(f, x):
    return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_slopes_without_a_part_are_not_computed(f, backend):
    gradient = srcad.grad(f, backend=backend)
    for x in (2.5, 0.5, -2.5):
        assert gradient(x) == pytest.approx(slope(f, x), rel=1e-6)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_forward_mode_and_second_derivatives(f):
    for x in (2.5, 0.5, -2.5):
        value, tangent = srcad.jvp(f, (x,), (1.0,))
        assert value == f(x)
        assert tangent == pytest.approx(slope(f, x), rel=1e-6)
        second = (f(x + 1e-4) - 2 * f(x) + f(x - 1e-4)) / 1e-8
        assert srcad.grad(srcad.grad(f))(x) == pytest.approx(second, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_the_program_divides_by_raises(backend):
    def f(x):
        y = 1.0 / (x - x)
        return y if x > 0 else x

    for run in (srcad.compile(f, backend=backend), srcad.grad(f, backend=backend)):
        with pytest.raises(ZeroDivisionError):
            run(-1.0)


def test_the_text_divides_on_one_side():
    text = srcad.grad(root_of_maximum).source(1.0)
    (line,) = [line for line in text.splitlines() if "/ math.sqrt" in line]
    assert line.endswith("if x == t else 0.0")


def test_arrays_stay_as_they_were():
    def f(x):
        return np.sum(np.sqrt(np.maximum(x, 0.0)))

    with np.errstate(divide="ignore", invalid="ignore"):
        assert srcad.grad(f)(np.array([-1.0, 4.0])).tolist() == [0.0, 0.25]


def test_cotangents_are_read_before_they_are_overwritten():
    def limited(u):
        s = np.zeros(len(u))
        for i in range(1, len(u) - 1):
            a, b = u[i] - u[i - 1], u[i + 1] - u[i]
            s[i] = 0.0 if a * b <= 0 else (a if abs(a) < abs(b) else b)
        return np.sum(s**2)

    made = srcad.value_and_grad(limited)
    made(np.array([0.3, 0.1, 0.4, 0.8, 0.2, 0.9]))
    assert ".copy()" not in made.source()


@pytest.mark.parametrize("f", FUNCTIONS)
def test_checks_do_not_ask_for_what_has_no_part(f):
    with srcad.debug_nans():
        for x in (2.5, -2.5):
            assert srcad.grad(f)(x) == pytest.approx(slope(f, x), rel=1e-6)
