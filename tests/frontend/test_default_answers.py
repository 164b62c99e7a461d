"""Where what a program asks is not known while compiling, it is asked again, guarded or refused."""

from collections import defaultdict, deque
from fractions import Fraction

import numpy as np
import pytest
from conformance.outcome import disagreement, run

import srcad
from srcad.errors import SrcadError


class Bag:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Union:
    def __init__(self, w):
        self.w = w

    def __or__(self, other):
        return self.w * other.w

    def __ror__(self, other):
        return self.w


class Loose(Union):
    __array_ufunc__ = None


def check(f, *calls):
    """The same as Python in each call, or a refusal in all; whether it is none."""
    compiled = srcad.compile(f, cache=False, backend="numpy")
    refused = False
    for make in calls:
        want, got = run(f, make()), run(compiled, make())
        fault = disagreement(want, got, make())
        assert fault is None, fault
        refused |= got.is_refusal
    return not refused


def grown(x):
    items = []
    for v in x:
        items.append(v)
    return items


def first_of_grown(x):
    match grown(x):
        case []:
            return 0.0
        case [first, *_]:
            return first
    return -1.0


def length_of_a_range(x):
    match range(len(x)):
        case [_, _]:
            return 2.0
        case [_, *_]:
            return 1.0
    return 0.0


def true_or_two(x, n):
    k = True
    if n > 0:
        k = 2
    match k:
        case True:
            return x
    return 2 * x


def class_of_either(x, n):
    y = x if n > 0 else x.astype(np.float32)
    return isinstance(y[0], np.float32)


def dtype_of_either(x, n):
    y = x if x[0] > n else x.astype(np.float32)
    return y.dtype == np.float32


def test_patterns():
    check(first_of_grown, lambda: (np.ones(3),), lambda: (np.zeros(0),))
    check(length_of_a_range, lambda: (np.ones(2),), lambda: (np.ones(3),), lambda: (np.zeros(0),))
    check(true_or_two, lambda: (1.0, 1), lambda: (1.0, -1))


@pytest.mark.parametrize("f", [class_of_either, dtype_of_either])
def test_precision_that_depends_on_the_path(f):
    check(f, lambda: (np.ones(3), 1), lambda: (np.ones(3), -1))


def test_attributes_that_another_object_lacks():
    calls = (lambda: (Bag(w=1.0), 1.0), lambda: (Bag(), 1.0), lambda: (Bag(v=2.0), 1.0))
    assert check(lambda p, x: 2 * x if hasattr(p, "w") else x, *calls)
    assert check(lambda p, x: 2 * x if hasattr(p, "w") else x, *calls[::-1])
    assert check(lambda p, x: getattr(p, "w", 5.0) * x, *calls)


def test_operators_of_objects_are_run_in_each_call():
    calls = (lambda: (Union(2.0), Union(3.0)), lambda: (Union(4.0), Union(3.0)))
    assert check(lambda a, b: a | b, *calls)
    assert check(lambda x: isinstance(x, int | float), lambda: (1.0,), lambda: ("a",))


def write_an_object(a, b):
    a |= b
    return a


def test_arrays_do_not_become_what_an_object_makes():
    check(write_an_object, lambda: (np.array([1, 2]), Loose(2.0)))


def test_what_raises_is_asked_even_where_the_answer_is_known():
    check(lambda a: a in (1.0, a), lambda: (np.ones(2),), lambda: (np.ones(1),))
    check(lambda a: (a, 1) == (1.0, 2), lambda: (np.ones(2),), lambda: (np.ones(1),))


def test_truth_of_what_a_loop_has_made():
    check(lambda x: 1.0 if grown(x) else 2.0, lambda: (np.ones(3),), lambda: (np.zeros(0),))
    check(lambda x: grown(x) == [1.0], lambda: (np.ones(3),), lambda: (np.ones(1),))
    check(lambda x: 1.0 in grown(x), lambda: (np.ones(3),), lambda: (np.zeros(1),))


def test_refusals_name_the_place():
    with pytest.raises(SrcadError) as caught:
        srcad.compile(dtype_of_either, cache=False)(np.ones(3), 1)
    assert caught.value.code == "E123"
    assert caught.value.location is not None


def bound_in_finally(x):
    k = 1
    try:
        try:
            y = np.linalg.inv(x)
        finally:
            k = 2
    except np.linalg.LinAlgError:
        y = x
    return y, k


def written_in_finally(x):
    k = [1.0]
    try:
        invert_into(x, k)
    except np.linalg.LinAlgError:
        k.reverse()
    return k


def invert_into(x, k):
    try:
        np.linalg.inv(x)
    finally:
        k[0] = 2.0


@pytest.mark.parametrize("f", [bound_in_finally, written_in_finally])
def test_finally_runs_where_the_exception_is_caught_further_out(f):
    check(f, lambda: (np.eye(2),), lambda: (np.zeros((2, 2)),))
    check(f, lambda: (np.zeros((2, 2)),), lambda: (np.eye(2),))


def either_factory(x):
    d = defaultdict(float) if x > 0 else defaultdict(int)
    return d["k"]


def either_room(x):
    d = deque([1.0], maxlen=1) if x > 0 else deque([1.0], maxlen=2)
    d.append(x)
    return len(d)


def either_number(x):
    k = 0.1 if x > 0 else np.float32(0.1)
    return np.array([k]).dtype == np.float64


def a_number_or_a_truth(x):
    k = 1 if x > 0 else True
    return isinstance(k, bool)


@pytest.mark.parametrize("f", [either_factory, either_room, either_number, a_number_or_a_truth])
def test_what_differs_between_branches_is_not_that_of_one(f):
    check(f, lambda: (1.0,), lambda: (-1.0,))
    check(f, lambda: (-1.0,), lambda: (1.0,))


def one_factory(x):
    d = defaultdict(float, a=x) if x > 0 else defaultdict(float, a=2.0)
    return d["a"] + d["k"]


def test_containers_that_behave_alike_are_joined():
    assert check(one_factory, lambda: (1.0,), lambda: (-1.0,))


class Plainest:
    def __init__(self, w):
        self.w = w

    def __radd__(self, other):
        return other - self.w

    def __rpow__(self, other):
        return isinstance(other, np.generic)


class Preferred(Plainest):
    __array_priority__ = 1.0


class Last(Plainest):
    __array_priority__ = -2e6


def added(a, b):
    return a + b


def powered(a, b):
    return a**b


def is_zero_or_one(a):
    return a in {0, 1}


@pytest.mark.parametrize("cls", [Plainest, Preferred, Last])
@pytest.mark.parametrize("scalar", [np.float64, np.float32, np.int16, np.bool_, np.complex128])
def test_what_an_object_is_given_of_a_scalar(cls, scalar):
    assert check(added, lambda: (scalar(1), cls(2.0)))
    assert check(powered, lambda: (scalar(1), cls(2.0)))


def test_powers_of_scalars_and_fractions():
    for x, y in ((2.0, Fraction(1, 2)), (2.0, Fraction(3)), (0.0, Fraction(1, 2))):
        assert check(powered, lambda x=x, y=y: (np.float64(x), y))


def test_what_has_no_hash_is_in_no_set():
    for x in (slice(1), {1}, [1], (1, [2]), 1, 1.0, (1, 2), None):
        check(is_zero_or_one, lambda x=x: (x,))
