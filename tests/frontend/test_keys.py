"""Objects as keys of dicts and items of sets: by their hash as in Python, or refused."""

import dataclasses
from collections import namedtuple

import pytest

import srcad

Place = namedtuple("Place", "row column")


@dataclasses.dataclass
class Changing:
    x: float


@dataclasses.dataclass(frozen=True)
class Fixed:
    x: int


@dataclasses.dataclass(frozen=True)
class Real:
    x: float


class Equal:
    """Equal to others, and without a hash."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x


class Apart(Equal):
    """Equal to others, and told apart by its hash."""

    def __hash__(self):
        return id(self)


class Itself:
    """Equal to itself alone."""

    def __init__(self, x):
        self.x = x


def a_display(x, a, b):
    return x * len({a: x, b: x})


def found(x, a, b):
    return {a: x}[b]


def found_or(x, a, b):
    return {a: x}.get(b, 5.0 * x)


def looked_for(x, a, b):
    return {0: x}.get(a, 5.0 * x)


def stored(x, a, b):
    d = {}
    d[a] = x
    d[b] = 2 * x
    return len(d) * x


def popped(x, a, b):
    d = {0: x}
    return d.pop(a, 3.0 * x) + d.setdefault(b, x)


def members(x, a, b):
    items = {a}
    items.add(b)
    return x * len(items) + (a in items)


def inside(x, a, b):
    return x * ((a, 1) in {(b, 1), (b, 2)})


USES = (a_display, found, found_or, looked_for, stored, popped, members, inside)
KEYS = {
    "changing": lambda x, k: Changing(x),
    "fixed": lambda x, k: Fixed(k),
    "real": lambda x, k: Real(x),
    "equal": lambda x, k: Equal(x),
    "apart": lambda x, k: Apart(k),
    "itself": lambda x, k: Itself(x),
    "place": lambda x, k: Place(k, k),
    "place of a list": lambda x, k: Place([k], k),
}


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as problem:
        return type(problem)


@pytest.mark.parametrize("x", [2.5, float("nan")])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("use", USES)
def test_values_and_exceptions_are_as_in_python(use, key, x):
    make = KEYS[key]

    def f(x, k):
        return use(x, make(x, k), make(x, k))

    def value(x, k):
        return srcad.value_and_grad(f)(x, k)[0]

    expected = outcome(f, x, 3)
    for got in (outcome(srcad.compile(f), x, 3), outcome(value, x, 3)):
        is_refused = isinstance(got, type) and issubclass(got, srcad.SrcadError)
        assert is_refused or repr(got) == repr(expected)


def test_a_hash_of_its_own_is_refused():
    def f(x, k):
        a, b = Apart(k), Apart(k)
        return {a: x}.get(b, 5.0 * x)

    with pytest.raises(srcad.SrcadError, match="the hash of a Apart"):
        srcad.compile(f)(2.5, 3)


@pytest.mark.parametrize("key", ["fixed", "place"])
def test_keys_by_value_have_derivatives(key):
    make = KEYS[key]

    def f(x, k):
        return {make(x, k): x * x}[make(x, k)]

    assert srcad.grad(f)(2.5, 3) == 5.0
