"""Items of a list that are Python floats and NumPy's, which one array holds."""

import numpy as np
import pytest

import srcad

X = np.array([0.5, 2.0, 1.5])


def by_data(p, x):
    ws = [0.0, p[0]]
    t = 0.0
    for i in range(len(x)):
        t += 1.0 / ws[int(x[i]) % 2]
    return t


def chained(p, x):
    ws = [p[0], 0.0]
    for v in x:
        ws.append(2.0 / (ws[-1] * 3.0))
        ws.append(v)
    return ws[-2]


def inverse(p, x):
    ws = [2.0]
    for v in x:
        ws.append(p[0] / ws[-1] + 1.0 / ws[-1] + v)
    return 3.0 / ws[-1]


@pytest.mark.parametrize("f", [by_data, chained])
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_division_by_pythons_zero_raises(f, backend):
    """It gave infinity, as of NumPy's zero."""
    if backend == "native":
        pytest.importorskip("numba")
    for transform in (srcad.compile, srcad.grad):
        with pytest.raises(ZeroDivisionError):
            transform(f, backend=backend)(np.ones(1), X)


def test_other_divisions_are_as_in_python():
    p = np.array([0.7])
    value, gradient = srcad.value_and_grad(inverse)(p, X)
    assert value == inverse(p, X)
    assert type(value) is type(inverse(p, X))
    h = 1e-6
    np.testing.assert_allclose(
        gradient, [(inverse(p + h, X) - inverse(p - h, X)) / (2 * h)], rtol=1e-6
    )
