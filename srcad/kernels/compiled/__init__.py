"""The kernels of `srcad.kernels`, compiled by Numba: the same names, arguments and results.

    from srcad.kernels.compiled import COMPILED

    COMPILED[kernels.conv2d]            conv2d of this package

Needs Numba. A loop is compiled when a kernel is first called with a dtype, or by `prepare`; the
machine code stays on disk. What the loops do not take (other dtypes, mixed ones, batches of a
sample or two, filters so large that a matrix product wins) goes to the kernel of `srcad.kernels`.
Threads split the work; how many they are does not change a bit of the results, but for products of
matrices by BLAS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from srcad import kernels
from srcad.kernels.compiled.adding_rows import add_rows, copy_rows, find_rows
from srcad.kernels.compiled.chains import (
    conv_pool2d,
    conv_pool2d_input,
    conv_pool2d_weights,
)
from srcad.kernels.compiled.convolution import conv2d, conv2d_input, conv2d_weights
from srcad.kernels.compiled.correlation import correlate, weigh
from srcad.kernels.compiled.correlation_of_windows import (
    correlate_maxima,
    correlate_windows,
    weigh_maxima,
)
from srcad.kernels.compiled.parts import prepare_parts
from srcad.kernels.compiled.pooling import avg_pool2d, avg_unpool2d, max_pool2d, pick2d, unpool2d
from srcad.kernels.compiled.products import LOOPS, product
from srcad.kernels.compiled.rows import SparseRows, embedding, scatter_rows, summed_rows
from srcad.kernels.compiled.windows import average, pick, pool, spread, unpool
from srcad.kernels.standing import StandingPool
from srcad.kernels.threads import use_pools

use_pools(StandingPool)

COMPILED: Final[dict[Callable[..., Any], Callable[..., Any]]] = {
    kernels.SparseRows: SparseRows,
    kernels.avg_pool2d: avg_pool2d,
    kernels.avg_unpool2d: avg_unpool2d,
    kernels.conv2d: conv2d,
    kernels.conv2d_input: conv2d_input,
    kernels.conv2d_weights: conv2d_weights,
    kernels.conv_pool2d: conv_pool2d,
    kernels.conv_pool2d_input: conv_pool2d_input,
    kernels.conv_pool2d_weights: conv_pool2d_weights,
    kernels.embedding: embedding,
    kernels.max_pool2d: max_pool2d,
    kernels.pick2d: pick2d,
    kernels.product: product,
    kernels.scatter_rows: scatter_rows,
    kernels.summed_rows: summed_rows,
    kernels.unpool2d: unpool2d,
}

# The loops that each of them runs.
_LOOPS: Final[dict[Callable[..., Any], tuple[Callable[..., Any], ...]]] = {
    SparseRows: (find_rows, add_rows),
    avg_pool2d: (average,),
    avg_unpool2d: (spread,),
    conv2d: (correlate,),
    conv2d_input: (correlate,),
    conv2d_weights: (weigh,),
    conv_pool2d: (correlate_windows,),
    conv_pool2d_input: (correlate_maxima,),
    conv_pool2d_weights: (weigh_maxima,),
    embedding: (copy_rows,),
    max_pool2d: (pool,),
    pick2d: (pick,),
    product: LOOPS,
    scatter_rows: (find_rows, add_rows),
    summed_rows: (find_rows, add_rows),
    unpool2d: (unpool,),
}

# Loops that no threads share.
_ALONE = (find_rows, add_rows, copy_rows)


def prepare(kernels: Iterable[tuple[str, str]]) -> None:
    """Compile what kernels need, for the disk: names with dtypes, `("conv2d", "float32")`."""
    by_name = {fn.__name__: loops for fn, loops in _LOOPS.items()}
    for name, dtype in kernels:
        for loop in by_name[name]:
            compiled = loop(np.dtype(dtype))
            if loop not in _ALONE:
                prepare_parts(compiled)


__all__ = [
    "COMPILED",
    "SparseRows",
    "avg_pool2d",
    "avg_unpool2d",
    "conv2d",
    "conv2d_input",
    "conv2d_weights",
    "conv_pool2d",
    "conv_pool2d_input",
    "conv_pool2d_weights",
    "embedding",
    "max_pool2d",
    "pick2d",
    "prepare",
    "product",
    "scatter_rows",
    "summed_rows",
    "unpool2d",
]
