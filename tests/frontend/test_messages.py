"""Messages of exceptions on paths that data decides may hold what cannot be read."""

import io

import numpy as np
import pytest

import srcad

X = np.array([0.3, 0.9])


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def holds(self, x):
        return self.low <= x <= self.high

    def __str__(self):
        return f"in [{self.low}, {self.high}]"


class OutsideError(ValueError):
    pass


class CodedError(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


BOUNDS = [Interval(0.0, 1.0), Interval(2.0, 3.0)]


def checked(x):
    for each in BOUNDS:
        if each.holds(x[0]):
            break
    else:
        text = " or ".join([str(each) for each in BOUNDS])
        raise OutsideError(f"must be {text}")
    return np.sum(x**2)


def handled(x):
    try:
        return checked(x)
    except OutsideError:
        return np.sum(x)


def test_the_path_without_an_exception_is_differentiated():
    np.testing.assert_array_equal(srcad.grad(checked)(X), 2 * X)


def test_the_exception_is_of_its_class():
    with pytest.raises(OutsideError, match="must be"):
        srcad.grad(checked)(X + 10.0)


def test_it_is_handled():
    np.testing.assert_array_equal(srcad.grad(handled)(X + 10.0), np.ones(2))


def test_what_always_raises_stays_refused():
    def f(x):
        raise OutsideError(io.StringIO(f"{BOUNDS[0]}").read())

    with pytest.raises(srcad.SrcadError):
        srcad.grad(f)(X)


def test_a_class_that_takes_more_stays_refused():
    def f(x):
        if x[0] > 1.0:
            raise CodedError(3, f"{BOUNDS[0]}")
        return np.sum(x)

    with pytest.raises(srcad.SrcadError, match="E120"):
        srcad.grad(f)(X)


def test_a_name_that_was_left_out_is_not_read():
    def f(x):
        text = 1.0
        try:
            if x[0] > 1.0:
                text = f"{BOUNDS[0]}"
                raise OutsideError(text)
        except OutsideError:
            return x[0] * text
        return np.sum(x)

    with pytest.raises(srcad.SrcadError):
        srcad.grad(f)(X)


def returned_instead(x):
    try:
        if isinstance(len(x), int):
            return np.random.MT19937(0)
        raise ValueError(f"no state for {x!r}")
    except KeyError:
        return None


def another_raised(x):
    if x[0] > 0:
        if np.random.MT19937(0) is None:
            raise TypeError("none")
        raise ValueError("some")
    return np.sum(x)


def printed(x):
    if x[0] > 0:
        print("about to fail")
        raise ValueError(f"{np.random.MT19937(0)}")
    return np.sum(x)


@pytest.mark.parametrize("f", [returned_instead, another_raised, printed])
def test_a_path_that_does_more_stays_refused(f):
    with pytest.raises(srcad.errors.UnsupportedSyntax, match="MT19937"):
        srcad.compile(f)(X)
