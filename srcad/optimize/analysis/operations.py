"""What the optimiser knows of operations: which are pure, elementwise, total, fresh or a view.

A primitive returns a new array, or a view of its arguments (or one of them): never an array that
someone else holds. Functions that are not listed here as fresh or as views count as either.
"""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any, Final

import numpy as np

from srcad import kernels, runtime
from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, Extent, NumberType, ObjectType, TupleType, Type, shape_of
from srcad.ops import row_of
from srcad.rules import RULES
from srcad.rules.core.call_facts import returns_argument
from srcad.rules.core.operators import OPERATORS
from srcad.rules.draws import is_draw

# Each call makes a buffer of its own; two equal calls are not one.
ALLOCATIONS: Final[frozenset[Any]] = frozenset(
    {
        np.zeros,
        np.ones,
        np.full,
        np.empty,
        np.zeros_like,
        np.ones_like,
        np.full_like,
        np.empty_like,
        np.copy,
    }
)
# What reads the shape of an array and not its entries.
METADATA: Final[frozenset[Any]] = frozenset(
    {np.shape, np.size, np.ndim, np.zeros_like, np.ones_like, np.full_like, np.empty_like}
)
ZEROS: Final[frozenset[Any]] = frozenset({np.zeros, np.zeros_like})

_ARITHMETIC = frozenset(OPERATORS.values()) - {operator.matmul}

# Views that cannot be written, or whose entries share memory.
READ_ONLY: Final[frozenset[Any]] = frozenset({np.broadcast_to, np.diagonal, np.diag, np.imag})

VIEWS: Final[frozenset[Any]] = frozenset(
    {
        operator.getitem,
        np.transpose,
        np.reshape,
        np.ravel,
        np.broadcast_to,
        np.real,
        np.imag,
        np.diagonal,
        np.diag,
        np.squeeze,
        np.expand_dims,
        np.swapaxes,
        np.moveaxis,
        np.flip,
        np.atleast_1d,
        np.atleast_2d,
        np.asarray,
        np.array,
        np.ascontiguousarray,
        runtime.own_dtype,
        runtime.unbroadcast,
    }
)

_FRESH: Final[frozenset[Any]] = frozenset(
    {
        *ALLOCATIONS,
        *_ARITHMETIC,
        operator.matmul,
        operator.abs,
        abs,
        runtime.scatter,
        runtime.last_writes,
        runtime.fitted,
        runtime.scale_pairs,
        runtime.scale_ends,
        *(getattr(np.fft, name) for name in np.fft.__all__),
        np.where,
        np.clip,
        np.astype,
        np.dot,
        np.outer,
        np.inner,
        np.tensordot,
        np.kron,
        np.cross,
        np.concatenate,
        np.stack,
        np.cumsum,
        np.cumprod,
        np.take,
        np.roll,
        np.repeat,
        np.tile,
        np.pad,
        np.eye,
        np.tril,
        np.triu,
        np.arange,
        np.linspace,
        np.sort,
        np.argsort,
        np.argwhere,
        np.linalg.inv,
        np.linalg.solve,
        runtime.relu,
        runtime.inverse,
        *(getattr(kernels, name) for name in kernels.__all__),
    }
)
_REDUCTIONS: Final[frozenset[Any]] = frozenset(
    {np.sum, np.mean, np.prod, np.max, np.min, np.var, np.std}
)


def is_pure(op: Op) -> bool:
    """Whether the operation may be merged with an equal one: a primitive without an effect."""
    return not op.effect and not isinstance(op.fn, Function) and op.fn in RULES


def is_elementwise(fn: Any) -> bool:
    """Whether each entry of the only result depends on one entry of each argument, broadcast."""
    return (
        fn in _ARITHMETIC
        or fn is np.where
        or (isinstance(fn, np.ufunc) and fn.signature is None and fn.nout == 1)
    )


def is_fresh(op: Op) -> bool:
    """Whether the results are arrays that nothing else holds."""
    fn = op.fn
    if fn is np.astype:
        return "copy" not in op.kwargs
    if fn is operator.getitem:
        return _copies(op.args[1])
    if fn is np.array and isinstance(op.args[0], list):
        return True
    if fn in _REDUCTIONS:
        return op.kwargs.get("axis") != ()
    if returns_argument(fn, op.args, op.kwargs):
        return False
    return fn in _FRESH or row_of(fn).store or isinstance(fn, np.ufunc) or is_draw(fn)


def is_recomputed(op: Op) -> bool:
    """Whether the operation calls a function whose results are its caller's alone."""
    return isinstance(op.fn, Function) and op.fn.recomputed


def owns_results(op: Op) -> bool:
    """Whether all that an operation returns is memory that nothing else holds."""
    fresh = is_fresh(op) and all(isinstance(out.type, ArrayType) for out in op.outs)
    return fresh or is_recomputed(op)


def keeps_no_array(fn: Any) -> bool:
    """Whether a function gives new arrays or those that it was given, never one that it keeps.

    NumPy's, SciPy's and srcad's do. What module a function of Python's comes from its globals say:
    its `__module__` may be another's (`functools.wraps(np.arange)`).
    """
    if isinstance(fn, np.ufunc):
        return True
    module = getattr(fn, "__module__", None) or ""
    if isinstance(fn, FunctionType):
        module = fn.__globals__.get("__name__", "")
    return module.split(".")[0] in ("numpy", "scipy", "srcad", "_operator")


def _copies(index: Any) -> bool:
    """Whether indexing with `index` copies: it has an index array, and so no view comes out."""
    parts = index_parts(index)
    return any(
        isinstance(p, list | np.ndarray)
        or (isinstance(p, Value) and isinstance(p.type, ArrayType) and bool(p.type.shape))
        for p in parts
    )


def has_axes(a: Any) -> bool:
    """Whether an atom is an array with axes."""
    t = a.type if isinstance(a, Value) else None
    return isinstance(t, ArrayType) and bool(t.shape)


def has_storage(t: Type) -> bool:
    """Whether a value of this type may share memory; numbers and NumPy scalars cannot."""
    match t:
        case NumberType():
            return False
        case ArrayType():
            return not t.scalar
        case TupleType():
            return any(map(has_storage, t.items))
        case ObjectType(name="shape"):
            return False
        case _:
            return True


def is_total(op: Op) -> bool:
    """Whether the operation cannot raise and costs no more than a pass over its result."""
    fn, args = op.fn, op.args
    if fn in (np.shape, np.size, np.ndim):
        return True
    if fn is np.transpose:
        return True
    if fn is operator.getitem:
        return always_in_range(args[0], args[1])
    if not is_elementwise(fn):
        return False
    types = [a.type for a in args if isinstance(a, Value)]
    if all(isinstance(t, NumberType) for t in types):
        return fn not in _RAISING
    return always_fit(types, op.out.type) and not _is_integer_power(op)


_RAISING: Final[frozenset[Any]] = frozenset(
    {
        operator.truediv,
        operator.floordiv,
        operator.mod,
        operator.pow,
        operator.lshift,
        operator.rshift,
    }
)


def _is_integer_power(op: Op) -> bool:
    """Whether NumPy may refuse: integers to negative integer powers."""
    t = op.out.type
    return op.fn in (operator.pow, np.power) and isinstance(t, ArrayType) and t.dtype.kind in "iu"


def always_fit(types: list[Type], result: Type) -> bool:
    """Whether the operands are known to broadcast: no extent must turn out equal to another."""
    wide = shape_of(result)
    if wide is None or not isinstance(result, ArrayType):
        return False
    for t in types:
        shape = shape_of(t)
        if shape is None or not isinstance(t, ArrayType | NumberType):
            return False
        pairs = zip(shape[::-1], wide[::-1], strict=False)
        if any(extent not in (1, other) for extent, other in pairs):
            return False
    return True


def always_in_range(x: Any, index: Any) -> bool:
    """Whether `x[index]` cannot raise."""
    t = x.type if isinstance(x, Value) else None
    if isinstance(t, TupleType):
        return isinstance(index, int)  # checked when the type was inferred
    if not isinstance(t, ArrayType) or t.shape is None:
        return False
    parts = index_parts(index)
    return all(p is None or p is Ellipsis or _is_harmless(p) for p in parts)


def _is_harmless(part: Any) -> bool:
    return isinstance(part, slice) and part.step is None


def is_trip_certain(bounds: tuple[Any, ...]) -> bool:
    """Whether `range(*bounds)` is known and not empty."""
    return all(type(b) is int for b in bounds) and bounds[2] != 0 and len(range(*bounds)) > 0


def extent_value(t: Type) -> Extent | None:
    """The int that every value of this type is, if it is known."""
    return t.extent if isinstance(t, NumberType) and isinstance(t.extent, int) else None
