"""Numbers that are Python's or NumPy's, by the way that a program went."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from native.backends import both, compare
from transform.programs import INT, SCALAR, array, program

import srcad
from srcad.ir import show, verify
from srcad.ir.evaluate import evaluate
from srcad.native.scalarize.loop_builder import Unsuited
from srcad.native.scalarize.scalars.weak_scalar_tags import tag_weak_scalars
from srcad.pipeline.request import Request

X = np.array([0.3, -0.7, 1.1, 0.2, -0.4])


def text_of(written, **types):
    """The program with flags, which the verifier takes."""
    kinds = {}
    fn = tag_weak_scalars(program(written, **types), tags=kinds)
    verify(fn, "flags")
    return fn, kinds


def test_a_flag_is_carried_where_a_turn_may_leave_the_number(golden):
    def written(b, x):
        def body(i, s):
            more = lambda: s + x[i]  # noqa: E731
            return b.branch(b.call(operator.gt, x[i], 0.0), more, lambda: s, [SCALAR])

        return b.loop((0, np.shape(x)[0], 1), [0.0], body, types=[SCALAR], names=["s"])

    fn, kinds = text_of(written, x=array("n"))
    assert kinds == {0: float}
    golden("native_flags.txt", show(fn))
    assert evaluate(fn, X)[1] is False
    assert evaluate(fn, -np.abs(X))[1] is True
    assert evaluate(fn, X[:0])[1] is True


def test_turns_tell_where_each_makes_a_number_anew():
    def written(b, x, n):
        return b.loop((0, n, 1), [0.0], lambda i, s: s + x[i], types=[SCALAR])

    fn, kinds = text_of(written, x=array("n"), n=INT)
    assert kinds == {0: float}
    assert len(fn.body.body[0].init) == 1, "nothing more is carried"
    assert [evaluate(fn, X, n)[1] for n in (-1, 0, 1, 5)] == [True, True, False, False]


def test_numbers_of_one_kind_have_no_flag():
    fn = program(lambda b, x: np.sum(x * x), x=array("n"))
    tags = {}
    assert tag_weak_scalars(fn, tags=tags) is fn
    assert not tags


def one_of_three(number):
    def written(b, x):
        def half():
            small = b.call(operator.lt, x[1], 0.0)
            return b.branch(small, lambda: 0.5, lambda: x[0], [SCALAR])

        return b.branch(b.call(operator.gt, x[0], 0.0), lambda: number, half, [SCALAR])

    return program(written, x=array("n"))


def test_what_may_be_of_two_kinds_is_refused():
    with pytest.raises(Unsuited, match="several kinds"):
        tag_weak_scalars(one_of_three(True), tags={})


def test_what_may_be_an_int_or_a_float_is_refused_when_it_is_an_int():
    tags = {}
    fn = tag_weak_scalars(one_of_three(0), tags=tags)
    verify(fn)
    assert tags == {0: float}
    assert evaluate(fn, np.array([-1.0, -1.0]))[-1] is True
    assert evaluate(fn, np.array([-1.0, 1.0]))[-1] is False
    with pytest.raises(AssertionError):
        evaluate(fn, np.array([1.0, 1.0]))


def positive(x):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s = s + x[i] * x[i]
    return s


def scaled(x):
    """What is computed of the number is Python's where the number is."""
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            s = s + x[i]
    return -s + 1.0


def counted(x):
    """An integer, or the sum of entries."""
    s = 0
    for i in range(len(x)):
        s += x[i] ** 2
    return s


def previous(x):
    """The number of the iteration before is Python's after one iteration, not after two."""
    s, before = 0.5, 0.25
    for i in range(len(x)):
        before = s
        s = s * x[i]
    return before


def reset(x):
    """A number of NumPy's until an iteration makes it Python's again."""
    s = x[0] * x[1]
    for i in range(len(x)):
        doubled = s * 2.0
        if x[i] < 0:
            s = 0.5
        elif x[i] > 1:
            s = doubled + x[i]
    return s


def last(x):
    """Left with a number of either kind."""
    s = 1.0
    k = 0
    while k < len(x):
        if x[k] > 0.4:
            break
        if x[k] > 0.1:
            s = s * x[k]
        k += 1
    return s


ARRAYS = (X, X[:3], X[1:3], -np.abs(X), np.abs(X), X[:0], X[:1] + 1, X[1:2], X[2:4], X[[0, 2]])


@pytest.mark.parametrize("fn", [positive, scaled, counted, previous, last])
def test_the_caller_gets_what_numpy_returns(fn):
    pair = both(Request("value_and_grad", fn, (0,), single=False), (X,), 1)
    assert pair.functions
    assert "_is_" in pair.text
    for x in ARRAYS:
        assert compare(pair, (x,)) in ("equal", "missed")
    assert compare(pair, (X,)) == compare(pair, (X[:0],)) == "equal"


def test_a_number_that_was_numpy_s_first():
    pair = both(Request("value_and_grad", reset, (0,), single=False), (X,), 1)
    assert pair.functions
    for x in (X, X[:3], X[[0, 2]], X[[2, 0]], np.abs(X), X[::-1].copy()):
        assert compare(pair, (x,)) == "equal"


@pytest.mark.parametrize("fn", [positive, counted, last])
def test_machine_code_tells_it_too(fn):
    pytest.importorskip("numba")
    pair = both(Request("value_and_grad", fn, (0,), single=False), (X,), 1, numba=True)
    for x in (X, X[:0], -np.abs(X)):
        assert compare(pair, (x,)) == "equal"


# What Python's numbers raise ------------------------------------------------------------------


def mean(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s / n


def third(x, n):
    s = 0
    for i in range(n):
        s += x[i]
    return s / 3.0


def inverse(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 0:
            s = s + x[i]
    return 1.0 / s


def inner(x, n):
    """The quotient is not returned; Python raises for it all the same."""
    s = 0.0
    for i in range(n):
        s += x[i]
    return np.sum(x) * (s / n)


def repeated(x, n):
    s, t = 0.0, 0.0
    for i in range(n):
        if x[i] > 0:
            s = s + x[i]
        t = t + x[i] / (s + 1.0) + s / n
    return t**2


def root(x, n):
    s = 0.25
    for i in range(n):
        s = s * x[i]
    return s**0.5


def negative(x, n):
    s = 0.0
    for i in range(n):
        s = s - x[i] * x[i]
    return s**-3.0


@pytest.mark.parametrize("fn", [mean, third, inverse, inner, repeated, root, negative])
def test_what_python_raises_is_left_to_numpy(fn):
    pair = both(Request("value_and_grad", fn, (0,), single=False), (X, 3), 2)
    assert pair.reasons == []
    assert pair.functions
    assert compare(pair, (np.abs(X), 3)) == compare(pair, (np.abs(X), 5)) == "equal"
    assert compare(pair, (X, 1)) in ("equal", "left")
    for x in (X, -np.abs(X), np.zeros(5)):
        for n in (0, 1, 2, 5):
            assert compare(pair, (x, n)) in ("equal", "left", "missed")


def test_a_division_by_zero_raises_only_for_python_s_numbers():
    pytest.importorskip("numba")
    for fn in (mean, inner):
        gradient = srcad.value_and_grad(fn, backend="native")
        with pytest.raises(ZeroDivisionError):
            gradient(X, 0)
        assert type(gradient(X, 3)[0]) is np.float64


def test_a_division_of_numpy_s_numbers_has_no_guard():
    pair = both(Request("value_and_grad", lambda x: x[0] / x[1], (0,), single=False), (X,), 1)
    assert "divide" not in pair.text


# Extremes of both kinds -----------------------------------------------------------------------


def largest(x):
    best = -np.inf
    for i in range(len(x)):
        best = max(best, x[i])
    return best


def positive_part(x):
    s = 0.0
    for i in range(len(x)):
        s += max(0.0, x[i])
    return s / len(x)


def clamped(x):
    s = 0.5
    for i in range(len(x)):
        s = min(max(s + x[i], 0), 1.0, x[0])
    return s


@pytest.mark.parametrize("fn", [largest, positive_part, clamped])
def test_an_extreme_is_of_the_kind_of_the_one_that_is_taken(fn):
    pair = both(Request("value_and_grad", fn, (0,), single=False), (X,), 1)
    assert pair.functions
    for x in (*ARRAYS, np.full(3, np.nan), 3 + np.abs(X)):
        assert compare(pair, (x,)) in ("equal", "left", "missed")
    # One that is an int of Python's is left to NumPy.
    wanted = "equal" if isinstance(fn(X), float) else "left"
    assert (compare(pair, (X,)), compare(pair, (-np.abs(X),))) == (wanted, "equal")


# Other paths ----------------------------------------------------------------------------------


def least(x, n):
    best = 1
    for i in range(n):
        best = min(best, x[i], 0.7)
    return best


def half_of_greatest(x, n):
    best = 0
    for i in range(n):
        best = max(best, x[i])
    return best / 2.0


def reservoir(x, n):
    level = 0.5
    for i in range(n):
        level = max(0, level - x[i]) + min(x[i], 0.1)
    return level


def rectified(x, n):
    total = 0.0
    for i in range(n):
        value = x[i] if x[i] > 0.5 else 0.0
        total += value / 2.0
    return total


def int_or_float(x, n):
    """What starts the loop is an int of one path, a float of the other."""
    total = 0
    if n > 1:
        total = 0.5
    for i in range(n):
        if x[i] > 0.6:
            total = total + x[i]
    return total


OTHERS = [least, half_of_greatest, reservoir, rectified, int_or_float, mean, third]


@pytest.mark.parametrize("fn", OTHERS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("kind", ["compile", "value_and_grad"])
def test_however_many_iterations_there_are(fn, kind):
    x = np.array([0.3, 0.9, 0.2, 0.65])
    argnums = (0,) if kind == "value_and_grad" else ()
    pair = both(Request(kind, fn, argnums, single=kind == "value_and_grad"), (x, 2), 2)
    outcomes = [compare(pair, (y, n)) for y in (x, 0.2 * x) for n in (4, 2, 1, 0, -1)]
    assert "equal" in outcomes
    assert "missed" not in outcomes


def saved(x, n):
    y = 1.0
    for i in range(n):
        y = np.sin(y * x[i])
    return np.sum(x) * y


def test_a_loop_that_saves_takes_a_negative_number_of_iterations():
    pytest.importorskip("numba")
    gradient = srcad.value_and_grad(saved, backend="native")
    for n in (3, 0, -1, -5):
        wanted = srcad.value_and_grad(saved, backend="numpy")(X, n)
        found = gradient(X, n)
        assert found[0] == wanted[0]
        np.testing.assert_allclose(found[1], wanted[1])
