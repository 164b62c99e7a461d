"""The text of values, as `print`, `str`, `repr` and formats make it."""

import collections
import dataclasses
import enum
import re

import numpy as np
import pytest

import srcad

Pair = collections.namedtuple("Pair", "x y")


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Point:
    x: float
    y: float = 1.0


class Named:
    def __init__(self, w):
        self.w = w

    def __str__(self):
        return f"named {self.w}"


def double(x):
    return 2 * x


OBJECTS = [
    1,
    2.5,
    True,
    None,
    "a",
    np.float32(2),
    [1.0, (2.0,)],
    {"k": 1.0},
    (1.0, np.ones(2)),
    double,
    len,
    np.sin,
    Point,
    Pair,
    Pair(1.0, 2.5),
    Point(1.0),
    np,
    Level.LOW,
    np.dtype("f4"),
    {1},
]
WRITTEN = [
    lambda a: f"{a}",
    lambda a: f"{a!r} and {[a]}",
    lambda a: str(a),
    lambda a: repr((a, 1)),
    lambda a: "{} {!r}".format(a, a),
    lambda a: format(a),
]


@pytest.mark.parametrize("a", OBJECTS, ids=lambda a: re.sub(r" at 0x\w+", "", repr(a)))
@pytest.mark.parametrize("f", WRITTEN)
def test_text(f, a):
    assert srcad.compile(f)(a) == f(a)


@pytest.mark.parametrize("a", [Named(1.0), collections.Counter("ab"), collections.deque([1.0])])
@pytest.mark.parametrize("f", WRITTEN)
def test_text_that_only_the_object_knows_is_refused(f, a):
    with pytest.raises(srcad.SrcadError, match="E120"):
        srcad.compile(f)(a)


def test_objects_made_inside():
    def f(x):
        return f"{Pair(x, 1.0)} {Point(x, y=2 * x)} {Named(x)}"

    assert srcad.compile(f)(1.5) == f(1.5)


def test_print(capsys):
    def f(p, x):
        print(p, [p], x, double, sep="; ")
        return np.sum(x * p.x)

    for transform in (lambda f: f, srcad.compile, srcad.grad):
        transform(f)(Point(2.0), np.ones(2))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert len(set(lines)) == 1


def test_format_that_is_no_text_is_refused():
    with pytest.raises(srcad.SrcadError, match="E132"):
        srcad.compile(lambda x: format(x, None))(1.0)


@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "c8", "i4", "?"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: str(x[0]),
        lambda x: len(str(x[0])),
        lambda x: str(np.sum(x)),
        lambda x: str(x[0]).upper(),
        lambda x: (f"{x[0]}", f"{x[0]!s}", f"{x[0]!r}", repr(x[0]), "%s" % x[0]),
        lambda x: (str(x), str([x[0]]), str((x[0], 1))),
    ],
)
def test_texts_of_numbers_of_each_precision(f, dtype):
    x = np.array([2.040919, 1.1]).astype(dtype)
    assert srcad.compile(f)(x) == f(x)


RATES = {"low": 0.5, "high{}": 2.0}

JOINS = [
    lambda x, s: ", ".join(RATES),
    lambda x, s: "-".join(reversed(s.split("."))),
    lambda x, s: "".join(str(k) for k in range(3)),
    lambda x, s: " ".join(map(str, [1, 2.5, s])),
    lambda x, s: "{}".join(f"{key}={x * rate:.3f}" for key, rate in RATES.items()),
    lambda x, s: s.join([f"{x:.2f}", "a", s]),
    lambda x, s: s.join([]),
]


@pytest.mark.parametrize("joined", JOINS)
def test_texts_are_joined_from_any_iterable(joined):
    def f(x, s):
        return x * len(joined(x, s)), joined(x, s)

    value, text = srcad.compile(f, backend="numpy")(2.5, "a.b")
    assert (value, text) == f(2.5, "a.b")
    slope = len(joined(2.5, "a.b"))
    assert srcad.grad(f, has_aux=True)(2.5, "a.b") == (slope, text)


def test_what_is_joined_has_to_be_text():
    def f(x):
        return x * len("-".join([1, 2]))

    with pytest.raises(TypeError, match="expected str instance, int found"):
        srcad.grad(f)(2.5)
