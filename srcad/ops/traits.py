"""What functions of several libraries have in common; their rows are stated beside this."""

import operator

import numpy as np

from srcad import runtime
from srcad.ir import inplace
from srcad.ops.table import state_also
from srcad.runtime import effects

for _fn, _in_place, _by_entry in (
    (operator.add, operator.iadd, inplace.index_iadd),
    (operator.sub, operator.isub, inplace.index_isub),
    (operator.mul, operator.imul, inplace.index_imul),
    (operator.truediv, operator.itruediv, inplace.index_itruediv),
):
    state_also({"by_entry": _by_entry, "computes": _fn}, _in_place)
    state_also({"computes": _fn}, _by_entry)

state_also({"cast": True}, np.float32, np.float64)
state_also(
    {"is_cheap": True},
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, abs),
    *(operator.lt, operator.le, operator.gt, operator.ge),
    *(operator.and_, operator.or_, operator.invert, np.logical_not),
    *(np.where, np.maximum, np.minimum, np.square, np.negative),
)

# Linear in each argument, or sums of what is.
state_also(
    {"smooth": "all"},
    *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.matmul),
    *(np.add, np.subtract, np.multiply, np.negative, np.positive, np.square, np.sum, np.matmul),
    *(np.dot, np.transpose, np.reshape, np.broadcast_to, np.squeeze, np.expand_dims, np.float64),
    *(np.asarray, np.copy, np.stack, np.concatenate, runtime.unbroadcast),
)
# A divisor, a position, a shape decides.
state_also({"smooth": "first"}, operator.truediv, np.divide, operator.getitem, runtime.scatter)

state_also(
    {"layout": "rows"},
    *(np.zeros, np.ones, np.empty, np.full, np.arange, np.eye, np.identity),
)
state_also(
    {"layout": "kept"},
    *(np.array, np.copy, np.zeros_like, np.empty_like, np.ones_like, np.full_like),
    *(np.concatenate, np.stack, np.asarray, np.asanyarray, np.atleast_1d, np.atleast_2d),
    *(np.expand_dims, np.squeeze),
)
state_also({"of_ring": True}, operator.add, operator.sub, operator.mul, operator.neg)
state_also(
    {"control": "raises"},
    *(effects.ensure, effects.ensure_bound, effects.raise_, effects.reraise),
)
state_also({"control": "catches"}, effects.caught)
state_also({"of_condition": True}, np.where, np.select, np.choose, np.compress, np.extract)
state_also(
    {"new_view": True},
    *(operator.getitem, np.transpose, np.reshape, np.ravel, np.swapaxes, np.moveaxis, np.flip),
    np.broadcast_to,
)
