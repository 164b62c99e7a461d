"""`==`, `!=`, `in`, `is` and truth between kinds of values are as Python and NumPy have them."""

from collections import Counter, OrderedDict, namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from conformance.outcome import difference

import srcad
from srcad.errors import SrcadError

Pair = namedtuple("Pair", "x y")
Y = np.array([0.0, 1.0, 1.0])
NAN = float("nan")


@dataclass
class Point:
    x: float
    y: float


class Plain:
    pass


def check(f, *calls):
    """`srcad.compile(f)` gives for each call what Python gives, and may not refuse."""
    compiled = srcad.compile(f, cache=False, backend="numpy")
    for args in calls:
        try:
            want = f(*args)
        except Exception as problem:
            with pytest.raises(type(problem)):
                compiled(*args)
        else:
            found = difference(want, compiled(*args))
            assert found is None, found


@pytest.mark.parametrize(
    "other",
    [
        [0, 1, 1], (0, 1, 1), [[0.0], [1.0]], range(3), None, "a", b"a", ..., {},
        {1, 2}, Pair(0, 1), Pair(0, 1)[:1], [True, False, True], np.float32(1), np.array(1.0),
        np.array(["a", "b", "a"]), float, len, np, Plain, slice(0, 1), [], (1.5,),
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize(
    "x", [Y, np.array(1.0), np.float64(1.0), np.int64(0), Y > 0, np.zeros((0, 3)), Y[:, None]]
)
def test_numbers_beside_other_kinds(x, other):
    check(lambda a, b: a == b, (x, other))
    check(lambda a, b: a != b, (x, other))
    check(lambda a, b: b == a, (x, other))
    check(lambda a, b: b != a, (x, other))


@pytest.mark.parametrize(
    "other",
    ["a", "ab", np.str_("a"), ["a", "b", "c"], ("a",), np.array(["b"]), np.array("a"), None, 1.0,
     np.float64(1.0), Y, b"a", {}, [], [1.0, 2.0, 3.0]],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("s", [np.array(["a", "b", "ab"]), np.array("a"), np.array([], "U1")])
def test_strings_beside_other_kinds(s, other):
    check(lambda a, b: a == b, (s, other), (s[::-1] if s.ndim else s, other))
    check(lambda a, b: b != a, (s, other))


def test_items_of_arrays_of_strings_are_strings():
    s, t = np.array(["a", "b"]), np.array(["b", "b"])
    check(lambda s: s[0] == "a", (s,), (t,))
    check(lambda s: (s[0] == s[1], s[0] != "a", s[0] < "b", "b" > s[1]), (s,), (t,))
    check(lambda s: [name == "a" for name in s], (s,))
    check(lambda s: s[0] in ("a", "c"), (s,), (t,))
    check(lambda s: "a" in s, (s,), (t,))
    check(lambda s: (s[0] == 1, s[0] == None, s[0] == ["a"]), (s,))  # noqa: E711
    check(lambda s: s < "b", (s,))


def test_bytes_and_dates():
    check(lambda s: (s == b"a", s == "a", s[0] == b"a"), (np.array([b"a", b"b"]),))
    days = np.array(["2020-01-01", "2021-01-01"], "M8[D]")
    check(lambda d: (d == d[0], d == 1, d[0] == 1, d == None), (days,))  # noqa: E711


def test_lists_become_arrays_beside_arrays():
    check(lambda y: y < [0, 1, 2], (Y,))
    check(lambda y: (1, 1, 0) >= y, (Y,))
    check(lambda y, k: y == [k, 1, k], (Y, 0), (Y, 1.0))
    check(lambda y: y[:, None] == range(len(y)), (Y,), (Y[:2],))
    check(lambda y, k: y == k, (Y, [2**70, 1, 1]), (Y, [2, 1, 1]))
    check(lambda w: np.all(w.shape == np.array([3])), (Y,), (Y[:2],))
    check(lambda w: w.shape != np.array([3, 1]), (Y,), (Y[:2],))


def test_items_of_containers():
    z = np.array([0.0])
    check(lambda a, b: [a, 1] == [b, 1], (1.0, np.float64(1.0)), (1.0, 2.0), (NAN, NAN))
    check(lambda a, b: [a, 1] == [b, 1], (Y, Y + 0), (Y, [1.0]), (z, 0.0), (Y, None), (None, Y))
    check(lambda a, b: (a, 2) != (b, 2), (Y, Y + 0), (Y[:1], 0.0), (1.0, 1.0))
    check(lambda a, b: {"k": a} == {"k": b}, (Y, Y + 0), (z, 0.0), (1.0, np.int64(1)))
    check(lambda a, b: {"k": a, "j": 1} == {"k": b}, (Y, Y + 0), (1.0, 1.0))
    check(lambda a, b: a in [b, 2.0], (2.0, Y), (2.0, z), (0.0, z), ("a", Y), (None, Y))
    check(lambda a, b: a in (2.0, b), (2.0, Y), (3.0, Y), (NAN, 1.0))
    check(lambda a: (a in [a], [a] == [a], (a,) != (a,), {0: a} == {0: a}), (NAN,), (Y,))
    check(lambda a, b: (a, b) < (b, a), (1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (Y, Y + 0))
    check(lambda a, b: [a, b] >= [a], (1.0, 2.0))
    check(lambda a: 1.0 in a, (Y,), (Y[:1],), (np.array(1.0),))


def test_kinds_of_containers_differ():
    check(lambda a: (a, 1) == [a, 1], (1.0,))
    check(lambda a: (Pair(a, 1) == (a, 1), (a, 1) == Pair(a, 1), Pair(a, 1) == [a, 1]), (1.0,))
    check(lambda a: ((a,) == a, [a] == None, {0: a} == [a], (a,) == "a"), (1.0,))  # noqa: E711
    check(lambda a: a == (), (1.0,), (1j,))
    check(lambda a: OrderedDict(a=a, b=2.0) == OrderedDict([("b", 2.0), ("a", a)]), (1.0,))
    check(lambda a: {"a": a, "b": 2.0} == OrderedDict([("b", 2.0), ("a", a)]), (1.0,))
    check(lambda a: Counter(a=a) == Counter(a=a, b=0), (1,))
    check(lambda p, q: (p == q, p != q, p == 1.0), (Point(1.0, 2.0), Point(1.0, 2.0)))
    check(lambda p, q: p == q, (Point(Y, 2.0), Point(Y + 0, 2.0)), (Point(1.0, Y), Point(2.0, Y)))
    check(lambda a: (("k", a) in {"k": 1.0}.items(), ("j", a) in {"k": a}.items()), (1.0,), (2.0,))
    check(lambda a: (a in {"k": 1.0}.values(), "k" in {"k": a}.keys()), (1.0,), (2.0,))
    check(lambda p: 1.0 in Pair(p, 2.0), (1.0,), (3.0,))


def test_results_are_of_pythons_types():
    x, y = np.float64(1.0), np.float64(2.0)
    check(lambda a, b: [a] == [b], (x, x + 0), (x, y))
    check(lambda a, b: a in (b, 3.0), (x, y))
    check(lambda a, b: b in a, (Y, 1.0))
    check(lambda a, b: not a == b, (x, y), (Y[:1], 0.0))


def test_truth():
    check(lambda x: 1.0 if range(len(x) - 1) else 2.0, (Y,), (Y[:1],))
    check(lambda x: 1.0 if range(len(x), 1, -1) else 2.0, (Y,), (Y[:1],))
    check(lambda x: bool(x == [0, 1, 1]), (Y,))
    check(lambda x: 1.0 if x == None else 2.0, (Y,), (Y[:1],))  # noqa: E711


def test_identity():
    check(lambda a, b: a is b, (1.0, 1), (np.float64(1.0), 1.0), (Y, 1.0), ([1.0], (1.0,)))
    check(lambda a: (a > 0) is True, (1.0,), (-1.0,))
    check(lambda a: (a > 0) is not False, (1.0,), (-1.0,), (np.float64(1.0),))
    check(lambda f, g: f is g, (Plain, Point), (Plain, Plain))
    shared = Plain()
    check(lambda p, q: p is q, (shared, Plain()), (shared, shared))
    token = object()
    check(lambda p, q: p is q, (token, object()), (token, token))


def f_of(k):
    def f(x):
        return k * x

    return f


def test_functions_of_one_code_are_two():
    f, g = f_of(1), f_of(2)
    check(lambda a, b: (a is b, a == b), (f, f), (f, g))


class Wide:
    def __eq__(self, other):
        return True


class Odd:
    def __init__(self, w):
        self.w = w

    def __bool__(self):
        return self.w > 1


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda a, b: a == b, (Y, [None, 1.0, 2.0])),
        (lambda a, b: a == b, (Y, Wide())),
        (lambda a, b: a == b, (np.float64(1.0), Wide())),
        (lambda a, b: a is b, ("ab", "".join(["a", "b"]))),
        (lambda a, b: a is b, ((1.0, 2.0), (1.0, 2.0))),
        (lambda a, b: a is b, (1.0, 1.0)),
        (lambda a, b: a is b, (2**70, 2**70)),
        (lambda a, b: a in {b, 1.0}, (Y, 2.0)),
        (lambda a, b: a in {b: 1.0}, ([1.0], 2)),
        (lambda a, b: b in a, (np.float64(1.0), 1.0)),
    ],
)
def test_what_is_not_known_is_refused(f, args):
    with pytest.raises(SrcadError) as caught:
        srcad.compile(f, cache=False, backend="numpy")(*args)
    assert caught.value.code in ("E132", "E128", "E123")
    assert caught.value.location is not None


def test_items_are_counted_and_found_by_value():
    def counted(x, y, z):
        return (
            (x, y, 0, 0.0, z, "a").count(0),
            [x, y, z].count(z),
            [1, x].count(x * 1.0),
            [].count(x),
        )

    def found(x, y, z):
        return [x, y, z].index(0), (3, y, x).index(x), [0.5, x, y].index(y, 1), (z, "a").index("a")

    def of_arrays(x, y, z):
        return [x, np.ones(2), y].index(y)

    calls = [
        (1.0, 0.0, 2.0),
        (0.0, 0.0, 0.0),
        (0, 1, 1.0),
        (NAN, 0.0, NAN),
        (False, True, 0),
        (1, 2, 3),
    ]
    check(counted, *calls)
    check(found, *calls)
    check(of_arrays, *calls)


@pytest.mark.parametrize("cls", [list, tuple])
def test_what_is_not_there_is_told_as_python_tells_it(cls):
    def f(x):
        return (x, 1.0).index(x + 2.5) if cls is tuple else [x, 1.0].index(x + 2.5)

    for x in (0.25, np.float64(0.25), 3):
        with pytest.raises(ValueError) as wanted:
            f(x)
        with pytest.raises(ValueError) as given:
            srcad.compile(f, cache=False, backend="numpy")(x)
        assert str(given.value) == str(wanted.value)
