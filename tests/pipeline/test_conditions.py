"""Guards as lines: the text of each kind, and that they hold for nothing else."""

import enum
import types
from decimal import Decimal

import numpy as np
import pytest

from srcad.ir.guards import Guard, leaf_key
from srcad.pipeline.calls.conditions import Conditions
from srcad.pipeline.calls.dispatch import MISS, build_dispatch


def scale(x):
    return FACTOR * x


FACTOR = 2.0


class Color(enum.Enum):
    RED = 1


class Layer:
    pass


def lines(guards, *, fn=scale, n_args=2, captures=(), kept=()):
    conditions = Conditions({}, fn, n_args, captures, kept)
    conditions.add(guards)
    return conditions.lines


def takes(guards, *args, fn=scale, captures=(), kept=()):
    """What is passed on; MISS where a guard does not hold."""
    take = build_dispatch(lambda *a: a, fn, len(args), 0, guards, captures, kept)
    return take(*args)


def leaf(path, x):
    return Guard(path, "leaf", leaf_key(x))


ARRAY = np.ones((2, 3))


def test_what_is_read_once_has_a_name_from_then_on():
    guards = [
        Guard("A[0]", "keys", ("u", "v")),
        Guard("tuple(A[0])", "equals", ("u", "v")),
        leaf("A[0]['u']", ARRAY),
        leaf("A[0]['v']", ARRAY[0]),
        Guard("A[0]['u'].shape[1] == A[0]['v'].shape[0]", "equals", True),
        Guard("A[0]['u'].shape[0] + 1 == A[0]['v'].shape[0]", "equals", True),
        Guard("A[0]['u'].flags.c_contiguous", "equals", True),
    ]
    assert lines(guards) == [
        "if type(a0) is not dict: break",
        "key_0, key_1 = a0",
        "if key_0 is not k2 and (type(key_0) is not str or key_0 != k2)"
        " or key_1 is not k3 and (type(key_1) is not str or key_1 != k3): break",
        "v4 = a0['u']",
        "if type(v4) is not ndarray or v4.dtype is not k4 and v4.dtype != k4: break",
        "n5, n6 = v4.shape",
        "if n5 == 1 or n6 == 1: break",
        "v7 = a0['v']",
        "if type(v7) is not ndarray or v7.dtype is not k4 and v7.dtype != k4"
        " or v7.ndim != 1: break",
        "n8 = len(v7)",
        "if n8 == 1: break",
        "if n6 != n8: break",
        "if n5 + 1 != n8: break",
        "if (v4.flags.c_contiguous) is not True: break",
    ]


def test_captured_values_are_read_where_they_are_checked_and_passed():
    path = "F.__globals__['FACTOR']"
    guards = [Guard("F", "code", (scale, scale.__code__)), leaf(path, 2.0)]
    assert lines(guards, captures=(path,)) == [
        "if k0.__code__ is not k2: break",
        "c0 = k1['FACTOR']",
        "if type(c0) is not k3: break",
    ]
    assert takes(guards, 1.0, captures=(path,)) == (1.0, FACTOR)


def test_what_is_a_certain_function_is_that_function_below():
    def outer(x):
        return inner(x)

    def inner(x):
        return FACTOR * x

    cell = "F.__closure__[0].cell_contents"
    path = f"{cell}.__globals__['FACTOR']"
    guards = [Guard(cell, "code", (inner, inner.__code__)), leaf(path, 2.0)]
    made = lines(guards, fn=outer, captures=(path,))
    assert made[2] == "c0 = k1['FACTOR']"  # of this module, as those of `outer`
    assert takes(guards, 1.0, fn=outer, captures=(path,)) == (1.0, FACTOR)
    inner.__code__ = scale.__code__
    assert takes(guards, 1.0, fn=outer, captures=(path,)) is MISS


def test_strings_are_no_paths():
    guards = [Guard("A[0]", "keys", ("A[1]",)), leaf("A[0]['A[1]']", 1.0)]
    assert lines(guards)[-2:] == ["v4 = a0['A[1]']", "if type(v4) is not k3: break"]
    assert takes(guards, {"A[1]": 1.0}, 0) == ({"A[1]": 1.0}, 0)


OTHER_ORDER = np.dtype(np.float64).newbyteorder()

CASES = {
    "dtype": (leaf("A[0]", ARRAY), ARRAY, [ARRAY.astype("f4"), ARRAY.astype(OTHER_ORDER)]),
    "rank 2": (leaf("A[0]", ARRAY), ARRAY, [ARRAY[0], ARRAY[None], np.array(1.0), 1.0, [1.0]]),
    "rank 1": (leaf("A[0]", ARRAY[0]), ARRAY[1], [ARRAY, np.array(1.0), np.ones(1), (1.0, 2.0)]),
    "rank 0": (leaf("A[0]", np.array(1.0)), np.array(2.0), [ARRAY, np.float64(1.0), 1.0]),
    "ones": (leaf("A[0]", ARRAY[:1]), ARRAY[1:], [ARRAY, ARRAY[:1, :1]]),
    "no ones": (leaf("A[0]", ARRAY), ARRAY.T, [ARRAY[:1], ARRAY[:, :1]]),
    "subclass": (leaf("A[0]", ARRAY), ARRAY, [np.ma.array(ARRAY)]),
    "scalar": (leaf("A[0]", np.float32(1)), np.float32(2), [2.0, np.float64(2), np.array(2.0)]),
    "number": (leaf("A[0]", 1.0), 2.0, [2, True, np.float64(2.0), "2"]),
    "list": (Guard("A[0]", "length", (list, 2)), [1, 2], [[1], (1, 2), {0: 1, 1: 2}]),
    "one key": (Guard("A[0]", "keys", ("u",)), {"u": 1}, [{}, {"v": 1}, {"u": 1, "v": 1}, ["u"]]),
    "type": (Guard("A[0]", "type", Layer), Layer(), [Layer, object(), 1]),
    "is": (Guard("A[0]", "is", Color.RED), Color.RED, [1, Color, "RED"]),
    "static": (Guard("A[0]", "static", 3), 3, [4, 3.0, np.int64(3)]),
    "text": (Guard("A[0]", "equals", "mean"), "mean", ["sum", b"mean", 1]),
    "none": (Guard("A[0]", "equals", None), None, [0, False, ""]),
    "true": (Guard("A[0]", "equals", True), True, [1, np.True_, "true"]),
    "false": (Guard("A[0]", "equals", False), False, [0, None, np.False_]),
    "fact": (Guard("hasattr(A[0], 'u')", "equals", False), 1, [types.SimpleNamespace(u=1)]),
    "kept": (Guard("A[0]", "is", Layer), Layer, [Color]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_guard_holds_for_what_it_says_alone(name):
    guard, good, bad = CASES[name]
    assert takes([guard], good) == (good,) if name != "fact" else takes([guard], good) is not MISS
    for each in bad:
        assert takes([guard], each) is MISS, each


@pytest.mark.parametrize("n", [2, 4, 5, 9])
def test_keys_and_their_order(n):
    keys = tuple("abcdefghij"[:n])
    guards = [Guard("A[0]", "keys", keys), Guard("tuple(A[0])", "equals", keys)]
    good = dict.fromkeys(keys, 0)
    assert takes(guards, good) == (good,)
    turned = dict(reversed(good.items()))
    for bad in ({**good, "z": 0}, {"a": 0}, turned, {}, list(keys), None):
        assert takes(guards, bad) is MISS, bad


@pytest.mark.parametrize("shape", [(2,), (2, 3), (2, 3, 4)])
def test_equal_extents(shape):
    a, b = np.ones(shape), np.zeros(shape)
    at = len(shape) - 1
    fact = Guard(f"A[0].shape[{at}] == A[1].shape[{at}]", "equals", True)
    differ = Guard(fact.path, "equals", False)
    guards = [leaf("A[0]", a), leaf("A[1]", b)]
    longer = np.ones((*shape[:-1], shape[-1] + 1))
    assert takes([*guards, fact], a, b) is not MISS
    assert takes([*guards, fact], a, longer) is MISS
    assert takes([*guards, differ], a, longer) is not MISS
    assert takes([*guards, differ], a, b) is MISS


def test_apart():
    x = np.ones(4)
    guards = [leaf("A[0]", x), leaf("A[1]", x), Guard("(A[0], A[1])", "apart", True)]
    assert takes(guards, x[:2], x[2:]) is not MISS
    assert takes(guards, x[:3], x[1:]) is MISS


def test_what_cannot_be_read_is_a_miss():
    class Broken:
        @property
        def w(self):
            raise RuntimeError

    assert takes([leaf("A[0].w", 1.0)], Broken()) is MISS


def test_objects_that_a_program_keeps():
    guards = [Guard("type(A[0])", "is", Layer), Guard("K[0].__mro__[1]", "is", object)]
    assert takes(guards, Layer(), kept=(Layer,)) is not MISS
    assert takes(guards, Color.RED, kept=(Layer,)) is MISS


@pytest.mark.parametrize(
    ("known", "other"),
    [
        (range(0, 3, 2), range(0, 4, 2)), (slice(1), slice(True)), (slice(0.0), slice(-0.0)),
        ({1, 2}, {True, 2}), (frozenset({0.0}), frozenset({-0.0})), ((1, "a"), (True, "a")),
        (0.0, -0.0), (np.float32(0), np.float32(-0.0)), (complex(0.0, 0.0), complex(-0.0, 0.0)),
        (Decimal("1.0"), Decimal("1.00")),
    ],
)  # fmt: skip
def test_constants_that_are_equal_and_not_alike(known, other):
    assert known == other
    for a, b in ((known, other), (other, known)):
        assert takes([Guard("A[0]", "equals", a)], a) is not MISS
        assert takes([Guard("A[0]", "equals", a)], b) is MISS


def test_nan_is_like_nan():
    assert takes([Guard("A[0]", "equals", np.nan)], float("nan")) is not MISS
    assert takes([Guard("A[0]", "equals", np.nan)], 1.0) is MISS


@pytest.mark.parametrize("n_more", [0, 1, 5])
@pytest.mark.parametrize(
    ("known", "other"),
    [
        (1, True),
        ("a", np.str_("a")),
        ((0.0, 1), (-0.0, 1)),
        ((1,), (True,)),
        ("a", "b"),
        (0.0, -0.0),
    ],
)
def test_keys_that_are_equal_and_not_alike(known, other, n_more):
    a, b = ({key: 1.0, **dict.fromkeys(range(2, 2 + n_more))} for key in (known, other))
    same = dict(a)
    for x, y in ((a, b), (b, a)):
        guards = [Guard("A[0]", "keys", tuple(x))]
        guards += [Guard("tuple(A[0])", "equals", tuple(x))] * (len(x) > 1)
        assert takes(guards, x) is not MISS
        assert takes(guards, y) is MISS
        assert takes(guards, {}) is MISS
    assert takes([Guard("A[0]", "keys", tuple(a))], same) is not MISS
