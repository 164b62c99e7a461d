"""Objects that never change: what they give while compiling is what they give in Python."""

import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import srcad

WINDOW = 0.25


def rounded(n):
    return int(Decimal(n).quantize(Decimal("1")))


def value(f, *args):
    return srcad.value_and_grad(f)(*args)[0]


def test_arguments_are_known():
    global WINDOW

    def loss(x, n):
        return np.sum(x[: rounded(n)]) + np.sum(x[: rounded(WINDOW * 8)])

    x = np.arange(5.0)
    compiled = srcad.value_and_grad(loss)
    assert compiled(x, 3)[0] == loss(x, 3)
    assert compiled(x, 4)[0] == loss(x, 4)
    WINDOW = 0.5
    assert compiled(x, 4)[0] == loss(x, 4)


def test_numbers_by_data_are_refused():
    with pytest.raises(srcad.SrcadError, match="E123"):
        value(lambda x, k: np.sum(x[: rounded(k)]), np.ones(3), 2.0)
    with pytest.raises(srcad.SrcadError, match="E123"):
        value(lambda x: float(Decimal(str(x[0]))) * x[0], np.ones(3))


def test_exceptions_are_pythons():
    def loss(x):
        try:
            k = Decimal("a")
        except ArithmeticError:
            k = 2
        try:
            m = re.compile("(")
        except re.error:
            m = None
        return np.sum(x) * k * (1.0 if m is None else 3.0)

    assert value(loss, np.ones(2)) == loss(np.ones(2)) == 4.0
    with pytest.raises(ArithmeticError):
        value(lambda x: np.sum(x) * int(Decimal("a")), np.ones(2))


def test_matches():
    def loss(x):
        found = re.search("([a-z])([0-9]+)", "ab12")
        letters, total = found.group(1), 0
        for text in re.split(",", "1,2"):
            total += int(text)
        return np.sum(x) * total * int(found.group(2)) * len(letters) * found.start()

    assert value(loss, np.ones(2)) == loss(np.ones(2)) == 72.0


def of_argument(x, d):
    return x * float(d)


def of_global(x):
    return x * float(SHARE)


def of_pattern(x):
    return x * len(re.findall(PATTERN, "aab"))


SHARE = Decimal("0.5")
PATTERN = re.compile("a")


@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad])
@pytest.mark.parametrize(
    "values",
    [
        [Decimal("0.5"), Decimal("1.5"), Decimal("1.50"), Decimal("-0"), Decimal("0")],
        [Fraction(1, 2), Fraction(3, 2)],
    ],
)
def test_they_are_guarded_by_value(values, transform, monkeypatch):
    given, held = transform(of_argument), transform(of_global)
    factor = 2.0 if transform is srcad.compile else 1.0
    for d in (*values, values[0]):
        monkeypatch.setattr(sys.modules[__name__], "SHARE", d)
        assert given(2.0, d) == held(2.0) == factor * float(d)


def test_patterns_are_guarded(monkeypatch):
    searched = srcad.grad(of_pattern)
    assert searched(2.0) == 2.0
    monkeypatch.setattr(sys.modules[__name__], "PATTERN", re.compile("b"))
    assert searched(2.0) == 1.0
