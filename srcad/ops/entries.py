"""Which entries of the arguments an entry of the result depends on.

y = np.reshape(x, s)      "moved"       one entry of x, from another place
y = np.tril(x)            "spaced"      the same, with zeros between
y = np.sum(x, axis=0)     "joined"      all entries along an axis
y = np.cumsum(x)          "running"     those up to it
y = np.sort(x, axis=0)    "lines"       all of its line along an axis
y = np.linalg.inv(x)      "matrix"      all of its matrix, in a stack
y = np.diff(x)            "computed"    those of which NumPy adds and multiplies numbers
y, z = np.split(x, 2)     "parted"      one entry of x, in each of several results
y = convolve(x, w)        "stencil"     a window, as wide as w
y = gaussian_filter1d(x)  "smoothed"    a window along an axis
y = conv2d(x, w)          "images"      a window of each image, in all channels
y = max_pool2d(x, 2)      "pooled"      a window of each channel
y = lfilter(b, a, x)      "lagged"      those of x up to it
"""

import math
import operator

import numpy as np

from srcad import kernels, runtime
from srcad.ops.table import state_also

TRANSFORMS = """fft fft2 fftn ifft ifft2 ifftn rfft rfft2 rfftn irfft irfft2 irfftn hfft ihfft"""

state_also(
    {"entries": "same"},
    *(np.copy, np.asarray, np.ascontiguousarray, np.astype, np.real, np.imag),
    *(runtime.stop_gradient, runtime.own_dtype, runtime.as_listed, runtime.as_held, float),
    *(runtime.as_tried, runtime.own_array, runtime.own_view, np.asanyarray, np.require),
    *(np.asfortranarray, np.asarray_chkfinite, np.real_if_close, runtime.scale_pairs),
    runtime.scale_ends,
)
state_also(
    {"entries": "each"},
    *(operator.abs, abs, math.sin, math.cos, math.tan, math.exp, math.log, math.sqrt, math.tanh),
    *(math.atan, math.atan2, math.pow, np.clip, np.nan_to_num, np.round, np.around, np.sinc),
    *(min, max, runtime.relu),
)
state_also(
    {"entries": "moved"},
    *(np.transpose, np.matrix_transpose, np.swapaxes, np.moveaxis, np.flip, np.fliplr, np.flipud),
    *(np.rot90, np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d),
    *(np.broadcast_to, np.diagonal, np.reshape, np.ravel, np.roll, np.rollaxis, np.repeat),
    *(np.tile, np.take, np.take_along_axis, np.concatenate, np.stack, np.hstack, np.vstack),
    *(np.dstack, np.column_stack, np.delete, np.resize),
)
state_also(
    {"entries": "spaced"},
    *(np.diag, np.diagflat, np.tril, np.triu, np.fft.fftshift, np.fft.ifftshift),
    *(np.linalg.matrix_transpose, np.linalg.diagonal, runtime.by_strides, runtime.fitted),
    *(runtime.cropped, runtime.uncropped, kernels.embedding),
    np.lib.stride_tricks.sliding_window_view,
)
state_also(
    {"entries": "joined"},
    *(np.sum, np.prod, np.mean, np.max, np.min, np.amax, np.amin, np.var, np.std, np.nansum),
    *(np.nanmean, np.nanmax, np.nanmin, np.nanprod, np.linalg.norm, np.nanvar, np.nanstd, np.ptp),
    *(np.average, np.linalg.vector_norm),
)
state_also({"entries": "lines"}, np.sort, np.unwrap, runtime.scatter_along_axis)
for _name in TRANSFORMS.split():
    state_also({"entries": "lines"}, getattr(np.fft, _name))
state_also({"entries": "running"}, np.cumsum, np.cumprod, np.nancumsum, np.nancumprod)
state_also(
    {"entries": "computed"},
    *(np.diff, np.ediff1d, np.convolve, np.correlate, np.outer, np.kron, np.inner, np.tensordot),
    *(np.append, np.pad, np.polyval, np.linalg.outer, np.linalg.tensordot),
)
state_also(
    {"entries": "parted"},
    *(np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.unstack, np.meshgrid),
)
state_also(
    {"entries": "matrix"}, np.linalg.inv, np.linalg.solve, np.linalg.cholesky, np.linalg.pinv
)
state_also({"entries": "images"}, kernels.conv2d)
state_also({"entries": "pooled"}, kernels.max_pool2d, kernels.avg_pool2d)
