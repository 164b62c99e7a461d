"""Python's `statistics`: what it computes with fractions has rules, the rest is followed."""

import statistics as st
import sys

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = 1.3


def numbers(x):
    return [x, 2 * x, 3 * x * x]


FUNCTIONS = {
    "mean": lambda x: st.mean(numbers(x)),
    "variance": lambda x: st.variance(numbers(x)),
    "pvariance": lambda x: st.pvariance(data=numbers(x)),
    "stdev": lambda x: st.stdev(numbers(x)),
    "pstdev": lambda x: st.pstdev(numbers(x)),
    "mean of an array": lambda x: st.mean(np.array(numbers(x))),
    "stdev of an array": lambda x: st.stdev(np.array(numbers(x))),
    "variance of NumPy's numbers": lambda x: st.variance([np.exp(x), np.sin(x)]),
    "mean with ints": lambda x: st.mean((x, 1, 2.5)),
    "mean of a generator": lambda x: st.mean(v * v for v in numbers(x)),
    "mean of constants": lambda x: st.mean([1, 2, 4]) * x,
    "fmean": lambda x: st.fmean(numbers(x)),
    "geometric_mean": lambda x: st.geometric_mean(numbers(x)),
    "median": lambda x: st.median(numbers(x)),
    "median_low": lambda x: st.median_low(numbers(x)),
    "quantiles": lambda x: st.quantiles(numbers(x))[1],
    "covariance": lambda x: st.covariance(numbers(x), [1.0, 2.0, 5.0]),
    "correlation": lambda x: st.correlation(numbers(x), [1.0, 2.0, 5.0]),
    "linear_regression": lambda x: st.linear_regression([1.0, 2.0, 5.0], numbers(x)).slope,
    "NormalDist": lambda x: st.NormalDist(x, 2.0).pdf(0.3) + st.NormalDist(0.5, x).cdf(0.3),
}


# From Python 3.12 on their source uses `sumprod` or a generator that data steers: refused.
FOLLOWED = ("geometric_mean", "covariance", "correlation", "linear_regression")
if sys.version_info >= (3, 12):
    FUNCTIONS = {name: f for name, f in FUNCTIONS.items() if name not in FOLLOWED}


@pytest.mark.parametrize("f", FUNCTIONS.values(), ids=FUNCTIONS)
def test_values_are_pythons_and_derivatives_those_of_differences(f):
    wanted = f(X)
    value, x_bar = srcad.value_and_grad(f)(X)
    for found in (value, srcad.compile(f)(X)):
        assert found == wanted
        assert type(found) is type(wanted)
    step = 1e-5
    slope = (f(X + step) - f(X - step)) / (2 * step)
    bend = (f(X + 30 * step) - 2 * wanted + f(X - 30 * step)) / (30 * step) ** 2
    assert x_bar == pytest.approx(slope, rel=1e-6)
    assert srcad.jvp(f, (X,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)
    assert srcad.hessian(f)(X) == pytest.approx(bend, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("f", [lambda x: st.stdev([x]), lambda x: st.mean([]) * x])
def test_too_few_numbers_raise(f):
    with pytest.raises(st.StatisticsError):
        srcad.grad(f)(X)


def of_single_precision(x):
    return st.mean(np.array(numbers(x), np.float32)) * x


def of_ints(x, k):
    return st.mean([k, k + 1]) * x


def about_a_mean(x):
    return st.variance(numbers(x), x)


@pytest.mark.parametrize(
    ("f", "args"), [(of_single_precision, ()), (of_ints, (3,)), (about_a_mean, ())]
)
def test_the_rest_is_refused_or_right(f, args):
    try:
        found = srcad.compile(f)(X, *args)
    except SrcadError:
        return
    assert found == f(X, *args)


def test_an_iterator_is_no_list_and_has_no_length():
    def f(x):
        squares = map(abs, numbers(x))
        try:
            n = len(squares)
        except TypeError:
            n = 3
        return sum(squares) / n if iter(squares) is squares else 0.0

    assert srcad.value_and_grad(f)(X)[0] == f(X)
