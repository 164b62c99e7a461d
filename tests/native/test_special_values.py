"""Zeros, infinities and large numbers: compiled code gives what NumPy gives, or leaves it them."""

from __future__ import annotations

import numpy as np
import pytest

import srcad

PARTS = [0.0, -0.0, 1.5, -2.0, 30.0, -700.0, 1e-300, 5e307, -1e308]
FINITE = np.array([complex(a, b) for a in PARTS for b in PARTS])
SPECIAL = np.array([complex(a, b) for a in (np.inf, -np.inf, np.nan, 1.0) for b in PARTS[:4]])


def tanh(z, w):
    for i in range(len(z)):
        w[i] = np.tanh(z[i])
    return w


def exp(z, w):
    for i in range(len(z)):
        w[i] = np.exp(z[i])
    return w


def sqrt(z, w):
    for i in range(len(z)):
        w[i] = np.sqrt(z[i])
    return w


def sin_and_cosh(z, w):
    for i in range(len(z)):
        w[i] = np.sin(z[i]) if i % 2 else np.cosh(z[i])
    return w


@pytest.mark.parametrize("f", [tanh, exp, sqrt, sin_and_cosh])
@pytest.mark.filterwarnings("ignore")
def test_complex_functions(f):
    made = srcad.compile(f, backend="native")
    for z in (FINITE, SPECIAL, *FINITE[:, None], *SPECIAL[:, None], FINITE[:4]):
        wanted, got = f(z, z * 0), made(z, z * 0)
        np.testing.assert_allclose(got.view(float), wanted.view(float), rtol=1e-13)
        is_zero = wanted.view(float) == 0
        signs = (np.signbit(each.view(float)[is_zero]) for each in (wanted, got))
        np.testing.assert_array_equal(*signs)


def sign(x, y):
    for i in range(len(x)):
        y[i] = np.sign(x[i])
    return y


def root_of_one(x, y):
    for i in range(len(x)):
        y[i] = x[i] ** 0.5
    return y


def root_of_all(x, y):
    for _ in range(2):
        y = x**0.5 + y * 0
    return y


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("f", [sign, root_of_one, root_of_all])
@pytest.mark.filterwarnings("ignore")
def test_signs_of_zeros(f, dtype):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 4.0, -1.0], dtype)
    made = srcad.compile(f, backend="native")
    wanted, got = f(x, np.full_like(x, -1.0)), made(x, np.full_like(x, -1.0))
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(wanted))
    assert made.explain().compiled
