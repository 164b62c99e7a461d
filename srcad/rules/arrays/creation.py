"""Arrays made of shapes and numbers: `zeros`, `full`, `array`, and the casts between dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import (
    ArrayType,
    Extent,
    NumberType,
    ObjectType,
    SeqType,
    Type,
    dtype_of,
    is_inexact,
    shape_of,
)
from srcad.rules.arrays.shaping import dtype_of_arrays
from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.facts import (
    UncoveredError,
    array_or_scalar,
    as_type,
    shape_from,
    unknown_extent,
)
from srcad.rules.core.registry import linear, nondiff, rule, same, zero
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import RULES, Case
from srcad.rules.core.zero import ZERO


def cast(x: Any, dtype: Any) -> Any:
    """`x` with this dtype (its real part if that is real); of a Python number a NumPy scalar."""
    if x is ZERO:
        return ZERO
    t = type_of(x)
    old, new = dtype_of(t), np.dtype(dtype)
    if old == new and not isinstance(t, NumberType):
        return x
    if old is not None and old.kind == "c" and new.kind != "c":
        x = np.real(x)
        return x if dtype_of(type_of(x)) == new else cast(x, new)
    return call(new.type, x) if isinstance(t, NumberType) else x.astype(new)


def static_dtype(dtype: Any) -> np.dtype:
    """The dtype that an argument says; it must be known while compiling."""
    if isinstance(dtype, ArrayType | NumberType):
        raise error("E123", None, what="a dtype")
    found: np.dtype = np.dtype(dtype)
    if found.fields is not None or found.subdtype is not None:
        raise UncoveredError("a dtype with fields, or of arrays")
    return found


# ---- zeros, ones, empty: no inputs that could vary


def _filled_type(shape: object, dtype: object = None, **_: object) -> Type:
    return ArrayType(static_dtype(float if dtype is None else dtype), shape_from(shape))


def _filled_like_type(a: object, dtype: object = None, shape: object = None, **_: object) -> Type:
    t = as_type(a)
    extents = shape_of(t) if shape is None else shape_from(shape)
    return ArrayType(_dtype_or(dtype, t), extents)


def _dtype_or(dtype: object, t: Type) -> np.dtype:
    own = dtype_of(t)
    return static_dtype(dtype) if dtype is not None or own is None else own


_SHAPE = Case.made(lambda rng: (2, 3))
_FILLED = [Case(_SHAPE), Case(3), Case(_SHAPE, dtype=np.float32)]
_FILLED_LIKE = [
    Case((3, 4)),
    Case(()),
    Case(float),
    Case((3,), dtype=np.float32),
    Case((2,), shape=(3, 1)),
]
zero(np.zeros, np.ones, type_of=_filled_type, cases=_FILLED)
zero(np.zeros_like, np.ones_like, type_of=_filled_like_type, cases=_FILLED_LIKE)
# What is in an empty array is not a function of anything: never compared, so not "zero".
nondiff(np.empty, type_of=_filled_type, cases=_FILLED)
nondiff(np.empty_like, type_of=_filled_like_type, cases=_FILLED_LIKE)


# ---- full


def _full_type(shape: object, fill_value: object, dtype: object = None, **_: object) -> Type:
    own = as_type(fill_value)
    if dtype is None and dtype_of(own) is None:
        if not isinstance(fill_value, str | bytes | list | tuple):
            raise TypeError("an array of objects")
        dtype = np.asarray(fill_value).dtype
    return ArrayType(_dtype_or(dtype, own), shape_from(shape))


def _full_like_type(
    a: object, fill_value: object, dtype: object = None, shape: object = None, **_: object
) -> Type:
    return _filled_like_type(a, dtype, shape)


linear(
    np.full,
    fill_value=lambda g, y, shape, fill_value, dtype=None: unbroadcast(g, fill_value),
    type_of=_full_type,
    cases=[
        Case((2, 3), float),
        Case((2, 3), (3,)),
        Case(2, ()),
        Case((3,), float, dtype=np.float64),
    ],
)


def _full_like_jvp(ts: Any, y: Any, a: Any, fill_value: Any, **options: Any) -> Any:
    return ZERO if ts[1] is ZERO else call(np.full_like, a, ts[1], **options)


rule(  # of `a` only the form matters
    np.full_like,
    jvp=_full_like_jvp,
    a=lambda g, y, a, fill_value, dtype=None, shape=None: ZERO,
    fill_value=lambda g, y, a, fill_value, dtype=None, shape=None: unbroadcast(g, fill_value),
    type_of=_full_like_type,
    cases=[Case(np.ones((2, 3)), float), Case((2, 3), (3,)), Case(np.ones(2), ())],
)


# ---- casts


def _astype_type(x: object, dtype: object, copy: object = True) -> Type:
    t = as_type(x)
    return ArrayType(static_dtype(dtype), shape_of(t), isinstance(t, ArrayType) and t.scalar)


def _cast_jvp(ts: Any, y: Any, x: Any, *_: object, **__: object) -> Any:
    t = type_of(y)
    return cast(ts[0], dtype_of(t)) if is_inexact(t) else ZERO


def _cast_vjp(g: Any, y: Any, x: Any) -> Any:
    return cast(g, dtype_of(type_of(x))) if is_inexact(type_of(y)) else ZERO


rule(
    np.astype,
    jvp=_cast_jvp,
    x=lambda g, y, x, dtype, copy=True: _cast_vjp(g, y, x),
    type_of=_astype_type,
    cases=[Case((2, 3), np.float64), Case((2, 3), np.dtype(complex)), Case((3,), "f8")],
)


def _scalar_type_of(cls: type[np.generic]) -> Any:
    def type_of(x: object) -> Type:
        t = as_type(x)
        is_text = t in (ObjectType("str"), ObjectType("bytes"))
        return array_or_scalar(np.dtype(cls), () if is_text else shape_of(t))

    return type_of


for _cls in (np.float64, np.float32, np.longdouble, np.complex128, np.complex64, np.clongdouble):
    rule(
        _cls,
        jvp=_cast_jvp,
        x=_cast_vjp,
        type_of=_scalar_type_of(_cls),
        cases=[Case((3,)), Case(()), Case(float)],
    )
for _code in f"?{np.typecodes['AllInteger']}":
    if not RULES.holds(_cls := np.dtype(_code).type):  # two of C's types may be one
        nondiff(
            _cls,
            type_of=_scalar_type_of(_cls),
            domain=(0.2, 3.0),
            cases=[Case((3,)), Case(()), Case(float)],
        )


# ---- array, asarray: of an array, a number, or nested lists of them

Tree = Any  # an array, a number, or a list or tuple of trees


def _leaves(tree: Tree) -> list[Any]:
    if isinstance(tree, list | tuple):
        return [leaf for item in tree for leaf in _leaves(item)]
    return [tree]


def _array_type(object: Tree, dtype: Any = None, **_: Any) -> ArrayType:
    if isinstance(object, SeqType):
        return _stacked_type(object.elem, dtype)
    if any(isinstance(leaf, str | bytes) for leaf in _leaves(object)):
        object = np.asarray(_texts(object))
        return ArrayType(object.dtype if dtype is None else static_dtype(dtype), object.shape)
    leaves = [as_type(leaf) for leaf in _leaves(object)]
    _extents(object)
    lengths = []
    while isinstance(object, list | tuple):
        lengths.append(len(object))
        object = object[0] if object else 0.0
    found = np.dtype(float)  # of no entries
    if dtype is not None:
        found = static_dtype(dtype)
    elif not lengths and isinstance(leaves[0], ArrayType):
        found = leaves[0].dtype  # a copy keeps the order of the bytes
    elif leaves:
        found = dtype_of_arrays(*leaves)
    inner = shape_of(leaves[0]) if leaves else ()
    return ArrayType(found, None if inner is None else (*lengths, *inner))


def _texts(object: Tree) -> Tree:
    """Text, or nested lists of nothing else; beside numbers NumPy writes these out."""
    if len({type(leaf) for leaf in _leaves(object)}) > 1:
        raise TypeError("text beside what is none")
    return object


def _extents(object: Tree) -> tuple[Extent, ...] | None:
    """The extents that NumPy finds in nested lists, which must be alike; None where unknown."""
    if not isinstance(object, list | tuple):
        return shape_of(as_type(object))
    inner = [e for e in map(_extents, object) if e is not None]
    for other in inner[1:]:
        pairs = zip(inner[0], other, strict=False)
        differ = any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in pairs)
        if len(other) != len(inner[0]) or differ:
            raise ValueError("an array of items of different shapes")
    return (len(object), *inner[0]) if len(inner) == len(object) and inner else None


def _stacked_type(elem: Type, dtype: Any) -> ArrayType:
    found = dtype_of(elem) if dtype is None else static_dtype(dtype)
    return ArrayType(found or np.dtype(float), (unknown_extent(), *(shape_of(elem) or ())))


def _items(g: Any, tree: Tree) -> Any:
    """`g` taken apart as `tree` is put together."""
    if isinstance(type_of(tree), SeqType):
        return call(list, g)
    if not isinstance(tree, list | tuple):
        return cast(g, dtype_of(type_of(tree))) if is_inexact(type_of(tree)) else ZERO
    return [_item(g, (i,), item) for i, item in enumerate(tree)]


def _item(g: Any, index: tuple[int, ...], tree: Tree) -> Any:
    if isinstance(tree, list | tuple):
        return [_item(g, (*index, i), item) for i, item in enumerate(tree)]
    return _items(g[index if len(index) > 1 else index[0]], tree)


def filled(t: Any, x: Tree) -> Any:
    """The tangent tree with numbers for what is `ZERO`."""
    if isinstance(x, list | tuple):
        ts = [ZERO] * len(x) if t is ZERO else t
        return [filled(t_item, item) for t_item, item in zip(ts, x, strict=True)]
    if t is not ZERO:
        return t
    return np.zeros_like(x) if shape_of(type_of(x)) else 0.0


def _array_jvp(ts: Any, y: Any, object: Tree, **_: Any) -> Any:
    if not is_inexact(type_of(y)):
        return ZERO
    return call(np.array, filled(ts[0], object), dtype=dtype_of(type_of(y)))


def _array_vjp(g: Any, y: Any, object: Tree) -> Any:
    return _items(g, object) if is_inexact(type_of(y)) else ZERO


rule(
    np.array,
    jvp=_array_jvp,
    object=lambda g, y, object, dtype=None, copy=True: _array_vjp(g, y, object),
    type_of=_array_type,
    cases=[Case((2, 3)), Case([(3,), (3,)]), Case([(), (), ()]), Case(float), Case(())],
)
rule(
    np.asarray,
    jvp=_array_jvp,
    a=lambda g, y, a, dtype=None, copy=None: _array_vjp(g, y, a),
    type_of=_array_type,
    cases=[Case((2, 3)), Case([(3,), (3,)]), Case(float)],
)
linear(np.copy, a=lambda g, y, a: g, type_of=lambda a: _array_type(a))
same(np.asanyarray, np.asarray)


def _contiguous_type(a: Any) -> Type:
    t = _array_type(a)
    return ArrayType(t.dtype, (1,)) if shape_of(t) == () else t  # numbers get an axis


linear(
    np.ascontiguousarray,
    a=lambda g, y, a: np.reshape(g, ()) if shape_of(type_of(a)) == () else g,
    type_of=_contiguous_type,
    cases=[Case((3, 4)), Case(()), Case(np.float64)],
)


# ---- the same entries, perhaps laid out otherwise or checked


def _cast_type(a: Any, dtype: Any = None, requirements: Any = None) -> Type:
    t = _array_type(a)
    return t if dtype is None else ArrayType(static_dtype(dtype), shape_of(t))


def _real_type(a: Any, tol: Any = 100) -> Type:
    t = _array_type(a)
    if t.dtype.kind == "c":
        raise UncoveredError("complex arguments, whose values decide on the dtype")
    return t


linear(
    np.require,
    a=lambda g, y, a, dtype=None, requirements=None: cast_like(g, a),
    type_of=_cast_type,
    cases=[Case((2, 3), requirements="C"), Case((3,), dtype=np.float32)],
)
same(np.asfortranarray, np.ascontiguousarray)
linear(
    np.asarray_chkfinite,
    a=lambda g, y, a, dtype=None: cast_like(g, a),
    type_of=_cast_type,
    cases=[Case((2, 3))],
)
linear(
    np.real_if_close,
    a=lambda g, y, a, tol=100: g,
    type_of=_real_type,
    cases=[Case((2, 3))],
)
