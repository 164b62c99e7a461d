import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("numba")
import numba
from llvmlite import ir
from native.accuracy import DTYPES, evaluate, over_arrays, precise, worst_ulps

from srcad.native import functions
from srcad.native.functions.lanes import Lane, elementary, select

CUBIC = (1.0, -2.0, 0.5, 0.25)


@elementary
def cubic(x: Lane) -> Lane:
    """1 - 2 x + x^2 / 2 + x^3 / 4."""
    return x.polynomial(CUBIC)


@elementary
def rounded(x: Lane) -> Lane:
    """The nearest integer, by way of the bits."""
    real, bits = x.nearest()
    return select(real.differs(bits.as_real()), -1e9, bits.as_real())


@elementary
def lost_in_product(x: Lane, y: Lane) -> Lane:
    """What rounding takes from a product."""
    return x.product(y)[1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_polynomial(dtype):
    x = np.linspace(-2, 2, 101).astype(dtype)
    want = np.polynomial.Polynomial(CUBIC)(x.astype(np.float64))
    assert np.allclose(evaluate(cubic, x), want, rtol=0, atol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_nearest_rounds_ties_to_even(dtype):
    x = np.arange(-2000, 2000, dtype=dtype) / 4
    assert np.array_equal(evaluate(rounded, x), np.rint(x))


@precise
@pytest.mark.parametrize("dtype", DTYPES)
def test_product_keeps_what_rounding_takes(dtype):
    x, y = np.random.default_rng(7).uniform(1, 2, (2, 1000)).astype(dtype)
    wide = np.float64 if dtype is np.float32 else np.longdouble
    exact = x.astype(wide) * y.astype(wide) - (x * y).astype(wide)
    tolerance = 0 if dtype is np.float32 else 2.0**-63
    assert np.max(np.abs(evaluate(lost_in_product, x, y) - exact)) <= tolerance


def test_integers_and_truths_count_as_float64():
    for x in (3, True, np.int32(2), np.uint8(1)):
        y = numba.njit(lambda a: functions.exp(a))(x)
        assert type(y) is float
        assert y == pytest.approx(np.exp(float(x)), rel=1e-15)


def test_precision_of_two_arguments_is_the_greater():
    y = numba.njit(lambda a, b: functions.power(a, b))(np.float32(2.1), 0.3)
    assert y == pytest.approx(np.float64(np.float32(2.1)) ** 0.3, rel=1e-15)


def test_complex_numbers_are_refused():
    with pytest.raises(numba.TypingError):
        numba.njit(lambda a: functions.exp(a))(1j)


def test_constants_take_the_precision_of_the_lane():
    module = ir.Module()
    fn = ir.Function(module, ir.FunctionType(ir.FloatType(), [ir.FloatType()]), "f")
    builder = ir.IRBuilder(fn.append_basic_block())
    assert (Lane(builder, fn.args[0]) * 0.1).value.type == ir.FloatType()


@precise
@pytest.mark.parametrize("name", ["exp", "expm1", "log", "sin"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_caller_s_fastmath_changes_nothing(name, dtype):
    # leave to reorder would break the rounding by a magic number and the error terms
    x = np.random.default_rng(8).uniform(0.1, 60, 5000).astype(dtype)
    y = np.empty_like(x)
    over_arrays(getattr(functions, name), dtype, 1, fastmath=True)(x, y)
    with np.errstate(over="ignore"):
        assert worst_ulps(y, getattr(np, name)(x.astype(np.longdouble))) <= 2.0


def test_an_old_processor_computes_as_exactly():
    # without fused multiply-add, with two lanes; compiled for it here, run on this one
    machine = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    tests = [f"tests/native/functions/test_{name}.py" for name in ("power", "exponential")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "errors", *tests],
        env=os.environ | machine,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]


MODULE = """
import numpy as np
from numba import njit
from srcad.native.functions import add, cos, exp, sin

@njit("float64(float64[::1])", cache=True)
def kernel(x):
    total = 0.0
    for i in range(x.size):
        total = add(total, sin(x[i]) * exp(x[i]) + cos(x[i]))
    return total

print(kernel(np.array([-1e20, 1.0, 2.0, -3.0] * 9)))
print(sum(kernel.stats.cache_hits.values()))
"""


def test_kernels_come_back_from_numba_s_disk_cache(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(MODULE)
    places = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.getcwd()}
    first, second = (
        subprocess.run(
            [sys.executable, str(path)],
            env=os.environ | places,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    )
    assert (first[1], second[1]) == ("0", "1")
    x = np.array([-1e20, 1.0, 2.0, -3.0] * 9)
    assert float(first[0]) == float(second[0])
    assert float(first[0]) == pytest.approx(np.sum(np.sin(x) * np.exp(x) + np.cos(x)), rel=1e-14)
