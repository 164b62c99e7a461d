"""How a target's programs are printed: what stands above compiled functions, and what is imported.
For Numba:

from srcad.native.functions import exp

@njit("(float64[::1], int64)", cache=True, nogil=True, error_model="numpy")
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from srcad.errors import error
from srcad.ir import ArrayType, Function, NumberType, Type

_OPTIONS = {
    "cache": ast.Constant(True),
    "nogil": ast.Constant(True),
    "error_model": ast.Constant("numpy"),
}
_NUMBERS = {bool: "boolean", int: "int64", float: "float64", complex: "complex128"}


# Imports a member of a module, and returns the expression that reads it.
Import = Callable[[str, str], ast.expr]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a target's programs are printed.

    decorator: what stands above a compiled function, or, given None, above a helper of its.
    runtime: the module that has the functions of `srcad.native.vectorised`.
    numpy: the module that has NumPy's functions: it is imported as `np`.
    """

    decorator: Callable[[Function | None, Import], ast.expr]
    runtime: str
    numpy: str = "numpy"


def _njit(fn: Function | None, member: Import) -> ast.expr:
    """Numba's decorator: with its types, a function is compiled when it is defined."""
    njit = member("numba", "njit")
    if fn is None:
        return njit
    types = ", ".join(_type_text(param.type) for param in fn.params)
    signature = f"({types},)" if len(fn.params) == 1 else f"({types})"
    keywords = [ast.keyword(key, value) for key, value in _OPTIONS.items()]
    return ast.Call(njit, [ast.Constant(signature)], keywords)


def _type_text(t: Type) -> str:
    """A type as Numba writes it."""
    if isinstance(t, NumberType):
        return _NUMBERS[t.kind]
    if not isinstance(t, ArrayType) or t.shape is None:
        raise error("E901", None, what=f"a compiled function takes {t}")
    name = "boolean" if t.dtype.kind == "b" else t.dtype.name
    if not t.shape:
        return name
    return f"{name}[{', '.join([':'] * (len(t.shape) - 1) + ['::1'])}]"


NUMBA = Dialect(_njit, "srcad.native.functions")
