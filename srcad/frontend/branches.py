"""Branches: both sides are lowered, and what differs afterwards becomes results of one `If`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcad.frontend import state as st
from srcad.frontend.frame import Frame, Session
from srcad.frontend.objects import UNBOUND, Abstract, Ref, values_of
from srcad.ir.nodes import UNDEFINED, Block, If, Value
from srcad.ir.types import ArrayType, TupleType

Path = Callable[[], Any]


def truth(session: Session, x: Abstract) -> Abstract:
    """`bool(x)` as a constant if it is known while compiling, else the value to test."""
    if isinstance(x, Value):
        return x if not isinstance(x.type, TupleType) else bool(x.type.items)
    if isinstance(x, Ref):
        return bool(x.obj) if not values_of(x) else True
    if hasattr(x, "items"):
        return bool(x.items)
    return bool(x) if not isinstance(x, tuple) else len(x) > 0


class Branching:
    """Two paths being lowered: `run` each, then `join` (or `keep` the only one that goes on)."""

    def __init__(self, frame: Frame, cond: Value) -> None:
        self.frame = frame
        self.cond = cond
        self.before = st.snapshot(frame)
        self.bodies: list[list[Any]] = []
        self.states: list[st.State] = []
        self.pairs: list[tuple[Any, Any, Value]] = []

    def run(self, path: Path) -> Any:
        session = self.frame.session
        st.restore(self.before)
        session.conditions.append((len(session.active_calls), self.cond))
        try:
            with session.block() as body:
                result = path()
        finally:
            session.conditions.pop()
        self.bodies.append(body)
        self.states.append(st.snapshot(self.frame))
        return result

    def join(self, *results: tuple[Abstract, Abstract]) -> list[Abstract]:
        """Join the states and the given pairs of results; appends the `If`."""
        a, b = self.states
        st.restore(st.join_states(a, b, self._leaf))
        joined = [st.join_trees(x, y, lambda p, q: self._leaf(p, q, "")) for x, y in results]
        self._append()
        return joined

    def keep(self, which: int, result: Abstract = None) -> Abstract:
        """Only this path goes on: the other one raised. Appends the `If`; returns `result` seen outside."""
        kept = self.states[which]
        exported: dict[Value, Value] = {}

        def leaf(x: Abstract) -> Abstract:
            if not isinstance(x, Value):
                return x
            if x not in exported:
                out = exported[x] = Value(x.name, x.type)
                self.pairs.append((x, UNBOUND, out) if which == 0 else (UNBOUND, x, out))
            return exported[x]

        old = self.before.locations()
        st.restore(kept)
        for location, x in kept.locations().items():
            if not (location in old and st.same(old[location], x)) and not st.is_opaque(x):
                st.assign(location, st.rebuild(x, leaf))
        result = st.rebuild(result, leaf)
        self._append()
        return result

    def _leaf(self, a: Abstract, b: Abstract, name: str) -> Abstract:
        if a is UNBOUND or b is UNBOUND:
            known = b if a is UNBOUND else a
            out = Value(name or _name(known), st.type_of_leaf(known), partial=True)
        else:
            out = Value(name or _name(a), st.join_types(st.type_of_leaf(a), st.type_of_leaf(b)))
        for x in (a, b):
            # The out may be the very array of either path: in-place updates must know.
            if isinstance(x, Value) and isinstance(x.type, ArrayType):
                self.frame.session.roots.setdefault(out, self.frame.session.root(x))
        self.pairs.append((a, b, out))
        return out

    def _append(self) -> None:
        builder = self.frame.session.builder
        blocks = [
            Block([], body, [_atom(pair[side]) for pair in self.pairs])
            for side, body in enumerate(self.bodies)
        ]
        outs = tuple(out for _, _, out in self.pairs)
        if outs or any(body for body in self.bodies):
            builder.body.append(If(self.cond, blocks[0], blocks[1], outs, builder.loc))


def _name(x: Abstract) -> str:
    return x.name if isinstance(x, Value) else ""


def _atom(x: Abstract) -> Any:
    return UNDEFINED if x is UNBOUND else x
