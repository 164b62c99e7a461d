"""The state of lowering at one point: what each name means and what each container holds.

A *location* is a name in a frame or an item of a mutable container. Both sides of a branch, and a
loop's body again and again, are lowered from the same state: `snapshot` takes it, `restore` brings
it back.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.frontend.abstract.closures import Bound, FunctionObj
from srcad.frontend.abstract.containers.containers import CONTAINERS, Container
from srcad.frontend.abstract.containers.contents import contents, set_contents
from srcad.frontend.abstract.containers.reachable import containers_in, outward
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.kinds_by_data import Codes
from srcad.frontend.abstract.objects import Abstract, Either, Method, Ref, is_nan
from srcad.frontend.abstract.session import Names, Session
from srcad.frontend.memory.chosen import Contents
from srcad.frontend.memory.memory import Memory
from srcad.frontend.reading.capture import Inputs
from srcad.ir.nodes import Block, Stmt, Value
from srcad.ir.walk import outputs, statements


@dataclass(frozen=True, slots=True)
class State:
    """The content of every location."""

    envs: dict[Names, dict[str, Abstract]]
    heap: dict[Container, dict[Any, Abstract]]
    lifted: dict[Container, dict[Any, Abstract]]  # the containers of the caller, as they came
    memory: Memory
    arrays: Contents  # of those that were written
    clock: int
    codes: Codes
    inputs: Inputs
    which: dict[Container, Abstract]  # containers that stand for several
    frozen: frozenset[Container] = frozenset()

    def locations(self) -> Iterator[tuple[Any, Any, Abstract]]:
        """Owner, key and content of every location."""
        for owner, items in (*self.envs.items(), *self.heap.items()):
            for key, x in items.items():
                yield owner, key, x


def snapshot(frame: Frame, returned: Abstract = None) -> State:
    """The state as `frame`, the frames around it and its callers see it, which get what is
    `returned`.
    """
    session = frame.session
    envs = {each: dict(each.env) for each in (*outward(frame), *session.shared_frames)}
    roots = [returned, *(x for env in envs.values() for x in env.values())]
    for each in (frame, *session.frames):
        roots += [*each.env.values(), *each.subjects.values()]
    roots += session.inputs.lifted
    found = {obj: contents(obj, in_order=False) for obj in containers_in(roots)}
    memory = session.memory
    frozen = frozenset(obj for obj in found if isinstance(obj, CONTAINERS) and obj.frozen)
    return State(
        envs, found, session.inputs.lifted, memory, dict(memory.contents), memory.clock,
        session.codes, session.inputs, dict(session.codes.which.numbers), frozen,
    )  # fmt: skip


def restore(state: State) -> None:
    """Make `state` the current one again."""
    for frame, env in state.envs.items():
        frame.env.clear()
        frame.env.update(env)
    for obj, items in (*state.heap.items(), *_since(state)):
        set_contents(obj, items)
        if isinstance(obj, CONTAINERS):
            obj.frozen = obj in state.frozen
    state.memory.contents = dict(state.arrays)
    state.codes.which.numbers = dict(state.which)


def restore_outside(session: Session, state: State) -> None:
    """Bring back what globals and captured objects held, and nothing else."""
    session.globals.env.clear()
    session.globals.env.update(state.envs[session.globals])
    for obj, items in (*state.heap.items(), *_since(state)):
        if isinstance(obj, CONTAINERS) and obj.path and not obj.path.startswith("A["):
            set_contents(obj, items)


@contextmanager
def unkept(frame: Frame) -> Iterator[State]:
    """The state as it is, to which everything goes back in the end: what is lowered meanwhile
    leaves no trace, neither in names and containers nor among the guards of arguments.
    """
    session, before = frame.session, snapshot(frame)
    attributes, written = set(session.attributes_read), dict(session.memory.written)
    known = {name: copy.copy(content) for name, content in vars(session.inputs).items()}
    try:
        yield before
    finally:
        restore(before)
        session.memory.written = written
        session.attributes_read = attributes
        vars(session.inputs).update(known)


def backtrack_point(frame: Frame) -> Callable[[], None]:
    """What goes back to here: to this state, without the statements written and the loops entered
    since then.
    """
    session, before = frame.session, snapshot(frame)
    mark, depth = len(session.builder.body), len(session.entered)

    def go_back() -> None:
        restore(before)
        del session.builder.body[mark:]
        del session.entered[depth:]

    return go_back


def is_changed(frame: Frame, before: State) -> bool:
    """Whether something that was there `before` has another content; names of `frame` aside."""
    now = snapshot(frame)
    written = {
        array
        for array in {**now.arrays, **before.arrays}
        if now.arrays.get(array, array) is not before.arrays.get(array, array)
    }
    older = any(before.memory.is_older(array, before.clock) for array in written)
    return older or is_rebound(frame, before, frame)


def is_rebound(
    frame: Frame, before: State, own: Frame | None = None, held: Abstract = None
) -> bool:
    """Whether a name or an item of a container stands for something else than `before`; names of
    `own` aside. `held` is asked beside what names hold.
    """
    now = snapshot(frame, held)
    old: dict[Any, dict[Any, Abstract]] = {**before.envs, **before.heap}
    old.update(_since(before))
    new: dict[Any, dict[Any, Abstract]] = {**now.envs, **now.heap}
    return any(
        list(new[owner]) != list(items) or not all(same(new[owner][k], items[k]) for k in items)
        for owner, items in old.items()
        if owner is not own and owner in new
    )


def _since(state: State) -> list[tuple[Container, dict[Any, Abstract]]]:
    """The containers of the caller that were first read after `state` was taken."""
    return [(obj, items) for obj, items in state.lifted.items() if obj not in state.heap]


def made_in(body: list[Stmt]) -> set[Value]:
    """The values that the statements of a block bind, at any depth."""
    return {v for stmt in statements(Block([], body, [])) for v in outputs(stmt)}


def same(a: Abstract, b: Abstract) -> bool:
    """Whether two paths agree on a value without any code."""
    if a is b:
        return True
    if type(a) is not type(b) or isinstance(a, Value):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, bool | int | str | bytes | np.dtype | slice | range):
        return bool(a == b)
    if isinstance(a, Ref):
        return a.obj is b.obj and a.path == b.path
    if isinstance(a, Bound | Method):
        return all(same(getattr(a, k), getattr(b, k)) for k in a.__slots__)
    if isinstance(a, Either):
        is_alike = same(a.code, b.code) and a.cases.keys() == b.cases.keys()
        return is_alike and all(same(x, b.cases[k]) for k, x in a.cases.items())
    if isinstance(a, FunctionObj):
        defaults_a, defaults_b = _defaults(a), _defaults(b)
        return a.node is b.node and a.frame is b.frame and same(defaults_a, defaults_b)
    # NaN is no change, -0.0 is: numbers are compared as they print.
    return isinstance(a, float | complex | np.generic) and repr(a) == repr(b)


def agreed(a: Abstract, b: Abstract) -> Abstract:
    """What two paths agree on; of two NaNs one that is neither, as either may be the object."""
    is_one = a is b or not (is_nan(a) and is_nan(b))
    return a if is_one else complex(a.real, a.imag) if isinstance(a, complex) else type(a)(a * 1)


def _defaults(fn: FunctionObj) -> tuple[Abstract, ...]:
    """What the parameters of a function hold that a call leaves out."""
    return (*fn.defaults, *fn.kw_defaults.values())
