"""What stands above a compiled function: its types, so that it is compiled when it is defined.

@njit("(float64[::1], int64)", cache=True, nogil=True, error_model="numpy")
"""

from __future__ import annotations

import ast

from srcad.emit.references import References
from srcad.errors import error
from srcad.ir import ArrayType, Function, NumberType, Type

_OPTIONS = {
    "cache": ast.Constant(True),
    "nogil": ast.Constant(True),
    "error_model": ast.Constant("numpy"),
}
_NUMBERS = {bool: "boolean", int: "int64", float: "float64", complex: "complex128"}


def decorator(fn: Function, references: References) -> ast.expr:
    """The decorator of a function."""
    types = ", ".join(type_text(param.type) for param in fn.params)
    signature = f"({types},)" if len(fn.params) == 1 else f"({types})"
    keywords = [ast.keyword(key, value) for key, value in _OPTIONS.items()]
    return ast.Call(references.member("numba", "njit"), [ast.Constant(signature)], keywords)


def type_text(t: Type) -> str:
    """A type as Numba writes it."""
    if isinstance(t, NumberType):
        return _NUMBERS[t.kind]
    if not isinstance(t, ArrayType) or t.shape is None:
        raise error("E901", None, what=f"a compiled function takes {t}")
    name = "boolean" if t.dtype.kind == "b" else t.dtype.name
    if not t.shape:
        return name
    return f"{name}[{', '.join([':'] * (len(t.shape) - 1) + ['::1'])}]"
