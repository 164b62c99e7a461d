"""Fields of dataclasses: those named like arguments, those that `__post_init__` alone is given."""

import functools
from dataclasses import InitVar, dataclass, field, replace

import numpy as np
import pytest
from frontend.as_python import check


@dataclass(frozen=True)
class P:
    x: float
    frame: float = 1.0

    def moved(self, v):
        return replace(self, x=v)

    def framed(self, v):
        return replace(self, frame=v)


@dataclass
class Q:
    a: float
    k: InitVar[float] = 2.0
    b: float = field(init=False, default=0.0)

    def __post_init__(self, k):
        self.b = self.a * k


@dataclass
class R:
    a: float
    k: InitVar[float]
    n: InitVar[float] = 3.0
    b: float = 0.0

    def __post_init__(self, k, n):
        self.b = self.a * k * n


@dataclass
class R2(R):
    c: float = 1.0
    m: InitVar[float] = 0.5

    def __post_init__(self, k, n, m):
        super().__post_init__(k, n)
        self.c = m * self.a


@dataclass
class NoPost:
    a: float
    k: InitVar[float] = 2.0


def replaced_by_name(x):
    p = P(x).moved(x * 2)
    return p.x * P(x).framed(x).frame


def default_of_init_only(x):
    return Q(x).b


def given_init_only(x):
    return Q(x, x).b + Q(x, k=3.0).a


def two_of_them(x):
    return R(x, x).b * R(x, 2.0, n=x).b


def inherited(x):
    r = R2(x, x, 2.0, m=x)
    return r.b * r.c


def not_kept(x):
    return NoPost(x, 5.0).a * NoPost(x).k


def of_the_class(x):
    return NoPost(x, x).k


def none_for_nothing(x):
    return x if max([], default=None) is None else -x


def default_for_nothing(x):
    return max([], default=x) * 2


def local_class(x):
    @dataclass
    class L:
        a: float
        k: InitVar[float] = 2.0
        b: float = 0.0

        def __post_init__(self, k):
            self.b = self.a * k

    return L(x).b * L(x, x).b


def partial_by_name(x):
    g = functools.partial(lambda frame, fn: frame * fn, fn=x)
    return g(frame=x)


def in_vars(x):
    return vars(Q(x))["b"] * len(vars(Q(x)))


def none_for_no_items(x):
    v = [t for t in (x, 1.0, 2.5) if t > x]
    m = max(v, default=None)
    return x if m is None else m * x


def none_for_items_by_data(x):
    v = np.array([x, 1.0])
    m = max((t for t in v if t > 1.5), default=None)
    return -x if m is None else m * x


def none_with_a_key(x):
    return (max([], default=None, key=abs) is None and x) or x * 2


def none_for_an_array(x):
    return min(np.array([x, 2 * x]), default=None) * 1.0


PROGRAMS = [
    replaced_by_name,
    default_of_init_only,
    given_init_only,
    two_of_them,
    inherited,
    not_kept,
    of_the_class,
    none_for_nothing,
    default_for_nothing,
    local_class,
    partial_by_name,
    in_vars,
    none_for_no_items,
    none_for_items_by_data,
    none_with_a_key,
    none_for_an_array,
]


@pytest.mark.parametrize("x", [0.3, 2.0])
@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f, x):
    check(f, x)
