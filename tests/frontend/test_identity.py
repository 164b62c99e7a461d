"""Objects that come out of a compiled function are those that Python returns."""

import dataclasses

import numpy as np
import pytest

import srcad

GLOBAL = {1, 2}


class Plain:
    def __init__(self, w):
        self.w = w


@dataclasses.dataclass
class Held:
    part: object


PROGRAMS = [
    lambda a: a,
    lambda a: [a, 1.0],
    lambda a: (a, {"k": a}),
    lambda a: {"x": [a]},
    lambda a: [x for x in (a, a)],
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("make", [lambda: {0, 1}, object, lambda: Plain(1.0), set, lambda: len])
def test_arguments_come_back(f, make):
    compiled = srcad.compile(f)
    for a in (make(), make(), make()):
        assert holds(compiled(a), a) == holds(f(a), a) > 0


def holds(x, a):
    """How often a result has an object in it."""
    if isinstance(x, list | tuple):
        return sum(holds(item, a) for item in x)
    return sum(holds(item, a) for item in x.values()) if isinstance(x, dict) else x is a


def test_sets_are_new_in_each_call():
    f = srcad.compile(lambda x: {1, 2})
    first = f(1.0)
    first.add(3)
    assert f(1.0) == {1, 2}
    given = {1}
    union = srcad.compile(lambda s: s | {2})
    union(given).add(5)
    assert union(given) == {1, 2}


def test_set_of_others_is_itself():
    assert srcad.compile(lambda x: GLOBAL)(1.0) is GLOBAL


def test_objects_as_keys():
    f = srcad.compile(lambda a: {a: 1})
    for a in (Plain(1.0), Plain(2.0)):
        assert list(f(a)) == [a]


def test_objects_in_objects():
    f = srcad.compile(lambda a: Held(a))
    for a in (Plain(1.0), object(), {1}):
        assert f(a).part is a


def test_dtypes_are_dtypes():
    for dtype in ("f8", ">f4", "i2", "U3", "M8[D]"):
        x = np.zeros(2, dtype)
        found = srcad.compile(lambda x: x.dtype)(x)
        assert type(found) is type(x.dtype)
        assert found == x.dtype


def test_array_on_one_path_is_refused():
    """Joined with a number it would be another array."""

    def f(a, b):
        try:
            r = a < b
        except ValueError:
            r = -1.0
        return r

    with pytest.raises(srcad.SrcadError, match="E129"):
        srcad.compile(f)(np.ones(2), 0.5)


def test_handler_of_what_arithmetic_never_raises():
    def f(a, b):
        try:
            r = a < b
        except IndexError:
            r = -1.0
        return r

    assert list(srcad.compile(f)(np.ones(2), 1.5)) == [True, True]


def test_flat_iterator_is_refused():
    with pytest.raises(srcad.SrcadError, match="E306"):
        srcad.compile(lambda x: x.flat)(np.ones(2))
    assert srcad.compile(lambda x: list(x.flat))(np.ones(2)) == [1.0, 1.0]


def test_number_on_one_path_stays_one():
    def f(a, b):
        try:
            r = a[b]
        except IndexError:
            r = -1.0
        return r

    compiled = srcad.compile(f)
    x = np.ones((2, 2))
    assert type(compiled(x, 1)) is np.ndarray
    assert compiled(x, 7) == -1.0
    assert type(compiled(x, 7)) is float


@pytest.mark.parametrize(
    ("a", "b"), [(np.uint8(1), np.int64(1)), (np.float32(1), np.float64(2)), (1, 2.5)], ids=repr
)
def test_precision_on_one_path(a, b):
    """The dtype of what is one number or another is not told, unless an int decides, to which the
    program is specialised then; the number itself is that.
    """
    for f in (lambda a, b: type(a or b), lambda a, b: np.asarray(a or b).dtype):
        if type(a) is int:
            assert srcad.compile(f)(a, b) == f(a, b)
            continue
        with pytest.raises(srcad.SrcadError, match="E123"):
            srcad.compile(f)(a, b)
    made = srcad.compile(lambda a, b: (a or b) * 2)(a, b)
    assert (type(made), made) == (type(a * 2), a * 2)


def with_transposes(x):
    return [x, x.T, x.T]


def test_the_transpose_of_a_vector_is_a_view_of_its_own():
    x = np.array([1.0, 2.0])
    first, second, third = srcad.compile(with_transposes)(x)
    assert first is x
    assert second is not x
    assert second is not third
    assert second.base is x


def picks_by_identity(x):
    return x[0] if x.T is x else x[1]


def test_whether_a_transpose_is_the_vector_is_not_guessed():
    with pytest.raises(srcad.UnsupportedSyntax, match="E128"):
        srcad.grad(picks_by_identity)(np.array([1.0, 2.0]))


@dataclasses.dataclass
class Setting:
    rate: float = 1.0


KNOWN = {"first": Setting(), "second": Setting()}
FIRST, RATES = KNOWN["first"], [1.0, 2.0]
SAME = {"rates": RATES}


def of_captured_objects(x):
    scale = 2.0 if KNOWN["first"] is FIRST else 1.0
    return np.sum(x) * scale * (3.0 if KNOWN["second"] is not FIRST else 1.0)


def of_captured_lists(x):
    return np.sum(x) * (2.0 if SAME["rates"] is RATES else 1.0)


def of_arguments(x, s, t):
    return np.sum(x) * (2.0 * s.rate if s is t else t.rate)


def test_objects_of_the_caller_are_compared_at_each_call(monkeypatch):
    x = np.ones(3)
    for f in (of_captured_objects, of_captured_lists):
        gradient = srcad.value_and_grad(f)
        assert gradient(x)[0] == f(x)
        with monkeypatch.context() as changed:
            changed.setitem(KNOWN, "first", Setting())
            changed.setitem(SAME, "rates", [1.0, 2.0])
            assert gradient(x)[0] == f(x)
        assert gradient(x)[0] == f(x)
    s, t = Setting(4.0), Setting(5.0)
    gradient = srcad.value_and_grad(of_arguments)
    for pair in ((s, t), (s, s), (t, t), (t, s)):
        assert gradient(x, *pair)[0] == of_arguments(x, *pair)
