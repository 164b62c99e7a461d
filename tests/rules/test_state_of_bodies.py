"""What the bodies of a user's rule read from outside: a change gives the new derivative."""

import types

import numpy as np
import pytest

import srcad
from srcad import rules

RATE = 1.0
TABLE = np.array([1.0])
RATES = {"k": 1.0}
MODULE = types.ModuleType("of_rates")


def scaled(factor):
    """`x * rate()`, and how its rule is stated with this factor."""

    def h(x):
        return x * factor()

    return h


def helper():
    return RATE


def own_of(holder):
    return holder.own


class Holder:
    rate = 1.0

    def __init__(self):
        self.own = 1.0

    @property
    def twice(self):
        return self.own + self.own - self.own

    def read(self):
        return self.own


HOLDER = Holder()


def set_global(k):
    global RATE
    RATE = k


def set_table(k):
    global TABLE
    TABLE = np.array([k])


def set_in_place(k):
    TABLE[0] = k


def set_of_dict(k):
    RATES["k"] = k


def set_of_module(k):
    MODULE.rate = k


def set_own(k):
    HOLDER.own = k


def set_of_class(k):
    Holder.rate = k


set_of_module(1.0)
READ = {
    "a global": (lambda: RATE, set_global),
    "by a helper": (lambda: helper(), set_global),
    "an array": (lambda: TABLE[0], set_table),
    "an array in place": (lambda: TABLE[0], set_in_place),
    "a dict": (lambda: RATES["k"], set_of_dict),
    "a module": (lambda: MODULE.rate, set_of_module),
    "an attribute": (lambda: HOLDER.own, set_own),
    "a property": (lambda: HOLDER.twice, set_own),
    "an attribute by a helper": (lambda: own_of(HOLDER), set_own),
    "a method": (lambda: HOLDER.read(), set_own),
    "an attribute of the class": (lambda: HOLDER.rate, set_of_class),
}
STATED = {
    "elementwise": lambda h, k: rules.elementwise(h, lambda y, x: k()),
    "vjp": lambda h, k: rules.rule(h, vjp=lambda g, y, x: g * k()),
    "by name": lambda h, k: rules.rule(
        h, jvp=lambda ts, y, x: ts[0] * k(), x=lambda g, y, x: g * k()
    ),
    "fwd and bwd": lambda h, k: rules.rule(
        h, fwd=lambda x: (x * k(), ()), bwd=lambda kept, g: (g * k(),)
    ),
    "composed": lambda h, k: rules.composed(h, lambda x: x * k()),
}


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("stated", STATED)
def test_a_change_gives_the_new_derivative(read, stated):
    factor, change = READ[read]
    change(1.0)
    h = scaled(factor)
    STATED[stated](h, factor)
    gradient = srcad.value_and_grad(h, cache=False)
    inside = srcad.value_and_grad(lambda x: h(x) ** 2, cache=False)
    for k in (1.0, 4.0, 4.0, 2.0, 1.0):
        change(k)
        assert gradient(2.0) == (2 * k, k)
        assert inside(2.0) == pytest.approx((4 * k**2, 4 * k**2))
    assert gradient.cache_info().size == 3


def test_variables_of_the_function_around():
    k, ks = 1.0, [1.0, {"k": 1.0}]

    def h(x):
        return x * k * ks[0] * ks[1]["k"]

    rules.elementwise(h, lambda y, x: k * ks[0] * ks[1]["k"])
    gradient = srcad.value_and_grad(h, cache=False)
    assert gradient(2.0) == (2.0, 1.0)
    k = 3.0
    assert gradient(2.0) == (6.0, 3.0)
    ks[0] = 2.0
    assert gradient(2.0) == (12.0, 6.0)
    ks[1]["k"] = 5.0
    assert gradient(2.0) == (60.0, 30.0)


def test_rules_that_a_body_uses():
    def slope(x):
        return 2 * x * RATE

    def h(x):
        return x * x * RATE

    set_global(1.0)
    rules.elementwise(slope, lambda y, x: 2 * RATE)
    rules.elementwise(h, lambda y, x: rules.call(slope, x))
    second = srcad.derivative(h, order=2, cache=False)
    assert second(3.0) == 2.0
    set_global(4.0)
    assert second(3.0) == 8.0
    set_global(1.0)


def test_a_body_may_note_what_it_does():
    notes, calls = [], 0

    def h(x):
        return x * x

    def partial(y, x):
        nonlocal calls
        calls += 1
        notes.append(x)
        return 2 * x

    rules.elementwise(h, partial)
    gradient = srcad.grad(h, cache=False)
    assert [gradient(2.0) for _ in range(3)] == [4.0] * 3
    assert gradient.cache_info().misses == 1
    assert len(notes) == calls


def test_what_is_not_read_is_not_guarded():
    def h(x):
        return np.sin(x)

    rules.elementwise(h, lambda y, x: np.cos(x))
    gradient = srcad.grad(h, cache=False)
    gradient(2.0)
    assert gradient.__srcad_request__.primal is h
    (program,) = gradient._specializer.programs
    assert [guard.path for guard in program.artifact.guards] == ["A[0]"]
