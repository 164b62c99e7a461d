"""Where the names in the body of a class come from, and where they go."""

import abc
from typing import Generic, TypeVar

import pytest
from frontend.as_python import check

import srcad

T = TypeVar("T")
yy = 100.0
gg = 1.0


def nonlocal_in_a_class(x):
    n = 1.0

    class C:
        nonlocal n
        n = x * 2

    return n * x


def of_the_module_first(x):
    yy = x

    class C:
        a = yy
        yy = 3.0

    return C.a * x * yy * C.yy


def not_of_the_function(x):
    n = x

    class C:
        a = n * 2
        n = 5.0

        def m(self):
            return n

    return C.a * C.n * C().m()


def not_in_a_comprehension(x):
    class C:
        a = x
        b = a * 2
        c = tuple(a for _ in range(2))  # noqa: F821 - it is not found, on purpose

    return C.b


def comprehensions(x):
    k = x * 2

    class C:
        c = tuple(k * i for i in range(3))
        t = sum(v for v in c)

    return C.t


def same_name(x):
    n = x

    class C:
        n = n

    return C.n * x


def in_place(x):
    yy = x

    class C:
        yy += 1

    return C.yy * x * yy


def builtins_by_their_names(x):
    class C:
        sum = sum([x, 2.0])
        max = max
        abs = abs(-x)

    return C.sum * C.max(x, 1.0) + C.abs


def branches_and_classes_inside(x):
    class C:
        a = 1.0
        if x > 1:
            a = 2.0
        del_ = 3.0
        del del_

        class D:
            b = x

            def q(self):
                return x * 2

    return x * C.a * C.D.b * C.D().q() * (1.0 if hasattr(C, "del_") else 2.0)


def on_one_path(x):
    class C:
        if x > 1:
            a = 2.0

    return x * C.a


def global_in_a_class(x):
    global gg

    class C:
        global gg
        gg = 3.0

    return gg * x


def made_in_a_function(x):
    n = x

    def mk():
        class C:
            nonlocal n
            n = n * x
            m = n

        return C

    c = mk()
    return c.m * n


def loops(x):
    n = x

    class C:
        nonlocal n
        for i in range(3):
            n = n * 2
        if x > 1:
            n = n + 1

    return n * x * (1 if C.i == 2 else 2)


def own_name(x):
    class C:
        yy = yy

        def f(self):
            return yy * self.yy

    return C().f() * x


PROGRAMS = [
    nonlocal_in_a_class,
    of_the_module_first,
    comprehensions,
    in_place,
    builtins_by_their_names,
    branches_and_classes_inside,
    on_one_path,
    global_in_a_class,
    made_in_a_function,
    loops,
    own_name,
]


@pytest.mark.parametrize("x", [0.3, 2.0])
@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f, x):
    check(f, x)


@pytest.mark.parametrize("f", [not_of_the_function, not_in_a_comprehension, same_name])
def test_names_that_there_are_not(f):
    with pytest.raises(NameError):
        f(2.0)
    with pytest.raises(srcad.SrcadError, match="E124"):
        srcad.compile(f)(2.0)


made = []


class Registering:
    def __init_subclass__(cls):
        made.append(cls)


class Plain(Generic[T], abc.ABC):
    def q(self, x):
        return x * x


def test_what_is_run_once_for_each_class_is_refused():
    def f(x):
        class Local(Registering):
            pass

        return x * len(made)

    with pytest.raises(srcad.SrcadError, match="__init_subclass__"):
        srcad.compile(f)(2.0)
    assert not made


def test_bases_of_the_library():
    def f(x):
        class Local(Plain):
            def q(self, x):
                return super().q(x) * 2.0

        return Local().q(x)

    assert srcad.value_and_grad(f)(3.0) == (18.0, 12.0)
