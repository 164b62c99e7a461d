"""What a function raises, its derivatives raise, whether or not they need what raises."""

import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad


def an_index(x, n):
    return 2.0 * x[n]


def an_index_of_a_product(x, n):
    return np.sum(x * x) * x[n]


def a_quotient(a, b):
    return a / b


def a_quotient_in_a_loop(a, b):
    total = 0.0
    for _ in range(3):
        total = total + a / b
    return total


def a_logarithm(a, b):
    return a * math.log(b)


def values_that_do_not_fit(x, v):
    y = x * 1.0
    y[1:] = v
    return np.sum(y)


def a_text(x, text):
    y = x * 1.0
    y[:1] = "q" if text else 0.0
    return np.sum(y)


def an_integer_of_an_array(x, n):
    return int(n) * 0.0 + x


def zeros_in_a_geometric_sequence(a, b):
    return np.sum(np.geomspace(a, b, 3))


def a_fit_of_what_a_mask_selects(x, least):
    chosen = x[x > least]
    return np.polyfit(chosen, chosen, 1)[0]


def a_choice_of_what_has_other_shapes(x, y):
    return np.sum(np.choose([0, 1], [x, y]))


def a_text_for_no_entry(x, first):
    y = x * 1.0
    if first < 9:
        y[first:] = 0.0
    else:
        y[first:] = "q"
    return np.sum(y)


def an_array_for_one_entry(x, v):
    y = x * 1.0
    y[0] = np.sum(v) if len(v) < 3 else v
    return np.sum(y)


def rows_of_other_lengths(x, v):
    return np.array([v, [1.0, 2.0]])[0, 0] + x


X = np.arange(1.0, 5.0)
RAISING = [
    (an_index, (X, 1), (X, 7), IndexError),
    (an_index_of_a_product, (X, 1), (X, 7), IndexError),
    (a_quotient, (1.0, 2.0), (1.0, 0.0), ZeroDivisionError),
    (a_quotient_in_a_loop, (1.0, 2.0), (1.0, 0.0), ZeroDivisionError),
    (a_logarithm, (1.0, 2.0), (1.0, -1.0), ValueError),
    (values_that_do_not_fit, (X, np.ones(3)), (X, np.ones(2)), ValueError),
    (a_text, (X, False), (X, True), ValueError),
    (an_integer_of_an_array, (1.0, 2), (1.0, np.array([1, 2])), TypeError),
    (zeros_in_a_geometric_sequence, (1.0, 2.0), (1.0, 0.0), ValueError),
    (a_choice_of_what_has_other_shapes, (2.0, np.ones(2)), (2.0, np.ones(3)), ValueError),
    (a_text_for_no_entry, (X, 2), (X, 9), ValueError),
    (an_array_for_one_entry, (X, np.ones(2)), (X, np.ones(4)), ValueError),
    (rows_of_other_lengths, (1.0, np.ones(2)), (1.0, np.ones(3)), ValueError),
    (a_fit_of_what_a_mask_selects, (X, 0.0), (X, 9.0), TypeError),
]


def along(f, **options):
    """The product of the Hessian with ones, as a function of the arguments."""
    product = srcad.hvp(f, **options)
    return lambda x, *rest: product(x, np.ones_like(x) if np.ndim(x) else 1.0, *rest)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "transform", [srcad.grad, srcad.jacfwd, srcad.jacrev, srcad.hessian, along]
)
@pytest.mark.parametrize(
    ("f", "right", "wrong", "problem"), RAISING, ids=[f.__name__ for f, *_ in RAISING]
)
def test_raises(f, right, wrong, problem, transform, backend):
    derived = transform(f, backend=backend)
    derived(*right)
    with pytest.raises(problem):
        f(*wrong)
    with pytest.raises(problem):
        derived(*wrong)


@pytest.mark.parametrize("argnums", [(0,), (0, 1), (0, 2)])
@pytest.mark.parametrize("transform", [srcad.jacfwd, srcad.jacrev, srcad.hessian])
def test_a_quotient_raises_in_all_directions_at_once(transform, argnums):
    def f(a, b, c):
        return a / b + c

    with pytest.raises(ZeroDivisionError):
        transform(f, argnums)(1.0, 0.0, 2.0)


OPTIONS = [
    lambda x: x.sum([0, 1]),
    lambda x: np.mean(x, axis=[0])[0],
    lambda x: np.sum(x, keepdims="no")[0, 0],
    lambda x: np.sum(x.round(1.0)),
    lambda x: np.sum(np.round(x, "1")),
    lambda x: round(x[0, 0], (1,)),
    lambda x: np.sum(np.sort(x, kind="bogosort")),
    lambda x: (x * 1.0).sort(-1, 1) or 0.0 * x[0, 0],
    lambda x: (x * 1.0).sort(axis=(0,)) or 0.0 * x[0, 0],
    lambda x: x[0, 0] * np.sum(np.ones(x[0, 0] == 0)),
]


@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad, srcad.jacfwd])
@pytest.mark.parametrize("f", OPTIONS)
def test_an_option_of_another_kind_raises(f, transform):
    x = np.arange(4.0).reshape(2, 2)
    with pytest.raises((TypeError, ValueError)) as wanted:
        f(x)
    with pytest.raises(wanted.type):
        transform(f)(x)


@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad, srcad.jacfwd])
@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum])
def test_a_number_is_not_accumulated(ufunc, transform):
    with pytest.raises(TypeError):
        transform(lambda x: ufunc.accumulate(x))(2.0)


def test_text_is_not_converted_to_compute_its_spread():
    for x in ("1", np.array(["1", "2"])):
        with pytest.raises((TypeError, srcad.SrcadError)):
            srcad.compile(lambda x: np.std(x, dtype="f4"))(x)


ARGUMENTS = [
    lambda x: np.sum(np.astype(x, "f4")),
    lambda x: np.sum(np.pad(x, -1)),
    lambda x: np.sum(np.pad(x, ((-1, 2),), mode="edge")),
    lambda x: np.sum(np.take(x, None)),
    lambda x: np.sum(np.exp(x).take(None)),
]


@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad, srcad.jacfwd])
@pytest.mark.parametrize("f", ARGUMENTS)
def test_an_argument_of_another_kind_raises(f, transform):
    with pytest.raises((AttributeError, TypeError, ValueError)) as wanted:
        f(2.0)
    with pytest.raises(wanted.type):
        transform(f)(2.0)
