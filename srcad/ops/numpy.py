"""Functions of NumPy."""

from dataclasses import replace

import numpy as np

from srcad.ops.memory import of_copy, of_dtype, of_operands, of_rank, of_rounding, of_shape
from srcad.ops.table import Row, named, state
from srcad.rules.draws import DRAWS
from srcad.rules.legacy_draws import STATE_METHODS

state(Row(product=True, memory="fresh"), np.matmul, np.linalg.matmul, np.dot)

# Views, whatever they are called with; the array itself where it has the axes already.
_VIEWS = """transpose matrix_transpose linalg.matrix_transpose swapaxes moveaxis flip fliplr flipud
    rot90 squeeze expand_dims atleast_1d atleast_2d atleast_3d real"""
state(Row(memory="view"), *named(np, _VIEWS))
_READ_ONLY = "broadcast_to diagonal imag linalg.diagonal lib.stride_tricks.sliding_window_view"
state(Row(memory="view", read_only=True), *named(np, _READ_ONLY))

# Views or copies, as the call says.
state(Row(memory="either", memory_at=of_copy), np.array)
state(Row(memory="either", memory_at=of_dtype), np.asarray, np.asanyarray)
state(Row(memory="either", memory_at=of_rank, read_only=True), np.diag)
state(Row(memory="either", memory_at=of_rounding), np.round, np.around)
state(Row(memory="either", memory_at=of_shape, by_layout=True), np.reshape)
state(Row(memory="either", by_layout=True), np.ravel, np.ascontiguousarray)

# Views, copies or arguments, and of which entries, as the arguments say.
_VARIOUS = """rollaxis real_if_close trim_zeros split array_split hsplit vsplit dsplit
    unstack diag_indices diag_indices_from ix_ polyder polyint require asfortranarray
    asarray_chkfinite linalg.matrix_power"""
state(Row(memory="unknown", read_only=True), np.broadcast_arrays)
state(Row(memory="unknown"), *named(np, _VARIOUS), *set(np.sctypeDict.values()))
state(Row(memory="unknown", memory_at=of_operands), np.einsum)

state(Row(memory="fresh", elementwise=True), np.where)

# What reads a shape, and what makes an array of one.
state(Row(memory="fresh", shape_only=True), np.shape, np.size, np.ndim)
state(Row(memory="fresh", allocates=True), np.ones, np.full, np.empty, np.copy)
state(Row(memory="fresh", allocates=True, uncleared=np.empty), np.zeros)
_LIKE = Row(memory="fresh", allocates=True, shape_only=True)
state(replace(_LIKE, of_shape=np.zeros, uncleared=np.empty_like), np.zeros_like)
state(replace(_LIKE, of_shape=np.ones), np.ones_like)
state(replace(_LIKE, of_shape=np.full), np.full_like)
state(replace(_LIKE, of_shape=np.empty), np.empty_like)

_FRESH = """all allclose amax amin angle any append arange argmax argmin argpartition argsort
    argwhere array_equal array_equiv astype average bartlett bincount blackman block
    busday_count busday_offset is_busday
    broadcast_shapes choose clip column_stack compress concatenate convolve corrcoef correlate
    count_nonzero cov cross cumprod cumsum cumulative_prod cumulative_sum delete diagflat diff
    digitize dstack ediff1d extract eye fix flatnonzero geomspace gradient hamming hanning histogram
    histogram2d histogram_bin_edges hstack i0 identity indices inner insert interp intersect1d
    isclose iscomplex isin isneginf isposinf isreal kaiser kron lexsort linspace logspace
    mask_indices max mean median meshgrid min nan_to_num nanargmax nanargmin nancumprod nancumsum
    nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar nonzero
    outer packbits pad partition percentile poly polyadd polyfit polymul polysub polyval prod ptp
    quantile ravel_multi_index repeat resize roll searchsorted select setdiff1d setxor1d sinc sort
    sort_complex stack std sum take take_along_axis tensordot tile trace trapezoid tri tril
    tril_indices tril_indices_from triu triu_indices triu_indices_from union1d unique unpackbits
    unravel_index unwrap vander var vdot vstack"""
_LINALG = """cholesky cond cross det eigh eigvalsh inv lstsq matrix_norm matrix_rank multi_dot norm
    outer pinv qr slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot
    vector_norm"""
_SERIES = """polynomial.polyval chebyshev.chebval legendre.legval laguerre.lagval hermite.hermval
    hermite_e.hermeval"""
state(
    Row(memory="fresh"),
    *(*named(np, _FRESH), *named(np.linalg, _LINALG), *named(np.polynomial, _SERIES)),
    *named(np.fft, " ".join(np.fft.__all__)),
    *DRAWS,
    *STATE_METHODS.values(),
)
