"""The state of lowering: one `Session` per program, one `Frame` per function body being read."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from srcad.errors import Location, SrcadError, error
from srcad.frontend.capture import Inputs, NeedStatic, is_trusted
from srcad.frontend.objects import (
    MUTABLE,
    UNBOUND,
    Abstract,
    ListObj,
    Ref,
    ShapeTuple,
    is_static,
    values_of,
)
from srcad.ir.nodes import Block, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType, TupleType, rank_of, shape_of
from srcad.ir.walk import values_in
from srcad.rules import RULES, facts
from srcad.rules.staged import OPERATORS, Builder
from srcad.rules.table import name_of

MAX_DEPTH = 60


class UnrollLoop(Exception):  # noqa: N818 - a signal to the loop that owns the index
    """The loop with this index must be unrolled: its body needs the index while compiling."""

    def __init__(self, index: Value) -> None:
        super().__init__(index)
        self.index = index


@dataclass(eq=False)
class Session:
    """What all frames of one lowering share. `derive` is the hook for transformations used inside."""

    inputs: Inputs
    derive: Callable[..., Any]
    builder: Builder = field(default_factory=Builder)
    producers: dict[Value, Op] = field(default_factory=dict)
    indices: set[Value] = field(default_factory=set)
    roots: dict[Value, Value] = field(default_factory=dict)
    conditions: list[tuple[int, Value]] = field(default_factory=list)
    active_calls: list[Any] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Statements emitted inside go to a new body."""
        outer = self.builder.body
        self.builder.body = inner = []
        try:
            yield inner
        finally:
            self.builder.body = outer

    def emit(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """Emit `fn(*args, **kwargs)` on abstract arguments; its result (a tuple for several)."""
        args, kwargs = self.atom(args), self.atom(kwargs or {})
        if fn in OPERATORS and _has_array((args, kwargs)) and not kwargs:
            fn = OPERATORS[fn]
        rule = RULES.get(fn)
        if rule is None:
            return self._emit_without_rule(fn, args, kwargs)
        args, kwargs = rule.bind(args, kwargs)
        if fn in _SQUARE and isinstance(args[0], Value):
            extents = shape_of(args[0].type)
            if extents is not None and len(extents) >= 2:
                self.inputs.assume_equal(extents[-2], extents[-1])
        try:
            result = self.builder.emit(fn, args, kwargs)
        except SrcadError as refusal:
            self._specialise_to_ints((args, kwargs), refusal)
            raise
        self.note(result)
        return result

    def _specialise_to_ints(self, arguments: Any, refusal: SrcadError) -> None:
        """What does not work with a run-time int may work with its value: an axis, say."""
        for value in values_in(arguments):
            if _is_int(value):
                try:
                    self.static(value, f"an int that `{value.name}` is computed from")
                except SrcadError as unknown:
                    raise (unknown if refusal.code == "E132" else refusal) from None

    def _emit_without_rule(self, fn: Any, args: Any, kwargs: Any) -> Any:
        """An op without a rule: right as long as it is not on an active path."""
        of = Builder(loc=self.builder.loc)
        try:
            types = facts.probe(fn, _types(args), _types(kwargs))
        except Exception:
            raise error("E201", None, what=f"`{name_of(fn)}`") from None
        outs = tuple(Value("", t) for t in (types if isinstance(types, tuple) else (types,)))
        self.builder.body.append(Op(fn, args, kwargs, outs, of.loc))
        self.note(outs)
        return outs if isinstance(types, tuple) else outs[0]

    def note(self, result: Any) -> None:
        """Remember which op made the values that were just emitted."""
        op = self.builder.body[-1] if self.builder.body else None
        if isinstance(op, Op):
            self.producers.update((v, op) for v in values_in(result) if v in op.outs)

    def atom(self, x: Abstract) -> Any:
        """`x` as an argument of an op: values, constants, and tuples, lists, dicts, slices of these."""
        if isinstance(x, ShapeTuple):
            return self.emit_shape(x.owner)
        if isinstance(x, Value):
            return x
        if type(x) is tuple:
            return tuple(map(self.atom, x))
        if isinstance(x, ListObj):
            return [self.atom(item) for item in x.items]
        if type(x) is dict:
            return {key: self.atom(item) for key, item in x.items()}
        if isinstance(x, slice):
            return slice(self.atom(x.start), self.atom(x.stop), self.atom(x.step))
        if isinstance(x, Ref):
            return x.obj
        if is_static(x):
            return x
        raise error("E120", None, what=f"a call with {type(x).__name__.lower()} as argument")

    def emit_shape(self, owner: Value) -> Value:
        shape: Value = self.emit(np.shape, (owner,))
        return shape

    def static(self, x: Abstract, what: str) -> Any:
        """The constant that `x` is; asks for specialisation where it comes from int inputs."""
        values = values_of(x)
        if not values:
            return self.raw(x)
        sources = {source for v in values for source in self.sources(v)}
        for source in sources:
            if source in self.indices:
                raise UnrollLoop(source)
        paths = [self.inputs.paths.get(source) for source in sources]
        if None in paths or not all(_is_int(source) for source in sources):
            raise error("E123", None, what=what)
        raise NeedStatic(frozenset(p for p in paths if p is not None))

    def raw(self, x: Abstract) -> Any:
        """A constant abstract value as the Python object it stands for."""
        if isinstance(x, Ref):
            return x.obj
        if isinstance(x, tuple):
            return tuple(map(self.raw, x))
        if isinstance(x, ListObj):
            return [self.raw(item) for item in x.items]
        return x

    def sources(self, value: Value) -> set[Value]:
        """The inputs, loop indices and other unexplained values from which `value` is computed."""
        op = self.producers.get(value)
        if op is None:
            return {value}
        return {s for v in values_in((op.args, op.kwargs)) for s in self.sources(v)}

    def root(self, value: Value) -> Value:
        """The value whose storage `value` shares as a view or alias (itself, if fresh)."""
        while True:
            if value in self.roots:
                value = self.roots[value]
                continue
            op = self.producers.get(value)
            if op is None or not is_view(op):
                return value
            value = next(values_in(op.args))


# Functions whose argument is square in every sensible call.
_SQUARE = frozenset({np.trace, np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.solve,
                     np.linalg.cholesky, np.linalg.eigh, np.linalg.matrix_power})  # fmt: skip


def is_view(op: Op) -> bool:
    """Whether the result of `op` may share storage with its first argument."""
    views = (
        operator.getitem, np.transpose, np.reshape, np.ravel, np.swapaxes, np.moveaxis, np.squeeze,
        np.expand_dims, np.broadcast_to, np.asarray, np.real, np.imag, np.diagonal, np.flip,
        np.atleast_1d, np.atleast_2d, np.atleast_3d, np.split, np.array_split, np.rollaxis,
        np.fliplr, np.flipud, np.rot90, np.hsplit, np.vsplit, np.dsplit, np.ascontiguousarray,
    )  # fmt: skip
    has_rank = rank_of(op.outs[0].type) != 0 if op.outs else False
    return has_rank and op.fn in views and any(True for _ in values_in(op.args))


def _is_int(value: Value) -> bool:
    return isinstance(value.type, NumberType) and value.type.kind in (int, bool)


def _has_array(tree: Any) -> bool:
    return any(isinstance(v.type, ArrayType) for v in values_in(tree))


def _types(tree: Any) -> Any:
    from srcad.ir.walk import map_tree

    return map_tree(lambda a: a.type if isinstance(a, Value) else a, tree)


@dataclass(eq=False)
class Frame:
    """One activation: the names bound so far, and where free names are found.

    `outer` is the frame around a nested function or comprehension; `path` reaches the function object
    itself, "" for nested ones.
    """

    session: Session
    file: str
    name: str
    env: dict[str, Abstract] = field(default_factory=dict)
    fn: FunctionType | None = None
    path: str = ""
    outer: Frame | None = None
    callers: tuple[Location, ...] = ()
    local_names: frozenset[str] = frozenset()
    loop_depth: int = 0

    @contextmanager
    def in_loop(self) -> Iterator[None]:
        """Inside, falling off the end of a block goes on with the loop, not with the return."""
        self.loop_depth += 1
        try:
            yield
        finally:
            self.loop_depth -= 1

    def at(self, node: Any) -> Location:
        return Location.of(node, self.file, self.name)

    @contextmanager
    def errors_at(self, node: Any) -> Iterator[None]:
        """Errors raised inside without a place are placed at `node`."""
        try:
            yield
        except SrcadError as problem:
            problem.located(self.at(node), self.callers)
            raise

    def lookup(self, name: str) -> Abstract:
        """What a name stands for: local, enclosing, captured, global or builtin."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.env:
                found = frame.env[name]
                if found is UNBOUND:
                    raise error("E130", None, what=f"`{name}`")
                return check_conflict(found)
            if name in frame.local_names:
                raise error("E130", None, what=f"`{name}`")
            if frame.fn is not None:
                return frame.lookup_outside(name)
            frame = frame.outer
        raise error("E124", None, what=f"`{name}`")

    def lookup_outside(self, name: str) -> Abstract:
        fn, inputs = self.fn, self.session.inputs
        assert fn is not None
        if name in fn.__code__.co_freevars and fn.__closure__ is not None:
            index = fn.__code__.co_freevars.index(name)
            path = f"{self.path}.__closure__[{index}].cell_contents"
            try:
                return inputs.lift(fn.__closure__[index].cell_contents, path, name)
            except ValueError:
                raise error("E124", None, what=f"`{name}`") from None
        if name in fn.__globals__:
            path = f"{self.path}.__globals__[{name!r}]"
            return inputs.lift(fn.__globals__[name], path, name)
        if hasattr(builtins, name):
            inputs.guard(f"{name!r} in {self.path}.__globals__", "equals", False)
            return fixed(getattr(builtins, name))
        raise error("E124", None, what=f"`{name}`")


@dataclass(frozen=True, slots=True)
class Conflict:
    """A name whose meaning differs between paths; an error as soon as it is read."""

    code: str
    what: str


def check_conflict(x: Abstract) -> Abstract:
    """`x`, unless its branches or iterations disagree on what it is."""
    if isinstance(x, Conflict):
        raise error(x.code, None, what=x.what)
    return x


def fixed(obj: Any) -> Abstract:
    """The abstract value of something that never changes: what trusted modules hold."""
    if obj is None or isinstance(obj, bool | int | float | complex | str | type(Ellipsis)):
        return obj
    return Ref(obj, "")


def attribute_of_module(session: Session, module: Ref, name: str) -> Abstract:
    """`module.name`: fixed for trusted modules, captured with a guard for the user's own."""
    if not hasattr(module.obj, name):
        raise error("E124", None, what=f"`{module.obj.__name__}.{name}`")
    found = getattr(module.obj, name)
    if is_trusted(module.obj) or (isinstance(found, type(math)) and is_trusted(found)):
        return fixed(found)
    return session.inputs.lift(found, f"{module.path}.{name}", name)


def tuple_items(session: Session, value: Value) -> tuple[Abstract, ...]:
    """The items of a run-time tuple of known length."""
    assert isinstance(value.type, TupleType)
    return tuple(session.emit(operator.getitem, (value, i)) for i in range(len(value.type.items)))


__all__ = [
    "MAX_DEPTH",
    "MUTABLE",
    "Block",
    "Conflict",
    "Frame",
    "Session",
    "UnrollLoop",
    "attribute_of_module",
    "check_conflict",
    "fixed",
    "is_view",
    "tuple_items",
]
