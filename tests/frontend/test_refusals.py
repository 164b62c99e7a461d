"""What cannot be lowered is refused: with its code, at its line, never as another exception."""

import functools
import inspect
from collections import OrderedDict, namedtuple
from types import SimpleNamespace

import numpy as np
import pytest

from srcad.errors import SrcadError
from srcad.pipeline.request import Request
from srcad.pipeline.stages import lower_with_statics

CASES = []
A = np.arange(3.0)


def refuse(code, *args):
    """A function that is refused: at the line marked by a comment, if there is one."""

    def add(fn):
        CASES.append(pytest.param(fn, args, code, id=f"{code}-{fn.__name__}"))
        return fn

    return add


@pytest.mark.parametrize(("fn", "args", "code"), CASES)
def test_refused(fn, args, code):
    with pytest.raises(SrcadError) as caught:
        lower_with_statics(Request("primal", fn), args, frozenset())
    found = caught.value
    assert found.code == code, str(found)
    assert found.location is not None
    marked = [i for i, text in enumerate(_lines(fn)) if "# here" in text]
    if marked:
        assert found.location.line == fn.__code__.co_firstlineno + marked[0]


def _lines(fn):
    return inspect.getsource(fn).splitlines()


# Identities of containers --------------------------------------------------------------------


@refuse("E118", 1.5)
def one_of_two_lists(x):
    a, b = [x], [2 * x]
    c = a if x > 0 else b
    c[0] = 10.0  # here
    return a[0], b[0]


@refuse("E118", 1.5)
def half_aliased(x):
    e = [0.0]
    if x > 0:
        d = [x]
        e = d
    else:
        d = [x * 2]
    d[0] = d[0] + 1  # here
    return e[0]


@refuse("E118", 1.5, 3)
def old_list_still_known(x, n):
    a = [x]
    b = a
    for _ in range(n):
        a = [a[0] * 2]
    a[0] = a[0] + 1  # here
    return a[0] + 10 * b[0]


@refuse("E118", 1.5)
def old_list_seen_in_the_first_turn(x):
    a = [x]
    b = a
    while a[0] < 100.0:
        a[0] = a[0] * 3  # here
        a = [a[0] * 2]
    return b[0]


@refuse("E119", 1.5)
def grown_in_one_branch(x):
    ys = [x]
    if x > 0:  # here
        ys.append(None)
    return sum(ys)


class Keeper:
    def __init__(self):
        self.seen = []

    def first(self, x):
        for k in range(4):  # here
            self.seen.append([x * k] * k)
            if x * k > 1.5:
                return k
        return -1


@refuse("E119", 0.6)
def list_that_outlives_the_function(x):
    keeper = Keeper()
    return x * keeper.first(x) + len(keeper.seen)


@refuse("E119", 1.5)
def keys_change(x):
    d = {"a": x}
    for k in d:
        d[k + "b"] = x
    return d["a"]


@refuse("E128", 1.5, 2.0)
def identity_of_arguments(a, b):
    return 1.0 if a is b else a  # here


# Arrays changed in place ---------------------------------------------------------------------


@refuse("E117", A, 2)
def part_of_an_iteration(x, n):
    m = x * 1.0
    part = m[:1]
    for k in range(n):
        part = m[k::2][:1]
    part[0] = 2.0
    return m  # here


@refuse("E132", A)
def integer_array_made_float(x):
    y = np.arange(3)
    y += x  # here
    return y


@refuse("E401", A, np.ones((2, 3)))
def outgrown(x, m):
    y = x * 1
    y += m  # here
    return y


@refuse("E204", A)
def resized(x):
    y = x * 1
    y.resize(2)  # here
    return y


@refuse("E137", A)
def broadcast_view_written(x):
    y = np.broadcast_to(x, (2, 3))
    y[0, 0] = 1.0  # here
    return y


@refuse("E136", A, A)
def one_array_twice(x, y):
    x[0] = 1.0  # here
    return x * y


# Iterators -----------------------------------------------------------------------------------


@refuse("E127", 1.5)
def taken_from_in_a_branch(x):
    z = iter([x, 2.0])
    s = next(z) if x > 1 else 0.0  # here
    return s + next(z)


@refuse("E127", 1.5)
def set_iterated(x):
    s = x
    for k in frozen:  # here
        s = s * k
    return s


frozen = frozenset({1.0, 2.0})


# Functions -----------------------------------------------------------------------------------


@refuse("E129", 1.5)
def closure_over_branch(x):
    def make(k):
        return lambda v: v * k

    if x > 0:
        f = make(x * 2)
    y = x + 1
    return f(y)  # here


@refuse("E306", 1.5)
def returns_function(x):
    return lambda v: v * x


@refuse("E306", 1.5)
def returns_generator(x):
    return (v for v in [x])


@refuse("E120", 1.5)
def calls_number(x):
    return x(2)  # here


@refuse("E131", 1.5)
def builtin_with_wrong_arguments(x):
    return len(x, x)  # here


@refuse("E131", 1.5)
def two_values_for_one_name(x):
    return helper(x, **{"k": 1.0}, k=2.0) if False else helper(x, 1.0, k=2.0)  # here


def helper(x, k):
    return x * k


# Objects -------------------------------------------------------------------------------------


class Counter:
    n = 0

    def __call__(self, x):
        self.n += 1
        return x


counter = Counter()


def remembers(x, seen=[]):
    seen.append(x)
    return sum(seen)


Pair = namedtuple("Pair", "a b")


@refuse("E133", 1.5)
def stateful(x):
    return counter(x)


@refuse("E118", 1.5)
def namedtuple_changed(x):
    p = Pair(x, 2.0)
    p.a = 3.0  # here
    return p.a


@refuse("E135", 1.5)
def field_that_is_not_there(x):
    return Pair(x, 2.0)._replace(c=1.0)  # here


@refuse("E121", 1.5, SimpleNamespace(a=1.0))
def attribute_that_is_not_there(x, model):
    return model.b * x  # here


@refuse("E133", 1.5)
def default_changed(x):
    return remembers(x)


@refuse("E306", 1.5)
def other_containers(x):
    return OrderedDict(a=x)


@refuse("E121", A, np.random.default_rng(0))
def random_generator(x, rng):
    rng.shuffle(x)  # here
    return x


@refuse("E121", A, np.random.RandomState(0))
def old_random_generator(x, rng):
    rng.shuffle(x)  # here
    return x


@refuse("E120", A)
def random_module(x):
    return x + np.random.dirichlet(np.ones(3))  # here


# Control flow --------------------------------------------------------------------------------


@refuse("E113", 1.5)
def left_after_many_turns(x):
    s = 0.0
    for w in [x * 0.5] * 50:  # here
        s += x * w
        if s > 2:
            break
    return s


@refuse("E113", 1.5, 9, 2)
def left_counting_down(x, n, step):
    s = 0.0
    for i in reversed(range(0, n, step)):  # here
        if s > 2:
            break
        s += x * i
    return s


@refuse("E129", A)
def returned_of_different_length(x):
    for i, v in enumerate(x):
        if v > 1:  # here
            return [v] * 2
        if i > 2:
            return [v] * 3
    return [v]


@refuse("E130", 1.5)
def deleted(x):
    y = x
    del y
    return y  # here  # noqa: F821


@refuse("E130", 1.5, 3)
def deleted_in_turn(x, n):
    y = x
    for _ in range(n):
        del y  # here
    return y  # noqa: F821


@refuse("E123", 1.5, 3.0)
def type_of_widened(x, limit):
    y = 0
    while y < limit:
        y = y + x
    return x if isinstance(y, int) else 2 * x  # here


@refuse("E124", 1.5)
def unknown_name(x):
    return [missing * v for v in (x, 1.0)][0]  # here  # noqa: F821


@refuse("E134", 1.5)
def star_of_number(x):
    a, *b = x  # here
    return a


@refuse("E106", 1.5)
def import_inside(x):
    import no_such_module  # here

    return x * no_such_module.scale


@refuse("E120", 1.5)
def accumulate(x):
    return list(__import__("itertools").accumulate([x, 2.0]))


@refuse("E120", 1.5)
def reduce_of_strings(x):
    return functools.reduce(print, [x, 1.0, 2.0])(x)  # here


@refuse("E116", 0.3)
def array_or_number_left_by_a_loop(a):
    v = np.array(a)
    for _ in range(3):
        v = 0.2
    u = v
    v += 0.5  # here
    return u * a


@refuse("E116", 0.3, 4)
def array_or_number_that_was_swapped(a, n):
    v, s = np.array(a), 0.5
    for _ in range(n):
        s, v = v, s
    w = v
    v *= 2  # here
    return w * a + s


@refuse("E116", 0.3)
def view_of_array_or_number(a):
    v = np.array(a)
    if a > 0.1:
        v = 0.2
    np.asarray(v)[...] = 3.0  # here
    return v * a
