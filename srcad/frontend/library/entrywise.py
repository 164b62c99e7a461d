"""Functions of NumPy that go over entries as Python does: they are loops.

np.vectorize(f)(x, y)          [f(a, b) for a, b in ...] over the entries of both, as an array
np.ndenumerate(x)              for i in range(x.shape[0]): yield (i,), x[i]
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed, Method, Ref, describe
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import call
from srcad.frontend.iterators.counted import length
from srcad.frontend.library.in_place import as_array
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.objects.attributes import shape
from srcad.frontend.written import stores as written
from srcad.ir.nodes import Block, Op, Value
from srcad.ir.types import ArrayType, NumberType, dtype_of, rank_of
from srcad.ir.walk import statements
from srcad.rules.core.staged import type_of
from srcad.runtime.effects import raise_

_FIX = "write the array expression, or a loop over `range(n)`"
# Entries that Python computes with as NumPy's scalars do, of which `vectorize` asks the dtype.
_PLAIN = (np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.complex128))


# `np.vectorize` ----------------------------------------------------------------------------------


def _vectorize(frame: Frame, pyfunc: Abstract = None, *rest: Abstract, **options: Abstract) -> Any:
    """`np.vectorize(f)`, also as a decorator."""
    known = {key: x for key, x in options.items() if key != "doc" and x is not None}
    if pyfunc is None or rest or set(known) - {"otypes", "cache"}:
        raise error("E204", None, what="`np.vectorize` with `signature` or `excluded`", fix=_FIX)
    otypes = frame.session.static(known.get("otypes"), "`otypes`")
    return Closed(partial(_call_vectorized, pyfunc, otypes), "vectorize", (pyfunc,))


def call_captured(frame: Frame, callee: Ref, args: tuple[Abstract, ...], kwargs: Any) -> Abstract:
    """A call of what `np.vectorize` made outside."""
    made: np.vectorize = callee.obj
    frame.session.inputs.guard(callee.path, "is", made)
    if kwargs or made.excluded or made.signature is not None:
        raise error("E204", None, what="`np.vectorize` with `signature` or `excluded`", fix=_FIX)
    frame.session.inputs.guard(f"{callee.path}.otypes", "equals", made.otypes)
    pyfunc = frame.session.inputs.lift(made.pyfunc, f"{callee.path}.pyfunc", "pyfunc")
    return _call_vectorized(pyfunc, made.otypes, frame, *args)


def _call_vectorized(
    pyfunc: Abstract, otypes: Any, frame: Frame, /, *args: Abstract, **kwargs: Abstract
) -> Abstract:
    """Call `pyfunc` with the entries of the arguments, as Python's numbers."""
    if kwargs or not args:
        raise error("E204", None, what="`np.vectorize` with arguments by name", fix=_FIX)
    emit, body = frame.session.emit, frame.session.builder.body
    arrays = [_as_value(frame, x) for x in args]
    for x in arrays:
        if dtype_of(type_of(x)) not in _PLAIN:
            raise error("E132", None, what=f"`np.vectorize` over {describe(x)}")
    if len(arrays) > 1:
        arrays = items_of(frame, emit(np.broadcast_arrays, tuple(arrays)), "the arguments")
    flat = [emit(np.reshape, (x, (-1,))) for x in arrays]
    before, state = len(body), st.snapshot(frame)
    entry = Closed(partial(_entry, pyfunc, flat), "pyfunc", (pyfunc, *flat))
    given = (entry, length(frame.session, flat[0]), otypes is None)
    found = call_python(frame, Ref(written.vectorized, ""), given, {}, None)
    inside = statements(Block([], body[before:], []))
    acts = any(isinstance(each, Op) and each.effect and each.fn is not raise_ for each in inside)
    if acts or st.is_changed(frame, state) or st.is_rebound(frame, state):
        what = "`np.vectorize` of a function with effects, which it repeats for the first entry,"
        raise error("E204", None, what=what, fix=_FIX)
    found = emit(np.reshape, (found, _extents(frame, arrays[0])))
    return found if otypes is None else emit(np.astype, (found, _one_dtype(otypes)))


def _as_value(frame: Frame, x: Abstract) -> Value:
    """An argument as an array, a constant too."""
    found = as_array(frame, x)
    made: Value = found if isinstance(found, Value) else frame.session.emit(np.array, (found,))
    return made


def _one_dtype(otypes: Any) -> np.dtype[Any]:
    """The dtype that `otypes` states for one result."""
    if len(otypes) != 1:
        raise error("E204", None, what="`np.vectorize` of a function with several results")
    kind: np.dtype[Any] = np.dtype(otypes[0])
    return kind


def _entry(pyfunc: Abstract, flat: list[Value], frame: Frame, /, i: Abstract) -> Abstract:
    """What the function gives for one entry: a number of one type, which is that of the result."""
    entries = [frame.session.emit(operator.getitem, (x, i)) for x in flat]
    x = call(frame, pyfunc, tuple(call(frame, Method(each, "item"), ()) for each in entries))
    is_number = isinstance(x, int | float | complex | np.generic)
    if isinstance(x, Value):
        is_number = isinstance(x.type, NumberType) or (
            isinstance(x.type, ArrayType) and x.type.scalar
        )
    if not is_number:
        raise error("E132", None, what=f"`np.vectorize` of a function that gives {describe(x)}")
    if isinstance(x, Value) and not frame.session.is_certain(x):
        what = "the type that a vectorized function gives for the first entry"
        fix = "let it give numbers of one type, `0.0` beside other floats"
        raise error("E123", None, what=what, fix=fix)
    return x


# Indices -----------------------------------------------------------------------------------------


def _ndenumerate(frame: Frame, arr: Abstract) -> Abstract:
    """`np.ndenumerate(x)`: a generator with a loop for each axis."""
    x = as_array(frame, arr)
    rank = rank_of(type_of(x))
    if rank not in written.ENUMERATED:
        raise error("E204", None, what=f"`np.ndenumerate` over {rank} axes", fix=_FIX)
    return call_python(frame, Ref(written.ENUMERATED[rank], ""), (x,), {}, None)


# Differences -------------------------------------------------------------------------------------

_LEFT_OUT: Any = object()


def _diff(
    frame: Frame, a: Abstract, n: Abstract = 1, axis: Abstract = -1,
    prepend: Abstract = _LEFT_OUT, append: Abstract = _LEFT_OUT,
) -> Abstract:  # fmt: skip
    """`np.diff`, of the array with what is put before and after it."""
    session = frame.session
    options: dict[str, Any] = {"n": n, "axis": axis}
    if prepend is _LEFT_OUT and append is _LEFT_OUT:
        return session.emit(np.diff, (a,), options)
    times = session.static(n, "`n`")
    if times < 1:
        return session.emit(np.diff, (a,), options)
    x = as_array(frame, a)
    rank = rank_of(type_of(x))
    at = session.static(axis, "`axis`")
    if rank is None or not -rank <= at < rank:
        raise error("E403", None, what=f"{at} is out of range for an array with {rank} axes")
    parts = [x]
    if prepend is not _LEFT_OUT:
        parts.insert(0, _as_slab(frame, prepend, x, at % rank))
    if append is not _LEFT_OUT:
        parts.append(_as_slab(frame, append, x, at % rank))
    joined = session.emit(np.concatenate, (tuple(parts),), {"axis": at})
    return session.emit(np.diff, (joined,), options)


def _as_slab(frame: Frame, x: Abstract, beside: Value, axis: int) -> Abstract:
    """What is put beside an array: a number as one entry for each line."""
    found = as_array(frame, x)
    if rank_of(type_of(found)) != 0:
        return found
    extents = list(_extents(frame, beside))
    extents[axis] = 1
    return frame.session.emit(np.broadcast_to, (found, tuple(extents)))


def _extents(frame: Frame, x: Value) -> tuple[Abstract, ...]:
    found = shape(frame, x)
    if isinstance(found, tuple):
        return found
    rank = rank_of(x.type) or 0
    return tuple(frame.session.emit(operator.getitem, (found, k)) for k in range(rank))


def _fromiter(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
    return call_python(frame, Ref(written.fromiter, ""), args, kwargs, None)


ENTRYWISE_CALLS: dict[Any, Callable[..., Abstract]] = {
    np.vectorize: _vectorize,
    np.ndenumerate: _ndenumerate,
    np.fromiter: _fromiter,
    np.diff: _diff,
}

__all__ = ["ENTRYWISE_CALLS", "call_captured"]
