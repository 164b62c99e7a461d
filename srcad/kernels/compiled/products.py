"""Products of matrices by loops over tiles, shared out among threads (`srcad.kernels.products`).

Where one thread is enough they are for the products that tiles are faster for than BLAS with its
threads. With as many threads as there are cores, they are for all that were measured: of the time
of OpenBLAS with two threads and kernels for AVX2 it takes 0.6 to 0.9 for 8 to 25 million terms, and
0.55 to 0.75 for matrices of 512 to 2000 rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from srcad.kernels import recycled
from srcad.kernels.compiled.jit import INTEGER, loop
from srcad.kernels.products.registers import FLAG, lanes_of, moved
from srcad.kernels.products.tiled_products import MOST_TERMS, tiled_product
from srcad.kernels.products.tiles import FEW_ROWS
from srcad.kernels.threads import parallel, thread_count

Array = NDArray[Any]

LEAST_TERMS = 2**18  # to call a loop takes three microseconds
LEAST_ROWS = 32  # of one thread
GREATEST_TERMS = 2**33  # what was measured
CORES = config.NUMBA_DEFAULT_NUM_THREADS


@intrinsic  # type: ignore[untyped-decorator]
def multiply(
    _: Any, x: Any, x_row: Any, x_column: Any, y: Any, y_row: Any, y_column: Any, out: Any, n: Any,
    k: Any, start: Any, stop: Any,
) -> Any:  # fmt: skip
    """Rows of `x @ y`: the distances of rows and of columns are in entries."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds = signature.args
        data = [context.make_array(kinds[i])(context, builder, args[i]).data for i in (0, 3, 6)]
        x_row, x_column, y_row, y_column = (args[i] for i in (1, 2, 4, 5))
        n, k, start, stop = args[7:]
        x = moved(builder, data[0], (start, x_row))
        out = moved(builder, data[2], (start, n))
        product = tiled_product(builder.module, kinds[6].dtype.bitwidth)
        extents = builder.sub(stop, start), n, k
        factors = x, x_row, x_column, data[1], y_row, y_column
        builder.call(product, [*extents, out, n, *factors, ir.Constant(FLAG, 0)])
        return context.get_dummy_value()

    whole = types.int64
    numbers = (whole, whole, whole, whole)
    return types.none(x, whole, whole, y, whole, whole, out, *numbers), generate


@loop(lambda array, given: (given, *[INTEGER] * 2, given, *[INTEGER] * 2, array, *[INTEGER] * 4))
def multiply_rows(
    x: Any, x_row: Any, x_column: Any, y: Any, y_row: Any, y_column: Any, out: Any, n: Any,
    k: Any, start: Any, stop: Any,
) -> None:  # fmt: skip
    """`out[start:stop] = x[start:stop] @ y`, flat arrays that lie by rows or by columns."""
    multiply(x, x_row, x_column, y, y_row, y_column, out, n, k, start, stop)


def product(a: Array, b: Array) -> Array:
    """`a @ b`, as `srcad.kernels.product`; sums are in another order than BLAS's.

    Which products are BLAS's depends on the number of threads.
    """
    threads = _threads(a, b)
    if not threads:
        return recycled.product(a, b)
    m, n, k = len(a), b.shape[1], len(b)
    x, y = _lying(a), _lying(b)
    made = recycled.empty((m, n), a.dtype)
    out, run = made.reshape(-1), multiply_rows(a.dtype)
    work = _work(m * n * k, a) if threads > 1 else 0
    parallel(lambda start, stop: run(*x, *y, out, n, k, start, stop), m, work)
    return made


def _threads(a: Array, b: Array) -> int:
    """How many threads a product by tiles is worth; 0 if it is BLAS's."""
    if not MOST_TERMS or not a.ndim == b.ndim == 2:
        return 0
    (m, k), n = a.shape, b.shape[1]
    terms = m * n * k
    if not LEAST_TERMS <= terms <= GREATEST_TERMS or m <= FEW_ROWS or not _is_tiled(a, b):
        return 0
    if m >= LEAST_ROWS * CORES and thread_count(_work(terms, a)) >= CORES > 1:
        return int(CORES)
    return 1 if terms <= MOST_TERMS else 0


def _work(terms: int, x: Array) -> int:
    """What threads share, in numbers moved or multiplied one by one."""
    return terms * x.itemsize // 4


def _is_tiled(a: Array, b: Array) -> bool:
    """Whether tiles can be made of these matrices, and are filled by half or more."""
    if a.dtype not in (np.float32, np.float64) or a.dtype != b.dtype or len(b) != a.shape[1]:
        return False
    if b.shape[1] <= lanes_of(8 * a.itemsize) // 2:
        return False
    plain = (type(x) is np.ndarray and x.flags.forc and x.flags.aligned for x in (a, b))
    return all(plain)


def _lying(x: Array) -> tuple[Array, int, int]:
    """The memory of a matrix, how far its rows are apart there, and its columns."""
    if x.flags.c_contiguous:
        return x.reshape(-1), x.shape[1], 1
    return x.T.reshape(-1), 1, x.shape[0]


# What `product` needs on this machine.
LOOPS = (multiply_rows,) if MOST_TERMS else ()


__all__ = ["LOOPS", "multiply_rows", "product"]
