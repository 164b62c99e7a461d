"""`check_grads(..., by_line=True)`: the line whose derivative is wrong is named, and no other."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus.all import PROGRAMS

import srcad
from srcad.testing import check_grads

LINES = Path(__file__).read_text().splitlines()


def square(x: Any) -> Any:
    return x * x


def tripled(x: Any) -> Any:
    return 3.0 * x


def norm(x: Any, y: Any) -> Any:
    return np.sqrt(np.sum(x * x) + np.sum(y * y))


def scaled(x: Any, by: float) -> Any:
    return x * by


# The forward rule of one is wrong, of another that of one argument, of the third the adjoint alone.
srcad.rules.elementwise(square, lambda y, x: 2.5 * x)
srcad.rules.rule(
    norm,
    jvp=lambda ts, out, x, y: (np.sum(x * ts[0]) + np.sum(y * ts[1])) / out,
    x=lambda g, out, x, y: g * x / out,
    y=lambda g, out, x, y: -g * y / out,
)
srcad.rules.rule(tripled, vjp=lambda g, y, x: (2.0 * g,))
srcad.rules.elementwise(scaled, lambda y, x, by: by + 0.0 * x, lambda y, x, by: 0.0 * x)

X = np.array([0.3, -0.7, 1.1])


def straight(x: Any) -> Any:
    y = np.sin(x)
    z = square(y) + 1.0  # wrong
    return np.sum(np.exp(z))


def helper(x: Any) -> Any:
    w = np.cos(x)
    return w * square(w)  # wrong


def in_a_helper(x: Any) -> Any:
    return np.sum(helper(x) * x)


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for i in range(4):
        u = square(x) * (i + 1)  # wrong
        total += np.sum(u)
    return total


def in_a_branch(x: Any) -> Any:
    y = x * 2.0
    if x[0] > 0:
        y = square(y)  # wrong
    else:
        y = np.tanh(y)
    return np.sum(y)


def in_a_while(x: Any) -> Any:
    y = x
    while np.sum(y) < 50.0:
        y = y + 1.0 + square(x)  # wrong
    return np.sum(y)


def in_a_comprehension(x: Any) -> Any:
    parts = [np.sum(square(x) * k) for k in range(3)]  # wrong
    return sum(parts)


def of_one_argument(x: Any) -> Any:
    y = np.tanh(x)
    return norm(x, y) + np.sum(y)  # wrong


def reverse_alone(x: Any) -> Any:
    y = tripled(x)  # wrong
    return np.sum(y * y)


def by_a_number(x: Any) -> Any:
    k = np.sum(x)
    y = scaled(x, k)  # wrong
    return np.sum(y)


def written_in_place(x: Any) -> Any:
    y = np.zeros(3)
    y[1:] = square(x[1:])  # wrong
    return np.sum(y * x)


def in_a_method(x: Any) -> Any:
    return Model(2.0).loss(x)


class Model:
    def __init__(self, rate: float) -> None:
        self.rate = rate

    def loss(self, x: Any) -> Any:
        y = self.rate * square(x)  # wrong
        return np.sum(y)


CASES = [
    (straight, "square", "z", ("fwd", "rev")), (in_a_helper, "square", "", ("fwd", "rev")),
    (in_a_loop, "square", "u", ("fwd", "rev")), (in_a_branch, "square", "y", ("fwd", "rev")),
    (in_a_while, "square", "y", ("fwd",)), (in_a_comprehension, "square", "", ("fwd", "rev")),
    (of_one_argument, "norm", "", ("fwd", "rev")), (reverse_alone, "tripled", "y", ("rev",)),
    (by_a_number, "scaled", "y", ("fwd", "rev")), (in_a_method, "square", "y", ("fwd", "rev")),
    (written_in_place, "square", "y", ("fwd", "rev")), (straight, "square", "z", ("rev",)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "rule", "variable", "modes"), CASES)
def test_the_wrong_line_is_told(f: Any, rule: str, variable: str, modes: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        check_grads(f, (X,), by_line=True, modes=modes, order=1)
    told = str(caught.value)
    (line,) = re.findall(r"test_lines\.py:(\d+):\d+: the derivative", told)
    assert LINES[int(line) - 1].endswith("# wrong")
    assert f"the derivative of `{rule}`" in told
    if variable:
        assert f"on the way to `{variable}`" in told
    found, wanted = map(float, re.findall(r"is (\S+), differences give (\S+)", told)[0])
    assert not math.isclose(found, wanted, rel_tol=1e-3)


def test_the_tangent_of_the_variable_and_its_difference() -> None:
    def plain(x: Any) -> Any:
        y = square(x)
        return y

    with pytest.raises(AssertionError) as caught:
        check_grads(plain, (2.0,), by_line=True, modes=("fwd",), order=1)
    found, wanted = map(
        float, re.findall(r"is (\S+), differences give (\S+)", str(caught.value))[0]
    )
    assert math.isclose(found / wanted, 2.5 / 2.0, rel_tol=1e-6)


def test_several_lines_are_told_in_their_order() -> None:
    def two(x: Any) -> Any:
        y = square(x)
        z = norm(y, x)
        return z * np.sum(square(y))

    with pytest.raises(AssertionError) as caught:
        check_grads(two, (X,), by_line=True, order=1)
    names = re.findall(r"the derivative of `(\w+)`", str(caught.value))
    assert names == ["square", "norm", "square"]


def test_arguments_are_left_as_they_are() -> None:
    def changing(x: Any, parts: Any) -> Any:
        x[0] = 2.0 * x[1]
        parts[0] = parts[0] * x[1]
        return np.sum(x) * parts[0]

    x, parts = X.copy(), [2.0]
    check_grads(changing, (x, parts), by_line=True, order=1, modes=())
    assert np.array_equal(x, X)


@pytest.mark.parametrize("program", PROGRAMS[::9], ids=lambda program: program.name)
def test_no_line_of_the_corpus_is_told(program: Any) -> None:
    """The derivatives are right, so that any line that is named would be named wrongly.

    Some programs jump beside their arguments, or round to single precision on the way: the whole
    function then disagrees with its differences, and no line is named.
    """
    args = program.arguments(1)[0]
    told = ""
    with np.errstate(all="ignore"):
        try:
            check_grads(program.fn, args, by_line=True, modes=("fwd", "rev"), order=0)
        except AssertionError as problem:
            told = str(problem)
    assert "the derivative of" not in told
