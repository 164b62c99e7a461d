"""What functions do to kinds of numbers: to ints and bools, to real and complex ones."""

import math
import operator

import numpy as np

from srcad import runtime
from srcad.ops.table import state_also
from srcad.runtime import saved

state_also({"integer": "always"}, np.shape, np.size, len, int, np.int64, operator.index)
state_also(
    {"integer": "kept"},
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg),
    *(operator.pos, operator.abs, abs, saved.pack, operator.getitem),
)
state_also(
    {"is_entire": True},
    *(np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.reciprocal),
    *(np.absolute, np.conjugate, np.square, np.sign, np.matmul, np.vecdot, np.exp, np.exp2),
    *(np.expm1, np.sin, np.cos, np.tan, np.sinh, np.cosh, np.tanh, np.arctan, np.arcsinh),
    *(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal),
    *(np.maximum, np.minimum, np.fmax, np.fmin, np.isnan, np.isfinite, np.isinf),
    *(np.logical_and, np.logical_or, np.logical_not, np.logical_xor),
)
state_also(
    {"selects": True},
    *(operator.getitem, operator.neg, operator.pos, np.negative, np.positive, np.absolute, abs),
    *(np.reshape, np.transpose, np.ravel, np.copy, np.squeeze, np.expand_dims, np.stack),
    *(np.concatenate, np.broadcast_to, np.where, np.maximum, np.minimum, np.max, np.min),
    *(np.take, np.flip, np.roll, np.diag, np.diagonal, np.sort, np.array, np.asarray),
    *(np.ascontiguousarray, np.swapaxes, np.moveaxis, np.tile, np.repeat, np.zeros_like),
    *(np.empty_like, np.ones_like),
)
state_also(
    {"counts_bools": True},
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
)
# Arithmetic of single numbers, whatever they are.
state_also(
    {"is_repeated": True},
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.neg, operator.pos, operator.not_, operator.and_, operator.or_, operator.xor),
    *(min, max, int, bool, float),
)
for _fold, _fns in {
    "sum": (operator.add, np.add),
    "difference": (operator.sub, np.subtract),
    "product": (operator.mul, np.multiply),
    "largest": (np.maximum,),
    "smallest": (np.minimum,),
}.items():
    state_also({"folds": _fold}, *_fns)
state_also(
    {"natural": "always"},
    *(abs, operator.abs, np.absolute, np.square, np.sqrt, np.exp, np.linalg.norm, np.size),
    *(math.fabs, math.sqrt, math.exp, math.hypot, math.cosh, math.dist),
)
state_also(
    {"natural": "kept"},
    *(operator.add, operator.truediv, float, int, np.sum, np.mean, max, min),
)
state_also(
    {"natural": "product"},
    *(operator.mul, operator.matmul, np.multiply, np.dot, np.vdot, np.inner),
)
state_also({"keeps_zero": True}, operator.mul, operator.neg, operator.pos, operator.abs, abs)
state_also(
    {"arithmetic": True},
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.pow, operator.neg, operator.pos, operator.abs, abs),
    *(np.real, np.imag, complex.conjugate),
)
state_also({"is_real": True}, operator.abs, abs, np.real, np.imag)
state_also({"is_mark": True}, runtime.stop_gradient, runtime.own_dtype, runtime.attached)
