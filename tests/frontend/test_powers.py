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


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("a", "b"), [(-np.inf, 2.5), (-np.inf, -0.5), (-3.0, np.nan), (-2.0, -np.inf)]
)
def test_infinities_and_nan_have_real_powers(a, b, backend):
    """As in Python, where these are no complex numbers."""

    def f(x, a, b):
        return x[0] * a**b

    x = np.array([2.0, 3.0])
    compiled = srcad.compile(f, backend=backend)
    np.testing.assert_equal(compiled(x, a, b), f(x, a, b))
    with pytest.raises(NotImplementedError):
        compiled(x, -3.0, 0.5)


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


def is_int(x, k):
    return x[0] * (2.0 if isinstance(2 ** (k - 3), int) else 3.0)


def class_of_a_product(x, k):
    return x[0] * (2.0 if type(3 * True**k + 1) is int else 3.0)


def class_of_a_call(x, k):
    return x[0] * (2.0 if isinstance(pow(2, k), int) else 3.0)


def dtype_of_an_array(x, k):
    return x[0] * (2.0 if np.array([2**k]).dtype.kind == "i" else 3.0)


def dtype_of_a_number(x, k):
    return x[0] * (2.0 if isinstance(np.asarray(2**k)[()], np.integer) else 3.0)


ASKING = [is_int, class_of_a_product, class_of_a_call, dtype_of_an_array, dtype_of_a_number]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fn", ASKING)
def test_powers_of_ints_are_floats_where_the_exponent_is_negative(fn, backend):
    x = np.array([2.0, 3.0])
    gradient = srcad.value_and_grad(fn, backend=backend)
    for k in (5, -2, 0, 4, -1):
        assert gradient(x, k)[0] == fn(x, k)


def test_the_class_of_a_power_that_data_decide_is_refused():
    def f(x):
        return x[0] * isinstance(2 ** int(x[1]), int)

    with pytest.raises(SrcadError, match="E123"):
        srcad.grad(f)(np.array([2.0, 3.0]))


def test_exponents_that_are_not_negative_are_known():
    def f(x, k):
        total = 0.0
        for i in range(len(x)):
            total += x[i] * isinstance(2**i + 2 ** abs(k) + 2 ** (int(x[0]) ** 2), int)
        return total

    x = np.array([2.0, 3.0])
    assert srcad.compile(f)(x, -2) == f(x, -2) == 5.0


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
