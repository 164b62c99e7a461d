"""Descriptors of classes, made in the function or in the module."""

import pytest

import srcad


def outer(self, t=2.0):
    return self.v * t


class GD:
    def __set_name__(self, o, n):
        self.n = "_" + n

    def __get__(self, o, c=None):
        if o is None:
            return 4.0
        return getattr(o, self.n) * 2

    def __set__(self, o, v):
        setattr(o, self.n, v * 3)


class Pos:
    def __init__(self, least):
        self.least = least

    def __set_name__(self, o, n):
        self.n = n

    def __get__(self, o, c=None):
        if o is None:
            return self
        return getattr(o, "_h_" + self.n)

    def __set__(self, o, v):
        if v < self.least:
            raise ValueError("too small")
        setattr(o, "_h_" + self.n, v)


gd = GD()
gd.n = "_q"


def function_of_the_module(x):
    class K:
        m = outer

        def __init__(self, v):
            self.v = v

    return K(x).m() * K.m(K(x), 3.0)


def both_local(x):
    class D:
        def __get__(self, o, c=None):
            return o._v

        def __set__(self, o, v):
            o._v = v * 3

    class K:
        a = D()

    k = K()
    k.a = x
    return k.a


def local_owner(x):
    class K:
        a = GD()

    k = K()
    k.a = x
    return k.a * K.a


def that_validates(x):
    class K:
        a = Pos(1.0)
        b = Pos(0.0)

        def __init__(self, a, b):
            self.a = a
            self.b = b

    k = K(x, x * x)
    return k.a * k.b + K.a.least


def read_only(x):
    class R:
        def __get__(self, o, c=None):
            return x * 2

        def __set__(self, o, v):
            raise AttributeError("read-only")

    class K:
        a = R()

    k = K()
    try:
        k.a = x
    except AttributeError:
        return k.a * 3
    return k.a


def without_set(x):
    class N:
        def __get__(self, o, c=None):
            return x * 2

    class K:
        a = N()

    k = K()
    t = k.a
    k.a = x * 5
    return k.a * t


def of_the_class(x):
    class N:
        def __get__(self, o, c=None):
            return x * 2 if o is None else c.f

    class K:
        a = N()
        f = 3.0

    return K.a * K().a


def deleting(x):
    class D:
        def __get__(self, o, c=None):
            return o._v

        def __set__(self, o, v):
            o._v = v * 3

        def __delete__(self, o):
            o._v = 7.0

    class K:
        a = D()

    k = K()
    k.a = x
    t = k.a
    del k.a
    return k.a * t


def set_only(x):
    class D:
        def __set__(self, o, v):
            o._v = v * 3

    class K:
        a = D()

    k = K()
    k.a = x
    return k._v


def inherited(x):
    class B:
        a = Pos(0.0)

    class K(B):
        def __init__(self, x):
            self.a = x

        def q(self):
            return self.a * 2

    return K(x).q() + super(K, K(x)).a


def of_the_caller(x):
    class K:
        q = gd

        def __init__(self):
            self._q = x

    return K().q


def shadowed_on_a_path(x):
    class N:
        def __get__(self, o, c=None):
            return x * 2

    class K:
        a = N()

        def s(self):
            if x > 1:
                self.a = x * x
            return self.a

    return K().s()


def in_place(x):
    class D:
        def __get__(self, o, c=None):
            return o._v

        def __set__(self, o, v):
            o._v = v * 3

    class K:
        a = D()

    k = K()
    k._v = 1.0
    k.a += x
    setattr(k, "a", k.a + 1)
    return getattr(k, "a")


def in_vars(x):
    class D:
        def __get__(self, o, c=None):
            return o._v

        def __set__(self, o, v):
            o._v = v * 3

    class K:
        a = D()

    k = K()
    k.a = x
    return x * len(vars(k))


def that_stores(x):
    class L:
        def __get__(self, o, c=None):
            t = x * x
            o.a = t
            return t

    class K:
        a = L()

    k = K()
    return k.a * k.a


class Own:
    a = Pos(0.5)

    def __init__(self, x):
        self.a = x


def module_owner(x):
    class K(Own):
        pass

    return K(x).a * x + K.a.least + Own.a.least


def property_object(x):
    class K:
        @property
        def p(self):
            return 2.0

    return x if isinstance(K.p, property) else -x


PROGRAMS = [
    function_of_the_module, both_local, local_owner, that_validates, read_only, without_set,
    of_the_class, deleting, set_only, inherited, in_place, in_vars, that_stores, module_owner,
    property_object,
]  # fmt: skip


@pytest.mark.parametrize("x", [0.3, 2.0])
@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f, x):
    try:
        expected = f(x)
    except ValueError as problem:
        with pytest.raises(ValueError, match=str(problem)):
            srcad.compile(f)(x)
        with pytest.raises(ValueError, match=str(problem)):
            srcad.grad(f)(x)
        return
    assert srcad.compile(f)(x) == expected
    value, slope = srcad.value_and_grad(f)(x)
    assert value == expected
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)


@pytest.mark.parametrize(("f", "code"), [(of_the_caller, "E133"), (shadowed_on_a_path, "E129")])
def test_refused(f, code):
    with pytest.raises(srcad.SrcadError, match=code):
        srcad.compile(f)(2.0)
