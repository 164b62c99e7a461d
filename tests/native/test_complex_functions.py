"""Complex functions of compiled code: the values of Python's, branches and signs of zeros too."""

from __future__ import annotations

import cmath
import itertools
import math

import numpy as np
import pytest
from native.backends import both, looped, outcome, whole

from srcad.native import complex_functions
from srcad.pipeline.request import Request

NAMES = ("sqrt", "tan", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh")
PARTS = (0.0, 1.0, 0.5, 1e-10, 2.0, 25.0, 1e5, 1e-200, 1e160, 1e300, 0.9999999, 1.0000001)
V = np.array([0.3, 0.7, 0.2, 0.9])
M = np.linspace(-0.8, 0.7, 16).reshape(4, 4)


def equal(a: float, b: float) -> bool:
    """Return whether two numbers are equal up to the last digits, and of one sign."""
    return math.copysign(1.0, a) == math.copysign(1.0, b) and abs(a - b) <= 1e-14 * abs(b)


@pytest.mark.parametrize("name", NAMES)
@np.errstate(all="ignore")
def test_values_are_those_of_python(name):
    fn, wanted = getattr(complex_functions, f"complex_{name}"), getattr(cmath, name)
    parts = [sign * part for part in PARTS for sign in (1.0, -1.0)]
    for z in itertools.starmap(complex, itertools.product(parts, parts)):
        try:
            value = wanted(z)
        except (ValueError, OverflowError):
            value = complex(np.inf, 0.0)
        found = fn(z)
        if cmath.isfinite(value):
            assert equal(found.real, value.real), z
            assert equal(found.imag, value.imag), z
        else:
            assert not cmath.isfinite(found), z


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_with_one_is_compiled(name):
    fn = getattr(cmath, name)
    of_arrays = getattr(np, name.replace("a", "arc", 1) if name.startswith("a") else name)

    def form(v, m):
        z = fn(0.5 * v[0] + 0.3j) + fn(0.9j - float(v[1]))
        return np.real(z) * v + np.imag(z) * v + np.abs(of_arrays(m * v + 0.5j)[1])

    whole(looped(form), (V, M))


def test_logarithms_to_other_bases_and_inverses():
    whole(
        looped(lambda v, m: np.abs(np.log10(v + 1j) + np.log2(m[0] + 2j) + np.reciprocal(v + 1j))),
        (V, M),
    )


def test_where_python_raises_its_exception_stays():
    def form(v, m):
        return v * cmath.atanh(complex(v[0] - v[0] + 1.0, 0.0)).real

    with pytest.raises(ValueError, match="math domain"):
        form(V, M)
    request = Request("value_and_grad", looped(form), (0,), single=False)
    pair = both(request, (V, M), 2, False)
    assert pair.reasons == []
    assert isinstance(outcome(pair.numpy, (V, M))[0], ValueError)
    assert isinstance(outcome(pair.native, (V, M))[0], Exception)
