"""Items that are not there, on a path that data decides on: raised where the path is taken."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad


def _of_list(x):
    items = [x[0], 2.0]
    return items[3] if x[0] < 0 else items[0] * 2


def _of_dict(x):
    rates = {"a": x[0]}
    if x[0] < 0:
        return rates["b"]
    return rates["a"] * 2


def _of_array(x):
    pair = np.array([x[0], 2.0])
    return pair[2] if x[0] < 0 else pair[0] * 2


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [_of_list, _of_dict, _of_array])
def test_raises_where_the_path_is_taken(f, backend):
    value, slopes = srcad.value_and_grad(f, backend=backend)(np.array([1.5, 0.0]))
    assert value == 3.0
    np.testing.assert_array_equal(slopes, [2.0, 0.0])
    x = np.array([-1.0, 0.0])
    with pytest.raises(LookupError) as wanted:
        f(x)
    with pytest.raises(wanted.type) as caught:
        srcad.grad(f, backend=backend)(x)
    assert f is _of_array or str(caught.value) == str(wanted.value)


def _trapezoids(x):
    sums = []
    for j in range(12):
        step = x[1] / 2**j
        if j == 0:
            total = step * (x[0] + 1.0) / 2
        else:
            total = sums[-1] / 2 + step * x[0] ** j
        sums.append(total)
        if j >= 4 and abs(total - sums[-2]) < 1e-2:
            return total
    return 0.0


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_last_item_that_the_first_iteration_has_not(backend):
    x, e = np.array([0.7, 2.0]), 1e-6
    value, slopes = srcad.value_and_grad(_trapezoids, backend=backend)(x)
    assert value == pytest.approx(_trapezoids(x), rel=1e-14)
    wanted = [(_trapezoids(x + h) - _trapezoids(x - h)) / (2 * e) for h in e * np.eye(2)]
    np.testing.assert_allclose(slopes, wanted, rtol=1e-6)
