"""Joined kinds: what a number may be at run time where its type says one kind for several.

    if x > 0:                         y: float in the program, an int or a float when it runs
        y = 2
    else:
        y = x
    z = y * 1.0                       z: float either way
    w = y * 2                         w: int or float

Branches, loops, and `min` or `max` of several numbers give one type to what meets in them, and a
sequence gives one to its items. The kinds of what an operation makes of such values are those that
its type function says, asked for each combination of kinds of its arguments.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir.nodes import UNDEFINED, Block, For, Function, If, Op, Value, While
from srcad.ir.types import ArrayType, NumberType, SeqType, Type
from srcad.ir.walk import map_tree, statements, values_in
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import type_of

# Of a number of Python's its class; of an array its dtype, and whether it is a NumPy scalar.
Kind = Any
Kinds = frozenset[Kind] | None  # None where they are not known
Meeting = tuple[Value, list[Any]]  # a value, and what meets in it
Readers = dict[Value, list[Op | Meeting]]
FLOATS = frozenset([float, (np.dtype(float), True)])
# What says of itself which kinds it gives.
_LISTED = (runtime.as_listed, runtime.as_held, runtime.in_turn)
_MANY = 16  # combinations that are tried for one operation


class JoinedKinds:
    """The kinds of the values that may be of another kind than their type says."""

    def __init__(self) -> None:
        self._found: dict[Value, Kinds] = {}

    def __contains__(self, x: object) -> bool:
        return isinstance(x, Value) and x in self._found

    def of(self, x: Any) -> Kinds:
        """The kinds that an atom may have when the program runs."""
        if isinstance(x, Value) and x in self._found:
            return self._found[x]
        return frozenset([kind_of(type_of(x))])

    def meet(self, out: Value, ends: Iterable[Any]) -> None:
        """Note the value in which others meet. Arrays are cast where they meet."""
        if _has_kind(out.type):
            self.put(out, [self.met(x, out) for x in ends])

    def met(self, x: Any, out: Value) -> Kinds:
        """The kinds that `out` has where it is `x`."""
        return frozenset([kind_of(out.type)]) if x not in self and is_cast(x, out) else self.of(x)

    def put(self, out: Value, several: Iterable[Kinds]) -> None:
        """Note that a value may be of the kinds of any of `several`, besides those known before."""
        found = [*several]
        if out in self._found:
            found.append(self._found[out])
        known = [kinds for kinds in found if kinds is not None]
        kinds: Kinds = frozenset().union(*known) if len(known) == len(found) else None
        if found and kinds != frozenset([kind_of(out.type)]):
            self._found[out] = kinds

    def note(self, op: Op) -> None:
        """Note what an operation makes of values of several kinds."""
        if is_choice(op):
            self.meet(op.out, op.args)
        elif op.fn is runtime.as_listed:
            self.put(op.out, [frozenset([float, kind_of(op.out.type)])])
        elif op.fn is runtime.as_held:
            self.put(op.out, [self.of(op.args[1])])
        elif op.fn is runtime.in_turn:
            self.meet(op.out, _in_turn(op))
        elif self._found:
            self._note_results(op)

    def _note_results(self, op: Op) -> None:
        if any(v in self._found for v in values_in((op.args, op.kwargs))):
            made = self._made(op)
            for k, out in enumerate(op.outs):
                if _has_kind(out.type):
                    self.put(out, [None if made is None else frozenset(kinds[k] for kinds in made)])

    def are_those_of(self, new: Any, old: Value) -> bool:
        """Whether an atom is surely of the kind that a value would be, or may be of the same."""
        if new not in self and old not in self:
            return True
        kinds = self.of(new)
        return kinds is not None and kinds == self.of(old)

    def _made(self, op: Op) -> list[list[Kind]] | None:
        """The kinds of the results for each combination of those of the arguments, if known."""
        made = [*map(_results, self.variants(op) or [])]
        return [kinds for kinds in made if kinds is not None] if made and None not in made else None

    def variants(self, op: Op) -> list[Op] | None:
        """The operation with arguments of each combination of their kinds; None where these are
        not known, or too many.
        """
        values = [v for v in dict.fromkeys(values_in((op.args, op.kwargs))) if v in self._found]
        if not values:
            return [op]
        several = [self._found[v] for v in values]
        known = [sorted(kinds, key=repr) for kinds in several if kinds is not None]
        if len(known) < len(several):
            return None
        combinations = list(product(*known))
        if len(combinations) > _MANY:
            return None
        return [_as_kinds(op, dict(zip(values, kinds, strict=True))) for kinds in combinations]


def joined_kinds(fn: Function) -> JoinedKinds:
    """The kinds that the values of a function may have besides those of their types."""
    found = JoinedKinds()
    meetings = [(out, [x for x in ends if x is not UNDEFINED]) for out, ends in _meetings(fn.body)]
    readers: Readers | None = None  # asked where a kind is found that a type does not say
    todo = deque[Op | Meeting](meetings)
    while todo:  # what reads a value is looked at again when more is known of it
        each = todo.popleft()
        outs = each.outs if isinstance(each, Op) else each[:1]
        before = [found.of(out) for out in outs]
        if isinstance(each, Op):
            found.note(each)
        else:
            found.meet(*each)
        for out, kinds in zip(outs, before, strict=True):
            if found.of(out) != kinds:
                readers = readers or _readers(fn, meetings)
                todo += readers[out]
    return found


def _readers(fn: Function, meetings: list[Meeting]) -> Readers:
    """The meetings and operations that read each value."""
    readers: Readers = defaultdict(list)
    for meeting in meetings:
        for x in values_in(meeting[1]):
            readers[x].append(meeting)
    for stmt in statements(fn.body):
        if isinstance(stmt, Op) and not is_choice(stmt) and stmt.fn not in _LISTED:
            for x in values_in((stmt.args, stmt.kwargs)):
                readers[x].append(stmt)
    return readers


def _meetings(block: Block) -> Iterator[tuple[Value, tuple[Any, ...]]]:
    """The values in which others meet, with these."""
    for stmt in statements(block):
        match stmt:
            case Op(fn=fn):
                if is_choice(stmt):
                    yield stmt.out, stmt.args
                elif fn is runtime.as_listed:
                    yield stmt.out, (stmt.args[0], 0.0)
                elif fn is runtime.as_held:
                    yield stmt.out, stmt.args[1:2]
                elif fn is runtime.in_turn:
                    yield stmt.out, tuple(_in_turn(stmt))
            case If():
                ends = zip(stmt.then.results, stmt.orelse.results, strict=True)
                yield from zip(stmt.outs, ends, strict=True)
            case For() | While():
                carried = list(zip(stmt.init, stmt.yielded, strict=True))
                for values in _carried(stmt):
                    yield from zip(values, carried, strict=True)
                yield from zip(stmt.seqs, zip(stmt.written), strict=True)
                if isinstance(stmt, For):
                    yield from zip(stmt.elements, zip(stmt.ins), strict=True)


def _carried(loop: For | While) -> Iterator[Iterable[Value]]:
    """The values that a loop carries: after it, in its body, in its test."""
    yield loop.outs
    if isinstance(loop, For):
        yield loop.carried
    else:
        yield loop.body.params
        yield loop.test.params


def kind_of(t: Type) -> Kind:
    """The kind that a type says; of a sequence that of its items."""
    if isinstance(t, SeqType):
        return kind_of(t.elem)
    if isinstance(t, NumberType):
        return t.kind
    return (t.dtype, t.scalar) if isinstance(t, ArrayType) else t


def _has_kind(t: Type) -> bool:
    return _has_kind(t.elem) if isinstance(t, SeqType) else isinstance(t, NumberType | ArrayType)


def is_numpys(kind: Kind) -> bool:
    """Whether what has this kind is an array or a NumPy scalar."""
    return isinstance(kind, tuple)


def as_dtype(kind: Kind) -> np.dtype[Any] | None:
    """The dtype of the numbers of a kind."""
    return kind[0] if is_numpys(kind) else np.dtype(kind) if isinstance(kind, type) else None


def is_choice(op: Op) -> bool:
    """Whether an operation is the `min` or `max` of several numbers: one of them, as it is."""
    return (op.fn is min or op.fn is max) and len(op.args) > 1 and not op.kwargs


def _in_turn(op: Op) -> list[Any]:
    """The lists, or the items of lists, that stand in a list one after the other."""
    return [x for part in op.args for x in (part if isinstance(part, list) else [part])]


def is_cast(x: Any, out: Value) -> bool:
    """Whether an array is cast where it goes into `out`."""
    t, own = type_of(x), out.type
    if not isinstance(t, ArrayType) or not isinstance(own, ArrayType) or t.scalar or own.scalar:
        return False
    return t.dtype != own.dtype


def _as_kinds(op: Op, kinds: dict[Value, Kind]) -> Op:
    """An operation with arguments of these kinds."""

    def as_kind(x: Any) -> Any:
        is_one = isinstance(x, Value) and x in kinds
        return Value(x.name, _type_as(kinds[x], x.type)) if is_one else x

    args, kwargs = map_tree(as_kind, (op.args, op.kwargs))
    return Op(op.fn, args, kwargs, op.outs, op.loc, effect=op.effect)


def _results(op: Op) -> list[Kind] | None:
    """The kinds of the results; None where there is no such call."""
    try:
        found = infer(op.fn, op.args, op.kwargs)
    except SrcadError:
        return None
    return [kind_of(t) for t in (found if isinstance(found, list | tuple) else [found])]


def _type_as(kind: Kind, t: Type) -> Type:
    """The type `t` with another kind."""
    if isinstance(t, SeqType):
        return SeqType(_type_as(kind, t.elem))
    if isinstance(kind, type):
        return NumberType(kind)
    if not isinstance(kind, tuple):
        return t
    dtype, is_scalar = kind
    shape = t.shape if isinstance(t, ArrayType) and not is_scalar else ()
    return ArrayType(dtype, shape, is_scalar)
