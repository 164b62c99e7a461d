"""`hasattr` and `getattr` with a default of properties that raise, and of what some paths set."""

import functools

import pytest
from frontend.as_python import check

import srcad


def has_of_a_local_class(x):
    class C:
        @property
        def v(self):
            if x > 1:
                raise AttributeError
            return 3.0

    return x if hasattr(C(), "v") else -x


def get_of_a_local_class(x):
    class C:
        @property
        def v(self):
            if x > 1:
                raise AttributeError
            return x * x

    return getattr(C(), "v", 7.0) * x


class M:
    def __init__(self, w):
        self.w = w

    @property
    def v(self):
        if self.w < 1:
            raise AttributeError("no v")
        return self.w * 2

    @functools.cached_property
    def cv(self):
        if self.w < 1:
            raise AttributeError("no v")
        return self.w * 3

    @property
    def sure(self):
        return self.w

    @property
    def bad(self):
        raise ValueError("x")

    @property
    def lacks(self):
        return self.nothing


def has(x):
    return M(x).w if hasattr(M(x), "v") else -x


def get_cached(x):
    return getattr(M(x), "cv", x * x * x)


def never_raises(x):
    return getattr(M(x), "sure", 5.0) * x if hasattr(M(x), "sure") else 0.0


def other_exception(x):
    return x if hasattr(M(x), "bad") else -x


def has_that_reads_what_is_missing(x):
    return x if hasattr(M(x), "lacks") else -x


def get_that_reads_what_is_missing(x):
    return getattr(M(x), "lacks", x * 3)


m = M(2.0)
m0 = M(0.5)


def of_the_module(x):
    return x * getattr(m, "v", 1.0) + x * getattr(m0, "v", 1.0) + hasattr(m0, "v")


def set_on_a_path(x):
    o = M(x)
    if x > 1:
        o.k = x * x
    return o.w if hasattr(o, "k") else -x


def set_in_a_loop(x):
    o = M(x)
    s = 0.0
    for t in [1.0, 2.0, x]:
        if t > 0.5 and not hasattr(o, "k"):
            o.k = t
        s += getattr(o, "k", x)
    return s


def of_a_descriptor(x):
    class D:
        def __get__(self, o, c=None):
            if x > 1:
                raise AttributeError
            return x

    class C:
        d = D()

    return getattr(C(), "d", x * 4)


def with_effects(x):
    n = 0

    class C:
        @property
        def p(self):
            nonlocal n
            n += 1
            return 1.0

    c = C()
    if hasattr(c, "p"):
        n += 10
    return x * n


PROGRAMS = [
    has_of_a_local_class,
    get_of_a_local_class,
    has,
    get_cached,
    never_raises,
    other_exception,
    has_that_reads_what_is_missing,
    get_that_reads_what_is_missing,
    of_the_module,
    set_on_a_path,
    set_in_a_loop,
    of_a_descriptor,
    with_effects,
]


@pytest.mark.parametrize("x", [0.3, 2.0])
@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f, x):
    check(f, x)


def test_arguments():
    def f(o, x):
        return getattr(o, "v", x) * x

    compiled = srcad.compile(f)
    for w in (2.0, 0.5, 3.0):
        assert compiled(M(w), 3.0) == f(M(w), 3.0)
