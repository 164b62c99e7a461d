"""What operations do to index sets: how the places that entries depend on pass through each.

    y = mul(a, b)             y_from = or_(a_from, b_from)        entry by entry
    y = reshape(x, s)         y_from = reshape(x_from, s)         entries are moved
    y = sum(x, axis=0)        y_from = joined_places(x_from, 0)   all that are summed
    y = diff(x)               y_from = computed_places(diff, x)   all that are added
    y = sort(x, axis=0)       y_from = lines_places(y, 0, x)      all in a line
    y = correlate1d(x, w)     y_from = stencil_places(...)        all in a window
    y = svd(x)                y_from = all_places(y, x_from)      any other: everything

The last is right of any operation, so that one without a form costs entries and nothing else.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, SeqType, Type, rank_of, shape_of
from srcad.ir.walk import values_in
from srcad.ops import row_of
from srcad.rules import RULES
from srcad.rules.core.staged import Builder, type_of
from srcad.runtime import index_sets as sets

_OBJECT = np.dtype(object)
Of = Callable[[Any], Value | None]  # the sets of a value; None where it has none


def sets_of(t: Type) -> Type:
    """The type of the index sets of a value: an object for each entry."""
    if isinstance(t, SeqType):
        return SeqType(sets_of(t.elem))
    shape = shape_of(t)
    return ArrayType(_OBJECT, shape, scalar=shape == ())


def push_sets(builder: Builder, op: Op, of: Of) -> list[Value]:
    """Append what makes the index sets of the results of an operation."""
    if len(op.outs) == 1:
        made = _form(builder, op, of)
        if made is not None:
            return [made]
    elif _is_entrywise(op.fn) and _are_direct(op, of):
        several = [_fitted(builder, op.args, of, out) for out in op.outs]
        return [made for made in several if made is not None]
    elif row_of(op.fn).entries == "parted" and _are_direct(op, of):
        return _parts(builder, op, of)
    elif row_of(op.fn).entries == "pooled" and _alone(op, of):
        pooled = _emit(builder, op.outs[0].type, sets.pooled_places, *_pooled(op, of))
        return [pooled, *(_emit(builder, out.type, sets.no_places, out) for out in op.outs[1:])]
    given = [found for v in values_in((op.args, op.kwargs)) if (found := of(v)) is not None]
    return [_emit(builder, out.type, sets.all_places, out, *given) for out in op.outs]


def _form(builder: Builder, op: Op, of: Of) -> Value | None:
    fn, args, t = op.fn, op.args, op.out.type
    if not _are_direct(op, of):
        return None
    first, row = of(args[0]) if args else None, row_of(fn)
    is_same = row.entries == "same" or row.cast or (fn is operator.getitem and _rank(args[0]) == 0)
    if is_same and first is not None and shape_of(t) is not None:
        return _fitted(builder, args[:1], of, op.out)
    if _is_entrywise(fn):
        return _fitted(builder, args, of, op.out)
    if fn is list and first is not None and isinstance(t, SeqType):
        return _emit(builder, t, fn, first)
    if fn in (np.full, np.full_like) and len(args) > 1:
        return _fitted(builder, args[1:2], of, op.out)
    if fn is np.select:
        return _fitted(builder, [*args[1], *args[2:]], of, op.out)
    if row.product and _are_matrices(fn, args):
        return _emit(builder, t, sets.product_places, *(_or_none(builder, a, of) for a in args[:2]))
    if fn is operator.getitem and first is not None and _rank(args[0]) != 0:
        return _emit(builder, t, fn, first, *args[1:])
    if row.entries == "moved" and all(of(v) is None for v in values_in(args[1:])):
        return _emit(builder, t, fn, _each(builder, args[0], of), *args[1:], **op.kwargs)
    if row.entries == "computed" and (fn is not np.pad or _pads_by_moving(op)):
        return _emit(builder, t, sets.computed_places, fn, *_given(builder, op, of), **op.kwargs)
    if row.entries == "spaced" and _alone(op, of):
        return _emit(builder, t, sets.moved_places, fn, first, *args[1:], **op.kwargs)
    if fn is runtime.sparse_product:
        data, x = (_or_none(builder, args[k], of) for k in (0, 3))
        return _emit(builder, t, sets.sparse_product_places, data, *args[1:3], x, *args[4:])
    for more in (_filter, _sum, _trace, _lines, _store, _stacked):
        if (made := more(builder, op, of)) is not None:
            return made
    return None


def _is_entrywise(fn: Any) -> bool:
    """Whether a function makes each entry of the entries at its place."""
    row = row_of(fn)
    has_rule = fn in RULES and RULES[fn].kind == "elementwise"
    is_ufunc = isinstance(fn, np.ufunc) and fn.signature is None
    return row.entries == "each" or row.elementwise or has_rule or is_ufunc or fn is divmod


def _alone(op: Op, of: Of) -> bool:
    """Whether of all arguments only the first has sets."""
    first, rest = op.args[:1], (op.args[1:], op.kwargs)
    return all(of(x) is not None for x in first) and all(of(v) is None for v in values_in(rest))


def _pooled(op: Op, of: Of) -> tuple[Any, ...]:
    given = (*op.args[1:], *(op.kwargs[name] for name in ("size", "stride") if name in op.kwargs))
    return (of(op.args[0]), *given)


def _filter(builder: Builder, op: Op, of: Of) -> Value | None:
    """Filters with a window, which is what decides: of its weights only the shape counts."""
    fn, t, kind = op.fn, op.out.type, row_of(op.fn).entries
    if kind == "lagged" and len(op.args) == 3 and of(op.args[2]) is not None:
        if any(of(v) is not None for v in values_in((op.args[:2], op.kwargs))):
            return None
        return _emit(builder, t, sets.running_places, of(op.args[2]), op.kwargs.get("axis", -1))
    if kind not in ("smoothed", "stencil", "images", "pooled") or not _alone(op, of):
        return None
    if kind == "pooled":
        return _emit(builder, t, sets.pooled_places, *_pooled(op, of))
    if len(op.args) > 3 or "output" in op.kwargs:
        return None
    options = {name: x for name, x in op.kwargs.items() if name != "cval"}  # which is added
    form = {
        "smoothed": sets.smoothed_places,
        "stencil": sets.stencil_places,
        "images": sets.images_places,
    }[kind]
    given = [_of_ones(builder, x) for x in op.args[1:]]
    return _emit(builder, t, form, fn, of(op.args[0]), *given, **options)


def _of_ones(builder: Builder, x: Any) -> Any:
    """An array that is known while compiling; of another one as many ones."""
    if not isinstance(x, Value) or not _rank(x):
        return x
    out = Value("", x.type)
    builder.body.append(Op(np.ones_like, (x,), {}, (out,), builder.loc))
    return out


def _pads_by_moving(op: Op) -> bool:
    """Whether what `np.pad` puts around an array are entries of it, or constants."""
    mode = op.args[2] if len(op.args) > 2 else op.kwargs.get("mode", "constant")
    return mode in ("constant", "edge", "reflect", "symmetric", "wrap")


def _parts(builder: Builder, op: Op, of: Of) -> list[Value]:
    """The sets of several results whose entries are moved."""
    outs = tuple(Value("", sets_of(out.type)) for out in op.outs)
    builder.body.append(Op(op.fn, _given(builder, op, of), op.kwargs, outs, builder.loc))
    return [*outs]


def _given(builder: Builder, op: Op, of: Of) -> tuple[Any, ...]:
    """The arguments of an operation, in the place of arrays that may vary their sets."""
    return tuple(_or_none(builder, a, of) if _is_of_floats(a) or of(a) else a for a in op.args)


def _are_direct(op: Op, of: Of) -> bool:
    """Whether all values that have sets are arguments themselves, or items of a list of arrays."""
    if any(of(v) is not None for v in values_in(op.kwargs)):
        return False
    if row_of(op.fn).entries == "moved" or op.fn in (np.array, np.select):
        return True
    nested = [v for arg in op.args if not isinstance(arg, Value) for v in values_in(arg)]
    return all(of(v) is None for v in nested)


def _are_matrices(fn: Any, args: tuple[Any, ...]) -> bool:
    """Whether a product is one of rows and columns, in stacks if there are any."""
    a, b = map(_rank, args[:2])
    if not a or not b:
        return False
    return max(a, b) <= 2 or fn is not np.dot


def _stacked(builder: Builder, op: Op, of: Of) -> Value | None:
    """Functions of vectors and matrices, of each in a stack by itself."""
    fn, args, t = op.fn, op.args, op.out.type
    if fn is np.einsum and isinstance(args[0], str):
        return _einsum(builder, op, of)
    is_cross = fn in (np.cross, np.linalg.cross) and len(args) == 2
    axes = 1 if is_cross else 2 if row_of(fn).entries == "matrix" else None
    if axes is None or op.kwargs:
        return None
    ranks = {_rank(a) or 0 for a in args}
    if _rank(op.out) != max(ranks) or axes > min(ranks) or (len(ranks) > 1 and not is_cross):
        return None
    known = [s for a in args if (s := of(a)) is not None]
    return _emit(builder, t, sets.within_places, op.out, axes, *known)


def _einsum(builder: Builder, op: Op, of: Of) -> Value | None:
    """`np.einsum` whose subscripts name each axis of an operand once, and the result."""
    inputs, arrow, result = op.args[0].replace(" ", "").partition("->")
    labels = inputs.split(",")
    if not arrow:
        result = "".join(sorted(c for c in {*inputs} - {","} if inputs.count(c) == 1))
    if "." in inputs or any(len({*own}) < len(own) for own in (*labels, result)):
        return None
    known = [(own, s) for own, a in zip(labels, op.args[1:], strict=True) if (s := of(a))]
    own = tuple(own for own, _ in known)
    given = (s for _, s in known)
    return _emit(builder, op.out.type, sets.contracted_places, op.out, result, own, *given)


def _sum(builder: Builder, op: Op, of: Of) -> Value | None:
    fn, args, options, t = op.fn, op.args, op.kwargs, op.out.type
    first = of(args[0]) if args else None
    if first is None or set(options) - {"axis", "keepdims", "ddof", "ord"}:
        return None
    axis = options.get("axis", None if len(args) < 2 or fn is np.linalg.norm else args[1])
    if len(args) > 2 or isinstance(axis, Value):
        return None
    entries = row_of(fn).entries
    if entries in ("joined", "running") and _rank(args[0]) == 0:
        return _fitted(builder, args[:1], of, op.out)
    if entries == "joined":
        keepdims = {"keepdims": True} if options.get("keepdims") is True else {}
        return _emit(builder, t, sets.joined_places, first, axis, **keepdims)
    return _emit(builder, t, sets.running_places, first, axis) if entries == "running" else None


def _trace(builder: Builder, op: Op, of: Of) -> Value | None:
    if op.fn not in (np.trace, np.linalg.trace) or not _alone(op, of):
        return None
    fn = np.diagonal if op.fn is np.trace else np.linalg.diagonal
    entries = Value("", ArrayType(_OBJECT, None))
    first, options = of(op.args[0]), {k: x for k, x in op.kwargs.items() if k != "dtype"}
    given = (fn, first, *op.args[1:4])
    builder.body.append(Op(sets.moved_places, given, options, (entries,), builder.loc))
    return _emit(builder, op.out.type, sets.joined_places, entries, -1)


def _lines(builder: Builder, op: Op, of: Of) -> Value | None:
    """Functions of each line along an axis, or along several, by itself: transforms, sorting."""
    if row_of(op.fn).entries != "lines" or not _alone(op, of):
        return None
    fn: Any = op.fn
    signature = inspect.signature(fn)
    bound = signature.bind(*op.args, **op.kwargs).arguments
    name = next(name for name in ("axis", "axes") if name in signature.parameters)
    axis = bound.get(name, signature.parameters[name].default)
    axis = tuple(axis) if isinstance(axis, list) else axis
    if any(isinstance(each, Value) for each in (axis if isinstance(axis, tuple) else (axis,))):
        return None
    return _emit(builder, op.out.type, sets.lines_places, op.out, axis, of(op.args[0]))


def _store(builder: Builder, op: Op, of: Of) -> Value | None:
    fn, args, t = op.fn, op.args, op.out.type
    if fn in (runtime.index_update, runtime.index_add):
        array, values = (_or_none(builder, args[k], of) for k in (0, 2))
        store = fn if fn is runtime.index_update else sets.added_places
        return _emit(builder, t, store, array, args[1], values)
    if fn is runtime.unbroadcast:
        return _emit(builder, t, sets.summed_places, _or_none(builder, args[0], of), op.out)
    if fn is runtime.scatter:
        empty = _emit(builder, t, sets.no_places, op.out)
        return _emit(builder, t, sets.added_places, empty, args[2], _or_none(builder, args[0], of))
    if fn is np.bincount and len(args) > 1:
        empty = _emit(builder, t, sets.no_places, op.out)
        return _emit(builder, t, sets.added_places, empty, args[0], _or_none(builder, args[1], of))
    if fn is runtime.stacked:
        return _emit(builder, t, sets.stacked_places, _each(builder, args[0], of), args[1])
    if fn is np.array and not set(op.kwargs) - {"dtype"}:
        return _emit(builder, t, sets.packed_places, _each(builder, args[0], of))
    return None


def _fitted(builder: Builder, args: Sequence[Any], of: Of, out: Value) -> Value | None:
    """The sets of arrays joined entry by entry, in the shape of the result."""
    known = [s for arg in args if (s := of(arg)) is not None]
    if not known:
        return None
    found: Value = known[0]
    for other in known[1:]:
        found = _emit(builder, _met(found, other), operator.or_, found, other)
    shape = shape_of(out.type)
    if shape is not None and any(shape_of(each.type) == shape for each in known):
        found.type = sets_of(out.type)
        return found
    return _emit(builder, out.type, sets.spread_places, found, out)


def _met(a: Value, b: Value) -> Type:
    """The type of two arrays broadcast together; of any shape where they are not of one."""
    return a.type if a.type == b.type else ArrayType(_OBJECT, None)


def _each(builder: Builder, tree: Any, of: Of) -> Any:
    """The sets of each number and array in a tree."""
    if not isinstance(tree, list | tuple):
        return _or_none(builder, tree, of)
    return type(tree)(_each(builder, item, of) for item in tree)


def _or_none(builder: Builder, atom: Any, of: Of) -> Any:
    """The sets of an atom, those of a constant empty."""
    found = of(atom) if isinstance(atom, Value) else None
    return _emit(builder, type_of(atom), sets.no_places, atom) if found is None else found


def _is_of_floats(atom: Any) -> bool:
    """Whether an atom is an array of numbers that may vary: not one of widths or places."""
    t = type_of(atom) if isinstance(atom, Value | np.ndarray) else None
    return isinstance(t, ArrayType) and t.dtype.kind in "fc"


def _rank(atom: Any) -> int | None:
    return rank_of(atom.type) if isinstance(atom, Value) else np.ndim(atom)


def _emit(builder: Builder, t: Type, fn: Any, *args: Any, **options: Any) -> Value:
    out = Value("", sets_of(t))
    builder.body.append(Op(fn, args, options, (out,), builder.loc))
    return out


__all__ = ["push_sets", "sets_of"]
