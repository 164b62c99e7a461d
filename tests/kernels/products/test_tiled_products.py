import itertools

import numpy as np
import pytest

pytest.importorskip("numba")
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from srcad.kernels.products import tiled_products
from srcad.kernels.products.registers import LONG
from srcad.kernels.products.tiled_products import (
    TERMS_AT_ONCE,
    are_tiled,
    most_terms,
    tiled_product,
)

DTYPES = (np.float32, np.float64)
TRANSPOSED = list(itertools.product((False, True), repeat=2))
RNG = np.random.default_rng(0)


@intrinsic
def tiled(typingctx, out, x, x_transposed, y, y_transposed, more):
    def generate(context, builder, signature, values):
        made = [context.make_array(out)(context, builder, values[i]) for i in (0, 1, 3)]
        (m, n), (rows, x_lead), (_, y_lead) = (
            cgutils.unpack_tuple(builder, array.shape) for array in made
        )
        flags = [cgutils.as_bool_bit(builder, values[i]) for i in (2, 4, 5)]
        steps = [
            (builder.select(transposed, LONG(1), lead), builder.select(transposed, lead, LONG(1)))
            for transposed, lead in zip(flags, (x_lead, y_lead), strict=False)
        ]
        k = builder.select(flags[0], rows, x_lead)
        out_, x_, y_ = (array.data for array in made)
        fn = tiled_product(builder.module, out.dtype.bitwidth)
        builder.call(fn, [m, n, k, out_, n, x_, *steps[0], y_, *steps[1], flags[2]])
        return context.get_dummy_value()

    flag = types.boolean
    return types.void(out, x, flag, y, flag, flag), generate


@numba.njit
def multiply(out, x, x_transposed, y, y_transposed, more=False):
    tiled(out, x, x_transposed, y, y_transposed, more)


def factors(m, n, k, x_transposed, y_transposed, dtype):
    x = RNG.normal(size=(k, m) if x_transposed else (m, k)).astype(dtype)
    y = RNG.normal(size=(n, k) if y_transposed else (k, n)).astype(dtype)
    return x, y


def of_numpy(x, x_transposed, y, y_transposed):
    x, y = x.astype(np.float64), y.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return (x.T if x_transposed else x) @ (y.T if y_transposed else y)


def check(m, n, k, x_transposed, y_transposed, dtype):
    """Against NumPy, in the middle of memory that nobody else writes to."""
    x, y = factors(m, n, k, x_transposed, y_transposed, dtype)
    memory = np.full(m * n + 128, 7, dtype)
    multiply(memory[64 : 64 + m * n].reshape(m, n), x, x_transposed, y, y_transposed)
    wanted = np.full(memory.shape, 7.0)
    wanted[64 : 64 + m * n] = of_numpy(x, x_transposed, y, y_transposed).ravel()
    tolerance = 2 * np.finfo(dtype).eps * (k + 20)
    np.testing.assert_allclose(memory, wanted, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("transposed", TRANSPOSED)
def test_all_extents_up_to_forty(transposed, dtype):
    for m, n in itertools.product(range(41), repeat=2):
        check(m, n, (7 * m + 3 * n) % 41, *transposed, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("transposed", TRANSPOSED)
@pytest.mark.parametrize(
    "extents",
    [
        (13, 64, TERMS_AT_ONCE),
        (7, 65, TERMS_AT_ONCE + 1),
        (50, 129, 2 * TERMS_AT_ONCE + 5),
        (1, 70, 3 * TERMS_AT_ONCE),
        (9, 9, 0),
    ],
)
def test_several_blocks(extents, transposed, dtype):
    check(*extents, *transposed, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("transposed", TRANSPOSED)
def test_nan_and_inf_are_what_a_product_makes_of_them(transposed, dtype):
    """Also where the other factor is zero, and nowhere else."""
    x, y = factors(14, 37, 23, *transposed, dtype)
    x[3, 5], x[11, 2], y[4, 6], y[20, 1] = np.inf, np.nan, -np.inf, np.nan
    x[0], y[:, 0] = 0, 0
    out = np.empty((14, 37), dtype)
    multiply(out, x, transposed[0], y, transposed[1])
    wanted = of_numpy(x, transposed[0], y, transposed[1])
    assert np.isnan(wanted).any()
    assert np.isinf(wanted).any()
    np.testing.assert_allclose(out, wanted, rtol=0, atol=100 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_entry_does_not_depend_on_where_it_lies(dtype):
    """The order of its sum is that of the terms, in every tile."""
    x, y = factors(30, 75, 200, False, False, dtype)
    whole = np.empty((30, 75), dtype)
    multiply(whole, x, False, y, False)
    for m, n in [(1, 75), (17, 75), (30, 9), (2, 33)]:
        part = np.empty((m, n), dtype)
        multiply(part, x[:m], False, np.ascontiguousarray(y[:, :n]), False)
        np.testing.assert_array_equal(part, whole[:m, :n])


def test_a_product_can_be_added():
    x, y = factors(20, 70, TERMS_AT_ONCE + 3, False, True, np.float64)
    out = np.ones((20, 70))
    multiply(out, x, False, y, True, True)
    np.testing.assert_allclose(out, 1 + x @ y.T, rtol=0, atol=1e-12)


@intrinsic
def chosen(typingctx, m, n, k):
    def generate(context, builder, signature, values):
        return builder.zext(are_tiled(builder, 32, *values), ir.IntType(8))

    return types.boolean(types.int64, types.int64, types.int64), generate


def test_extents_decide(monkeypatch):
    monkeypatch.setattr(tiled_products, "MOST_TERMS", 2**20)
    are = numba.njit(lambda m, n, k: chosen(m, n, k))
    assert are(100, 64, 64)
    assert are(128, 128, 64)
    assert not are(128, 128, 65)  # more terms
    assert not are(100, 8, 64)  # half a register
    assert not are(2**22, 2**21, 2**21)  # their product is 0 in 64 bits
    assert not are(1, 2**20, 1)


def test_products_are_blas_s_where_nothing_was_measured(monkeypatch):
    monkeypatch.setattr(tiled_products, "has_wide_registers", lambda: True)
    monkeypatch.setattr(tiled_products, "openblas_core", lambda: "Haswell")
    assert most_terms() >= 2**18
    monkeypatch.setattr(tiled_products, "openblas_core", lambda: "SkylakeX")
    assert most_terms() == 0
    monkeypatch.setattr(tiled_products, "openblas_core", lambda: "Haswell")
    monkeypatch.setattr(tiled_products, "has_wide_registers", lambda: False)
    assert most_terms() == 0
    monkeypatch.setattr(tiled_products, "MOST_TERMS", 0)
    assert are_tiled(None, 32, None, None, None) is None
