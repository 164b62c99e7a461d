import pytest

pytest.importorskip("numba")
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from srcad.kernels.products import registers
from srcad.kernels.products.registers import Registers, has_wide_registers, lanes_of, own_function


@intrinsic
def transposed(typingctx, x, y, count):
    """The square at the beginning of `x`, of rows with `count` numbers."""

    def generate(context, builder, signature, values):
        vectors = Registers(builder, x.dtype.bitwidth)
        source, target = (context.make_array(x)(context, builder, v).data for v in values[:2])
        starts = [ir.IntType(64)(i * vectors.lanes) for i in range(vectors.lanes)]
        mask = vectors.mask(0, values[2])
        rows = [vectors.load(builder.gep(source, [start]), mask) for start in starts]
        for start, row in zip(starts, registers.transposed(vectors.builder, rows), strict=True):
            vectors.store(row, builder.gep(target, [start]))
        return context.get_dummy_value()

    return types.void(x, y, types.int64), generate


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squares_are_transposed_and_masked(dtype):
    n = lanes_of(np.dtype(dtype).itemsize * 8)
    x = np.arange(1, n * n + 1, dtype=dtype).reshape(n, n)
    y = np.full((n, n), np.nan, dtype)
    run = numba.njit(lambda x, y, count: transposed(x, y, count))
    run(x, y, n)
    np.testing.assert_array_equal(y, x.T)
    run(x, y, n - 3)
    np.testing.assert_array_equal(y[: n - 3], x.T[: n - 3])
    assert not y[n - 3 :].any()


def test_own_functions_are_known_to_their_module_only():
    """Two modules with other ones of the same name do not disturb one another."""
    assert own_function(ir.Module(), [], "f").linkage == "internal"


def test_the_processor_that_numba_was_told_decides(monkeypatch):
    monkeypatch.setattr(registers.config, "CPU_NAME", "skylake-avx512")
    monkeypatch.setattr(registers.config, "CPU_FEATURES", "+avx2,+avx512f")
    assert has_wide_registers()
    monkeypatch.setattr(registers.config, "CPU_FEATURES", "+avx2,-avx512f")
    assert not has_wide_registers()
