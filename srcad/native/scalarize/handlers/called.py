"""Functions of NumPy's that compiled loops call as they are: no loop computes what they do.

places = np.argpartition(v, 5)      copy = v; parted_into(places, copy, 5, -1)
y = np.fft.rfft2(x)                 copy = x; transformed_into(y, copy, 2, (n, m), (0, 1), 0)

What they are given lies in memory of its own, and the extents of what they make are known before.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op, Value
from srcad.ir.affine import Affine
from srcad.ir.kinds import index_parts
from srcad.ir.types import dtype_of
from srcad.native.called import EIGENVALUES, EIGENVECTORS, KINDS, NORMS, PARTED, TRANSFORMED
from srcad.native.scalarize.arrays import Array, Entries, Index, View
from srcad.native.scalarize.loop_builder import Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import only, option
from srcad.native.scalarize.scalars.choice import select
from srcad.optimize.shadow_values import BOOL


def _given(s: Lowering, x: Array) -> Any:
    """A copy in memory of its own."""
    made = s.room_to_pass(x.dtype, x.extents)
    s.fill(made, x)
    return made.memory.value


def _made(s: Lowering, op: Op, k: int, extents: Sequence[Affine]) -> View:
    """Room for a result."""
    return s.room_to_pass(np.dtype(dtype_of(op.outs[k].type)), tuple(extents))


def _parted(s: Lowering, op: Op) -> Array:
    """`np.argpartition(x, 5)`: places in an order that depends on the machine."""
    only(op, "axis", "kth")
    x, kth = s.array(op.args[0]), option(op, "kth", 1, None)
    axis = option(op, "axis", 2, -1)
    if type(axis) is not int and x.rank == 1:
        axis = 0
    if not x.rank or type(axis) is not int or isinstance(kth, tuple | list):
        raise Unsuited("a partition by several places, or of all entries")
    number = s.code.whole(s.whole(kth))
    copy, made = _given(s, x), _made(s, op, 0, x.extents)
    s.code.effect(PARTED, made.memory.value, copy, number, axis)
    return made


def _eigenvectors(s: Lowering, op: Op) -> list[Array]:
    """`runtime.complex_eig(a)`."""
    a = _square(s, op)
    copy = _given(s, a)
    w, v = _made(s, op, 0, a.extents[:-1]), _made(s, op, 1, a.extents)
    s.code.effect(EIGENVECTORS, w.memory.value, v.memory.value, copy)
    return [w, v]


def _eigenvalues(s: Lowering, op: Op) -> Array:
    """`runtime.complex_eigvals(a)`."""
    a = _square(s, op)
    copy, w = _given(s, a), _made(s, op, 0, a.extents[:-1])
    s.code.effect(EIGENVALUES, w.memory.value, copy)
    return w


def _square(s: Lowering, op: Op) -> Array:
    only(op)
    a = s.array(op.args[0])
    if a.rank < 2:
        raise Unsuited("eigenvalues of something else than matrices")
    s.code.equal(*a.extents[-2:])
    return a


# ---- Fourier transforms

_REAL = KINDS.index(np.fft.rfftn)
_OF_HALF = KINDS.index(np.fft.irfftn)


def _transformed(s: Lowering, op: Op, kind: int, names: tuple[str, ...], default: Any) -> Array:
    """A Fourier transform along some axes, of a kind, with options of these names and the axes
    that it has without them.
    """
    only(op, *names)
    x = s.array(op.args[0])
    lengths, axes, norm = (
        option(op, name, k + 1, value)
        for k, (name, value) in enumerate(zip(names, (None, default, None), strict=True))
    )
    along = _axes(x, lengths, axes)
    sizes = _lengths(s, x, lengths, along, kind)
    extents = list(x.extents)
    for k, n in zip(along, sizes, strict=True):
        extents[k] = n
    if kind == _REAL:
        extents[along[-1]] = s.code.derived(operator.floordiv, (sizes[-1], Affine(2)), None) + 1
    if norm is not None and norm not in NORMS:
        raise Unsuited("a norm of transforms that is not known")
    copy, made = _given(s, x), _made(s, op, 0, extents)
    numbers = tuple(s.code.whole(n) for n in sizes)
    norm = NORMS.index(norm or "backward")
    s.code.effect(TRANSFORMED, made.memory.value, copy, kind, numbers, tuple(along), norm)
    return made


def _axes(x: Array, lengths: Any, axes: Any) -> list[int]:
    if axes is None:
        count = x.rank if lengths is None else len(index_parts(lengths))
        axes = tuple(range(x.rank - count, x.rank))
    along = [axes] if type(axes) is int else axes
    if isinstance(along, Value) or not along or any(type(k) is not int for k in along):
        raise Unsuited("axes that are not known")
    along = [k % x.rank for k in along]
    if len(set(along)) < len(along):
        raise Unsuited("an axis transformed twice")
    return along


def _lengths(s: Lowering, x: Array, given: Any, along: list[int], kind: int) -> list[Affine]:
    """How long what is transformed is along each axis: it is cut or filled up."""
    if given is None:
        own = [x.extents[k] for k in along]
        if kind == _OF_HALF:
            own[-1] = (own[-1] - 1) * 2
        return own
    parts = s.rep(given) if isinstance(given, Value) else given
    parts = parts if isinstance(parts, tuple | list) else (parts,)
    sizes = [s.whole_of(n) for n in parts]
    for n in sizes:
        s.code.check_natural(n - 1)
    return sizes


def _scaled_pairs(s: Lowering, op: Op) -> Array:
    """`runtime.scale_pairs(x, n, twice, axis)`, entry by entry."""
    only(op, "axis")
    x, n, is_twice = s.array(op.args[0]), s.whole(op.args[1]), op.args[2]
    axis = option(op, "axis", 3, -1) % x.rank
    half, t = s.code.derived(operator.floordiv, (n + 1, Affine(2)), None), scalar(x.dtype)

    def entry(code: Code, index: Index) -> Any:
        own, at = x.entry(code, index), code.whole(index[axis])
        is_behind = code.op(operator.gt, (at, 0), BOOL)
        is_before = code.op(operator.lt, (at, code.whole(half)), BOOL)
        is_pair = code.op(operator.and_, (is_behind, is_before), BOOL)
        scaled = code.op(operator.mul, (own, 2.0 if is_twice else 0.5), t)
        return select(code, is_pair, scaled, own, t)

    return Entries(x.dtype, x.extents, entry)


_ONE, _SOME, _ALL = (
    {"names": ("n", "axis", "norm"), "default": -1},
    {"names": ("s", "axes", "norm"), "default": (-2, -1)},
    {"names": ("s", "axes", "norm"), "default": None},
)

NUMPYS_OWN: Final[dict[Any, Handler]] = {
    np.argpartition: _parted, runtime.complex_eig: _eigenvectors,
    runtime.complex_eigvals: _eigenvalues, runtime.scale_pairs: _scaled_pairs,
    **{
        fn: partial(_transformed, kind=kind, **how)
        for how, transforms in (
            (_ONE, (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.irfft)),
            (_SOME, (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.irfft2)),
            (_ALL, KINDS),
        )
        for kind, fn in enumerate(transforms)
    },
}  # fmt: skip

__all__ = ["NUMPYS_OWN"]
