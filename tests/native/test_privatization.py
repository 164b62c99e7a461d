from __future__ import annotations

import pytest

from srcad.ir import NumberType, Value
from srcad.ir.affine import Affine
from srcad.native.threads.privatization import _joined

N = Affine.of(Value("n", NumberType(int)))


def box(*ends):
    return tuple((Affine() + low, Affine() + high) for low, high in ends)


@pytest.mark.parametrize(
    ("boxes", "made"),
    [
        ([box((0, 0)), box((1, N - 2)), box((N - 1, N - 1))], [box((0, N - 1))]),
        ([box((N - 1, N - 1)), box((1, N - 2)), box((0, 0))], [box((0, N - 1))]),
        ([box((0, 0)), box((2, N))], [box((0, 0)), box((2, N))]),
        ([box((0, 0), (0, N)), box((1, 1), (0, N))], [box((0, 1), (0, N))]),
        ([box((0, 0), (0, N)), box((1, 1), (0, 2))], [box((0, 0), (0, N)), box((1, 1), (0, 2))]),
    ],
)
def test_ranges_that_meet_are_one(boxes, made):
    assert _joined(boxes) == made
