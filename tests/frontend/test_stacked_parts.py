"""Functions that join arrays, of the parts of one array; the axes of `np.cross` as numbers."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError
from srcad.testing import check_grads

NAMES = ["vstack", "hstack", "dstack", "column_stack", "concatenate", "stack"]
SHAPES = [(3,), (3, 2), (2, 3, 4), (2, 3, 2, 2), (1, 3), (1,), (0, 3), (3, 0), (0,)]


def calls(name):
    """The function with each of its options."""
    fn = getattr(np, name)
    if name not in ("concatenate", "stack"):
        return [fn]
    made = [lambda x, axis=axis: fn(x, axis) for axis in (0, 1, -1, 2, 5)]
    return [fn, *made] if name == "stack" else [fn, *made, lambda x: fn(x, axis=None)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NAMES)
def test_the_parts_of_an_array(name, shape):
    x = np.arange(float(np.prod(shape))).reshape(shape) + 0.5
    for f in calls(name):
        compiled = srcad.compile(lambda x, f=f: f(x))
        try:
            wanted = f(x)
        except Exception as problem:
            with pytest.raises((type(problem), SrcadError)):
                compiled(x)
            continue
        found = compiled(x)
        np.testing.assert_array_equal(found, wanted)
        assert not np.shares_memory(found, x)
        if x.size:
            check_grads(lambda x, f=f: f(x), (x,), order=1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_axis_of_cross_products_may_be_a_number(backend):
    a, b = np.arange(12.0).reshape(4, 3) ** 0.5, np.cos(np.arange(12.0)).reshape(4, 3)

    def by_axis(a, b, k):
        return np.sum(np.cross(a, b, axis=k) * np.cross(a, b, k, k, k))

    found = srcad.value_and_grad(by_axis, (0, 1), backend=backend)
    for x, y, k in ((a, b, 1), (a, b, -1), (a.T, b.T, 0)):
        np.testing.assert_allclose(found(x, y, k)[0], by_axis(x, y, k), rtol=1e-13)
        check_grads(lambda x, y, k=k: by_axis(x, y, k), (x, y), order=1)
