"""Writes into one of several arrays of which each has its own dtype, as data says which."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

WHOLE, SINGLE, INTS = np.arange(3.0), np.arange(3, dtype=np.float32), np.arange(3)


def entry(c, a, b):
    x = a if c > 0 else b
    x[0] = 7.5
    return a.sum() + b.sum()


def in_place(c, a, b):
    x = a if c > 0 else b
    x *= 2
    x[1:] += 1
    return a.sum() + b.sum()


def in_a_loop(c, a, b):
    for k in range(3):
        x = a if a[k] > c else b
        x[k] = 2.5
    return a.sum() + b.sum()


def two_names(c, a, b):
    if c > 0:
        x, y = a, b
    else:
        x, y = b, a
    x[0] = 2.7
    y[0] = 1.2
    x[1] = float(y[0])
    return float(x[0]) + float(y[0])


def read_between(c, a, b):
    x = a if c > 0 else b
    x[0] = 7.5
    y = float(x[1])
    a[1] = 3
    return y + float(x[1]) + float(a[0])


def on_one_path(c, a, b):
    x = a if c > 0 else b
    if c * c > 0.5:
        x[2] = 9.7
    return float(x[2])


def a_view(c, a, b):
    x = a if c > 0 else b
    y = x[1:]
    y[0] = 4.6
    y[::-1][0] -= 1
    return float(x[1]) + float(x[2])


def methods(c, a, b):
    x = a if c > 0 else b
    x.sort()
    x[1] = True
    np.multiply(b, 2, out=x)
    x[:2].fill(3)
    return a.sum() + b.sum()


PROGRAMS = [entry, in_place, in_a_loop, two_names, read_between, on_one_path, a_view, methods]


@pytest.mark.parametrize("other", [SINGLE, INTS], ids=["single", "ints"])
@pytest.mark.parametrize("c", [-1.0, 0.5, 1.5])
@pytest.mark.parametrize("f", PROGRAMS)
def test_is_what_python_gives(f, c, other):
    ours, theirs = (WHOLE.copy(), other.copy()), (WHOLE.copy(), other.copy())
    found, wanted = srcad.compile(f)(c, *ours), f(c, *theirs)
    assert type(found) is type(wanted)
    assert found == wanted
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


def of_three(c, a, b, d):
    x = a if c > 0 else (b if c < -1 else d)
    x[1:] += 1
    x[0] *= 2
    return a.sum() + b.sum() + d.sum()


@pytest.mark.parametrize("c", [1.0, -0.5, -2.0])
def test_one_of_three(c):
    arrays = WHOLE, SINGLE, INTS
    ours, theirs = [x.copy() for x in arrays], [x.copy() for x in arrays]
    assert srcad.compile(of_three)(c, *ours) == of_three(c, *theirs)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("w", [np.array([0.5, 2.0]), np.array([-0.5, 2.0])])
def test_gradients(w, backend):
    def loss(w):
        a, b = w[0] * np.arange(1.0, 4.0), np.ones(3, np.float32)
        x = a if w[0] > 0 else b
        x[0] = w[1] ** 2
        x[1:] *= 3
        return np.sum(a**2) + float(np.sum(b)) + float(x[2]) * w[1]

    value, g = srcad.value_and_grad(loss, backend=backend)(w)
    assert value == loss(w)
    slope = [(loss(w + h) - loss(w - h)) / 2e-2 for h in 1e-2 * np.eye(2)]
    np.testing.assert_allclose(g, slope, rtol=1e-4)


@pytest.mark.parametrize(
    ("f", "code"),
    [
        (lambda c, a, b: (a if c > 0 else b).sum(), "E129"),
        (lambda c, a, b: a if c > 0 else b, "E129"),
    ],
)
def test_what_reads_them_in_their_dtype_is_refused(f, code):
    with pytest.raises(srcad.SrcadError, match=code):
        srcad.compile(f)(1.0, WHOLE, SINGLE)
