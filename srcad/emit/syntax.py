"""The tables of syntax: which functions are operators, attributes and methods in Python text.

operator.add    x + y          np.shape    x.shape          np.sum    x.sum(axis=0)
"""

from __future__ import annotations

import ast
import operator
from typing import Any, Final

import numpy as np

BINARY: Final[dict[Any, type[ast.operator]]] = {
    operator.add: ast.Add,
    operator.sub: ast.Sub,
    operator.mul: ast.Mult,
    operator.truediv: ast.Div,
    operator.floordiv: ast.FloorDiv,
    operator.mod: ast.Mod,
    operator.pow: ast.Pow,
    operator.matmul: ast.MatMult,
    operator.and_: ast.BitAnd,
    operator.or_: ast.BitOr,
    operator.xor: ast.BitXor,
    operator.lshift: ast.LShift,
    operator.rshift: ast.RShift,
}
UNARY: Final[dict[Any, type[ast.unaryop]]] = {
    operator.neg: ast.USub,
    operator.pos: ast.UAdd,
    operator.invert: ast.Invert,
    operator.inv: ast.Invert,
    operator.not_: ast.Not,
}
COMPARE: Final[dict[Any, type[ast.cmpop]]] = {
    operator.lt: ast.Lt,
    operator.le: ast.LtE,
    operator.gt: ast.Gt,
    operator.ge: ast.GtE,
    operator.eq: ast.Eq,
    operator.ne: ast.NotEq,
    operator.is_: ast.Is,
    operator.is_not: ast.IsNot,
}
# Functions that are attributes and methods of arrays, under the same argument names: what people
# write, and faster than NumPy's wrappers of the same name.
ATTRIBUTES: Final[dict[Any, str]] = {np.shape: "shape", np.ndim: "ndim", np.size: "size"}
METHODS: Final[dict[Any, str]] = {
    np.sum: "sum",
    np.prod: "prod",
    np.mean: "mean",
    np.var: "var",
    np.std: "std",
    np.max: "max",
    np.min: "min",
    np.amax: "max",
    np.amin: "min",
    np.any: "any",
    np.all: "all",
    np.argmax: "argmax",
    np.argmin: "argmin",
    np.argsort: "argsort",
    np.cumsum: "cumsum",
    np.cumprod: "cumprod",
    np.reshape: "reshape",
    np.ravel: "ravel",
    np.squeeze: "squeeze",
    np.swapaxes: "swapaxes",
    np.transpose: "transpose",
    np.astype: "astype",
    np.copy: "copy",
}
# Methods whose further arguments are options, for which the position differs from the function's.
KEYWORDS_ONLY: Final = {np.var, np.std, np.copy, np.argsort}
