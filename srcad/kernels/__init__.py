"""Kernels: what NumPy has no function for, or does slowly. Threaded; buffers are kept.

Plain functions of arrays with rules in `srcad.rules`; emitted code calls them.
"""

from srcad.kernels.chains import conv_pool2d, conv_pool2d_input, conv_pool2d_weights
from srcad.kernels.convolution import conv2d, conv2d_input, conv2d_weights
from srcad.kernels.memory import keep_memory
from srcad.kernels.pooling import avg_pool2d, avg_unpool2d, max_pool2d, pick2d, unpool2d
from srcad.kernels.recycled import (
    empty,
    empty_like,
    product,
    release_memory,
)
from srcad.kernels.rows import SparseRows, embedding, scatter_rows, summed_rows
from srcad.kernels.teams import together, together_multiplying
from srcad.kernels.threads import num_threads, set_num_threads

__all__ = [
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
    "empty",
    "empty_like",
    "keep_memory",
    "max_pool2d",
    "num_threads",
    "pick2d",
    "product",
    "release_memory",
    "scatter_rows",
    "set_num_threads",
    "summed_rows",
    "together",
    "together_multiplying",
    "unpool2d",
]
