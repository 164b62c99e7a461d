"""`srcad.vmap`: a function lowered for one sample, put in place for all samples.

    vmap(f)(x: f64[n, k])         f is lowered for x: f64[k], vectorised and put here

Which axis of an argument is that of the samples, an int says, or None that it has none; in the
place of one a tuple, list or dict says it for each item of the argument.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.abstract_arguments import Bindings
from srcad.frontend.abstract.containers.containers import (
    ARRAY,
    CONTAINERS,
    DictObj,
    ListObj,
    RecordObj,
    is_array_record,
)
from srcad.frontend.abstract.containers.contents import known_contents, like
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed, Instance, Ref, describe
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.nested.inlining import Leaf, abstract_tree, inline
from srcad.frontend.nested.parameters import as_passed, bind_arguments, name_of, parameters_of
from srcad.frontend.nested.transforms import lower_inner, primal_of
from srcad.frontend.objects.array_classes import new_array
from srcad.frontend.written.structured.arrays import Row, Structured
from srcad.ir.interface import Table, map_slots, rebuilt
from srcad.ir.nodes import Block, Function, If, Op, Value
from srcad.ir.types import ArrayType, Extent, rank_of, shape_of
from srcad.runtime.effects import raise_
from srcad.runtime.fields import array_of

_UNEQUAL = "vmap: the mapped axes of two arguments differ in length"


def call_mapped(
    frame: Frame, axes: tuple[Any, Any], f: Abstract, args: Args, kwargs: Kwargs, *,
    is_derived: bool = True,
) -> Abstract:  # fmt: skip
    """The result of `f` for each sample; `is_derived`: its derivative may be taken.

    Raises:
        ArgumentValueError: E320, the axes do not fit the arguments or the result.
        UnsupportedSyntax: E141, a part of `f` cannot run for all samples.
    """
    in_axes, out_axes = axes
    samples = _Samples(frame)
    specs = _for_arguments(in_axes, len(args))
    given = tuple(samples.part(x, spec) for x, spec in zip(args, specs, strict=True))
    named = {name: samples.part(x, 0) for name, x in kwargs.items()}
    if not samples.whole:
        raise error("E320", None, what=f"in_axes={in_axes!r}", notes=("no argument is mapped",))
    samples.check_lengths()
    wholes = bind_arguments(f, args, kwargs)
    inner = lower_inner(frame, _of_rows(f, wholes), bind_arguments(f, given, named))
    assert inner.function.interface is not None
    interface = inner.function.interface
    inner.function.interface = replace(interface, result=_entries(interface.result))
    mapped = [isinstance(x, Value) and x in samples.whole for x in inner.atoms]
    atoms = [samples.whole.get(x, x) if isinstance(x, Value) else x for x in inner.atoms]
    if not any(mapped):  # the function reads none of the arguments that are
        unread = next(iter(samples.whole))
        inner.function.body.params.append(Value(unread.name, unread.type))
        mapped, atoms = [*mapped, True], [*atoms, samples.whole[unread]]
    made = frame.session.derive.vectorized(
        inner.function, mapped, samples.extent, is_derived=is_derived,
        same=frozenset(_without(_numbered(inner.function), out_axes)),
    )  # fmt: skip
    result = inline(frame, made, atoms)
    return _moved(frame, result, out_axes)


def known_axes(frame: Frame, x: Abstract, what: str) -> Any:
    """`in_axes` or `out_axes` as Python has it."""
    if isinstance(x, tuple):
        return tuple(known_axes(frame, item, what) for item in x)
    if isinstance(x, ListObj | DictObj):
        known = {key: known_axes(frame, item, what) for key, item in known_contents(x).items()}
        return list(known.values()) if isinstance(x, ListObj) else known
    return frame.session.static(x, what)


def map_inside(frame: Frame, request: Any, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of calling a mapped function of the outside inside another function."""
    f = primal_of(request, callee)
    return call_mapped(frame, request.axes, f, args, kwargs)


def _of_rows(f: Abstract, wholes: Bindings) -> Abstract:
    """`f` of plain arrays in the place of samples of arrays of classes, each an array of its class
    to `f`, as the rows are that a loop over them finds.
    """
    if not any(map(is_array_record, reachable([x for x, _ in wholes.values()]))):
        return f

    def called(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        parts = bind_arguments(f, args, kwargs)
        rows = {k: (_row(frame, x, wholes[k][0]), kind) for k, (x, kind) in parts.items()}
        args, kwargs = as_passed(f, rows)
        return call(frame, f, args, kwargs)

    return Closed(called, name_of(f), (f,), parameters_of(f))


def _row(frame: Frame, x: Abstract, whole: Abstract) -> Abstract:
    if isinstance(whole, RecordObj) and is_array_record(whole) and isinstance(x, Value):
        is_entry = rank_of(x.type) == 0  # a NumPy scalar
        return x if is_entry else new_array(frame, whole.cls, x, whole)
    if isinstance(x, tuple) and isinstance(whole, tuple):
        return tuple(_row(frame, *pair) for pair in zip(x, whole, strict=True))
    if isinstance(x, CONTAINERS) and isinstance(whole, CONTAINERS) and not is_array_record(x):
        items = known_contents(whole)
        rows = {key: _row(frame, part, items[key]) for key, part in known_contents(x).items()}
        return like(x, rows)
    return x


def _entries(tree: Any) -> Any:
    """A result with plain arrays in the place of those of classes: samples are stacked."""
    if isinstance(tree, Table) and tree.made_by is array_of:
        return next(iter(tree.values()))
    return rebuilt(tree, _entries)


class _Number(int):
    """The place of a result, in its tree."""


def _numbered(fn: Function) -> Abstract:
    """The result of a function, with its places in the place of its leaves."""
    assert fn.interface is not None
    return abstract_tree(map_slots(lambda slot: Leaf(_Number(slot.index)), fn.interface.result))


def _without(x: Abstract, spec: Any) -> Iterator[int]:
    """The places of the results that are to have no axis for the samples."""
    if isinstance(x, _Number):
        if spec is None:
            yield x
    elif isinstance(x, tuple):
        for item, s in zip(x, _for_items(spec, range(len(x)), "out_axes"), strict=True):
            yield from _without(item, s)
    elif isinstance(x, ListObj | DictObj):
        items = known_contents(x)
        for item, s in zip(items.values(), _for_items(spec, items, "out_axes"), strict=True):
            yield from _without(item, s)


def _for_arguments(in_axes: Any, n_args: int) -> Sequence[Any]:
    """The axes of each argument by position."""
    if not isinstance(in_axes, tuple | list):
        return [in_axes] * n_args
    if len(in_axes) != n_args:
        notes = (f"{n_args} arguments are given by position",)
        raise error("E320", None, what=f"in_axes={in_axes!r}", notes=notes)
    return in_axes


class _Samples:
    """The arguments of one sample: `whole` has the array, its axis first, of each part."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.whole: dict[Value, Value] = {}

    @property
    def extent(self) -> Extent:
        """The number of samples."""
        return _length(next(iter(self.whole.values())))

    def part(self, x: Abstract, spec: Any) -> Abstract:
        """What stands for one sample of an argument."""
        if spec is None:
            return x
        if isinstance(x, tuple):
            specs = _for_items(spec, range(len(x)), "in_axes")
            return tuple(map(self.part, x, specs))
        if isinstance(x, RecordObj) and is_array_record(x):
            return self.part(x.fields[ARRAY], spec)
        if isinstance(x, RecordObj) and x.cls is Structured:
            return self._entry(x, spec)
        if isinstance(x, CONTAINERS):
            items = known_contents(x)
            specs = _for_items(spec, items, "in_axes")
            return like(x, dict(zip(items, map(self.part, items.values(), specs), strict=True)))
        if isinstance(x, Instance | Ref | str) or x is None or not _is_axis(spec):
            what = f"in_axes={spec!r} for {describe(x)}"
            raise error("E320", None, what=what)
        return self._sample(x, spec)

    def _entry(self, x: RecordObj, axis: Any) -> RecordObj:
        """An entry of an array with fields, or what is left of one of several axes."""
        axes = x.fields["_inner"]
        if not _is_axis(axis) or not -axes <= axis < axes:
            raise error("E320", None, what=f"in_axes={axis!r} for {describe(x)}")
        held = x.fields["_parts"].items
        parts = DictObj({name: self.part(part, axis % axes) for name, part in held.items()})
        fields = {**x.fields, "_parts": parts, "_inner": axes - 1}
        if axes > 1:
            return RecordObj(Structured, fields)
        del fields["_inner"]
        return RecordObj(Row, {**fields, "_index": ()})

    def _sample(self, x: Abstract, axis: int) -> Value:
        rank = rank_of(x.type) if isinstance(x, Value) else 0
        if rank is None or not -rank <= axis < rank:
            raise error("E320", None, what=f"in_axes={axis} for {describe(x)}")
        assert isinstance(x, Value)
        assert isinstance(x.type, ArrayType)
        first = _with_axis(self.frame, x, axis, 0)
        assert isinstance(first.type, ArrayType)
        assert first.type.shape is not None
        rest = first.type.shape[1:]
        value = Value(x.name, ArrayType(first.type.dtype, rest, scalar=not rest))
        self.frame.session.memory.tell(value, [x])
        self.whole[value] = first
        return value

    def check_lengths(self) -> None:
        """Raise ValueError where two arguments have another number of samples."""
        session = self.frame.session
        first, *others = self.whole.values()
        for other in others:
            ours, theirs = _length(first), _length(other)
            if ours == theirs:
                continue
            if _differ(ours, theirs):
                raise error("E320", None, what="these arguments", notes=(_UNEQUAL,))
            counts = [
                session.emit(operator.getitem, (session.emit(np.shape, (x,)), 0))
                for x in (first, other)
            ]
            differ = session.emit(operator.ne, tuple(counts))
            refuse = Op(raise_, (ValueError, _UNEQUAL), {}, (), session.builder.loc, effect=True)
            branch = If(differ, Block([], [refuse], []), Block([], [], []), (), session.builder.loc)
            session.builder.body.append(branch)


def _length(x: Value) -> Extent:
    """The extent of the first axis."""
    shape = shape_of(x.type)
    assert shape is not None
    return shape[0]


def _differ(a: Extent, b: Extent) -> bool:
    """Whether two extents are known to differ."""
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    return any(x == 1 and not isinstance(y, int) and y.never_one for x, y in ((a, b), (b, a)))


def _is_axis(spec: Any) -> bool:
    return isinstance(spec, int) and not isinstance(spec, bool)


def _for_items(spec: Any, keys: Any, option: str) -> list[Any]:
    """The axes of each item of a container."""
    if spec is None or _is_axis(spec):
        return [spec for _ in keys]
    if isinstance(spec, dict) and set(spec) == set(keys):
        return [spec[key] for key in keys]
    if isinstance(spec, tuple | list) and len(spec) == len(keys):
        return list(spec)
    raise error("E320", None, what=f"{option}={spec!r} for a container of {len(keys)} items")


def _with_axis(frame: Frame, x: Value, axis: int, to: int) -> Value:
    """`x` with an axis moved."""
    rank = rank_of(x.type)
    if rank is not None and axis % rank == to % rank:
        return x
    found: Value = frame.session.emit(np.moveaxis, (x, axis, to))
    return found


def _moved(frame: Frame, x: Abstract, spec: Any) -> Abstract:
    """A result with the samples' axis, the first one, where it is wanted."""
    if spec is None or spec == 0 or x is None or isinstance(x, bool | str):
        return x
    if isinstance(x, tuple):
        specs = _for_items(spec, range(len(x)), "out_axes")
        return tuple(_moved(frame, item, s) for item, s in zip(x, specs, strict=True))
    if isinstance(x, ListObj | DictObj):
        items = known_contents(x)
        specs = _for_items(spec, items, "out_axes")
        pairs = zip(items.items(), specs, strict=True)
        return like(x, {key: _moved(frame, item, s) for (key, item), s in pairs})
    rank = rank_of(x.type) if isinstance(x, Value) else None
    if not _is_axis(spec) or rank is None or not -rank <= spec < rank:
        raise error("E320", None, what=f"out_axes={spec!r} for {describe(x)}")
    return _with_axis(frame, x, 0, spec)


__all__ = ["call_mapped", "known_axes", "map_inside"]
