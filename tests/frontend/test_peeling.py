"""Loops whose first iteration stands before them: what Python computes for any number of them."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
from conformance.outcome import difference

import srcad

RNG = np.random.default_rng(0)


def sums(x):
    total = 0
    for row in x:
        total += row
    return total


def sums_of_a_count(x, n):
    total = 1
    for i in range(n):
        total = total * 0.5 + x[i % 2]
    return total


def while_there_are(x):
    k, total = 0, 0.0
    while k < len(x):
        total = total + x[k]
        k += 1
    return total, k


def begun_in_the_first(x):
    for i in range(len(x)):
        h = x[i] * 2 if i == 0 else h + x[i]  # noqa: F821
    return h


def returned_early(x):
    total = 0
    for row in x:
        total = total + row
        if np.sum(total) > 1.0:
            return total, 1.0
    return total, 0.0


def listed(x):
    total, seen = 0, []
    for row in x:
        total = total + row
        seen.append(total)
    return seen, total


def same_object_listed(x):
    total, seen = 0, []
    for row in x:
        total += row
        seen.append(total)
    return [s is total for s in seen], total


def whole_numbers_first(x):
    total = np.zeros(3, dtype=int)
    kinds = []
    for row in x:
        kinds.append(total.dtype == int)
        total = total + row
    return total, kinds[:1]


def printed(x):
    total = 0
    for row in x:
        print(np.ndim(total))
        total = total + row
    return total


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize(
    "f",
    [
        sums, sums_of_a_count, while_there_are, begun_in_the_first, returned_early, listed,
        whole_numbers_first, printed,
    ],
)  # fmt: skip
def test_values_are_pythons_for_any_number_of_iterations(f, backend):
    compiled = srcad.compile(f, backend=backend, cache=False)
    for n in (4, 2, 0, 3, 2, 5):
        args = (RNG.normal(size=(n, 3)), n)[: f.__code__.co_argcount]
        if f is sums_of_a_count:
            args = (RNG.normal(size=(2, 3)), n)
        said = io.StringIO(), io.StringIO()
        with redirect_stdout(said[0]):
            wanted = outcome(f, args)
        with redirect_stdout(said[1]):
            found = outcome(compiled, args)
        if isinstance(wanted, Exception):
            assert isinstance(found, type(wanted) | NameError)
        else:
            assert difference(wanted, found) is None
        assert said[0].getvalue() == said[1].getvalue()


def outcome(f, args):
    """What a call returns, or the exception that it raises."""
    try:
        return f(*args)
    except Exception as problem:
        return problem


def trajectory(x, end):
    track, time, state = np.array(x), 0.0, x
    while time <= end:
        state = 1.1 * state
        track = np.vstack((track, state))
        time += 0.3
    return np.sum(track * track)


@pytest.mark.parametrize("backend", ["numpy", "auto"])
def test_a_vector_that_becomes_a_matrix_in_the_first_iteration(backend):
    """The bound is an argument: a guard says whether there is an iteration."""
    gradient = srcad.value_and_grad(trajectory, backend=backend)
    x = np.array([1.0, 0.5])
    for end in (1.0, -1.0, 2.0, np.nan, 0.0):
        value, x_bar = gradient(x, end)
        assert value == trajectory(x, end)
        np.testing.assert_allclose(x_bar, 2 * value / np.sum(x * x) * x)


def test_an_array_that_is_listed_and_added_to_is_one_object_or_refused():
    compiled = srcad.compile(same_object_listed, backend="numpy", cache=False)
    x = RNG.normal(size=(3, 3))
    try:
        found = compiled(x)
    except srcad.SrcadError:
        return
    assert difference(same_object_listed(x), found) is None


def loss(x):
    return np.sum(sums(x) ** 2)


def test_what_the_loop_carries_has_one_shape(capsys):
    srcad.grad(loss, backend="numpy").show(RNG.normal(size=(4, 3)))
    assert "unbroadcast" not in capsys.readouterr().out


def test_loops_over_rows_are_compiled_whole():
    pytest.importorskip("numba")
    gradient = srcad.grad(loss, backend="native")
    x = RNG.normal(size=(4, 3))
    np.testing.assert_allclose(gradient(x), np.broadcast_to(2 * sums(x), x.shape))
    assert "loop" not in str(gradient.explain(x)).split("stays")[-1].split("\n")[0]


def test_a_condition_that_compares_nothing():
    def halved(x):
        angle, s, before = np.nan, x, 2 * np.pi + 0.0 * x
        goes_on = (abs(s - before) > 1e-3).any()
        while goes_on:
            angle = np.sin(s)
            before, s = s, s * 0.5
            goes_on = (abs(s - before) > 1e-3).any()
        return np.sum(angle)

    x = np.array([2.0, 3.0])
    value, gradient = srcad.value_and_grad(halved)(x)
    assert value == halved(x)
    assert gradient == pytest.approx(np.cos(x / 2**11) / 2**11)


def test_a_number_that_is_an_array_without_axes_after_the_first_iteration():
    def chosen(b, x, p):
        for each in x:
            b = np.where(b > 0.1, b * each, np.sin(b))
            b -= p.min(axis=(0, 1))
        return b

    gradient = srcad.value_and_grad(chosen, (0, 1))
    for n in (4, 3, 2):
        x, p = np.linspace(0.5, 1.5, n), np.full((n, 2), 0.1)
        assert not difference(gradient(0.7, x, p)[0], chosen(0.7, x, p))
    assert gradient.cache_info().misses == 1
