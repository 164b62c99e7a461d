"""Programs that once had a wrong gradient or made the compiler fail, as small as they get."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from random_programs.checks import find_fault
from random_programs.generator import PARAMETERS, Program

PROGRAMS: list[Callable[..., Any]] = []


def program(f: Callable[..., Any]) -> Callable[..., Any]:
    PROGRAMS.append(f)
    return f


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives_are_right(f):
    shapes = dict(PARAMETERS)
    parameters = tuple((p, shapes[p]) for p in inspect.signature(f).parameters if p in shapes)
    lines = inspect.getsource(f).replace(f"def {f.__name__}(", "def f(").splitlines(True)
    source = "import numpy as np\n" + textwrap.dedent("".join(lines[1:]))
    assert find_fault(Program([], parameters, smooth=True), source=source) is None


@program
def sum_of_a_list(a, b, n, m, i_n, i_m, flag):
    return 0.7 * np.sum([a, 0.5, a * b])


@program
def functions_of_lists(a, b, x, n, m, i_n, i_m, flag):
    c = np.mean(np.tanh([[0.5, b], [a, a * b]])) + np.linalg.norm((a, 1.0))
    return c + np.sum(np.outer([a, b], x)) + np.sum(np.multiply([a, b], 2.0))


@program
def sum_of_a_list_of_arrays(a, x, y, n, m, i_n, i_m, flag):
    return np.sum([np.full((n, m), a), np.full((n, m), a * a)]) + np.sum((x, x * x))


@program
def shape_of_what_the_first_turn_lacks(p, n, m, i_n, i_m, flag):
    for row in p:
        u = np.broadcast_to(row, (m, m)) @ row
        v = row * 0.5
        for e in u:
            e += (v * 0.5)[0]
            p = e
    return np.sum(p)


@program
def method_of_a_number(a, n, m, i_n, i_m, flag):
    if flag:
        a -= np.full(3, a)[1] ** 2
    return np.sum(np.reshape(a, 1)) + np.sum(np.ravel(a)) + np.mean(a)


@program
def array_that_grows_in_a_loop(x, n, m, i_n, i_m, flag):
    u = x
    for _ in range(n):
        u = np.append(u, 0.5) * 2.0
    k = 0
    while k < m:
        u = np.concatenate([u, u[:1]]) * 0.7
        k += 1
    return np.sum(u**2)


@program
def wider_dtype_after_a_turn(x, y, n, m, i_n, i_m, flag):
    u = x
    v = np.ones(x.shape)
    for _ in range(n):
        u, v = v, u * np.ones(1) * 0.5
    for _ in range(3):
        y = np.append(y[1:], 0.5)
    return np.sum(u * v) + np.sum(y**2)


@program
def choice_between_numbers(a, b, n, m, i_n, i_m, flag):
    return 0.3 * np.where(flag, np.sin(a), b * 0.7)
