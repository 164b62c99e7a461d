"""Builtins and functions of NumPy that lowering answers itself answer as Python does, or refuse."""

from __future__ import annotations

import dataclasses
import decimal
import enum
import fractions

import numpy as np
import pytest
from conformance.outcome import disagreement, run

import srcad

RECORDS = np.array([(0.0, 2), (3.0, 0)], [("x", "f8"), ("y", "i8")])
NOTHING = np.zeros(2, RECORDS.dtype)


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Point:
    x: object
    y: float = 1.0


def scalars(a):
    return np.isscalar(a)


def added(a, b):
    return sum(a, b)


def updated(a, b):
    a.update(b)
    return a


def updated_by_names(a, b):
    a.update(x=b, other=b, frame=b)
    return a


def with_keywords(a):
    return (lambda **x: x)(**a)


def sized(a):
    return np.size(a), [a]


def another_of_its_class(a):
    b = type(a)(a)
    b.w = 5.0
    return a, b


def attributes_in_another_order(a):
    b = Point(1.0, a.y)
    del b.x
    b.x = 2.0
    return list(vars(b)), b


@pytest.mark.parametrize(
    ("f", "make"),
    [
        *((scalars, lambda x=x: (x,)) for x in (
            Level.LOW, fractions.Fraction(1, 2), decimal.Decimal(1), 1.0, "a", b"a", np.float32(1),
            None, RECORDS, np.array(1.0), Point(1.0), (1.0,), [1.0], len,
        )),
        *((added, lambda x=x: x) for x in (
            ("a", "b"), ([], ""), ((), b""), ({"a": 1.0}, "b"), ([1.0], 2.0), ([[1.0]], []),
        )),
        *((updated, lambda x=x: ({"a": 1.0}, x)) for x in (None, {"a": 2.0}, {}, [("a", 1.0)])),
        (updated_by_names, lambda: ({"a": 1.0}, 2.0)),
        *((with_keywords, lambda x=x: (x,)) for x in ({0: 1.0}, {"a": 1.0}, {None: 1.0, "a": 2.0})),
        *((sized, lambda x=x: (np.dtype(x),)) for x in ("f8", "i4", ">f8", "U3")),
        *((f, lambda x=x: (x.copy(),))
          for f in (lambda a: all(a), lambda a: any(a))
          for x in (RECORDS, NOTHING, RECORDS[:0], np.ones(2), np.array(["a", ""]))),
        (another_of_its_class, lambda: (Point(1.0, 2.0),)),
        (attributes_in_another_order, lambda: (Point(1.0, 2.0),)),
    ],
)  # fmt: skip
def test_the_same_as_python(f, make):
    compiled = srcad.compile(f, cache=False, backend="numpy")
    fault = disagreement(run(f, make()), run(compiled, make()), make())
    assert fault is None, fault


def test_what_is_answered_is_not_refused():
    assert srcad.compile(scalars, cache=False)(Level.LOW) is True
    assert srcad.compile(sized, cache=False)(np.dtype("f8"))[0] == 1
    assert srcad.compile(another_of_its_class, cache=False)(Point(1.0))[1].w == 5.0
    assert srcad.compile(updated_by_names, cache=False)({}, 2.0)["other"] == 2.0
    with pytest.raises(TypeError, match="can't sum strings"):
        srcad.compile(added, cache=False)([], "")
    with pytest.raises(TypeError, match="keywords must be strings"):
        srcad.compile(with_keywords, cache=False)({0: 1.0})


EMPTY = [
    lambda x: max([]),
    lambda x: min(()),
    lambda x: max(""),
    lambda x: max(v for v in []),
    lambda x: min({}, key=abs),
    lambda x: max(range(0)),
    lambda x: max([], default=3.0),
]


@pytest.mark.parametrize("choose", EMPTY)
def test_the_largest_of_nothing_raises(choose):
    def f(x):
        try:
            return x * choose(x)
        except ValueError:
            return 2.0 * x

    assert srcad.value_and_grad(f)(1.5) == (f(1.5), f(1.0))
    if choose is not EMPTY[-1]:
        with pytest.raises(ValueError, match="empty"):
            srcad.grad(choose)(1.5)


@pytest.mark.parametrize("sequence", [[0.5], (1.0, 2.0), "ab"])
def test_a_list_of_more_items_than_there_can_be_raises(sequence):
    def f(x):
        try:
            return len(sequence * 2**70) * x
        except OverflowError:
            return 2.0 * x

    def made_here(x):
        return x * len([0.5] * 2**70)

    assert srcad.value_and_grad(f)(1.5) == (3.0, 2.0)
    with pytest.raises(OverflowError):
        srcad.compile(made_here)(1.5)
