"""Functions that call themselves for as long as run-time values say: lowered once, and called.

    def f(x, tol):                                        def f(x: float, tol: float):
        return x if abs(x) < tol else f(x / 2, tol)           if lt(abs(x), tol): yield x
                                                  ->          else: yield f(truediv(x, 2), tol)
    def loss(x):                                          def loss(x: float):
        return f(x, 0.1) ** 2                                 return pow(f(x, 0.1), 2)

Calls are read in place as a rule. A call that differs in nothing known while compiling from one it
is inside of, under a run-time condition, would be read for ever: the program is lowered again, and
this function becomes an IR `Function` then. Its body is lowered until nothing new turns up, as that
of a loop: the first time without the paths that call it (what it returns is not known yet), then
with what the others returned. Leaves of the arguments in which calls differ are its parameters; the
rest it reads from outside, until `lift` passes that too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from srcad.errors import error
from srcad.frontend import state as st
from srcad.frontend.branches import note_widening
from srcad.frontend.frame import Frame
from srcad.frontend.joins import Mismatch, fits, join_types, type_of_leaf
from srcad.frontend.lifting import has_effects, lift
from srcad.frontend.objects import (
    MUTABLE,
    Abstract,
    FunctionObj,
    Ref,
    ShapeTuple,
    contents,
    is_static,
    like,
)
from srcad.frontend.session import Session
from srcad.frontend.signals import Pending, Raising, Recurs
from srcad.ir.calls import called, calls
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, Type, rank_of
from srcad.rules.facts import unknown_extent

MAX_ATTEMPTS = 12

Key = Hashable


@dataclass(eq=False)
class Activation:
    """One call being read: the frame of its body, and what its parameters were bound to."""

    frame: Frame
    place: Key
    entry: dict[str, Abstract] = field(default_factory=dict)
    recursion: Recursion | None = None

    def __post_init__(self) -> None:
        self.entry = dict(self.frame.env)

    def key(self, *, exact: bool = False) -> Key:
        """What is known of the call while compiling; of numbers nothing unless `exact`."""
        fn = self.frame.fn
        known = tuple((name, _key(x, exact)) for name, x in self.entry.items())
        return (self.place, id(fn) if fn is not None else 0, known)

    def is_like(self, other: Activation, *, exact: bool = False) -> bool:
        """Whether one function may serve both calls."""
        same_home = self.place == other.place and self.frame.outer is other.frame.outer
        return same_home and self.key(exact=exact) == other.key(exact=exact)


def _key(x: Abstract, exact: bool) -> Key:
    if st.is_leaf(x):
        if not exact:
            return "leaf"
        return re.sub(r"\?\d+", "?", str(x.type)) if isinstance(x, Value) else repr(x)
    if isinstance(x, tuple):
        return tuple(_key(item, exact) for item in x)
    if isinstance(x, MUTABLE):
        items = tuple((k, _key(item, exact)) for k, item in contents(x).items())
        return (type(x), getattr(x, "cls", None), items)
    if isinstance(x, Ref):
        return (Ref, id(x.obj))
    if isinstance(x, FunctionObj):
        return (FunctionObj, id(x.node))
    return (type(x), repr(x)) if is_static(x) else id(x)


# Calls -------------------------------------------------------------------------------------------


def run_call(frame: Frame, place: Key, read: Callable[[], Abstract]) -> Abstract:
    """The result of a call with parameters bound in `frame`; `read` reads the body in place."""
    session = frame.session
    activation = Activation(frame, place)
    if session.recursive:
        for other in reversed(session.activations):
            if other.recursion is not None and activation.is_like(other):
                return other.recursion.call(session, activation.entry)
    session.activations.append(activation)
    try:
        if session.recursive and activation.key() in session.recursive:
            return _lower_function(activation, read)
        return read()
    finally:
        session.activations.pop()


def check_repetition(session: Session, *, exact: bool) -> None:
    """Ask for a function of its own where the innermost call repeats one that it is inside of."""
    *outer, this = session.activations
    for depth, other in reversed(list(enumerate(outer))):
        if this.is_like(other, exact=exact):
            if any(at > depth for at, _ in session.conditions):
                raise Recurs(this.key())
            return


def _lower_function(activation: Activation, read: Callable[[], Abstract]) -> Abstract:
    """Lower the function, and call it with what the activation was called with."""
    frame, session = activation.frame, activation.frame.session
    recursion = activation.recursion = Recursion(activation)
    before = st.snapshot(frame)
    loc = session.builder.loc
    conditions, session.conditions = session.conditions, []
    try:
        body = _read_until_complete(recursion, before, read)
    finally:
        session.conditions = conditions
    st.restore(before)
    session.builder.loc = loc
    recursion.define(body)
    activation.recursion = None
    called_with = recursion.call(session, activation.entry)
    if not any(other.recursion for other in session.activations):
        lift(session.builder.body[-1], session.open_functions)
    return called_with


def _read_until_complete(
    recursion: Recursion, before: st.State, read: Callable[[], Abstract]
) -> list[Stmt]:
    """The statements of the body, when reading it again finds nothing new."""
    session, name = recursion.frame.session, recursion.frame.name
    for _ in range(MAX_ATTEMPTS):
        st.restore(before)
        recursion.enter()
        with session.block() as body:
            try:
                result = read()
            except Raising:
                raise error("E126", None, what=f"`{name}`") from None
        if recursion.is_complete(before, result):
            return body
    raise error("E129", None, what=f"what `{name}` passes to itself or returns")


class Recursion:
    """A function being lowered: `types` are those of the leaves that are its parameters."""

    def __init__(self, activation: Activation) -> None:
        self.frame = activation.frame
        self.function = Function(activation.frame.name, Block([], [], []))
        activation.frame.session.open_functions.append(self.function)
        self.entry = activation.entry
        self.first = list(_leaves(tuple(self.entry.values())))
        self.types: dict[int, Type] = {}
        self.params: dict[int, Value] = {}
        self.result: Abstract = None
        self.result_types: list[Type] | None = None
        self._known: Any = None

    def enter(self) -> None:
        """Bind the parameters, at the start of the body."""
        session = self.frame.session
        self._known = (dict(self.types), self.result_types and list(self.result_types))
        self.params = {}
        names = list(_names(self.entry))
        for k, kind in sorted(self.types.items()):
            param = self.params[k] = Value(names[k], kind)
            session.sharing.tell(param, {session.outside})
            note_widening(self.frame, param, (type_of_leaf(self.first[k]), kind))
        position = iter(range(len(self.first)))

        def leaf(x: Abstract) -> Abstract:
            return self.params.get(next(position), x)

        self.frame.env.clear()
        self.frame.env.update({n: _rebuilt(x, leaf, True) for n, x in self.entry.items()})

    def call(self, session: Session, entry: dict[str, Abstract]) -> Abstract:
        """Call the function with these arguments; its result."""
        leaves = list(_leaves(tuple(entry.values())))
        for k, (first, x) in enumerate(zip(self.first, leaves, strict=True)):
            if k in self.types or not st.same(first, x):
                known = self.types.get(k) or _stripped(type_of_leaf(first))
                self.types[k] = self._joined(known, x, "what it passes to itself")
        if self.result_types is None:
            raise Pending
        given = {k: leaves[k] for k in self.params}
        fill = _extents_at({k: p.type for k, p in self.params.items()}, given)
        made = list(zip(_leaves(self.result), self.result_types, strict=True))
        outs = tuple(Value(x.name if isinstance(x, Value) else "", fill(t)) for x, t in made)
        roots = {root for x in leaves for root in session.sharing.roots(x)}
        for out, (x, kind) in zip(outs, made, strict=True):
            session.sharing.tell(out, {session.outside, *roots})
            note_widening(self.frame, out, (type_of_leaf(x), kind))
        op = Op(self.function, tuple(given.values()), {}, outs, session.builder.loc)
        op.effect = has_effects(self.function)
        session.add(op)
        position = iter(outs)
        return _rebuilt(self.result, lambda x: next(position), False)

    def is_complete(self, before: st.State, result: Abstract) -> bool:
        """Join what was returned with what is known; whether that is nothing new."""
        what = f"what `{self.frame.name}` returns"
        for obj, items in before.heap.items():
            now = contents(obj)
            if list(now) != list(items) or not all(st.same(now[k], items[k]) for k in items):
                raise error("E133", None, what=f"`{self.frame.name}`, which calls itself,")
        result = _as_result(self.frame.session, result, what)
        if self.result_types is None:
            self.result_types = [_stripped(type_of_leaf(x)) for x in _leaves(result)]
        elif _key(result, False) != _key(self.result, False):
            raise error("E129", None, what=what)
        pairs = zip(self.result_types, _leaves(result), strict=True)
        self.result_types = [self._joined(t, x, what) for t, x in pairs]
        self.result = result
        return bool(self._known == (self.types, self.result_types))

    def define(self, body: list[Stmt]) -> None:
        """Give the function its body."""
        params, results = list(self.params.values()), list(_leaves(self.result))
        self.function.body = Block(params, body, results)
        effect = has_effects(self.function)
        for op in calls(self.function.body):
            op.effect = op.effect or (effect and op.fn is self.function)

    def _joined(self, known: Type, x: Abstract, what: str) -> Type:
        kind = _stripped(type_of_leaf(x))
        if not isinstance(kind, ArrayType | NumberType):
            raise error("E129", None, what=what)
        if rank_of(known) and rank_of(kind) and rank_of(known) != rank_of(kind):
            raise error("E129", None, what=what)
        try:
            return known if fits(kind, known) else _stripped(join_types(known, kind))
        except Mismatch:
            raise error("E129", None, what=what) from None


# Trees of leaves ---------------------------------------------------------------------------------


def _leaves(x: Abstract) -> Iterator[Abstract]:
    if st.is_leaf(x):
        yield x
    elif isinstance(x, tuple):
        for item in x:
            yield from _leaves(item)
    elif isinstance(x, MUTABLE):
        for item in contents(x).values():
            yield from _leaves(item)


def _names(entry: dict[str, Abstract]) -> Iterator[str]:
    """The names of the leaves: those of the values, else of the parameters."""
    for name, x in entry.items():
        for leaf in _leaves(x):
            yield name if leaf is x else (leaf.name if isinstance(leaf, Value) else "")


def _rebuilt(x: Abstract, leaf: Callable[[Abstract], Abstract], frozen: bool) -> Abstract:
    """`x` with its leaves replaced, its containers new ones: not to be changed if `frozen`."""
    if st.is_leaf(x):
        return leaf(x)
    if isinstance(x, tuple):
        return tuple(_rebuilt(item, leaf, frozen) for item in x)
    if isinstance(x, MUTABLE):
        new = like(x, {k: _rebuilt(item, leaf, frozen) for k, item in contents(x).items()})
        new.frozen = frozen or x.frozen or bool(x.path)
        return new
    return x


def _as_result(session: Session, x: Abstract, what: str) -> Abstract:
    """A returned value; refuses what is neither a leaf, nor a constant, nor a container of such."""
    if isinstance(x, ShapeTuple):
        return tuple(_as_result(session, item, what) for item in tuple(x))
    if isinstance(x, tuple):
        return tuple(_as_result(session, item, what) for item in x)
    if isinstance(x, MUTABLE):
        for item in contents(x).values():
            _as_result(session, item, what)
        return x
    if st.is_leaf(x) or is_static(x):
        return x
    raise error("E129", None, what=what)


def _stripped(t: Type) -> Type:
    """An int that differs from call to call is no array's extent."""
    return NumberType(t.kind) if isinstance(t, NumberType) else t


def _extents_at(params: dict[int, Type], given: dict[int, Abstract]) -> Callable[[Type], Type]:
    """What the unknown extents in the function are at a call: those of an argument, or new ones."""
    known: dict[Extent, Extent] = {}
    for k, t in params.items():
        actual = type_of_leaf(given[k])
        if isinstance(t, ArrayType) and isinstance(actual, ArrayType) and t.shape and actual.shape:
            known.update(
                (a, b) for a, b in zip(t.shape, actual.shape, strict=False) if _is_local(a)
            )

    def extent(e: Extent) -> Extent:
        if not _is_local(e) or not isinstance(e, Dim):
            return e
        if e not in known:
            known[e] = replace(unknown_extent(), never_one=e.never_one)
        return known[e]

    def fill(t: Type) -> Type:
        if not isinstance(t, ArrayType) or not t.shape:
            return t
        return ArrayType(t.dtype, tuple(map(extent, t.shape)), t.scalar)

    return fill


def _is_local(e: Extent) -> bool:
    """Whether an extent is another number in each call: not one of the signature."""
    return isinstance(e, Dim) and "?" in e.symbol


def refuse_open(session: Session, fn: Function) -> None:
    """Refuse to transform a program that calls a function whose lowering is not finished."""
    if any(f in session.open_functions for f in called(fn)):
        what = "a transformation of a function that calls itself, inside that function,"
        raise error("E100", None, what=what)


__all__ = ["check_repetition", "refuse_open", "run_call"]
