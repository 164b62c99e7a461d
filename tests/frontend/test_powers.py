"""Complex powers of Python's real numbers are refused when the program runs; others are not."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError


def size(x, a):
    return x[0] * abs(a**0.5)


def by_a_number(x, a):
    return x[0] * abs(a ** (a / 2))


def by_a_call(x, a):
    return x[0] * pow(a, 1.5).real


def in_a_loop(x, a):
    total = 0.0
    for i in range(len(x)):
        total += abs((a - i) ** -0.5) * x[i]
    return total


def of_an_integer(x, a):
    return x[0] * abs(round(a) ** 0.5)


POWERS = [size, by_a_number, by_a_call, in_a_loop, of_an_integer]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fn", POWERS)
def test_complex_powers_are_refused_when_they_run(fn, backend):
    x = np.array([2.0, 3.0])
    compiled, gradient = (t(fn, backend=backend) for t in (srcad.compile, srcad.value_and_grad))
    assert compiled(x, 2.5) == pytest.approx(fn(x, 2.5))
    assert gradient(x, 2.5)[0] == pytest.approx(fn(x, 2.5))
    for call in (compiled, gradient):
        with pytest.raises(NotImplementedError):
            call(x, -1.5)


def test_they_are_not_taken_for_what_a_try_handles():
    def f(x, a):
        try:
            y = a**0.5
        except Exception:
            y = 0.0
        return x * y

    with pytest.raises(SrcadError, match="E103"):
        srcad.grad(f)(2.0, 3.0)


def whole_exponents(x, a):
    return x[0] * a**-3 + a**2.0


def numbers_of_numpy(x, a):
    return x[0] ** 0.5 + np.float64(a) ** 1.5


def distances(x, a):
    b = float(x[0]) - a
    return (a * a + b**2) ** 0.5 + (abs(a) + 1.0) ** a + len(x) ** 0.5


def of_indices(x, a):
    return a + sum([(2 * i + 1) ** 0.5 for i in range(len(x))])


@pytest.mark.parametrize("fn", [whole_exponents, numbers_of_numpy, distances, of_indices])
def test_nothing_is_asked_of_what_is_real(fn):
    x = np.array([-2.0, 3.0])
    compiled = srcad.compile(fn)
    with np.errstate(invalid="ignore"):
        assert compiled(x, -1.5) == pytest.approx(fn(x, -1.5), nan_ok=True)
    assert "NotImplementedError" not in compiled.source()


def of_a_square_of_a_matrix(x, a):
    matrix = np.array([[0.0, a], [x[0], 0.0]])
    return x[0] * abs(float(np.sum(matrix @ matrix)) ** 0.5)


def of_a_sum_from_less(x, a):
    return x[0] * abs(float(np.sum(x * x, initial=a)) ** 0.5)


@pytest.mark.parametrize("fn", [of_a_square_of_a_matrix, of_a_sum_from_less])
def test_what_may_be_negative_after_all_is_asked_for(fn):
    x = np.array([2.0, 3.0])
    assert srcad.value_and_grad(fn)(x, 2.5)[0] == pytest.approx(fn(x, 2.5))
    for call in (srcad.compile(fn), srcad.grad(fn)):
        with pytest.raises(NotImplementedError):
            call(x, -70.0)
