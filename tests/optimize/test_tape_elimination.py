"""What lasts in an array is not saved; what does not last is."""

import numpy as np
import pytest
from corpus import lasting

import srcad
from srcad.ir.affine import Affine
from srcad.ir.inequalities import are_impossible
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType

M, J, K, N = (Affine.of(Value(name, NumberType(int))) for name in "ijkn")


@pytest.mark.parametrize(
    ("sums", "expected"),
    [
        ([M - K - 1, K - M], True),
        ([M - K, K - M], False),
        ([M - J - 1, J - K - 1, K - M], True),
        ([M * 2 - K * 2 - 1, K * 2 - M * 2 + 1], True),  # 2 (i - k) is not 1
        ([Affine(0)], False),
        ([Affine(-1)], True),
        ([], False),
        ([N - M - 1, M - N + 2, M], False),
        ([N - M - 1, M - J - N, J], True),
    ],
)
def test_inequalities_of_whole_numbers(sums, expected):
    assert are_impossible(sums) is expected


def tapes(fn, *args):
    """The tapes in the generated gradient."""
    text = srcad.grad(fn, cache=False).source(*args)
    return sum("tape" in line and "[None]" in line for line in text.splitlines())


A, X = np.eye(4), np.ones(6)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("elimination", (A,), 0),
        ("substitution_back", (A, X[:4]), 0),
        ("rows_from_rows_before", (np.ones((5, 3)),), 2),
        ("reads_around_the_end", (X,), 2),
        ("twice_through", (X,), 4),
    ],
)
def test_how_much_is_saved(name, args, expected):
    fn = next(p.fn for p in lasting.program.programs if p.fn.__name__ == name)
    assert tapes(fn, *args) == expected
