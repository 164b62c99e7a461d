"""The kernels of `srcad.kernels`, compiled by Numba: the same names, arguments and results.

    from srcad.kernels.compiled import COMPILED

    COMPILED[kernels.conv2d]            conv2d of this package

Numba is imported, and a loop compiled, when a kernel is first called with a dtype; the code stays
on disk. What the loops do not take (other dtypes, mixed ones, batches of a sample or two, filters
so large that a matrix product wins) goes to the kernel of `srcad.kernels`. Threads split the work;
how many they are does not change a bit of the results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcad import kernels
from srcad.kernels.compiled.chains import (
    conv_pool2d,
    conv_pool2d_input,
    conv_pool2d_weights,
)
from srcad.kernels.compiled.convolution import conv2d, conv2d_input, conv2d_weights
from srcad.kernels.compiled.pooling import avg_pool2d, avg_unpool2d, max_pool2d, pick2d, unpool2d
from srcad.kernels.compiled.rows import SparseRows, scatter_rows

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
    kernels.max_pool2d: max_pool2d,
    kernels.pick2d: pick2d,
    kernels.scatter_rows: scatter_rows,
    kernels.unpool2d: unpool2d,
}

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
    "max_pool2d",
    "pick2d",
    "scatter_rows",
    "unpool2d",
]
