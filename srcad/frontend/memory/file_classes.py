"""Which class an array has that a program makes of one in a file: `np.memmap`, or a plain one.

x * 1.0         of class np.ndarray, as all that NumPy computes
x[1:]           of class np.memmap: it lies in the file
x.copy()[1:]    a copy is of class np.memmap, too, but not a part of it

NumPy is asked, operation by operation, with small arrays of these classes in place of the others.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Set
from typing import Any, Literal

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, Dim, NumberType
from srcad.ir.walk import map_tree, values_in

# Of what no array in a file has a part in, "new"; None where it is not known.
Class = Literal["new", "plain", "file", "copy"] | None

_CONTENT = (runtime.index_update, runtime.index_add)  # of the array that is written
_SIZE = 3
_MOST = 10_000  # entries of an array that NumPy is asked with
_DEPTH = 500  # operations that are followed back


def class_of(
    x: Value, producers: Mapping[Value, Op], inputs: Set[Value], files: Set[Value]
) -> Class:
    """The class of an array when the program runs.

    Args:
        producers: the operations that made values.
        files: those of the inputs that are arrays in files.
    """
    known: dict[Value, Class] = {v: "file" if v in files else "new" for v in inputs}
    todo = [x]
    while todo:
        v = todo[-1]
        op = producers.get(v)
        waiting = [a for a in _arrays(op) if a not in known]
        if v not in known and waiting and len(todo) < _DEPTH:
            todo += waiting
            continue
        known.setdefault(v, None if op is None else _class(v, op, known))
        todo.pop()
    return known[x]


def _arrays(op: Op | None) -> list[Value]:
    values = [] if op is None else values_in((op.args, op.kwargs))
    return [v for v in values if isinstance(v.type, ArrayType) and not v.type.scalar]


def _class(v: Value, op: Op, known: Mapping[Value, Class]) -> Class:
    arrays = _arrays(op)
    if op.fn in _CONTENT:
        return known.get(arrays[0])
    classes = {known.get(a) for a in arrays}
    if classes <= {"new", "plain"}:
        return "plain" if "plain" in classes else "new"
    if None in classes or isinstance(op.fn, Function):
        return None
    if op.fn is np.copy:  # stands for the method, which keeps the class
        return "copy"
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            made = op.fn(*_samples(op.args, known), **_samples(op.kwargs, known))
    except Exception:  # shapes that do not fit, what is no array
        return None
    found = made[op.outs.index(v)] if len(op.outs) > 1 else made
    if not isinstance(found, np.memmap):
        return "plain"
    return "copy" if getattr(found, "_mmap", None) is None else "file"


def _samples(tree: Any, known: Mapping[Value, Class]) -> Any:
    return map_tree(lambda a: _sample(a, known.get(a)) if isinstance(a, Value) else a, tree)


def _sample(v: Value, found: Class) -> Any:
    if isinstance(v.type, NumberType):
        return v.type.kind(1)
    if not isinstance(v.type, ArrayType) or v.type.shape is None:
        raise TypeError
    shape = tuple(_size(e) for e in v.type.shape)
    if np.prod(shape, dtype=float) > _MOST:
        raise ValueError
    x = np.ones(shape, v.type.dtype)
    if v.type.scalar:
        return x[()]
    if found not in ("file", "copy"):
        return x
    held: Any = x.view(np.memmap)
    held._mmap = x if found == "file" else None  # what it is, nothing asks
    return held


def _size(extent: int | Dim) -> int:
    return max(0, _SIZE - extent.minus) if isinstance(extent, Dim) else extent


__all__ = ["Class", "class_of"]
