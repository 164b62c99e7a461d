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

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from srcad.errors import SrcadError, error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.call_leaves import (
    as_result,
    extents_at,
    leaves_of,
    names_of,
    rebuilt,
    stripped,
)
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import CONTAINERS
from srcad.frontend.abstract.containers.contents import contents
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import Mismatch, fits, join_types, type_of_leaf
from srcad.frontend.abstract.objects import Abstract, Ref, is_leaf, is_static
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Pending, Raising, Recurs
from srcad.frontend.calls.lifting import has_effects, lift
from srcad.ir.calls import called, calls
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.types import UNKNOWN, ArrayType, NumberType, Type, rank_of
from srcad.rules.core.joined_kinds import kind_of

MAX_ATTEMPTS = 12
MAX_ALIKE = 16

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
    if is_leaf(x):
        if not exact:
            return "leaf"
        return UNKNOWN.sub("?", str(x.type)) if isinstance(x, Value) else repr(x)
    if isinstance(x, tuple):
        return tuple(_key(item, exact) for item in x)
    if isinstance(x, CONTAINERS):
        items = tuple((k, _key(item, exact)) for k, item in contents(x).items())
        return (type(x), getattr(x, "cls", None), items)
    if isinstance(x, Ref):
        return (Ref, id(x.obj))
    if isinstance(x, FunctionObj):
        return (FunctionObj, id(x.node))
    return (type(x), repr(x)) if is_static(x) else id(x)


# Calls -------------------------------------------------------------------------------------------


def _is_of_another_kind(x: Abstract, t: Type) -> bool:
    """Whether a leaf is another kind of number than a type that holds it."""
    return not is_array(x) and kind_of(type_of_leaf(x)) != kind_of(t)


def run_call(frame: Frame, place: Key, read: Callable[[], Abstract]) -> Abstract:
    """The result of a call with parameters bound in `frame`; `read` reads the body in place."""
    session = frame.session
    activation = Activation(frame, place)
    if session.recursive:
        for other in reversed(session.activations):
            if other.recursion is not None and activation.is_like(other):
                return other.recursion.call(session, activation.entry)
        for known in session.functions:
            if known.serves(activation):
                return known.call(session, activation.entry)
    session.activations.append(activation)
    try:
        if session.recursive and activation.key() in session.recursive:
            return _lower_function(activation, read)
        return read()
    finally:
        session.activations.pop()


def check_repetition(session: Session) -> None:
    """Ask for a function of its own where a call under a run-time condition repeats one around it.

    It does if nothing known while compiling differs, and seems to where there are many alike.
    """
    *outer, this = session.activations
    last = max((at for at, _ in session.conditions), default=0)
    alike = [other for other in outer[:last] if this.is_like(other)]
    if len(alike) >= MAX_ALIKE or any(this.is_like(other, exact=True) for other in alike):
        raise Recurs(this.key())


def _lower_function(activation: Activation, read: Callable[[], Abstract]) -> Abstract:
    """Lower the function, and call it with what the activation was called with."""
    frame, session = activation.frame, activation.frame.session
    recursion = activation.recursion = Recursion(activation)
    before = st.snapshot(frame)
    loc = session.builder.loc
    conditions, session.conditions = session.conditions, []
    callers, frame.callers = frame.callers, ()  # what it does, it does for all that call it
    try:
        body = _read_until_complete(recursion, before, read)
    except SrcadError as refusal:
        refusal.called_from = (*refusal.called_from, *callers)
        raise
    finally:
        session.conditions, frame.callers = conditions, callers
    st.restore(before)
    session.builder.loc = loc
    recursion.define(body)
    activation.recursion = None
    called_with = recursion.call(session, activation.entry)
    if not any(other.recursion for other in session.activations):
        recursion.read = lift(session.builder.body[-1], session.open_functions)[recursion.function]
        session.functions.append(recursion)
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
                recursion.results = list(session.atom(tuple(leaves_of(result))))
            except Raising:
                if recursion.has_learned:  # what it is passed may end it
                    continue
                raise error("E126", None, what=f"`{name}`") from None
        if recursion.is_complete(before, result):
            return body
    raise error("E129", None, what=f"what `{name}` passes to itself or returns")


class Recursion:
    """A function being lowered: `types` are those of the leaves that are its parameters."""

    def __init__(self, activation: Activation) -> None:
        self.activation = activation
        self.frame = activation.frame
        self.function = Function(activation.frame.name, Block([], [], []))
        activation.frame.session.open_functions.append(self.function)
        self.entry = activation.entry
        self.first = list(leaves_of(tuple(self.entry.values())))
        self.types: dict[int, Type] = {}
        self.params: dict[int, Value] = {}
        self.read: tuple[Value, ...] = ()
        self.result: Abstract = None
        self.results: list[Any] = []
        self.result_types: list[Type] | None = None
        self._known: Any = None

    def enter(self) -> None:
        """Bind the parameters, at the start of the body."""
        session = self.frame.session
        self._known = (dict(self.types), self.result_types and list(self.result_types))
        self.params = {}
        names = list(names_of(self.entry))
        for k, kind in sorted(self.types.items()):
            param = self.params[k] = Value(names[k], kind)
            session.memory.tell(param, [session.outside])
            if _is_of_another_kind(self.first[k], kind):
                session.kinds.put(param, [None])
        position = iter(range(len(self.first)))

        def leaf(x: Abstract) -> Abstract:
            return self.params.get(next(position), x)

        self.frame.env.clear()
        self.frame.env.update({n: rebuilt(x, leaf, True) for n, x in self.entry.items()})

    @property
    def has_learned(self) -> bool:
        """Whether the body passed itself more kinds of arguments than were known before."""
        return self._known is not None and self._known[0] != self.types

    def serves(self, activation: Activation) -> bool:
        """Whether the function, which is complete, may be called again elsewhere."""
        if activation.frame.outer is not None or not self.activation.is_like(activation):
            return False  # a function inside another one may read what has changed since
        if activation.frame.session.inputs.has_changes:
            return False
        pairs = zip(self.first, leaves_of(tuple(activation.entry.values())), strict=True)
        return all(
            fits(stripped(type_of_leaf(x)), self.types[k]) if k in self.types else st.same(first, x)
            for k, (first, x) in enumerate(pairs)
        )

    def call(self, session: Session, entry: dict[str, Abstract]) -> Abstract:
        """Call the function with these arguments; its result."""
        leaves = list(leaves_of(tuple(entry.values())))
        for k, (first, x) in enumerate(zip(self.first, leaves, strict=True)):
            if k in self.types or not st.same(first, x):
                known = self.types.get(k) or stripped(type_of_leaf(first))
                self.types[k] = self._joined(known, x, "what it passes to itself")
        if self.result_types is None:
            raise Pending
        given = {k: leaves[k] for k in self.params}
        fill = extents_at({k: p.type for k, p in self.params.items()}, given)
        made = list(zip(leaves_of(self.result), self.result_types, strict=True))
        outs = tuple(Value(x.name if isinstance(x, Value) else "", fill(t)) for x, t in made)
        for out, (x, kind) in zip(outs, made, strict=True):
            session.memory.tell(out, [session.outside, *leaves, x])
            if x in session.kinds or _is_of_another_kind(x, kind):
                session.kinds.put(out, [None])
        atoms = session.atom((*given.values(), *self.read))
        op = Op(self.function, atoms, {}, outs, session.builder.loc)
        op.effect = has_effects(self.function)
        session.builder.body.append(op)
        for watch in session.watchers:
            watch(op)
        position = iter(outs)
        return rebuilt(self.result, lambda x: next(position), False)

    def is_complete(self, before: st.State, result: Abstract) -> bool:
        """Join what was returned with what is known; whether that is nothing new."""
        what = f"what `{self.frame.name}` returns"
        if st.is_changed(self.frame, before):
            raise error("E133", None, what=f"`{self.frame.name}`, which calls itself,")
        result = as_result(result, what)
        if self.result_types is None:
            self.result_types = [stripped(type_of_leaf(x)) for x in leaves_of(result)]
        elif _key(result, False) != _key(self.result, False):
            raise error("E129", None, what=what)
        pairs = zip(self.result_types, leaves_of(result), strict=True)
        self.result_types = [self._joined(t, x, what) for t, x in pairs]
        self.result = result
        return bool(self._known == (self.types, self.result_types))

    def define(self, body: list[Stmt]) -> None:
        """Give the function its body."""
        self.function.body = Block(list(self.params.values()), body, self.results)
        effect = has_effects(self.function)
        for op in calls(self.function.body):
            op.effect = op.effect or (effect and op.fn is self.function)

    def _joined(self, known: Type, x: Abstract, what: str) -> Type:
        kind = stripped(type_of_leaf(x))
        if not isinstance(kind, ArrayType | NumberType):
            raise error("E129", None, what=what)
        if rank_of(known) and rank_of(kind) and rank_of(known) != rank_of(kind):
            raise error("E129", None, what=what)
        try:
            return known if fits(kind, known) else stripped(join_types(known, kind))
        except Mismatch:
            raise error("E129", None, what=what) from None


def refuse_open(
    session: Session, fn: Function, what: str = "a transformation of a function that calls itself"
) -> None:
    """Refuse to take a program by itself that calls a function whose lowering is not finished."""
    if any(f in session.open_functions for f in called(fn)):
        raise error("E100", None, what=f"{what.rstrip(',')}, inside that function,")


__all__ = ["check_repetition", "refuse_open", "run_call"]
