"""Jacobians in C of what depends on a part of its argument: their rows are made block by block."""

import numpy as np
import pytest
from native.test_c import CC, check

import srcad

pytestmark = pytest.mark.skipif(CC is None, reason="there is no compiler `cc`")


@pytest.mark.parametrize(
    "derivative",
    [
        srcad.jacrev(lambda x: x[1:]),
        srcad.jacrev(lambda x: x[1:] - x[:-1]),
        srcad.jacrev(lambda x: np.sin(x)[1:]),
        srcad.jacrev(lambda x: x[2:] * x[:-2]),
        srcad.jacrev(lambda x: np.cumsum(x)[1:-1]),
        srcad.jacrev(lambda x: np.diff(x)),
        srcad.jacrev(lambda x: np.concatenate([x, x[1:]])),
        srcad.hessian(lambda x: np.sum(np.sin(x[1:]) * x[:-1])),
        srcad.jacfwd(lambda x: x[1:]),
    ],
)
def test_jacobians_of_slices(derivative, tmp_path):
    """Also of a block of rows, and of some rows more."""
    sizes = (4, 3, 65, 66, 90)
    first, *others = [(np.linspace(0.1, 1.0, n),) for n in sizes]
    check(tmp_path, derivative, first, *others)
