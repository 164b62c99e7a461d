"""Products of matrices, shared out among threads: by BLAS, or by loops over tiles where these are
faster (`srcad.kernels.products`).

Where threads of BLAS and of srcad take turns on a core, both are late. So in compiled programs
srcad's share out products as well, and BLAS computes each share in one thread. Of small products it
would do so anyway.

Of BLAS's time, in two threads either, tiles take for float32 and float64 of n rows and columns

                                                n = 100   256   512   1000      2000
    OpenBLAS's kernels for AVX2, Zen 5             0.45   0.5   0.5   0.5       0.5
    OpenBLAS's kernels for AVX-512, Zen 4          0.9    0.9   0.9   1.0-1.1   1.2
    the same, Emerald Rapids                       1.7    1.0   1.1   1.1-1.3   1.2-1.7
"""

# Numba's decorators have no types.
# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from srcad.kernels import recycled
from srcad.kernels.compiled.jit import FLAG, INTEGER, loop
from srcad.kernels.compiled.parts import run_parts
from srcad.kernels.numba_adapter import cgutils, ir
from srcad.kernels.products.alone import can_be_alone, in_one_thread
from srcad.kernels.products.gemm import GEMM, call_gemm
from srcad.kernels.products.registers import FLAG as ONE_BIT
from srcad.kernels.products.registers import has_wide_registers, lanes_of, moved
from srcad.kernels.products.tiled_products import has_kernels_for_avx2, tiled_product
from srcad.kernels.products.tiles import FEW_ROWS
from srcad.kernels.threads import num_threads

Array = NDArray[Any]

LEAST_TERMS = 2**18  # to call a loop takes three microseconds
MOST_TERMS = 2**33  # what was measured
LARGE = 2**25  # terms: half a millisecond, in which BLAS's threads wake up
ROWS, COLUMNS = 6, 16  # a thread has a multiple of these, as tiles have, and registers of BLAS's


def most_tiled_terms() -> int:
    """How many products of numbers tiles are faster for than BLAS in as many threads."""
    if not has_wide_registers():
        return 0
    return MOST_TERMS if has_kernels_for_avx2() else LARGE


MOST_TILED_TERMS = most_tiled_terms()


@intrinsic
def multiply(
    _: Any, by_tiles: Any, x: Any, x_row: Any, x_column: Any, y: Any, y_row: Any, y_column: Any,
    out: Any, n: Any, k: Any, top: Any, bottom: Any, left: Any, right: Any,
) -> Any:  # fmt: skip
    """A part of `x @ y`; the distances of rows and of columns are in entries."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds, one = signature.args, ir.Constant(ir.IntType(64), 1)
        data = [context.make_array(kinds[i])(context, builder, args[i]).data for i in (1, 4, 7)]
        x_row, x_column, y_row, y_column = (args[i] for i in (2, 3, 5, 6))
        n, k, top, bottom, left, right = args[8:]
        x, y = moved(builder, data[0], (top, x_row)), moved(builder, data[1], (left, y_column))
        out = moved(builder, data[2], (top, n), (left, one))
        extents, bits = [builder.sub(bottom, top), builder.sub(right, left), k], kinds[7].dtype
        product = tiled_product(builder.module, bits.bitwidth)
        with builder.if_then(cgutils.as_bool_bit(builder, args[0])):
            factors = [x, x_row, x_column, y, y_row, y_column]
            builder.call(product, [*extents, out, n, *factors, ir.Constant(ONE_BIT, 0)])
        if bits.bitwidth in GEMM:
            with builder.if_then(builder.not_(cgutils.as_bool_bit(builder, args[0]))):
                factors = []
                for start, row, column in ((x, x_row, x_column), (y, y_row, y_column)):
                    is_transposed = builder.icmp_signed("!=", column, one)
                    factors += [start, builder.select(is_transposed, column, row), is_transposed]
                call_gemm(builder, [*extents, out, n, *factors], *GEMM[bits.bitwidth])
        return context.get_dummy_value()

    whole = types.int64
    apart, numbers = (whole, whole), [whole] * 6
    return types.none(by_tiles, x, *apart, y, *apart, out, *numbers), generate


@loop(lambda array, given: (FLAG, *[given, INTEGER, INTEGER] * 2, array, *[INTEGER] * 6))
def multiply_part(
    by_tiles: Any, x: Any, x_row: Any, x_column: Any, y: Any, y_row: Any, y_column: Any, out: Any,
    n: Any, k: Any, top: Any, bottom: Any, left: Any, right: Any,
) -> None:  # fmt: skip
    """`out[top:bottom, left:right]` of `x @ y`, flat arrays that lie by rows or by columns."""
    multiply(by_tiles, x, x_row, x_column, y, y_row, y_column, out, n, k, top, bottom, left, right)


def product(a: Array, b: Array) -> Array:
    """`a @ b`, as `srcad.kernels.product`; sums are in another order than BLAS's."""
    by_tiles = _is_tiled(a, b)
    if not by_tiles and not _is_shared(a, b):
        return recycled.product(a, b)
    m, n, k = len(a), b.shape[1], len(b)
    made = recycled.empty((m, n), a.dtype)
    given = (by_tiles, *_lying(a), *_lying(b), made.reshape(-1), n, k)
    longer, share = (m, ROWS) if m >= n else (n, COLUMNS)

    def part(_: int, start: int, stop: int) -> tuple[Any, ...]:
        start, stop = share * start, min(share * stop, longer)
        return (*given, start, stop, 0, n) if m >= n else (*given, 0, m, start, stop)

    blocks, work = -(-longer // share), m * n * k * a.itemsize // 4
    if by_tiles:
        run_parts(multiply_part(a.dtype), part, blocks, work)
    else:
        in_one_thread(run_parts, multiply_part(a.dtype), part, blocks, work)
    return made


def _is_tiled(a: Array, b: Array) -> bool:
    """Whether tiles can be made of these matrices, and are filled by half or more."""
    if not _is_plain(a, b) or len(a) * b.size > MOST_TILED_TERMS:
        return False
    return len(a) > FEW_ROWS and b.shape[1] > lanes_of(8 * a.itemsize) // 2


def _is_shared(a: Array, b: Array) -> bool:
    """Whether BLAS is to compute a product in srcad's threads."""
    if num_threads() == 1 or not GEMM or not can_be_alone() or not _is_plain(a, b):
        return False
    return len(a) * b.size <= LARGE


def _is_plain(a: Array, b: Array) -> bool:
    """Whether these are matrices that lie by rows or by columns, and many numbers to multiply."""
    if not a.ndim == b.ndim == 2 or len(b) != a.shape[1] or a.dtype != b.dtype:
        return False
    if not LEAST_TERMS <= len(a) * b.size <= MOST_TERMS:
        return False
    if a.dtype not in (np.float32, np.float64):
        return False
    return all(type(x) is np.ndarray and x.flags.forc and x.flags.aligned for x in (a, b))


def _lying(x: Array) -> tuple[Array, int, int]:
    """The memory of a matrix, how far its rows are apart there, and its columns."""
    if x.flags.c_contiguous:
        return x.reshape(-1), x.shape[1], 1
    return x.T.reshape(-1), 1, x.shape[0]


# What `product` needs on this machine.
LOOPS = (multiply_part,) if MOST_TILED_TERMS or GEMM else ()


__all__ = ["LOOPS", "multiply_part", "product"]
