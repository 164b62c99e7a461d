"""What Python makes of the results of `__len__`, `__float__`, `__iter__` and the like."""

import numpy as np
import pytest
from frontend.as_python import check


class Len:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


class Num:
    def __init__(self, v):
        self.v = v

    def __float__(self):
        return self.v

    def __int__(self):
        return self.v

    def __index__(self):
        return self.v


class It:
    def __init__(self, v):
        self.v = v

    def __iter__(self):
        return self.v


def numpy_length(x):
    return x * len(Len(np.int64(3)))


def float_length(x):
    return x * len(Len(2.5))


def negative_length(x):
    return x * len(Len(-1))


def no_length(x):
    return x * len(Len(None))


def truth_of_a_negative_length(x):
    return x if Len(-1) else -x


def bool_length(x):
    return len(Len(True)) * x


def length_of_data(x):
    return len(Len(int(x * 10 + 0.5) - 5)) * 2.0 if x > 1 else len(Len(int(x * 10) - 5)) * x


def truth_of_a_length_of_data(x):
    return x if Len(int(x * 10 + 0.5) - 5) else 2 * x


def float_of_a_float(x):
    return float(Num(x))


def float_of_an_int(x):
    return float(Num(3)) * x


def float_of_a_numpy_float(x):
    return float(Num(np.float64(x)))


def float_of_a_bool(x):
    return float(Num(True)) * x


def int_of_a_float(x):
    return int(Num(x)) * x


def int_of_an_int(x):
    return int(Num(3)) * x


def int_of_a_numpy_int(x):
    return int(Num(np.int64(3))) * x


def sum_over_a_list(x):
    return sum(It([x, x * 2]))


def loop_over_a_list(x):
    s = 0.0
    for t in It([x, x * 2]):
        s += t
    return s


def sum_over_an_iterator(x):
    return sum(It(iter([x, x * 2])))


def list_of_a_tuple(x):
    return list(It((x, 2 * x)))[1]


class In:
    def __init__(self, v):
        self.v = v
        return v


def init_that_returns(x):
    return In(x).v


class In2:
    def __init__(self, v):
        self.v = v
        return None


def init_that_returns_none(x):
    return In2(x).v


def length_of_arrays(x):
    return len(Len(np.array([x, x]).argmax() + 2)) * x


def truth_of_a_numpy_length(x):
    return x if Len(np.int64(3)) else -x


def truth_of_a_float_length(x):
    return x if Len(2.5) else -x


def float_of_an_int_of_data(x):
    return float(Num(int(x * 10))) * x


def handled_value(x):
    try:
        return len(Len(-1)) * x
    except ValueError:
        return -x


def handled_type(x):
    try:
        return len(Len(2.0)) * x
    except TypeError:
        return -x


def max_of_a_list(x):
    return max(It([x, x * 2]))


class Gen:
    def __iter__(self):
        yield 1.0
        yield 2.0


def yielding(x):
    return sum(Gen()) * x


class S:
    def __str__(self):
        return 3


def str_of_a_number(x):
    return x * len(str(S()))


class H:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        return self.v


def bool_of_an_int(x):
    return x if H(1) else -x


def bool_of_data(x):
    return x if H(x > 1) else -x


def bool_of_none(x):
    return x if H(None) else -x


class C:
    def __contains__(self, k):
        return k * 2


def contains(x):
    return x * ((1 in C()) + 1)


def contains_data(x):
    return x * ((x in C()) + 1)


PROGRAMS = [
    numpy_length,
    float_length,
    negative_length,
    no_length,
    truth_of_a_negative_length,
    bool_length,
    length_of_data,
    truth_of_a_length_of_data,
    float_of_a_float,
    float_of_an_int,
    float_of_a_numpy_float,
    float_of_a_bool,
    int_of_a_float,
    int_of_an_int,
    int_of_a_numpy_int,
    sum_over_a_list,
    loop_over_a_list,
    sum_over_an_iterator,
    list_of_a_tuple,
    init_that_returns,
    init_that_returns_none,
    length_of_arrays,
    truth_of_a_numpy_length,
    truth_of_a_float_length,
    float_of_an_int_of_data,
    handled_value,
    handled_type,
    max_of_a_list,
    yielding,
    str_of_a_number,
    bool_of_an_int,
    bool_of_data,
    bool_of_none,
    contains,
    contains_data,
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("x", [0.3, 2.0])
@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f, x):
    check(f, x)
