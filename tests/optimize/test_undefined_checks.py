"""What no path has assigned raises where it is read, and is asked for only where that may be."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.ir.definedness import is_question
from srcad.ir.walk import statements
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

X = np.array([0.3, -0.7, 1.1])


def questions(fn, *args):
    """The names that a program asks for, in its order."""
    found = {}
    compile_request(
        Request("value_and_grad", fn, (0,), single=False), args, frozenset(), found.__setitem__
    )
    body = found["optimize"].body
    return [stmt.args[0].name for stmt in statements(body) if is_question(stmt)]


def returned(x, n):
    for i in range(n):
        if i > 1:
            far = x[i] * np.sum(x)
    return far


def as_a_slice(x, n):
    for i in range(n):
        if x[i] > 0.5:
            k = i
    return np.sum(x[:k] * x[:k])


def as_an_operand(x, n):
    for i in range(n):
        if x[i] > 0.5:
            large = x[i] * x[i]
    return np.sum(x * large)


def made_of_what_was_asked_for(x, n):
    for i in range(n):
        last = x[i] * x[i]
    total = last * 2.0
    while total < n:
        total = total * 2.0 + 1.0
    return total * last


@pytest.mark.parametrize(
    ("fn", "names"),
    [(returned, ["far"]), (as_a_slice, ["k"]), (as_an_operand, ["large"]),
     (made_of_what_was_asked_for, ["last"])],
)  # fmt: skip
def test_it_raises_what_python_raises(fn, names):
    assert questions(fn, X, 3) == names
    gradient = srcad.grad(fn)
    assert np.all(np.isfinite(gradient(X, 3)))
    for wrong in (0, 1) if fn is not made_of_what_was_asked_for else (0,):
        with pytest.raises(UnboundLocalError):
            fn(X, wrong)
        with pytest.raises(UnboundLocalError, match="local variable"):
            gradient(X, wrong)


def under_the_condition_that_binds_it(x, n):
    if n > 1:
        y = np.sin(x)
    total = np.sum(x)
    if n > 1:
        total = total + np.sum(y * y)
    for i in range(n):
        last = x[i] * x[i]
    for i in range(n):
        total = total + x[i] * last
    return total


def left_with_it(x, n):
    for i in range(n):
        if x[i] > 0.5:
            return x[i] * np.sum(x)
    return np.sum(x * x)


def left_in_several_ways(x, n):
    total = 0.0
    for i in range(n):
        if x[i] > 0.9:
            if x[i] > 10.0:
                break
            if i == 7:
                continue
            total = total + x[i]
        elif x[i] < -0.5:
            return total - x[i] * x[i]
        total = total + x[i] * i
    return total


def in_a_loop_without_end(x, n):
    while True:
        n = n - 1
        x = x * 0.9
        rest = np.sum(x * x)
        if n < 0:
            break
    return rest


def in_a_loop_of_known_turns(x, n):
    for i in range(3):
        last = x[i] * x[i]
    return last * n


@pytest.mark.parametrize(
    "fn",
    [under_the_condition_that_binds_it, left_with_it, left_in_several_ways, in_a_loop_without_end,
     in_a_loop_of_known_turns],
)  # fmt: skip
def test_what_is_surely_assigned_is_not_asked_for(fn):
    assert questions(fn, X, 3) == []


def an_argument_under_a_condition(x, n):
    if n > 3:
        y = x
    return y


def a_part_of_an_argument(x, n):
    if n > 3:
        y = x
    else:
        x = x * 2.0
    return np.sum(y * y)


def a_loop_without_turns(x, n):
    for i in range(0):
        y = x
    return y


def a_loop_without_turns_in_a_branch(x, n):
    if n > 3:
        for i in range(0):
            y = x
    return np.sum(y)


def a_loop_without_turns_in_a_loop(x, n):
    for i in range(n):
        for j in range(0):
            y = x
    return np.sum(y)


def a_branch_that_is_not_taken(x, n):
    for i in range(3):
        if x.shape[0] > 7:
            y = x
    return y


def assigned_behind_what_raises(x, n):
    try:
        entry = x[n]
        y = x
    except IndexError:
        entry = 2.0
    return y * entry


def assigned_in_a_context(x, n):
    with np.errstate(divide="ignore"):
        if n > 3:
            y = x * 2.0
    return y


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("fn", "unbound", "bound"),
    [
        (an_argument_under_a_condition, 0, 5),
        (a_part_of_an_argument, 0, 5),
        (a_loop_without_turns, 0, None),
        (a_loop_without_turns_in_a_branch, 5, None),
        (a_loop_without_turns_in_a_loop, 5, None),
        (a_branch_that_is_not_taken, 0, None),
        (assigned_behind_what_raises, 9, 1),
        (assigned_in_a_context, 0, 5),
    ],
)
def test_compiled_programs_raise_what_python_raises(fn, unbound, bound, backend):
    compiled = srcad.compile(fn, backend=backend, cache=False)
    if bound is not None:
        np.testing.assert_array_equal(compiled(X, bound), fn(X, bound))
    with pytest.raises(UnboundLocalError):
        fn(X, unbound)
    with pytest.raises(UnboundLocalError):
        compiled(X, unbound)


def test_the_value_beside_a_gradient_is_there():
    derived = srcad.value_and_grad(a_part_of_an_argument)
    with pytest.raises(UnboundLocalError):
        derived(X, 0)
    value, gradient = derived(X, 5)
    assert value == a_part_of_an_argument(X, 5)
    np.testing.assert_allclose(gradient, 2.0 * X)


# Derivatives, which may not need what the function reads -----------------------------------------


def added_behind_a_loop(a, n):
    for _ in range(n):
        h = np.sin(a)
    return a + h


def added_behind_a_branch(a, n):
    if n > 2:
        h = 2
    return a + h


def added_behind_a_break(a, n):
    for i in range(3):
        if i == n:
            break
        h = a
    return a + h


def added_behind_a_loop_in_a_branch(a, n):
    if a > 0:
        for _ in range(n):
            h = 2.0
    else:
        h = np.float64(1.0)
    return a + h


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "transform", [srcad.grad, srcad.value_and_grad, srcad.jacfwd, srcad.jacrev, srcad.hessian]
)
@pytest.mark.parametrize(
    "fn",
    [
        added_behind_a_loop, added_behind_a_branch, added_behind_a_break,
        added_behind_a_loop_in_a_branch,
    ],
)  # fmt: skip
def test_a_derivative_raises_what_the_function_raises(fn, transform, backend):
    derived = transform(fn, backend=backend)
    derived(0.6, 3)
    with pytest.raises(UnboundLocalError):
        fn(0.6, 0)
    with pytest.raises(UnboundLocalError):
        derived(0.6, 0)


@contextmanager
def noted(box):
    yield
    box[0] = box[0] * 2.0


def first_of_what_is_there(a, box):
    def pair():
        with noted(box):
            if a > 0:
                return a * box[0], [a]
        raise ValueError(a)

    return pair()[0]


@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad])
def test_what_raises_ahead_of_the_return_comes_first(transform):
    derived = transform(first_of_what_is_there)
    derived(0.6, [3.0])
    with pytest.raises(ValueError, match=r"-0\.6"):
        derived(-0.6, [3.0])
