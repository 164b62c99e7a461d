import math
import operator

import numpy as np
import pytest

import srcad
from srcad.native import python_semantics
from srcad.native.python_semantics import COMPILED_AS, float_power, int_power

FLOATS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 7.25, 171.0, 171.7, 709.7, 709.9, 710.4, 710.5, 1e3, 1e18]
FLOATS += [1e19, 1e300, 5e-324, 1 + 2**-52, 1 - 2**-53, 2.0**63, 2.0**63 - 1024, math.inf]
FLOATS = [*FLOATS, *(-x for x in FLOATS), math.nan]
INTS = [-(2**62), -100, -7, -3, -2, -1, 0, 1, 2, 3, 7, 100, 2**62]
BINARY = {operator.floordiv, operator.mod, math.pow, math.fmod}
UNARY = [fn for fn in COMPILED_AS if fn not in BINARY]
INTEGRAL = {math.floor, math.ceil, math.trunc}


def outcome(fn, *args):
    """The result, or the type of the error."""
    try:
        return fn(*args)
    except ArithmeticError as error:
        return type(error)
    except ValueError:
        return ValueError


def compiled(fn):
    numba = pytest.importorskip("numba")
    scope = vars(python_semantics) | {"check_integral": numba.njit(python_semantics.check_integral)}
    code = type(fn)(fn.__code__, scope, fn.__name__)
    return numba.njit(code, error_model="numpy")


def as_written(fn):
    return fn


def agree(got, want, tolerance=4e-15):
    if isinstance(want, type) or isinstance(got, type):
        return got is want
    if type(got) is not type(want):
        return False
    if isinstance(want, int):
        return got == want
    if math.isnan(want) or math.isinf(want) or want == 0:
        return repr(got) == repr(want)
    return math.isclose(got, want, rel_tol=tolerance)


both = pytest.mark.parametrize("way", [as_written, compiled])


@both
@pytest.mark.parametrize(
    "fn", [f for f in COMPILED_AS if f not in BINARY], ids=lambda f: f.__name__
)
def test_functions_of_one_float(fn, way):
    twin = way(COMPILED_AS[fn])
    for x in FLOATS:
        want = outcome(fn, x)
        if fn in INTEGRAL and isinstance(want, int) and not -(2**63) <= want < 2**63:
            want = OverflowError  # integers of 64 bits
        tolerance = 1e-11 if fn in (math.gamma, math.lgamma) else 4e-15  # Numba has its own gamma
        got = outcome(twin, x)
        near_a_root = fn is math.lgamma and abs(x - 1) < 1e-10 and abs(got - want) < 1e-15
        assert near_a_root or agree(got, want, tolerance), (x, got, want)


@both
@pytest.mark.parametrize("fn", sorted(BINARY, key=lambda f: f.__name__), ids=lambda f: f.__name__)
def test_functions_of_two_floats(fn, way):
    twin = way(COMPILED_AS[fn])
    for x in FLOATS:
        for y in FLOATS:
            want = outcome(fn, x, y)
            assert agree(outcome(twin, x, y), want), (x, y, outcome(twin, x, y), want)


@both
@pytest.mark.parametrize("fn", [operator.floordiv, operator.mod], ids=lambda f: f.__name__)
def test_division_of_integers(fn, way):
    twin = way(COMPILED_AS[fn])
    for a in INTS:
        for b in INTS:
            assert agree(outcome(twin, a, b), outcome(fn, a, b)), (a, b, outcome(twin, a, b))


@both
def test_the_logarithm_of_gamma_overflows(way):
    assert outcome(way(COMPILED_AS[math.lgamma]), 1e306) is OverflowError


def test_the_least_integer_by_minus_one():
    least = -(2**63)
    assert outcome(compiled(COMPILED_AS[operator.mod]), least, -1) == 0
    assert outcome(compiled(COMPILED_AS[operator.floordiv]), least, -1) is OverflowError
    assert compiled(COMPILED_AS[operator.floordiv])(-(2.0**63), -1.0) == 2.0**63


@both
def test_powers_of_integers(way):
    twin = way(int_power)
    for a in [*range(-12, 13), 2**31, -(2**31), 3037000499, 3037000500]:
        for n in (0, 1, 2, 3, 4, 7, 15, 16, 20, 39, 40, 62, 63, 64, 10**6):
            fits = abs(a) <= 1 or (n * math.log2(abs(a)) < 64 and abs(a**n) < 2**63)
            want = a**n if fits else OverflowError
            assert agree(outcome(twin, a, n), want), (a, n, outcome(twin, a, n), want)
        assert outcome(twin, a, -1) is ValueError  # Python's answer is a float


@both
def test_powers_of_floats(way):
    twin = way(float_power)
    for x in FLOATS:
        for y in FLOATS:
            want = outcome(operator.pow, x, y)
            if -math.inf < x < 0 and math.isfinite(y) and y % 1:
                want = ValueError  # Python's answer is complex
            assert agree(outcome(twin, x, y), want), (x, y, outcome(twin, x, y), want)


def arcs(x):
    s = 0.0
    for i in range(x.shape[0]):
        t = math.exp(x[i])
        s = s + (math.acos(1.0 / t) if t > 2.0 else math.sqrt(t)) * math.floor(x[i])
    return s


def test_loops_with_functions_of_python_are_compiled_and_raise_what_python_raises():
    pytest.importorskip("numba")
    by_numpy, compiled_one = (srcad.grad(arcs, backend=b) for b in ("numpy", "native"))
    x = np.linspace(-1, 3, 40)
    assert "@njit(" in compiled_one.source(x)
    assert np.allclose(compiled_one(x), by_numpy(x), rtol=1e-14)
    for wrong, error in ((1e3, OverflowError), (math.nan, ValueError)):
        x[5] = wrong
        for each in (by_numpy, compiled_one):
            with pytest.raises(error):
                each(x)


def with_base(x):
    s = 0.0
    for i in range(x.shape[0]):
        s = s + math.log(x[i], 3.0)
    return s


def test_a_logarithm_with_a_base_stays_python_s():
    pytest.importorskip("numba")
    x = np.linspace(1, 3, 10)
    pair = (srcad.value_and_grad(with_base, backend=b) for b in ("numpy", "native"))
    (value, x_bar), (other, other_bar) = (each(x) for each in pair)
    assert value == other
    assert np.array_equal(x_bar, other_bar)
