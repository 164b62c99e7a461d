"""What `np.piecewise` takes for one condition, and what for several, is what NumPy takes."""

import numpy as np
import pytest
from frontend.as_numpy import as_numpy

import srcad

X = np.array([0.3, 0.5, 0.1, 0.9])

OF_A_VECTOR = {
    "a list of truths": lambda x: np.piecewise(x[:2], [True, False], [3.0, 4.0]),
    "a list of ints": lambda x: np.piecewise(x[:2], [1, 0], [lambda v: v * v, 4.0]),
    "a list of a list": lambda x: np.piecewise(x[:2], [[True, False]], [lambda v: v * v, 4.0]),
    "lists of ints": lambda x: np.piecewise(x[:2], [[1, 0], [0, 1]], [lambda v: v * v, 4.0]),
    "truths by data": lambda x: np.piecewise(
        x, [x[0] > 0, x[1] > 0.6, x[2] > 0, x[3] > 0], [lambda v: v * v, 4.0]
    ),
    "rows": lambda x: np.piecewise(x, np.array([x > 0.4, x <= 0.4]), [lambda v: v * v, 4.0]),
    "an array": lambda x: np.piecewise(x, x > 0.4, [lambda v: v * v, 4.0]),
    "numbers": lambda x: np.piecewise(x, [x], [lambda v: v * v, 4.0]),
    "a tuple": lambda x: np.piecewise(x, (x > 0.4, x <= 0.4), [lambda v: v * v, 4.0]),
    "none": lambda x: np.piecewise(x, [], [4.0]),
}
OF_A_NUMBER = {
    "a truth": lambda x: np.piecewise(x[0], True, [lambda v: v * v, 4.0]),
    "a list": lambda x: np.piecewise(x[0], [False, True], [lambda v: v * v, 4.0]),
    "by data": lambda x: np.piecewise(x[0], [x[0] > 1], [lambda v: v * v, 4.0]),
}
EACH = {**OF_A_VECTOR, **{f"of a number: {name}": f for name, f in OF_A_NUMBER.items()}}


@pytest.mark.parametrize("f", EACH.values(), ids=EACH)
def test_conditions(f):
    as_numpy(f, X)
    if f is OF_A_VECTOR["none"]:
        return
    slope = srcad.grad(lambda x: np.sum(f(x)))(X)
    t = np.cos(np.arange(4.0))
    wanted = np.sum(f(X + 1e-6 * t) - f(X - 1e-6 * t)) / 2e-6
    np.testing.assert_allclose(slope @ t, wanted, rtol=1e-6, atol=1e-9)
