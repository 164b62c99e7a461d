"""`with`: managers that leave values alone."""

import contextlib
import math
import warnings

import numpy as np
from corpus.program import Theme, vector

import srcad

program = Theme("contexts")

POSITIVE = np.array([0.5, 1.0, 2.0])


@program(POSITIVE)
def errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = x / np.sqrt(x)
        z = y * x
    return np.sum(z * x)


@program(POSITIVE)
def errstate_raises(x):
    with np.errstate(all="raise"):
        y = np.log(x)
    return np.sum(y * x)


@program(POSITIVE)
def returns_inside(x):
    with np.errstate(all="ignore"):
        return np.sum(np.exp(x) / x)


@program(POSITIVE)
def two_managers(x):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.sum(x * x * x)
    return y


@program(POSITIVE)
def nested(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = x * x
        with np.errstate(divide="ignore"):
            z = np.log(x)
        y = y + z
    return np.sum(y * z)


@program(1.5)
def null_context(x):
    with contextlib.nullcontext(x * 2.0) as y:
        z = y * x
    return z * x


@program(1.5, again=[(-0.5,)])
def suppressed(x):
    y = x
    with contextlib.suppress(ValueError, IndexError):
        y = math.log(x)
    return y * x * x


@program(POSITIVE)
def printing(x):
    with np.printoptions(precision=2):
        print(x)
        y = np.sum(x * x)
    return y * y


@program(POSITIVE)
def in_a_loop(x):
    total = 0.0
    for v in x:
        with np.errstate(divide="ignore"):
            total = total * 0.5 + np.log(v)
    return total


@program(POSITIVE)
def around_a_loop(x):
    total = 0.0
    with np.errstate(divide="ignore"):
        for i in range(x.shape[0]):
            total = total + np.log(x[i]) * total
            total = total + x[i]
    return total


@program(1.5, again=[(-0.5,)])
def around_a_branch(x):
    with np.errstate(invalid="ignore"):
        if x > 0:
            y = np.log(x)
        else:
            y = x * x
    return y * x


@program(1.5, again=[(-0.5,)])
def in_a_branch(x):
    if x > 0:
        with np.errstate(invalid="ignore"):
            y = np.sqrt(x)
    else:
        y = x * x
    return y * x


@contextlib.contextmanager
def announced(name):
    print("begin", name)
    try:
        yield
    finally:
        print("end", name)


class Quiet:
    """A manager that does nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *about):
        return None


srcad.rules.nondiff(announced)
srcad.rules.nondiff(Quiet)


@program(POSITIVE)
def managers_of_the_user(x):
    with announced("square"), Quiet():
        y = x * x
    return np.sum(y * np.sin(y))


@program(vector)
def bound_inside(x):
    with np.errstate(all="ignore"):
        pair = (np.sin(x), np.cos(x))
        table = {"a": pair[0] * 2.0, "b": [pair[1]]}
    return np.sum(table["a"] * table["b"][0] + pair[0])


@program(np.array([0.5, 1.0, 2.0]))
def written_inside(x):
    y = np.zeros(3)
    with np.errstate(all="ignore"):
        y[1:] = x[1:] * x[:2]
        y[0] += x[2]
    return np.sum(y * y * x)


@program(1.2, 5, again=[(1.2, 2), (1.2, 0)])
def returns_from_a_loop_inside(x, n):
    with np.errstate(all="ignore"):
        s = 0.5
        for i in range(n):
            if i * x > 2:
                return 0.3 * x * s
            s = np.sin(s + x)
    return x * x * s


class Scaled:
    """A manager whose entry gives a value that depends on its argument."""

    def __init__(self, x, k):
        self.x = x
        self.k = k

    def __enter__(self):
        self.x = self.x * self.k
        return self.x

    def __exit__(self, kind, problem, trace):
        self.x = self.x / self.k


@program(vector, 0.7)
def enters_with_a_value(x, k):
    scaled = Scaled(x, k)
    with scaled as y:
        z = np.sum(np.sin(y) * scaled.x)
    return z + np.sum(scaled.x**2)


@contextlib.contextmanager
def setting(table, key, value):
    old = table[key]
    table[key] = value
    try:
        yield table
    finally:
        table[key] = old


@program(POSITIVE, again=[(POSITIVE[::-1].copy(),)])
def restored_on_each_way_out(x):
    table = {"k": 1.0}
    total = 0.0
    for i in range(3):
        with setting(table, "k", x[i]) as inner:
            if x[i] > 1.5:
                break
            total = total + inner["k"] ** 2 * x[0]
        total = total * table["k"] + x[2]
    return total * table["k"]


@program(POSITIVE)
def returned_from_two(x):
    table = {"k": 1.0}
    with Scaled(x, x[0]) as y, setting(table, "k", x[1]):
        return np.sum(y * y) * table["k"]


class Tolerant:
    """A manager that swallows what it is made for."""

    def __init__(self, *classes):
        self.classes = classes

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        return kind is not None and issubclass(kind, self.classes)


@program(1.5, again=[(-0.5,)])
def swallowed_by_a_class(x):
    y = x
    with Tolerant(ValueError, IndexError):
        y = math.log(x)
    return y * x * x


@contextlib.contextmanager
def tolerant(default):
    try:
        yield default
    except ValueError:
        pass


@program(1.5, again=[(-0.5,)])
def swallowed_by_a_generator(x):
    with tolerant(2.0) as k:
        if x < 0:
            raise ValueError("negative")
        return x * x * k
    return np.sin(x)


@program(POSITIVE)
def swallowed_in_a_loop(x):
    total = 1.0
    for v in x:
        with tolerant(0.5) as k:
            if v < 0.7:
                raise ValueError("too small")
            total = total * v + k
    return total * x[0]


class Pair:
    def __init__(self, first, second):
        self.first = first
        self.second = second

    def __iter__(self):
        yield self.first
        yield self.second


def made_inside(x):
    with np.errstate(all="ignore"):
        return Pair(np.log(x), [x / x.sum(), 2.0])


@program(POSITIVE)
def object_returned_inside(x):
    pair = made_inside(x)
    return np.sum(pair.first * pair.second[0] ** 2) * pair.second[1]


@program(POSITIVE)
def objects_counted_and_zipped(x):
    pair, total = made_inside(x), 0.0
    for i, part in enumerate(Pair(x, x * x)):
        total += (i + 1.0) * np.sum(part)
    for a, b in zip(Pair(pair.first, x), Pair(x, pair.first), strict=False):
        total += np.sum(a * b)
    return total
