"""What a program refuses otherwise is known behind it, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.testing import check_grads

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape)


def gates(z, h):
    n = h.shape[1]
    if z.shape[1] != 3 * n:
        raise ValueError("no three gates")
    for _ in range(2):
        h = h * np.tanh(z[:, :n]) + z[:, n : 2 * n] * z[:, 2 * n :]
    return np.sum(h * h)


def constant(z, h):
    if z.shape[1] != 60:
        raise ValueError("not 60")
    for _ in range(2):
        h = h * np.tanh(z[:, :20]) * z[:, 40:]
    return np.sum(h * h)


def asserted(z, h):
    n = h.shape[1]
    assert z.shape[1] == 3 * n
    for _ in range(2):
        h = np.sin(z[:, :n] * z[:, 2 * n :]) * h
    return np.sum(h)


def at_least(z, h):
    """An inequality says enough for the first part, and nothing of what is left."""
    n = h.shape[1]
    if z.shape[1] < n:
        raise ValueError("too short")
    for _ in range(2):
        h = h * np.tanh(z[:, :n])
    return np.sum(h)


def inside(z, h):
    """A check in a loop may not run."""
    n = h.shape[1]
    for _ in range(2):
        if z.shape[1] != 3 * n:
            raise ValueError("no three gates")
        h = h * np.tanh(z[:, :n])
    return np.sum(h)


KNOWN = [gates, constant, asserted, at_least]


@pytest.mark.parametrize("fn", KNOWN, ids=lambda fn: fn.__name__)
def test_slices_behind_a_check_have_extents(fn):
    args = normal(2, 60), normal(2, 20)
    assert "unbroadcast" not in srcad.grad(fn, argnums=(0, 1), backend="numpy").source(*args)
    check_grads(fn, args, order=1)


@pytest.mark.parametrize("fn", [*KNOWN, inside], ids=lambda fn: fn.__name__)
def test_what_does_not_fit_raises_as_the_program_does(fn):
    """Whether the first call or a later one does not fit."""
    raised = AssertionError if fn is asserted else ValueError
    args, wrong = (normal(2, 60), normal(2, 20)), (normal(2, 18), normal(2, 20))
    warm, cold = srcad.grad(fn, backend="numpy"), srcad.grad(fn, backend="numpy")
    warm(*args)
    messages = []
    for call in (fn, warm, cold):
        with pytest.raises(raised) as problem:
            call(*wrong)
        messages.append(str(problem.value))
    assert fn is asserted or len(set(messages)) == 1  # pytest tells more of an `assert`
    np.testing.assert_array_equal(cold(*args), warm(*args))


def in_a_branch(z, h, is_checked):
    """The same slice stands where nothing was checked: there `h` may be broadcast to it."""
    n = h.shape[1]
    if is_checked:
        if z.shape[1] != 3 * n:
            raise ValueError("no three gates")
        return np.sum(h * z[:, :n])
    return np.sum(h[:, :1] * z[:, :n])


def test_a_check_in_a_branch_says_nothing_elsewhere():
    g = srcad.grad(in_a_branch, argnums=(0, 1), backend="numpy")
    for args in ((normal(2, 60), normal(2, 20), True), (normal(2, 5), normal(2, 20), False)):
        check_grads(lambda z, h, flag=args[2]: in_a_branch(z, h, flag), args[:2], order=1)
        assert [a.shape for a in g(*args)] == [a.shape for a in args[:2]]


def before_a_loop(z, h):
    """That the loop runs says how long the slice is in it, not how long it is before."""
    total = np.sum(z[:3] * 2.0) + np.sum(h[:1] * z[:3])
    for i in range(len(z) - 3):
        total = total + np.sum(z[:3] * h[:3]) * i
    return total


def test_turns_say_nothing_of_slices_before_the_loop():
    g = srcad.grad(before_a_loop, argnums=(0, 1), backend="numpy")
    for args in ((normal(5), normal(4)), (normal(2), normal(4))):
        check_grads(before_a_loop, args, order=1)
        assert [a.shape for a in g(*args)] == [a.shape for a in args]


def lstm(w_x, w_h, b, x, h):
    states, c = nn.lstm(x, h, h, w_x, w_h, b)
    return np.sum(states**2) + np.sum(c)


def gru(w_x, w_h, b, x, h):
    return np.sum(nn.gru(x, h, w_x, w_h, b, b) ** 2)


@pytest.mark.parametrize(("fn", "k"), [(lstm, 4), (gru, 3)])
def test_recurrent_cells_keep_no_helpers(fn, k):
    args = normal(2, 20 * k), normal(20, 20 * k), normal(20 * k), normal(5, 3, 2), normal(3, 20)
    g = srcad.grad(fn, argnums=(0, 1, 2, 3, 4), backend="numpy")
    assert "unbroadcast" not in g.source(*args)
    with pytest.raises(ValueError, match="expected w_h"):
        fn(args[0], normal(20, 20), *args[2:])


def checked_by_its_own_words(y, p):
    if len(y) != len(p):
        raise ValueError("as many predictions as labels, please")
    return np.mean(y - p)


def asserted_alike(y, p):
    if not y.shape == p.shape:  # pytest would rewrite an assert
        raise AssertionError("other shapes")
    return y @ p


def left_before(y, p):
    if y[0] > 0:
        return np.sum(y)
    return np.sum(y + p)


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize("f", [checked_by_its_own_words, asserted_alike, left_before])
def test_what_the_function_says_of_its_inputs_comes_before_what_numpy_would(f, backend):
    derivative = srcad.value_and_grad(f, (0, 1), backend=backend, cache=False)
    for y, p in ((1.0, 3), (-1.0, 3), (1.0, 4), (-1.0, 4), (-1.0, 2), (1.0, 3)):
        args = np.full(3, y), np.arange(p) + 1.0
        wanted = outcome(f, args)
        found = outcome(derivative, args)
        if isinstance(found, srcad.ShapeError):
            assert isinstance(wanted, ValueError)
        elif isinstance(wanted, Exception):
            assert repr(found) == repr(wanted)
        else:
            value, gradient = found
            assert value == wanted
            assert [g.shape for g in gradient] == [x.shape for x in args]


def outcome(f, args):
    """What a call returns, or the exception that it raises."""
    try:
        return f(*args)
    except Exception as problem:
        return problem
