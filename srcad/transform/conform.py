"""Making (co)tangents fit their primals: dtype, shape, zeros, and the form of rank-0 values.

    x: f32[x0]    contribution f64[x0]      astype(contribution, float32)
    x: f64[x0]    contribution c128[x0]     real(contribution)
    x: float      no contribution           0.0

A (co)tangent has the dtype and shape of its primal. Of a rank-0 primal it may be a Python number or
a NumPy scalar (they promote differently); where paths meet, both are made NumPy scalars.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.nodes import UNDEFINED, Atom, Block, CotangentName, For, If, Op, Value
from srcad.ir.types import (
    SAVED,
    ArrayType,
    Dim,
    NumberType,
    SeqType,
    Shape,
    Type,
    dtype_of,
    is_inexact,
    rank_of,
    shape_of,
    zero_number,
)
from srcad.ir.walk import blocks, free_values, outputs, statements
from srcad.rules.core.masks import hand_on
from srcad.rules.core.staged import Builder, type_of


def conform(builder: Builder, atom: Atom, primal: Type) -> Atom:
    """`atom`, a (co)tangent of a value of type `primal`, with that value's dtype."""
    want, have = dtype_of(primal), dtype_of(type_of(atom))
    if want is None or have is None or have == want:
        return atom
    if have.kind == "c" and want.kind != "c":
        atom = builder.emit(np.real, (atom,)) if isinstance(atom, Value) else atom.real
        return conform(builder, atom, primal)
    t = type_of(atom)
    if isinstance(t, NumberType):
        if isinstance(primal, NumberType) and not isinstance(atom, Value):
            return primal.kind(atom)
        return as_scalar(builder, atom, want)
    if isinstance(t, ArrayType) and t.scalar:  # or a Python number, on some paths
        return _cast(builder, want.type, atom, ArrayType(want, (), scalar=True))
    return builder.emit(np.astype, (atom, want.type))


def require_rank(atom: Atom, primal: Type, what: str) -> None:
    """Refuse (E605) a (co)tangent whose number of axes cannot be that of its primal."""
    have, want = rank_of(type_of(atom)), rank_of(primal)
    if have is not None and want is not None and have != want:
        raise error("E605", None, what=what)


def broadcast(builder: Builder, tangent: Atom, primal: Value) -> Atom:
    """`tangent` in the shape of `primal`, to which a rule may have left it to be broadcast."""
    if isinstance(primal.type, SeqType):
        return tangent
    want, have = shape_of(primal.type), shape_of(type_of(tangent))
    if want == () or (want is not None and want == have):
        return tangent
    shape = want if _is_known(want) else builder.emit(np.shape, (primal,))
    return builder.emit(np.broadcast_to, (tangent, shape))


def _is_known(shape: Shape | None) -> bool:
    return shape is not None and all(isinstance(extent, int) for extent in shape)


def is_lasting_array(value: Value) -> bool:
    """Whether `value` is an array that is bound, of extents that are the same in all iterations.

    Those are numbers and symbols of the signature; others (`?1`) are local to an iteration.
    """
    t = value.type
    if not isinstance(t, ArrayType) or t.scalar or value.partial or not t.shape:
        return False
    return not any(isinstance(e, Dim) and "?" in e.symbol for e in t.shape)


def as_scalar(builder: Builder, atom: Atom, dtype: np.dtype) -> Atom:
    """A rank-0 `atom` as a NumPy scalar."""
    have = type_of(atom)
    if isinstance(have, ArrayType):
        return atom if have.scalar else builder.emit(operator.getitem, (atom, ()))
    if not isinstance(atom, Value):
        return dtype.type(atom)
    return _cast(builder, dtype.type, atom, ArrayType(dtype, (), scalar=True))


def as_form(builder: Builder, atom: Atom, form: Type) -> Atom:
    """A (co)tangent in the `form` that `meeting_type` chose for it."""
    if atom is UNDEFINED or rank_of(form) != 0:
        return atom
    if isinstance(form, ArrayType):
        return as_scalar(builder, atom, form.dtype)
    assert isinstance(form, NumberType)
    if isinstance(type_of(atom), NumberType):
        return atom
    return _cast(builder, form.kind, atom, NumberType(form.kind))


def _cast(builder: Builder, fn: Any, atom: Atom, t: Type) -> Value:
    out = Value("", t)
    builder.body.append(Op(fn, (atom,), {}, (out,), builder.loc))
    return out


def meeting_type(primal: Type, *, numbers: bool) -> Type:
    """The type, where paths meet, of a (co)tangent of a value of type `primal`.

    `numbers` says that it is a Python number on each of these paths.
    """
    dtype = dtype_of(primal)
    if rank_of(primal) != 0 or dtype is None:
        return primal
    if numbers and isinstance(primal, NumberType):
        return NumberType(primal.kind)
    return ArrayType(dtype, (), scalar=True)


def is_number(atom: Atom) -> bool:
    """Whether a (co)tangent is a Python number (or not there at all)."""
    return atom is UNDEFINED or isinstance(type_of(atom), NumberType)


def has_numbers_only(body: Block) -> bool:
    """Whether all real and complex numbers that a loop's body computes with are Python numbers."""
    used = [*body.params, *free_values(body)]
    for stmt in statements(body):
        used += [*outputs(stmt), *(v for block in blocks(stmt) for v in block.params)]
    return not any(isinstance(v.type, ArrayType) and is_inexact(v.type) for v in used)


def zero_like(builder: Builder, value: Value) -> Atom:
    """A zero (co)tangent of `value`, which must be bound unless its rank is 0."""
    t = value.type
    assert is_inexact(t), t
    if t == SAVED:
        return zero_saved(builder, value)
    if isinstance(t, SeqType):
        return _zero_sequence(builder, value)
    if rank_of(t) == 0:
        return zero_number(t)
    return builder.emit(np.zeros_like, (value,))


def zero_unbound(builder: Builder, value: Value, code: str = "E130") -> Atom:
    """A zero (co)tangent, from its type alone, of a `value` that may not be bound."""
    shape = shape_of(value.type)
    if value.type == SAVED:
        return zero_saved(builder, value)
    if shape == ():
        return zero_number(value.type)
    if shape is not None and _is_known(shape):
        return zeros(builder, shape, dtype_of(value.type))
    raise error(code, builder.loc, what=f"`{value.name or 'an array'}`")


def is_perhaps_unbound(primal: Value) -> bool:
    """Whether the cotangent of `primal` may be unbound where that is: one of a number is a zero."""
    return primal.partial and rank_of(primal.type) != 0


def has_zero(t: Type) -> bool:
    """Whether the type of a value that may not be bound tells its zero (co)tangent."""
    return t == SAVED or _is_known(shape_of(t))


def zero_where(builder: Builder, value: Value, is_bound: Atom) -> Atom:
    """A zero (co)tangent of a `value` that may not be bound: there where `is_bound` is true."""
    if not isinstance(is_bound, Value):
        return zero_like(builder, value) if is_bound else UNDEFINED
    inner = builder.nested()
    return where_bound(builder, value, is_bound, inner, zero_like(inner, value))


def where_bound(
    builder: Builder, value: Value, is_bound: Value, inner: Builder, bar: Atom
) -> Value:
    """What `inner` makes as a cotangent `bar` of a `value`: there where `is_bound` is true."""
    out = Value(bar_name(value), type_of(bar), partial=True)
    nothing = Block([], [], [UNDEFINED])
    builder.body.append(If(is_bound, Block([], inner.body, [bar]), nothing, (out,), builder.loc))
    hand_on(inner, bar, out)
    return out


def zero_saved(builder: Builder, value: Value) -> Atom:
    """What stands for the zero (co)tangent of saved values where they are unbound: nothing.

    Raises `UnsupportedSyntax` (E100) where they are bound: what is in them is not known here.
    """
    if value.partial:
        return UNDEFINED
    raise error("E100", builder.loc, what="a higher derivative of a function that calls itself")


def zeros(builder: Builder, shape: Atom, dtype: np.dtype | None) -> Atom:
    """`np.zeros(shape, dtype)`, the dtype said only where it is not the default."""
    options = {} if dtype is None or dtype == np.float64 else {"dtype": dtype.type}
    return builder.emit(np.zeros, (shape,), options)


def _zero_sequence(builder: Builder, seq: Value) -> Atom:
    """One zero for each element of `seq`."""
    assert isinstance(seq.type, SeqType)
    length = _cast(builder, len, seq, NumberType(int))
    index, element = Value("", NumberType(int)), Value("", seq.type.elem)
    inner = Builder([], builder.loc)
    zero = zero_like(inner, element)
    block = Block([index, element], inner.body, [zero])
    made = Value("", seq.type)
    builder.body.append(For(0, length, 1, False, [], [seq], block, (), (made,), builder.loc))
    return made


def add_sequences(builder: Builder, a: Value, b: Value) -> Value:
    """The sums of the elements of two sequences of one length."""
    assert isinstance(a.type, SeqType)
    assert isinstance(b.type, SeqType)
    index, x, y = Value("", NumberType(int)), Value("", a.type.elem), Value("", b.type.elem)
    inner = Builder([], builder.loc)
    total = inner.emit(operator.add, (x, y))
    block = Block([index, x, y], inner.body, [total])
    made = Value(a.name, SeqType(total.type))
    for each in (a, b):
        hand_on(builder, each, made)
    length = _cast(builder, len, a, NumberType(int))
    builder.body.append(For(0, length, 1, False, [], [a, b], block, (), (made,), builder.loc))
    return made


def bar_name(value: Value) -> str:
    """`h_bar` for `h`; temporaries stay without a name."""
    return CotangentName(f"{value.name}_bar" if value.name else "")
