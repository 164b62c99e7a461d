"""Calls of checkpointed functions: an IR function of its own, which the reverse sweep runs again.

    @srcad.checkpoint
    def layer(h):                            def layer(h, w):          # recomputed
        return np.tanh(w @ np.tanh(w @ h))       return tanh(matmul(w, tanh(matmul(w, h))))

    def loss(w, h):                          def loss(w, h):
        return np.sum(layer(h))                  return sum(layer(h, w))

All that the function reads is passed, what it reads of its surroundings too. The arrays that it
writes come back as results, and are written where it was called. Calls that come to the same
program call the same function.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.abstract_arguments import StandIns, is_input, stand_ins
from srcad.frontend.abstract.call_leaves import extents_at
from srcad.frontend.abstract.containers.containers import CONTAINERS
from srcad.frontend.abstract.containers.reachable import containers_in
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.results import result_tree
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Pending, Raising
from srcad.frontend.calls.lifting import has_effects
from srcad.frontend.calls.recursion import refuse_open
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.nested.inlining import Leaf, abstract_tree
from srcad.frontend.nested.parameters import as_passed, bind_arguments, name_of
from srcad.ir.calls import called
from srcad.ir.interface import map_slots
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Block, Checkpointing, Function, If, Op, Value
from srcad.ir.regions import Context
from srcad.ir.types import UNKNOWN, NumberType
from srcad.ir.walk import blocks, copy_block, free_values, fresh_like, inputs, outputs, statements
from srcad.rules.core.table import name_of as name_of_primitive

_QUIET = (np.errstate, warnings.catch_warnings)


def call_checkpointed(
    frame: Frame, primal: Abstract, how: Checkpointing | None, args: Args, kwargs: Kwargs
) -> Abstract:
    """The result of calling a function of which all, or only loops, are checkpointed.

    In a loop or branch, the states of its own loops would be many: all of it runs again there.
    """
    if how is None:
        return call_recomputed(frame, primal, args, kwargs)
    with frame.session.checkpointed(how):
        if frame.session.around:
            return call_recomputed(frame, primal, args, kwargs)
        return call(frame, primal, args, kwargs)


def call_recomputed(frame: Frame, primal: Abstract, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of calling a checkpointed function."""
    session = frame.session
    what = f"`{name_of(primal)}`, which is checkpointed,"
    clock = session.memory.clock
    bound = bind_arguments(primal, args, kwargs)
    given = stand_ins(session, bound, frozen=lambda x: True, replaces=_varies)
    for name, (x, _) in given.bound.items():
        if isinstance(x, Value) and x in given.values:
            x.name = name
    before, outside = dict(session.memory.contents), st.snapshot(frame)
    entered = session.memory.clock
    found: list[Any] = []
    with session.block() as body:
        try:
            result = call(frame, primal, *as_passed(primal, given.bound))
            tree = result_tree(session, result, found)
        except Pending:
            raise
        except Raising:
            raise error("E100", None, what=f"{what} and always raises,") from None
    call_ = _Call(session, given, found, clock)
    session.memory.leave(before, set(given.values), entered, what)
    if st.is_rebound(frame, outside):
        raise error("E133", None, what=what, notes=("a name or container around it",))
    _refuse_unrepeatable(body, what)
    outs = call_.emit(Function(name_of(primal), Block([], body, []), recomputed=True), what)
    returned = abstract_tree(map_slots(lambda slot: Leaf(outs[slot.index]), tree))
    if _is_shared(result, given, outside):
        for container in containers_in([returned]):
            if isinstance(container, CONTAINERS):
                container.frozen = True
    return returned


def _varies(x: Abstract) -> bool:
    """Whether an argument gets a value that stands for it: ints are read as they are, for what is
    known of them.
    """
    if isinstance(x, Value) and isinstance(x.type, NumberType):
        return x.type.kind not in (int, bool)
    return is_input(x)


def _is_shared(result: Abstract, given: StandIns, outside: st.State) -> bool:
    """Whether a container that was there before the call is part of its result."""
    return any(
        x in given.containers or x in outside.heap or getattr(x, "path", "")
        for x in containers_in([result])
    )


class _Call:
    """A call being made; what is known of the arrays inside has to be asked before they are left.

    `found` are the results, `written` the contents of the arguments that the function writes.
    """

    def __init__(self, session: Session, given: StandIns, found: list[Any], clock: int) -> None:
        memory = session.memory
        self.session = session
        self.outer = dict(zip(given.values, given.atoms, strict=True))
        self.found = found
        handles = [memory.handle(v) if isinstance(v, Value) else v for v in found]
        self.same = [self.outer.get(h, h) if isinstance(h, Value) else h for h in handles]
        self.made = [k for k, h in enumerate(handles) if isinstance(h, Value) and h is self.same[k]]
        self.roots = {k: memory.roots_before(handles[k], clock) for k in self.made}
        self.pairs = [
            (i, j) for i, j in combinations(self.made, 2) if memory.overlaps(handles[i], handles[j])
        ]
        self.written = {
            v: content
            for v in given.values
            if is_array(v) and isinstance(content := memory.contents.get(v), Value)
        }

    def emit(self, function: Function, what: str) -> list[Any]:
        """Emit the call; returns the atoms of its results."""
        session = self.session
        results = [*(self.found[k] for k in self.made), *self.written.values()]
        inner = Block([], function.body.body, results)
        read = list(free_values(inner))
        fresh = {v: fresh_like(v) for v in read}
        block = copy_block(inner, fresh)
        function.body = Block([*fresh.values()], block.body, block.results)
        refuse_open(session, function, what)
        function = session.recomputed.setdefault(_form(function), function)
        args = session.atom(tuple(self.outer.get(v, v) for v in read))
        fill = extents_at({k: p.type for k, p in enumerate(function.params)}, dict(enumerate(args)))
        outs = tuple(Value(v.name, fill(v.type)) for v in results)
        op = Op(function, args, {}, outs, session.builder.loc, has_effects(function))
        session.builder.body.append(op)
        for watch in session.watchers:
            watch(op)
        self._note(dict(zip(self.made, outs, strict=False)), results, outs)
        for v, content in zip(self.written, outs[len(self.made) :], strict=True):
            session.memory.write(self.outer[v], content, what)
        atoms = list(self.same)
        for k, out in zip(self.made, outs, strict=False):
            atoms[k] = out
        return atoms

    def _note(self, made: dict[int, Value], results: list[Value], outs: tuple[Value, ...]) -> None:
        """Note what is known of the values that the call returned."""
        session = self.session
        for inner, out in zip(results, outs, strict=True):
            session.kinds.meet(out, [inner])
        arrays = {k: out for k, out in made.items() if is_array(out)}
        pairs = [frozenset((arrays[i], arrays[j])) for i, j in self.pairs]
        session.memory.join({out: self.roots[k] for k, out in arrays.items()}, pairs)


_FIX = "do it outside of the function, and pass what it gives as an argument"


def _refuse_unrepeatable(body: list[Any], what: str) -> None:
    """Refuse what would not be the same, or not be done once, if the reverse sweep ran it again."""
    whole = Block([], body, [])
    for block in (whole, *(f.body for f in called(Function("", whole)))):
        for stmt in statements(block):
            if isinstance(stmt, Op) and stmt.effect and stmt.outs and callable(stmt.fn):
                what = f"a call of `{name_of_primitive(stmt.fn)}`, made once, in {what}"
                raise error("E100", stmt.loc, what=what, fix=_FIX)
            if isinstance(stmt, If) and isinstance(stmt.cond, Context):
                manager = stmt.cond.manager
                if manager not in _QUIET:
                    name = getattr(manager, "__name__", "a manager")
                    raise error("E100", stmt.loc, what=f"`with {name}` in {what}", fix=_FIX)


# Functions of one form ---------------------------------------------------------------------------


def _form(fn: Function) -> Hashable:
    """What two functions have in common that do the same: their statements, values numbered."""
    numbers: dict[Value, int] = {}
    extents: dict[str, str] = {}

    def of(x: Any) -> Hashable:
        if isinstance(x, Value):
            return ("value", numbers.setdefault(x, len(numbers)))
        if isinstance(x, tuple | list):
            return (type(x), *map(of, x))
        if isinstance(x, dict):
            return (dict, *((key, of(item)) for key, item in x.items()))
        if isinstance(x, slice):
            return (slice, of(x.start), of(x.stop), of(x.step))
        if isinstance(x, bool | int | float | complex | str | bytes | np.dtype | type | None):
            return (type(x), repr(x))
        return id(x)

    def type_of(v: Value) -> Hashable:
        def extent(found: re.Match[str]) -> str:
            return extents.setdefault(found.group(), f"?{len(extents)}")

        return (of(v), v.name, v.partial, UNKNOWN.sub(extent, str(v.type)))

    def block(b: Block) -> Iterator[Hashable]:
        yield tuple(map(type_of, b.params))
        for stmt in b.body:
            yield (type(stmt), *(type_of(v) for v in outputs(stmt)))
            yield of(_context(inputs(stmt)))
            if isinstance(stmt, Op):
                yield (id(stmt.fn), stmt.effect)
            elif not isinstance(stmt, If):
                yield tuple(getattr(stmt, name, None) for name in ("reverse", "exits"))
            for inner in blocks(stmt):
                yield from block(inner)
        yield of(b.results)

    return (fn.name, *block(fn.body))


def _context(tree: Any) -> Any:
    if isinstance(tree, Context):
        return (tree.manager, tree.args, tree.kwargs)
    return getattr(tree, "exceptions", tree)


__all__ = ["call_checkpointed"]
