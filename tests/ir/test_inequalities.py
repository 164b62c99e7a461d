"""What whole numbers cannot satisfy: each answer "impossible" is tried on numbers."""

from __future__ import annotations

import itertools
import random

import pytest

from srcad.ir import NumberType, Value
from srcad.ir.affine import Affine
from srcad.ir.inequalities import are_impossible

VALUES = [Value(name, NumberType(int)) for name in "ijn"]
i, j, n = map(Affine.of, VALUES)


@pytest.mark.parametrize(
    "sums",
    [
        [Affine(-1)],
        [i, -i - 1],
        [i - j - 1, j - i],  # i > j, i <= j
        [i, n - i - 1, -n],  # 0 <= i < n, n <= 0
        [i, n - i - 1, i - n + 1, -i - 1],
        [i * 2 - 1, -i * 2 + 1],  # 2 i = 1
        [i * 3 - j * 3 - 1, j * 3 - i * 3 + 2],  # 1/3 <= i - j <= 2/3
        [i - j, j - n, n - i - 1],  # around
        [i + j + n - 10, -i + 3, -j + 3, -n + 3],
    ],
)
def test_impossible(sums):
    assert are_impossible(sums)


@pytest.mark.parametrize(
    "sums",
    [
        [],
        [Affine(0)],
        [i, -i],
        [i - j, j - i],
        [i, n - i - 1, n - 1],
        [i * 2 - 2, -i * 2 + 2],
        [i - j, j - n, n - i],
        [i + j + n - 9, -i + 3, -j + 3, -n + 3],
    ],
)
def test_possible(sums):
    assert not are_impossible(sums)


def test_answers_hold_for_numbers():
    """Nothing that some numbers satisfy is called impossible; most of the rest is."""
    rng = random.Random(7)
    found = missed = 0
    for _ in range(200):
        sums = [
            sum((v * rng.randint(-2, 2) for v in (i, j, n)), Affine(rng.randint(-3, 3)))
            for _ in range(rng.randint(2, 5))
        ]
        points = (
            dict(zip(VALUES, p, strict=True)) for p in itertools.product(range(-6, 7), repeat=3)
        )
        is_met = any(
            all(f.const + sum(k * point[v] for v, k in f.terms) >= 0 for f in sums)
            for point in points
        )
        if are_impossible(sums):
            assert not is_met, sums
            found += 1
        elif not is_met:
            missed += 1
    assert found > 10
    assert missed < found / 4


def test_many_inequalities_end_the_search():
    values = [Affine.of(Value(f"v{k}", NumberType(int))) for k in range(40)]
    sums = [a - b + 1 for a, b in itertools.permutations(values, 2)]
    assert not are_impossible([*sums, values[0] - values[1] - 5])
