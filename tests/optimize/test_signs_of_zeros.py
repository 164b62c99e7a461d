"""Zeros have the signs of Python's and NumPy's: of real and complex products and sums."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

PARTS = [0.0, -0.0, 1.0, -1.0, 2.0]
NUMBERS = [complex(a, b) for a in PARTS for b in PARTS]
FORMS = [
    lambda z, w: (-z) * w,
    lambda z, w: z * (-w),
    lambda z, w: -(z * w),
    lambda z, w: (-z) * (-w),
    lambda z, w: 2.0 * (-z),
    lambda z, w: (-z) * 3.0,
    lambda z, w: -(2.0 * z),
    lambda z, w: w + (-z) * w,
    lambda z, w: w - (-z) * w,
    lambda z, w: w + z * (-w),
    lambda z, w: w + -2.0 * z,
    lambda z, w: w - -2.0 * z,
    lambda z, w: z**2,
    lambda z, w: z**3,
    lambda z, w: (-z) / 2.0,
    lambda z, w: z - (-w),
    lambda z, w: z * 1.0 + 0,
    lambda z, w: np.sum(-z),
    lambda z, w: np.sum(z) * w,
    lambda z, w: np.sum(z),
]
SUMS = [
    lambda x: np.sum(-x),
    lambda x: np.sum(np.sum(x)),
    lambda x: np.sum(-x, axis=0),
    lambda x: np.sum(-x, axis=-1, keepdims=True),
    lambda x: -np.sum(-x),
    lambda x: np.sum(x.ravel()[0]),
    lambda x: np.sum(-x * 2.0),
]


def bits(x):
    return np.signbit(np.real(x)).tolist(), np.signbit(np.imag(x)).tolist()


@pytest.mark.parametrize("f", FORMS)
@pytest.mark.parametrize("made", [complex, np.complex128, np.complex64])
def test_of_complex_numbers(f, made):
    compiled = srcad.compile(f, backend="numpy")
    for z in NUMBERS:
        for w in (1.0 + 0j, complex(-0.0, -1.0), complex(0.0, -0.0)):
            got, wanted = compiled(made(z), made(w)), f(made(z), made(w))
            assert (type(got), bits(got)) == (type(wanted), bits(wanted)), (z, w)


@pytest.mark.parametrize("f", FORMS)
def test_of_complex_arrays(f):
    z = np.array(NUMBERS)
    got = srcad.compile(f, backend="numpy")(z, z[::-1].copy())
    assert bits(got) == bits(f(z, z[::-1].copy()))


@pytest.mark.parametrize("f", SUMS)
@pytest.mark.parametrize("x", [[1.0, -1.0], [-0.0], [[0.0, -0.0], [2.0, -2.0]], [1j, -1j], [-0j]])
@pytest.mark.parametrize("backend", BACKENDS)
def test_of_sums(f, x, backend):
    x = np.array(x)
    got, wanted = srcad.compile(f, backend=backend)(x), f(x)
    assert (type(got), bits(got)) == (type(wanted), bits(wanted))


def test_of_values_beside_gradients():
    def f(a, b):
        z = complex(a, b)
        w = (-z) * z + np.sum(-z)
        return np.arctan2(w.imag, w.real)

    for a in PARTS:
        for b in PARTS:
            assert srcad.value_and_grad(f)(a, b)[0] == f(a, b)


def _powers_of_entries(z):
    out = np.zeros((len(z), 3), complex)
    for i in range(len(z)):
        out[i, 0] = z[i] ** 2
        out[i, 1] = np.power(z[i], 3)
        out[i, 2] = np.square(z[i])
    return out


def _powers_of_pythons(z):
    out = np.zeros((len(z), 2), complex)
    for i in range(len(z)):
        v = complex(z[i])
        out[i, 0] = v**2
        out[i, 1] = v**3
    return out


def _powers_of_arrays(z):
    return np.stack([z**2, z**3, np.power(z, 2), np.square(z), z**1])


@pytest.mark.parametrize("f", [_powers_of_entries, _powers_of_pythons, _powers_of_arrays])
@pytest.mark.parametrize("backend", BACKENDS)
def test_of_complex_powers(f, backend):
    z = np.array(NUMBERS)
    assert bits(srcad.compile(f, backend=backend)(z)) == bits(f(z))
