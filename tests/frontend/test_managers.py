"""Context managers of the user's: entered and left as in Python, by each way out of the block."""

import contextlib
from contextlib import contextmanager

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([0.3, 0.9, 1.4])


class Log:
    """Notes when it is entered and left."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("in", self.name)
        return self

    def __exit__(self, kind, problem, trace):
        print("out", self.name, kind is None)


class Choosy:
    """Swallows some exceptions."""

    def __init__(self, *classes):
        self.classes = classes

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        return kind is not None and issubclass(kind, self.classes)


class Told(Choosy):
    """Remembers what it was told."""

    def __exit__(self, kind, problem, trace):
        self.text = str(problem)
        return super().__exit__(kind, problem, trace)


class Partly:
    """Answers on some paths."""

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        if kind is None:
            return
        if issubclass(kind, KeyError):
            return True


class Failing:
    def __enter__(self):
        return self

    def __exit__(self, *about):
        raise KeyError("exit")


class Refusing:
    def __enter__(self):
        raise KeyError("enter")

    def __exit__(self, *about):
        return True


@contextmanager
def translating():
    try:
        yield
    except ZeroDivisionError:
        raise ValueError("no number") from None


@contextmanager
def announced(name):
    print("begin", name)
    yield name
    print("end", name)


@contextmanager
def silent(x):
    with translating(), np.errstate(divide="ignore"):
        yield x * 2


class Solver:
    """Has a manager as a method."""

    def __init__(self):
        self.scale = 1.0

    @contextmanager
    def using(self, scale):
        old, self.scale = self.scale, scale
        yield self
        self.scale = old

    def value(self, x):
        return np.sum(self.scale * x)


class Thing:
    def __init__(self, x):
        self.x = x
        self.closed = False

    def close(self):
        self.closed = True


def order(x):
    with Log("a") as a, Log("b") as b, announced("c") as c:
        print(a.name + b.name + c)
        return np.sum(x)


def order_by_error(x):
    with Log("a"), announced("c"), Log("b"):
        print("body")
        if x[0] < 1:
            raise ValueError("small")
    return np.sum(x)


def error_goes_on(x):
    with Choosy(KeyError) as c:
        if x[0] < 1:
            raise TypeError("t")
    return np.sum(x) * len(c.classes)


def error_is_told(x):
    with Told(TypeError) as c:
        raise TypeError("four")
    return np.sum(x) * len(c.text)


def answered_on_a_path(x):
    y = 1.0
    with Partly():
        if x[0] < 1:
            raise KeyError("small")
        y = 2.0
    return np.sum(x) * y


def not_answered(x):
    y = 1.0
    with Partly():
        if x[0] < 1:
            raise TypeError("small")
        y = 2.0
    return np.sum(x) * y


def error_of_the_exit(x):
    with Failing():
        raise ValueError("body")


def error_of_the_exit_after_return(x):
    with Failing():
        return np.sum(x)


def error_of_the_exit_is_caught(x):
    try:
        with Failing():
            y = np.sum(x)
    except KeyError:
        return np.sum(x) * 2
    return y


def error_of_the_entry(x):
    with Refusing():
        pass
    return np.sum(x)


def error_of_the_second_entry(x):
    with Choosy(KeyError), Refusing():
        pass
    return np.sum(x) * 3


def translated(x):
    with translating():
        y = 1.0 / (float(x[0]) - 0.3)
    return np.sum(x) * y


def not_translated(x):
    with silent(x) as y:
        z = 1.0 / (float(x[0]) + 0.3)
    return np.sum(y) * z


def of_a_method(x):
    solver = Solver()
    with solver.using(x[0]) as inner:
        y = inner.value(x)
    return y + solver.value(x)


def of_an_argument(x, solver):
    with solver.using(x[1]):
        y = solver.value(x)
    return y + solver.value(x)


def closing(x):
    thing = Thing(x)
    with contextlib.closing(thing) as same:
        y = np.sum(same.x)
    return y * 2 if thing.closed else y


def defined_inside(x):
    @contextmanager
    def doubled(y):
        yield y * 2

    with doubled(x) as y:
        return np.sum(y)


def caught_outside(x):
    solver = Solver()
    try:
        with solver.using(3.0):
            if x[0] < 1:
                raise ValueError("small")
    except ValueError:
        pass
    return np.sum(x) * solver.scale


PLAIN = [
    order, order_by_error, error_goes_on, error_is_told, error_of_the_exit,
    error_of_the_exit_after_return, error_of_the_exit_is_caught, error_of_the_entry,
    error_of_the_second_entry, translated, not_translated, of_a_method, closing, defined_inside,
    caught_outside, answered_on_a_path, not_answered,
]  # fmt: skip


def outcome(fn, *args):
    try:
        return fn(*args)
    except Exception as problem:
        return type(problem), str(problem)


@pytest.mark.parametrize("fn", PLAIN)
def test_as_python_does(fn, capsys):
    expected, printed = outcome(fn, X), capsys.readouterr().out
    assert outcome(srcad.compile(fn), X) == expected
    assert capsys.readouterr().out == printed
    found = outcome(srcad.value_and_grad(fn), X)
    assert found[0] == (expected[0] if isinstance(expected, tuple) else expected)


def test_an_object_of_the_caller():
    solver = Solver()
    value, gradient = srcad.value_and_grad(of_an_argument)(X, solver)
    assert value == of_an_argument(X, Solver())
    np.testing.assert_allclose(gradient, X[1] + 1 + np.array([0, np.sum(X), 0]))
    assert solver.scale == 1.0


@contextmanager
def twice(x):
    yield x
    yield x


@contextmanager
def at_times(x):
    if x[0] > 0:
        return
    yield x


@contextmanager
def in_a_branch(x):
    if x[0] > 0:
        yield x


class Halfway:
    def __enter__(self):
        return self


@pytest.mark.parametrize("manager", [twice, at_times, in_a_branch, lambda x: Halfway()])
def test_managers_that_are_refused(manager):
    def f(x):
        with manager(x) as y:
            return np.sum(y)

    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(X)
    assert caught.value.code == "E104"
