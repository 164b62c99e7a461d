"""NumPy makes eigenvalues real where it can: what shows that is refused, the rest is the same."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax

REAL = np.array([[2.0, 1.0], [3.0, 4.0]])  # 5 and 1
COMPLEX = np.array([[0.0, 1.0], [-4.0, 0.0]])


def parts(a):
    w = np.linalg.eigvals(a)
    return np.sum(w.real**2 + 3 * w.imag)


def modulus(a):
    w, v = np.linalg.eig(a)
    return np.max(np.abs(w)) + np.sum(np.abs(v @ np.exp(w * 1j)) ** 2)


def largest(a):
    w = np.linalg.eigvals(a)
    return np.where(w.real > 0, w, 0 * w)[0].real


@pytest.mark.parametrize("fn", [parts, modulus, largest])
@pytest.mark.parametrize("a", [REAL, COMPLEX], ids=["real", "complex"])
def test_what_is_the_same_for_both(fn, a):
    found = srcad.compile(fn)(a.copy())
    assert type(found) is type(fn(a))
    np.testing.assert_allclose(found, fn(a), rtol=1e-13)


def returned(a):
    return np.linalg.eigvals(a)


def summed(a):
    return np.sum(np.linalg.eig(a)[0] * 2)


def root(a):
    return np.sum(np.abs(np.sqrt(np.linalg.eigvals(a))))


def power(a):
    return np.sum(np.abs(np.linalg.eigvals(a) ** 0.5))


def asked(a):
    w = np.linalg.eigvals(a)
    return np.sum(w.real) if np.iscomplexobj(w) else 0.0


def dtype(a):
    return np.zeros(2, np.linalg.eigvals(a).dtype)


def text(a):
    print(np.linalg.eigvals(a))
    return np.sum(a)


@pytest.mark.parametrize("fn", [returned, summed, root, power, asked, dtype, text])
def test_what_is_not(fn):
    with pytest.raises(UnsupportedSyntax, match="E123"):
        srcad.compile(fn)(REAL)


@pytest.mark.parametrize("fn", [returned, summed, root, power, text])
def test_of_a_complex_matrix_all_is_known(fn):
    np.testing.assert_array_equal(srcad.compile(fn)(REAL + 0j), fn(REAL + 0j))
