"""More operations with an axis for directions or samples: functions of NumPy and SciPy that take an
axis, stacks of matrices, or arrays in the place of numbers.

fft(t: f64[k])                  fft(t: f64[n, k])
take(t: f64[k], places)         take(t: f64[n, k], places, axis=1)
svd(a: f64[k, k])               svd(a: f64[n, k, k])
pad(t: f64[k], 1)               pad(t: f64[n, k], ((0, 0), (1, 1)))
"""

from __future__ import annotations

import operator
import string
import sys
from typing import Any

import numpy as np

from srcad.ir.nodes import Op
from srcad.ir.types import dtype_of
from srcad.ir.walk import values_in
from srcad.rules.core.staged import type_of
from srcad.transform.jacobians.batch import Batch, Form, NotBatched, aligned, known_rank, moved_axis

_WHOLE = slice(None)


def form_of(op: Op) -> Form | None:
    """The form of an operation with the axis; None where there is none here."""
    fn = op.fn
    if fn in _FORMS:
        return _FORMS[fn]
    module, name = str(getattr(fn, "__module__", "")), getattr(fn, "__name__", "")
    if module.startswith("scipy."):
        return _SCIPY.get(name) if fn is _of_scipy(module, name) else None
    return None


def _of_scipy(module: str, name: str) -> Any:
    """SciPy's public function of this name, if it was imported."""
    package = ".".join(module.split(".")[:2])
    return getattr(sys.modules.get(package), name, None)


def _only_first(batch: Batch, op: Op) -> None:
    """Refuse an operation of which another argument than the first depends on the samples."""
    if any(batch.has_axis(v) for v in values_in((op.args[1:], op.kwargs))):
        raise NotBatched


def _first(batch: Batch, op: Op) -> Any:
    """What is done to each entry of the first argument."""
    _only_first(batch, op)
    return batch.builder.emit(op.fn, (batch.of(op.args[0]), *op.args[1:]), op.kwargs)


def _entries(batch: Batch, op: Op) -> Any:
    """`np.isclose(a, b)`."""
    rank = max(map(known_rank, op.args))
    if any(batch.has_axis(v) for v in values_in(op.kwargs)):
        raise NotBatched
    return batch.builder.emit(op.fn, tuple(aligned(batch, x, rank) for x in op.args), op.kwargs)


def _last_axis(batch: Batch, op: Op) -> Any:
    """`np.fft.fft(x, n, axis=-1)`: along one axis, the last one where none is given."""
    _only_first(batch, op)
    x, *rest = op.args
    axis = op.kwargs.get("axis", -1)
    if len(rest) > 1:
        raise NotBatched
    options = {**op.kwargs, "axis": moved_axis(axis, known_rank(x))}
    return batch.builder.emit(op.fn, (batch.of(x), *rest), options)


def _given_axis(batch: Batch, op: Op) -> Any:
    """`np.take(x, places, axis=0)`, `np.repeat(x, 2)`: all entries where no axis is given."""
    _only_first(batch, op)
    x, *rest = op.args
    axis = op.kwargs.get("axis")
    if axis is None and known_rank(x) == 1:
        axis = 0
    if len(rest) != 1:
        raise NotBatched
    options = {**op.kwargs, "axis": moved_axis(axis, known_rank(x))}
    return batch.builder.emit(op.fn, (batch.of(x), *rest), options)


def _along_both(batch: Batch, op: Op) -> Any:
    """`np.take_along_axis(x, places, axis)`."""
    x, places, *rest = op.args
    axis = rest[0] if rest else op.kwargs.get("axis")
    options = {"axis": moved_axis(axis, known_rank(x))}
    return batch.builder.emit(op.fn, (batch.of(x), batch.of(places)), options)


def _reduce(batch: Batch, op: Op) -> Any:
    """`logsumexp(x, axis=0)`: over all axes but the samples'."""
    (x, *rest), rank = op.args, known_rank(op.args[0])
    if rest or set(op.kwargs) - {"axis", "keepdims"}:
        raise NotBatched
    axis = op.kwargs.get("axis")
    axes = tuple(range(rank)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    options = {**op.kwargs, "axis": moved_axis(axes, rank)}
    return batch.builder.emit(op.fn, (batch.of(x),), options)


def _scaled(batch: Batch, op: Op) -> Any:
    """`softmax(x, axis=0)`: over all axes but the samples', where none is given."""
    return _reduce(batch, Op(op.fn, op.args, {"axis": None, **op.kwargs}, op.outs))


def _stack(batch: Batch, op: Op) -> Any:
    """`np.linalg.svd(a)`, which takes stacks of matrices."""
    _only_first(batch, op)
    if known_rank(op.args[0]) < 2:
        raise NotBatched
    return batch.builder.emit(op.fn, (batch.of(op.args[0]), *op.args[1:]), op.kwargs)


def _flipped(axis: int) -> Form:
    def form(batch: Batch, op: Op) -> Any:
        (x,) = op.args
        return batch.builder.emit(np.flip, (batch.of(x),), {"axis": axis + 1})

    return form


def _rot90(batch: Batch, op: Op) -> Any:
    x, *rest = op.args
    k = rest[0] if rest else op.kwargs.get("k", 1)
    axes = rest[1] if len(rest) > 1 else op.kwargs.get("axes", (0, 1))
    if type(k) is not int:
        raise NotBatched
    moved = moved_axis(tuple(axes), known_rank(x))
    return batch.builder.emit(np.rot90, (batch.of(x),), {"k": k, "axes": moved})


def _diagonal(batch: Batch, op: Op) -> Any:
    """`np.diagonal(a)`, and `np.diag(a)` of a matrix."""
    x, *rest = op.args
    rank = known_rank(x)
    if op.fn is np.diag:
        offset, axes = (rest[0] if rest else op.kwargs.get("k", 0)), (0, 1)
        if rank != 2:
            raise NotBatched
    else:
        names = ("offset", "axis1", "axis2")
        given = {**dict(zip(names, (0, 0, 1), strict=True)), **op.kwargs}
        given.update(zip(names, rest, strict=False))
        offset, axes = given["offset"], (given["axis1"], given["axis2"])
    if type(offset) is not int:
        raise NotBatched
    first, second = moved_axis(axes, rank)
    options = {"offset": offset, "axis1": first, "axis2": second}
    return batch.builder.emit(np.diagonal, (batch.of(x),), options)


def _pad(batch: Batch, op: Op) -> Any:
    """`np.pad(x, widths)`: nothing along the samples."""
    _only_first(batch, op)
    x, widths, *rest = op.args
    rank = known_rank(x)
    try:
        pairs = np.broadcast_to(np.asarray(widths), (rank, 2)).tolist()
    except (TypeError, ValueError):
        raise NotBatched from None
    if set(op.kwargs) - {"mode"}:
        raise NotBatched
    whole = ((0, 0), *map(tuple, pairs))
    return batch.builder.emit(np.pad, (batch.of(x), whole, *rest), op.kwargs)


def _tile(batch: Batch, op: Op) -> Any:
    _only_first(batch, op)
    x, times = op.args
    times = times if isinstance(times, tuple | list) else (times,)
    missing = known_rank(x) - len(times)
    if missing < 0 or not all(type(each) is int for each in times):
        raise NotBatched
    return batch.builder.emit(np.tile, (batch.of(x), (1, *[1] * missing, *times)))


def _kron(batch: Batch, op: Op) -> Any:
    """Of vectors: all products, in one row."""
    if any(known_rank(x) != 1 for x in op.args):
        raise NotBatched
    emit = batch.builder.emit
    a = emit(operator.getitem, (batch.of(op.args[0]), (_WHOLE, _WHOLE, None)))
    b = emit(operator.getitem, (batch.of(op.args[1]), (_WHOLE, None, _WHOLE)))
    pairs = emit(operator.mul, (a, b))
    shape = emit(np.shape, (pairs,))
    n, m = (emit(operator.getitem, (shape, k)) for k in (1, 2))
    return emit(np.reshape, (pairs, (batch.count, emit(operator.mul, (n, m)))))


def _pairing(batch: Batch, op: Op) -> Any:
    """`np.vdot(a, b)`, `np.inner(a, b)` of vectors."""
    if any(known_rank(x) != 1 for x in op.args):
        raise NotBatched
    emit = batch.builder.emit
    a, b = map(batch.of, op.args)
    dtype = dtype_of(type_of(a))
    if op.fn is np.vdot and dtype is not None and dtype.kind == "c":
        a = emit(np.conj, (a,))
    return emit(np.sum, (emit(operator.mul, (a, b)),), {"axis": 1})


def _tensordot(batch: Batch, op: Op) -> Any:
    """`np.tensordot(a, b, axes)`, as a sum of products."""
    a, b, *rest = op.args
    axes: Any = rest[0] if rest else op.kwargs.get("axes", 2)
    ranks = known_rank(a), known_rank(b)
    if type(axes) is int:
        axes = (range(ranks[0] - axes, ranks[0]), range(axes))
    summed = [[each] if type(each) is int else list(each) for each in axes]
    if not all(type(each) is int for part in summed for each in part):
        raise NotBatched
    letters = iter(string.ascii_letters)
    sample = next(letters)
    first = [next(letters) for _ in range(ranks[0])]
    second = [next(letters) for _ in range(ranks[1])]
    for i, j in zip(*summed, strict=True):
        second[j] = first[i]
    summed_letters = {first[i] for i in summed[0]}
    left = "".join(x for x in first if x not in summed_letters)
    right = "".join(x for x in second if x not in first)
    terms = [
        (sample if batch.has_axis(x) else "") + "".join(names)
        for x, names in ((a, first), (b, second))
    ]
    arrays = [batch.of(x) if batch.has_axis(x) else x for x in (a, b)]
    return batch.builder.emit(np.einsum, (f"{','.join(terms)}->{sample}{left}{right}", *arrays))


def _joined(batch: Batch, op: Op) -> Any:
    """`np.hstack`, `np.vstack`, `np.column_stack`, `np.append` of two vectors."""
    arrays = list(op.args[:2]) if op.fn is np.append else op.args[0]
    if not isinstance(arrays, tuple | list) or op.kwargs or len(op.args) > 2:
        raise NotBatched
    ranks = set(map(known_rank, arrays))
    if len(ranks) != 1 or 0 in ranks or (op.fn is np.append and ranks != {1}):
        raise NotBatched
    parts = [batch.of(x) for x in arrays]
    if ranks == {1} and op.fn in (np.vstack, np.column_stack):
        axis = 1 if op.fn is np.vstack else 2
        return batch.builder.emit(np.stack, (parts,), {"axis": axis})
    axis = 1 if op.fn is np.vstack or ranks == {1} else 2
    return batch.builder.emit(np.concatenate, (parts,), {"axis": axis})


def _cross(batch: Batch, op: Op) -> Any:
    if op.kwargs or len(op.args) != 2 or 0 in (ranks := [*map(known_rank, op.args)]):
        raise NotBatched
    return batch.builder.emit(np.cross, tuple(aligned(batch, x, max(ranks)) for x in op.args))


def _split(batch: Batch, op: Op) -> Any:
    """`np.split(x, 2)`: several arrays."""
    _only_first(batch, op)
    x, parts, *rest = op.args
    axis = rest[0] if rest else op.kwargs.get("axis", 0)
    return batch.builder.emit(
        op.fn, (batch.of(x), parts), {"axis": moved_axis(axis, known_rank(x))}
    )


_FOURIER = (
    np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft, np.fft.hfft, np.fft.ihfft,
)  # fmt: skip
_STACKS = (
    np.linalg.cond, np.linalg.eig, np.linalg.eigh, np.linalg.eigvals, np.linalg.eigvalsh,
    np.linalg.matrix_power, np.linalg.matrix_rank, np.linalg.pinv, np.linalg.qr,
    np.linalg.slogdet, np.linalg.svd, np.linalg.svdvals,
)  # fmt: skip
_FORMS: dict[Any, Form] = {
    **dict.fromkeys(_FOURIER, _last_axis),
    **dict.fromkeys(_STACKS, _stack),
    **dict.fromkeys((np.take, np.repeat), _given_axis),
    np.digitize: _first,
    **dict.fromkeys((np.split, np.array_split), _split),
    **dict.fromkeys((np.vdot, np.inner), _pairing),
    **dict.fromkeys((np.hstack, np.vstack, np.column_stack, np.append), _joined),
    **dict.fromkeys((np.diagonal, np.diag), _diagonal),
    np.cross: _cross,
    np.fliplr: _flipped(1),
    np.flipud: _flipped(0),
    np.isclose: _entries,
    np.kron: _kron,
    np.pad: _pad,
    np.rot90: _rot90,
    np.take_along_axis: _along_both,
    np.tensordot: _tensordot,
    np.tile: _tile,
}
_SCIPY: dict[str, Form] = {
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "dct", "idct", "dst", "idst"), _last_axis),
    "expm": _stack,
    "log_softmax": _scaled,
    "logsumexp": _reduce,
    "softmax": _scaled,
}

__all__ = ["form_of"]
