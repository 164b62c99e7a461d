"""Private names in classes are those that Python's compiler writes."""

import math

import numpy as np
import pytest

import srcad

__g = 5.0
_Held__g = 7.0


class Base:
    __rate = 3.0

    def __init__(self, v):
        self.__v = v

    def base(self):
        return self.__v

    def __hidden(self):
        return self.__v * self.__rate

    def shown(self):
        return self.__hidden()


class Kept(Base):
    __rate = 4.0

    def __init__(self, v, w):
        super().__init__(v)
        self.__v = w

    def own(self):
        return self.__v * self.__rate


class Held:
    def __init__(self, v):
        self.__v = v

    def set(self, t):
        self.__v = t

    def get(self):
        return self.__v

    def of_module(self):
        return __g * self.__v

    def local(self, __p, *, __k=2.0):
        __t = __p * __k

        def __inner(__a):
            nonlocal __t
            __t = __t + __a
            return __t

        class __Inside:
            __c = 3.0

            def __three(self):
                return self.__c

            def three(self):
                return self.__three()

        return __inner(self.__v) * __Inside().three() + sum(__i for __i in (__p, __t))

    def name_inside(self):
        class __Inside:
            pass

        return self.__v if __Inside.__name__ == "__Inside" else -self.__v

    def matched(self, x):
        match x:
            case [__a, *__rest]:
                return __a * self.__v + len(__rest)
        return self.__v

    def imported(self):
        import math as __m

        return __m.exp(self.__v)

    @property
    def value(self):
        return self.__v

    @value.setter
    def value(self, t):
        self.__v = 2.0 * t

    @staticmethod
    def __twice(x):
        return 2.0 * x

    def four_times(self):
        return self.__twice(Held.__twice(self.__v))


class _Under(Held):
    def __init__(self, v):
        super().__init__(v)
        self.__v = 3.0 * v

    def under(self):
        return self.__v


class __:  # a class of underscores alone has no private names
    def __init__(self, v):
        self.__v = v


def made_elsewhere(self):
    return self.__v


class Given:
    def __init__(self, v):
        self.__v = v
        setattr(self, "__v", 10.0 * v)

    read = made_elsewhere


def of_base(x, y):
    return Kept(x, y).base() + x * y


def of_kept(x, y):
    return Kept(x, y).own() * x


def private_method(x, y):
    return Kept(x, y).shown() * y


def from_outside(x, y):
    s = Held(x)
    s._Held__v = y
    return s.get() * x


def not_mangled_outside(x, y):
    s = Held(x)
    s.__v = y
    return s.get() * s.__v * y


def by_name(x, y):
    s = Held(x)
    return getattr(s, "__v", y) * getattr(s, "_Held__v", 1.0)


def has(x, y):
    s = Held(x)
    return x * y if hasattr(s, "_Held__v") and not hasattr(s, "__v") else -x


def names(x, y):
    return x * y if list(vars(Held(x))) == ["_Held__v"] else x


def of_module(x, y):
    return Held(x).of_module() * y


def in_module(x, y):
    return x * y * __g


def locals_of_method(x, y):
    return Held(x).local(y) + Held(y).local(x, _Held__k=x)


def name_inside(x, y):
    return Held(x).name_inside() * y


def matched(x, y):
    return Held(x).matched([y, x, 2.0])


def imported(x, y):
    return Held(x).imported() * y


def of_property(x, y):
    s = Held(x)
    s.value = y
    return s.value * x


def static(x, y):
    return Held(x).four_times() * y


def under(x, y):
    s = _Under(x)
    return s.under() * s.get() * y


def of_underscores(x, y):
    s = __(x)
    return getattr(s, "__v", y) * y


def given(x, y):
    return Given(x).read() * y


def local_class(x, y):
    class Base:
        __c = 2.0

        def __init__(self, v):
            self.__v = v

        def base(self):
            return self.__v * self.__c

    class K(Base):
        __c = 5.0

        def __init__(self, v, w):
            super().__init__(v)
            self.__v = w

        def own(self):
            return self.__v * self.__c

    k = K(x, y)
    return k.base() * k.own() + K._K__c * Base._Base__c


def in_loop(x, y):
    s = Held(x)
    for i in range(3):
        s.set(s.get() * y + i)
    return s.get()


PROGRAMS = [
    of_base, of_kept, private_method, from_outside, not_mangled_outside, by_name, has, names,
    of_module, in_module, locals_of_method, name_inside, matched, imported, of_property, static,
    under, of_underscores, given, local_class, in_loop,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_as_python(f):
    x, y = 1.3, 0.7
    expected = f(x, y)
    assert srcad.compile(f)(x, y) == expected
    value, (dx, dy) = srcad.value_and_grad(f, argnums=(0, 1))(x, y)
    assert value == expected
    h = 1e-6
    assert math.isclose(dx, (f(x + h, y) - f(x - h, y)) / (2 * h), rel_tol=1e-6, abs_tol=1e-8)
    assert math.isclose(dy, (f(x, y + h) - f(x, y - h)) / (2 * h), rel_tol=1e-6, abs_tol=1e-8)


def test_changes_of_the_callers_object():
    s, t = Held(2.0), Held(2.0)

    def f(s, x):
        s.set(x)
        return x

    assert srcad.compile(f)(s, 3.0) == f(t, 3.0)
    assert vars(s) == vars(t) == {"_Held__v": 3.0}


def test_results():
    made = srcad.compile(lambda x: Held(x))(2.0)
    assert vars(made) == {"_Held__v": 2.0}


def test_arguments():
    def f(s, x):
        return s.base() * x + s.own() + s.shown()

    s = Kept(np.array([1.0, 2.0]), 3.0)
    assert np.array_equal(srcad.compile(f)(s, 2.0), f(s, 2.0))
    g = srcad.grad(lambda s, x: f(s, x).sum(), argnums=1)(s, 2.0)
    assert g == 3.0


def test_methods_themselves():
    assert srcad.grad(Held.local, argnums=1)(Held(2.0), 3.0) == 9.0
    assert srcad.compile(Held.local)(Held(2.0), 3.0) == Held(2.0).local(3.0)
