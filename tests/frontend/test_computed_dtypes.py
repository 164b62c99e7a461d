"""Numbers of several floating dtypes: each operation computes in the dtype in which NumPy does."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.float32([0.1, 0.2])


def equal_to_a_double(x):
    return x == np.float64(0.1)


def selected_above_a_double(x):
    return x[x > np.float64(0.1)]


def double_times_single(b, s):
    return np.float64(b) * s


def rounded_beside_doubles(b):
    return np.full(2, b) - np.float32(b)


def broadcast_and_compared(b, x):
    return np.broadcast_to(b, (2,)) == x


def length_with_rounded(b, x):
    return np.hypot(np.astype(x, np.float64), np.float32(b))


def chosen_by_a_double(x):
    return np.where(x >= np.float64(0.1), x * x, 0)


def compared_with_a_mean(x):
    return x == np.mean([0.1, 0.1])


def singles_scaled(b, x):
    return x * np.float32(b) - np.float32(b)


CASES = [
    (equal_to_a_double, (X,)), (selected_above_a_double, (X,)),
    (double_times_single, (1e300, np.float32(2))), (double_times_single, (0.1, np.float32(0.1))),
    (rounded_beside_doubles, (0.1,)), (broadcast_and_compared, (0.1, X)),
    (length_with_rounded, (0.1, X)), (chosen_by_a_double, (X,)), (compared_with_a_mean, (X,)),
    (compared_with_a_mean, (np.float16(X),)), (singles_scaled, (0.1, X)),
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "args"), CASES)
def test_values_are_those_of_numpy(f, args, backend):
    wanted, found = f(*args), srcad.compile(f, backend=backend)(*args)
    assert np.array_equal(found, wanted)
    assert found.dtype == wanted.dtype


def test_derivative_takes_the_path_of_the_value():
    gradient = srcad.grad(lambda x: np.sum(np.where(x >= np.float64(0.1), x * x, 0)))(X)
    np.testing.assert_array_equal(gradient, 2 * X * (X >= np.float64(0.1)))
