"""What raises though nothing reads it: in each mode it raises what Python and NumPy raise."""

import math

import numpy as np
import pytest

import srcad

X = np.array([0.5, 1.0, -1.0])


def helper(x, k):
    return x[k] * 2


def _entry(x, i, n):
    x[i]


def _bound_entry(x, i, n):
    y = x[i]


def _entries(x, i, n):
    x[[0, i]]


def _taken(x, i, n):
    np.take(x, i)


def _along_axis(x, i, n):
    np.take_along_axis(x, np.array([i, 0]), 0)


def _chosen(x, i, n):
    np.choose(np.array([i, 0]), [x[:2], x[1:]])


def _of_an_empty_slice(x, i, n):
    x[i:][0]


def _in_a_loop(x, i, n):
    [x[k] for k in range(i)]


def _in_a_call(x, i, n):
    helper(x, i)


def _stored(x, i, n):
    y = np.zeros(3)
    for k in range(i):
        y[k] = x[0]


def _quotient(x, i, n):
    1 / n


def _whole_quotient(x, i, n):
    7 // n


def _remainder(x, i, n):
    7.5 % n


def _both(x, i, n):
    divmod(1, n)


def _power(x, i, n):
    0.0 ** (n - 1)


def _powers_of_integers(x, i, n):
    np.ones(3, int) ** (np.arange(3) - 1)


def _shift(x, i, n):
    1 << (n - 1)


def _root(x, i, n):
    math.sqrt(n - 1)


def _logarithm(x, i, n):
    math.log(n)


def _integer(x, i, n):
    int(x[0] * np.nan)


def _text(x, i, n):
    int("a")


def _float_of_text(x, i, n):
    float("x")


def _rounded(x, i, n):
    round(math.nan * n)


def _inverse(x, i, n):
    np.linalg.inv(np.outer(x, x) * n)


def _cholesky(x, i, n):
    np.linalg.cholesky(np.outer(x, x) * n - np.eye(3))


def _solution(x, i, n):
    np.linalg.solve(np.outer(x, x) * n, x)


def _repeated(x, i, n):
    np.repeat(x, np.arange(3) - 1)


def _counts(x, i, n):
    np.bincount(np.arange(3) - 1)


def _steps(x, i, n):
    np.arange(0, 3, n)


def _no_steps(x, i, n):
    for _ in range(0, 3, n):
        pass


def _floating_point_error(x, i, n):
    with np.errstate(divide="raise"):
        x / n


def _magnitude_of_a_list(x, i, n):
    abs([1.0, 2.0])


def _magnitude_of_no_items(x, i, n):
    abs([])


def _power_of_a_list(x, i, n):
    pow([1.0], 2)


def _rounded_pair(x, i, n):
    round((x[0], 1.0), 1)


def _zeros_of_no_shape(x, i, n):
    np.zeros(None)


def _triangle_of_text(x, i, n):
    np.triu([[1.0, 2.0], [3.0, 4.0]], "s")


def _clipped_text(x, i, n):
    np.clip("s", 0, 1)


WANTED = (LookupError, ArithmeticError, ValueError, TypeError)  # `LinAlgError` among them
PROGRAMS = [f for name, f in globals().items() if name.startswith("_") and callable(f)]
PROGRAMS = [f for f in PROGRAMS if getattr(f, "__module__", "") == __name__]


def alone(program):
    """The function that runs a program for nothing."""

    def f(x, i, n):
        program(x, i, n)
        return np.sum(x * x)

    return f


MODES = {
    "compile": lambda f: srcad.compile(f)(X, 9, 0),
    "grad": lambda f: srcad.grad(f)(X, 9, 0),
    "jacfwd": lambda f: srcad.jacfwd(f)(X, 9, 0),
    "derivative": lambda f: srcad.derivative(lambda t, i, n: f(X * t, i, n))(1.0, 9, 0),
    "hessian": lambda f: srcad.hessian(f)(X, 9, 0),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_what_nothing_reads_raises(program, mode):
    f = alone(program)
    with np.errstate(all="ignore"):
        with pytest.raises(WANTED) as wanted:
            f(X, 9, 0)
        with pytest.raises(wanted.type):
            MODES[mode](f)


def added(x, c, i, n):
    return np.sum(x**2) + c[i] + 1 / n


@pytest.mark.parametrize(
    ("i", "n", "wanted"), [(0, 2, None), (3, 2, IndexError), (0, 0, ZeroDivisionError)]
)
def test_what_only_the_value_reads_raises(i, n, wanted):
    gradient = srcad.grad(added)
    if wanted is None:
        np.testing.assert_array_equal(gradient(X, X, i, n), 2 * X)
    else:
        with pytest.raises(wanted):
            gradient(X, X, i, n)


def squares(x, n):
    total = 0.0
    for i in range(n):
        total += x[i] ** 2
    return total


def neighbours(x):
    total = 0.0
    for i in range(1, x.shape[0] - 1):
        if i < x.shape[0] - 2:
            total += x[i - 1] * 2.0 + np.round(x[i + 2])
    return total


def two_constants(x, c):
    return np.sum(x) + c[0] + c[1]


def code(text):
    """The lines of a generated function that are no comments."""
    return [line.strip() for line in text.splitlines() if not line.strip().startswith("#")]


def test_gradients_do_not_look_twice():
    """What the derivative reads anyway, and what cannot lie beyond an end, is not looked up."""
    lines = code(srcad.grad(squares).source(X, 3))
    assert [line for line in lines if line.startswith("for ")] == ["for i in reversed(range(n)):"]
    assert not any("i + 2" in line for line in code(srcad.grad(neighbours).source(X)))
    lines = code(srcad.grad(two_constants).source(X, X))
    assert "c[1]" in lines
    assert "c[0]" not in lines


def handled(x, shape):
    try:
        r = np.zeros(shape)
    except TypeError:
        r = -1.0
    return x * np.sum(r)


@pytest.mark.parametrize("shape", ["s", None, 2])
def test_a_handler_gets_what_constants_raise(shape):
    assert srcad.compile(handled)(1.5, shape) == handled(1.5, shape)
    assert srcad.grad(handled)(1.5, shape) == handled(1.0, shape)


def _read_and_raise(x, i):
    x[i]
    if i > 5:
        raise ValueError("too far")
    x[i] = 1.0
    return x


def _read_and_print(x, i):
    x[i]
    print("read")
    x[i] = 1.0
    return x


def _read_in_a_branch(x, i):
    if i > 5:
        x[i]
    print("read")
    x[i] = 1.0
    return x


@pytest.mark.parametrize("f", [_read_and_raise, _read_and_print, _read_in_a_branch])
def test_a_read_raises_ahead_of_what_follows_it(f, capsys):
    with pytest.raises(IndexError):
        srcad.compile(f, backend="numpy")(np.ones(3), 7)
    assert capsys.readouterr().out == ""
