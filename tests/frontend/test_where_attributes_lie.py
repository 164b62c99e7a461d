"""Where attributes of dataclass objects lie: behind descriptors, in slots, in circles."""

import copy
from dataclasses import dataclass

import pytest

import srcad


class Doubled:
    """A descriptor: an object holds under another name what is given."""

    def __get__(self, owner, cls=None):
        return 7.0 if owner is None else owner._x * 2

    def __set__(self, owner, x):
        owner._x = float(x)


@dataclass
class Described:
    x: float = Doubled()


@dataclass
class Answering:
    w: float

    def __getattr__(self, name):
        if name.startswith("__"):  # as `copy` asks
            raise AttributeError(name)
        return self.w * len(name)


class Slotted:
    __slots__ = ("extra",)


@dataclass(slots=True)
class OfSlotted(Slotted):
    w: float

    def __post_init__(self):
        self.extra = self.w * 2


@dataclass
class Linked:
    w: float

    def __post_init__(self):
        self.me, self.kids = self, [self]


def read(p, x):
    return p.x * x


def set_and_read(p, x):
    p.x = x
    return p.x * x


def answered(p, x):
    return p.abc * x + p.w


def from_a_slot(p, x):
    return p.extra * x + p.w


def of_linked(p, x):
    return p.w * x


@pytest.mark.parametrize(
    ("f", "made", "slope"),
    [
        (read, Described(2.0), {"_x": 3.0}),
        (read, Described(), {"_x": 3.0}),
        (set_and_read, Described(2.0), {"_x": 0.0}),
        (answered, Answering(2.0), {"w": 5.5}),
        (from_a_slot, OfSlotted(2.0), {"extra": 1.5, "w": 1.0}),
        (of_linked, Linked(2.0), {"w": 1.5}),
    ],
)
def test_where_attributes_lie(f, made, slope):
    other = copy.copy(made)
    assert srcad.compile(f, backend="numpy")(other, 1.5) == f(copy.copy(made), 1.5)
    value, found = srcad.value_and_grad(f)(made, 1.5)
    assert value == f(copy.copy(made), 1.5)
    for name, x in slope.items():
        assert getattr(found, name) == x


def test_what_leads_back_is_carried_along():
    made = Linked(2.0)
    vector, unflatten = srcad.flatten(made)
    assert vector.tolist() == [2.0]
    assert unflatten(vector).me is made


@dataclass
class Written:
    w: float
    tag = "class"

    def __post_init__(self):
        self.half = self.w / 2

    def __repr__(self):
        return f"Written({self.w}, {self.half}, {self.tag})"

    def __str__(self):
        return f"<{self.half}>"


def texts(p, x):
    return repr(p), str(p), f"{p}", x


def texts_of_changed(p, x):
    p.w = x
    return f"{p!r}"


@pytest.mark.parametrize("f", [texts, texts_of_changed])
def test_texts_of_attributes_that_are_no_fields(f):
    run, tagged = srcad.compile(f, backend="numpy"), Written(2.0)
    tagged.tag = "object"
    for made in (Written(3.0), tagged, Written(1.0)):
        assert run(copy.copy(made), 1.5) == f(copy.copy(made), 1.5)


def equal(p, q):
    return p == q


def test_fields_elsewhere_are_not_compared():
    with pytest.raises(srcad.SrcadError, match="E121"):
        srcad.compile(equal)(Described(2.0), Described(2.0))
