"""Parts that `np.split` and its kin make are views: what is written into one is in the array."""

import copy

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.array([0.3, 0.2, 1.0, 0.7, 0.1, 0.5])
M = np.arange(12.0).reshape(3, 4) + 0.5


def halves(x):
    x = x.copy()
    a, b = np.split(x, 2)
    a *= 2
    b[0] = a[1]
    return np.sum(x**2) + np.sum(a * b)


def of_an_argument(x):
    _, b, c = np.split(x, [1, 4])
    b[:] = b * x[0]
    c += b[1]
    return np.sum(x**2)


def uneven(x):
    x = x * 1.0
    parts = np.array_split(x, 4)
    parts[0][:] = parts[1]
    parts[2][0] *= parts[3][0]
    return np.sum(x**3)


def columns(m):
    a, b = np.hsplit(m * 1.0, 2)
    a += b
    b *= a
    return np.sum(a * b)


def rows(m):
    m = m.copy()
    first, *others = np.vsplit(m, 3)
    first[0] = others[0][0]
    m[2] = 1.0
    return np.sum(first * others[1]) + np.sum(m)


def last_axis(m):
    m = m.copy()
    a, b = np.split(m, 2, axis=-1)
    a[0] = b[1]
    return np.sum(m**2)


def deep(m):
    cube = np.reshape(m * m, (1, 3, 4))
    a, b = np.dsplit(cube, [1])
    a *= 3
    b[0, 1] = a[0, 0, 0]
    return np.sum(a) * np.sum(b)


def by_an_option(x, n=3):
    x = x.copy()
    parts = np.split(x, n)
    parts[0] *= 2
    parts[-1] += parts[0]
    return np.sum(x**2)


def in_a_loop(x):
    x = x.copy()
    for _ in range(3):
        a, b = np.split(x, 2)
        a += 0.5 * b
        b *= 0.9
    return np.sum(x**2)


EACH = [
    *((f, X) for f in (halves, of_an_argument, uneven, by_an_option, in_a_loop)),
    *((f, M) for f in (columns, rows, last_axis, deep)),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "x"), EACH)
def test_what_is_written_into_parts(f, x, backend):
    value, slope = srcad.value_and_grad(f, backend=backend)(x)
    np.testing.assert_allclose(value, f(copy.copy(x)), rtol=1e-12)
    t = np.cos(x)
    ahead, behind = (f(x + step * t) for step in (1e-6, -1e-6))
    np.testing.assert_allclose(np.sum(slope * t), (ahead - behind) / 2e-6, rtol=1e-6)


def test_parts_that_are_not_equal_raise():
    def f(x):
        x = x.copy()
        a, *_ = np.split(x, 4)
        a *= 2
        return np.sum(x)

    for call in (f, srcad.grad(f)):
        with pytest.raises(ValueError, match="equal division"):
            call(X)
