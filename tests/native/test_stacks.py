"""Products of stacks of matrices, with other stacks, matrices and vectors."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import compare, whole

RNG = np.random.default_rng(0)
PAIRS = [
    ((4, 2, 3), (3, 2)), ((2, 3), (4, 3, 2)), ((4, 2, 3), (4, 3, 5)), ((2, 3), (3,)),
    ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((5, 1, 2, 3), (4, 3, 2)), ((4, 20, 21), (4, 21, 22)),
    ((20, 21), (4, 21, 3)), ((0, 2, 3), (3, 2)), ((4, 2, 0), (0, 2)),
]  # fmt: skip


def product(x, y):
    total = 0.0
    for k in range(3):
        total += np.sum((x * (1.0 + k)) @ y)
    return total


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
def test_products_are_those_of_numpy(shapes):
    x, y = (RNG.normal(size=shape) for shape in shapes)
    pair = whole(product, (x, y))
    assert compare(pair, (x[..., ::-1], y[..., ::-1])) == "equal"


def test_a_product_in_single_precision_is_single():
    x, y = (RNG.normal(size=shape).astype(np.float32) for shape in PAIRS[0])
    whole(product, (x, y))
