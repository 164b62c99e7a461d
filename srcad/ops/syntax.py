"""How Python writes the call of a function: as an operator, an attribute or a method.

operator.add    x + y          np.shape    x.shape          np.sum    x.sum(axis=0)

Attributes and methods are what people write, and faster than NumPy's functions of the same name.
"""

import operator
from typing import Any

import numpy as np

from srcad.ops.table import state_also

_fn: Any
for _fn, _sign in (
    (operator.add, "+"), (operator.sub, "-"), (operator.mul, "*"), (operator.truediv, "/"),
    (operator.floordiv, "//"), (operator.mod, "%"), (operator.pow, "**"), (operator.matmul, "@"),
    (operator.and_, "&"), (operator.or_, "|"), (operator.xor, "^"), (operator.lshift, "<<"),
    (operator.rshift, ">>"),
):  # fmt: skip
    state_also({"syntax": ("binary", _sign)}, _fn)
for _fn, _sign in (
    (operator.neg, "-"), (operator.pos, "+"), (operator.invert, "~"), (operator.inv, "~"),
    (operator.not_, "not "),
):  # fmt: skip
    state_also({"syntax": ("unary", _sign)}, _fn)
for _fn, _sign in (
    (operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">="),
    (operator.eq, "=="), (operator.ne, "!="), (operator.is_, "is"), (operator.is_not, "is not"),
):  # fmt: skip
    state_also({"syntax": ("comparison", _sign)}, _fn)

for _fn in (np.shape, np.ndim, np.size):
    state_also({"syntax": ("attribute", _fn.__name__)}, _fn)
for _fn in (
    np.sum, np.prod, np.mean, np.max, np.min, np.any, np.all, np.argmax, np.argmin, np.cumsum,
    np.cumprod, np.reshape, np.ravel, np.squeeze, np.swapaxes, np.transpose, np.astype,
):  # fmt: skip
    state_also({"syntax": ("method", _fn.__name__)}, _fn)
state_also({"syntax": ("method", "max")}, np.amax)
state_also({"syntax": ("method", "min")}, np.amin)
# Their further arguments stand at other positions than the function's.
for _fn in (np.var, np.std, np.argsort, np.copy):
    state_also({"syntax": ("method by keyword", _fn.__name__)}, _fn)

state_also({"name": "abs"}, np.absolute)
state_also({"name": "conj"}, np.conjugate)
