"""How a target's programs are printed: what stands above compiled functions, and what is imported.
For Numba:

from srcad.native.functions import exp

@njit("(float64[::1], int64)", cache=True, nogil=True, error_model="numpy")
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from srcad.errors import error
from srcad.ir import ArrayType, Function, NumberType, Op, Type

_OPTIONS = {
    "cache": ast.Constant(True),
    "nogil": ast.Constant(True),
    "error_model": ast.Constant("numpy"),
}
_NUMBERS = {bool: "boolean", int: "int64", float: "float64", complex: "complex128"}


# Imports a member of a module, and returns the expression that reads it.
Import = Callable[[str, str], ast.expr]


@dataclass(frozen=True, slots=True)
class Through:
    """In the place of an argument: what a function makes of it."""

    fn: Any
    arg: Any


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a target's programs are printed.

    decorator: what stands above a compiled function, or, given None, above a helper of its.
    runtime: the module that has the functions of `srcad.native.vectorised`.
    numpy: the module that has NumPy's functions: it is imported as `np`.
    packages: those that are imported in the place of others, by the names of these.
    form: gives the function that is called in the place of another; mostly that itself.
    adapted: gives the operation that is written in the place of another; mostly that itself.
    on_host: what is NumPy's, whatever module is imported as `np`.
    keywords: those that methods of arrays have; None for all of NumPy's.
    moved: gives what a program gets as a constant that is an array without a text.
    imports_kernels: whether `srcad.kernels` is imported; else its functions are copied.
    apart: makes of values that are stored, and the array, values that share no memory with it;
        None where stores see to that.
    keeps_entries: whether an entry of an array stays as it is when the array is written.
    """

    decorator: Callable[[Function | None, Import], ast.expr]
    runtime: str
    numpy: str = "numpy"
    packages: Mapping[str, str] = field(default_factory=dict)
    form: Callable[[Any], Any] = lambda fn: fn
    adapted: Callable[[Op], Op] = lambda op: op
    on_host: tuple[Any, ...] = ()
    keywords: frozenset[str] | None = None
    moved: Callable[[Any], Any] = lambda array: array
    apart: Any = None
    imports_kernels: bool = True
    keeps_entries: bool = True


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
