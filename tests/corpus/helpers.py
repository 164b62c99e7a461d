"""Calls of other functions: arguments of every kind, recursion, helpers that return containers."""

import functools
import math
import warnings

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("helpers")


def square(x):
    return x * x


def affine(x, scale=2.0, *, shift=1.0):
    return x * scale + shift


def total(*args, **kwargs):
    s = 0.0
    for a in args:
        s = s + a
    for k in kwargs:
        s = s + kwargs[k] * len(k)
    return s


def divide(a, b):
    return a / b, a - a // b


def append_to(xs, x):
    xs.append(x)
    return xs


def nothing(x):
    x * 2


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def positional_only(a, b, /, c, *, d):
    return a + 2 * b + 3 * c + 4 * d


def twice(f, x):
    return f(f(x))


def doubled(fn):
    @functools.wraps(fn)
    def wrapper(x):
        return 2 * fn(x)

    return wrapper


@doubled
def decorated(x):
    return x * x


@functools.lru_cache
def cached_constant(n):
    return n * 2.5


@functools.cache
def cached_scale():
    return 3.0


@program(number)
def calls_helper(x):
    return square(x) + square(x + 1) * square(2.0)


@program(number, number)
def argument_kinds(x, y):
    return (
        affine(x)
        + affine(x, y)
        + affine(x, scale=3.0)
        + affine(shift=y, x=x)
        + positional_only(x, y, c=x, d=2.0)
    )


@program(number, number)
def star_arguments(x, y):
    args = (x, y)
    more = {"a": x, "bb": y}
    return total(*args) + total(*args, 1.0, **more) + total(*[x], **{"c": y}) + total()


@program(7.5, 2.0, again=[(-7.5, 2.0)])
def several_results(x, y):
    q, r = divide(x, y)
    return q * r


@program(number)
def helper_changes_list(x):
    xs = [x]
    ys = append_to(xs, 2.0)
    append_to(ys, x * x)
    return xs[2] + len(xs) + ys[0]


@program(number)
def helper_without_result(x):
    y = nothing(x)
    return x if y is None else x * 2


@program(number)
def recursion_on_constant(x):
    return power(x, 5) + fact(4)


@program(0.7, 5, again=[(1.7, 5)])
def recursion_on_argument(x, n):
    return power(x, n)


@program(number)
def mutual_recursion(x):
    return x * 2 if is_even(6) else x * 3


@program(number)
def higher_order(x):
    return twice(square, x) + twice(lambda v: v + x, x) + twice(math.sin, x)


@program(number)
def decorated_helper(x):
    return decorated(x) + 1


@program(number)
def cached_helper(x):
    return x * cached_constant(2) + cached_scale() * x


@program(vector, again=[(array(7),)])
def helper_in_loop(x):
    s = 0.0
    for v in x:
        s = affine(s, v, shift=square(v))
    return s


@program(1.5, again=[(-1.5,)])
def helper_with_branch(x):
    return clamp(x) * clamp(-x) + clamp(x)


def clamp(x):
    if x < 0:
        return x * 0.1
    return x * x


@program(array(3, 2), array(2))
def helper_on_arrays(w, x):
    return np.sum(softmax(w @ x) * softmax(x).max())


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


@program(number)
def map_and_filter(x):
    ys = list(map(square, [x, 2.0]))
    zs = [k for k in filter(is_even, (1, 2, 3, 4))]
    return ys[0] * ys[1] + len(zs)


@program(number)
def reduced(x):
    return functools.reduce(lambda a, b: a * b + 1, [x, 2.0, x])


@program(0.5, 3, again=[(-0.5, 3)])
def recursion_under_value_condition(x, n):
    return walk(x, n)


def walk(x, n):
    if n == 0:
        return x
    if x > 0:
        return walk(x * 2, n - 1)
    return walk(x * x, n - 1)


@program(1.5, again=[(-1.5,)])
def returns_in_branches(x):
    def f(v):
        if v > 0:
            return v, [v]
        return 2 * v, [1.0]

    a, (b,) = f(x)
    return a * b


LAYERS = [np.sin, np.cos, np.tanh]


def attend(q, /, *, mask=None, scale=1.0):
    return q * scale if mask is None else q * mask


@program(vector)
def options_by_keyword(x):
    def inner(a, *, shift=None, k=2.0):
        return a * k if shift is None else a * k + shift

    return np.sum(attend(x) * attend(inner(x), mask=x) + inner(attend(x, scale=3.0), shift=x))


@program(array(3), again=[(array(5),)])
def layers_by_number(x):
    y = x
    for i in np.arange(3):
        y = LAYERS[i](y * x[i])
    return np.sum(y)


@program(np.array([0.3, 0.9, 1.4]), again=[(np.array([0.3, 0.9]),)])
def validated(x):
    def check_array(a, dtype=float, order=None, copy=False, ndmin=0):
        if not hasattr(a, "shape"):
            raise TypeError("no array")
        a = np.array(a, dtype=dtype, order=order or "K", copy=True, ndmin=ndmin)
        if a.ndim not in (1, 2):
            raise ValueError(f"{a.ndim} axes")
        return np.asarray(a, order=order)

    rows = check_array(x, ndmin=2, order="C")
    return np.sum(np.tanh(rows) @ np.ones((x.shape[0], 2)))


@program(np.array([[0.3, 0.9], [1.4, 0.1]]))
def in_columns(x):
    out = np.zeros(x.shape, float, "F")
    out[:, 0] = x[:, 1] ** 2
    out += np.asfortranarray(x, dtype=float)
    return np.sum(np.ascontiguousarray(out.T, dtype=float) * x)


@program(np.array([0.3, 0.9, 1.4]), again=[(np.array([0.3, 0.9, 0.1]),)])
def checked_and_warned(x):
    eps = {np.float64: 1e-12, np.float32: 1e-5}[x.dtype.type]
    if not np.issubdtype(x.dtype.type, np.floating):
        raise TypeError("expected floats, got %s" % type(x))
    if np.any(np.iscomplex(x)):
        raise TypeError("complex {name}".format(name=type(x).__name__))
    if x[0] > 1e9:
        warnings.warn(f"{x[0]} is large", RuntimeWarning, stacklevel=2)
    return np.sum(np.log(x + eps)) * x.dtype.type(0.5)
