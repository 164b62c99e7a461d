"""The steps of a loop as they are run again: of its body, what a state or the tape needs.

    for i in range(n):                      advance:   for i in range(start, stop):
        u_tape[i] = u                                      u = u + k * np.sin(u)
        v = np.sin(u)
        u = u + k * v                       record:    for i in range(start, stop):
        print(i)                                           u_tape[i - start] = u
                                                           u = u + k * np.sin(u)

What a step prints was printed; what it draws is drawn again, by a copy of the generator in the
state that it had.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from srcad.errors import error
from srcad.ir.calls import called
from srcad.ir.nodes import UNDEFINED, Atom, Block, For, Function, If, Op, Stmt, Value, While
from srcad.ir.regions import Context
from srcad.ir.types import ArrayType, NumberType, Type
from srcad.ir.walk import copy_block, free_values, fresh_like, statements
from srcad.rules.core.table import name_of
from srcad.rules.draws import GENERATOR, is_draw
from srcad.transform.checkpointing.sizes import lasting_extents, renewed
from srcad.transform.prune import prune
from srcad.transform.reverse.checkpoints import silence

_QUIET = (np.errstate, warnings.catch_warnings)
_OUTSIDE = "do it outside of the loop, and pass what it gives"
_BEFORE = "bind it before the loop"

Bounds = tuple[Atom, Atom, Atom]


@dataclass(frozen=True, slots=True)
class Steps:
    """A loop, its `tapes`, and the positions of the carried values that these depend on (`state`).

    `generators` are those that its body draws from.
    """

    loop: For | While
    tapes: tuple[Value, ...]
    state: tuple[int, ...]
    generators: tuple[Value, ...]

    @property
    def carried(self) -> list[Value]:
        """The parameters of the body for all carried values."""
        return self.loop.carried

    def again(self, bounds: Bounds, init: Sequence[Atom], stand_ins: dict[Value, Value]) -> For:
        """The loop that advances the state `init` over some of the steps."""
        return _copy(self.loop, self.state, (), bounds, init, stand_ins)

    def taped(
        self, bounds: Bounds, init: Sequence[Atom], stand_ins: dict[Value, Value]
    ) -> tuple[For, dict[Value, Value]]:
        """The loop that runs some of the steps and saves their tape; which tape is which."""
        made = _copy(self.loop, self.state, self.tapes, bounds, init, stand_ins)
        return made, dict(zip(self.tapes, made.seqs, strict=True))


def find_steps(loop: For | While, tapes: Sequence[Value]) -> Steps:
    """What of a loop is run again for its `tapes`.

    Raises:
        UnsupportedSyntax: E100, it does what would not be the same again.
    """
    tapes = tuple(tapes)
    _refuse_unrepeatable(loop)
    state: tuple[int, ...] = ()
    while True:
        probe = _copy(loop, state, tapes, (0, 0, 1), [0] * len(state), {})
        read = free_values(probe.body)
        found = tuple(k for k, v in enumerate(loop.carried) if v in read or k in state)
        if found == state:
            break
        state = found
    for k in state:
        _check_state(loop, k)
    free = free_values(loop.body)
    return Steps(loop, tapes, state, tuple(v for v in free if v.type == GENERATOR))


def _copy(
    loop: For | While,
    state: Sequence[int],
    tapes: Sequence[Value],
    bounds: Bounds,
    init: Sequence[Atom],
    stand_ins: dict[Value, Value],
) -> For:
    """The loop that carries only the state and writes only these tapes, and does nothing else, once
    more between other bounds. What it reads of other carried values, it reads from outside.
    """
    written = dict(zip(loop.seqs, loop.written, strict=True))
    results = [*(loop.yielded[k] for k in state), *(written[tape] for tape in tapes)]
    index = loop.index if isinstance(loop, For) else Value("", NumberType(int))
    carried = loop.carried
    params = [index, *(carried[k] for k in state)]
    body = copy_block(Block(params, loop.body.body, results), stand_ins)
    silence(body, {})
    for stmt in statements(body):
        if isinstance(stmt, Op):
            stmt.raises = False  # it would have raised the first time
    prune(body, {})
    outs = tuple(renewed([loop.outs[k] for k in state], lasting_extents(loop.init)))
    seqs = tuple(map(fresh_like, tapes))
    return For(*bounds, False, list(init), [], body, outs, seqs, loop.loc)


def _check_state(loop: For | While, k: int) -> None:
    """Refuse a carried value that cannot be kept."""
    value = loop.carried[k]
    what = f"`{value.name}`, carried by a loop that runs again from checkpoints, and"
    if loop.init[k] is UNDEFINED or value.partial:
        raise error("E100", loop.loc, what=f"{what} not bound before it", fix=_BEFORE)
    if not _is_kept(value.type):
        fix = "carry arrays and numbers alone"
        raise error("E100", loop.loc, what=f"{what} of type {value.type}", fix=fix)


def _is_kept(t: Type) -> bool:
    return isinstance(t, ArrayType | NumberType)


def _refuse_unrepeatable(loop: For | While) -> None:
    """Refuse what would not be the same, or not be done once, if it is run again."""
    for block in (loop.body, *(f.body for f in called(Function("", loop.body)))):
        for stmt in statements(block):
            if what := _unrepeatable(stmt):
                what = f"{what}, made once, in a loop that runs again from checkpoints,"
                raise error("E100", stmt.loc or loop.loc, what=what, fix=_OUTSIDE)


def _unrepeatable(stmt: Stmt) -> str:
    """What a statement does that would be another thing if it were done again; "" for nothing."""
    if isinstance(stmt, Op) and stmt.effect and stmt.outs and callable(stmt.fn):
        is_seeded = stmt.fn is np.random.default_rng and bool(stmt.args)
        return "" if is_draw(stmt.fn) or is_seeded else f"a call of `{name_of(stmt.fn)}`"
    if isinstance(stmt, If) and isinstance(stmt.cond, Context):
        manager = stmt.cond.manager
        return "" if manager in _QUIET else f"`with {getattr(manager, '__name__', 'a manager')}`"
    return ""


__all__ = ["Bounds", "Steps", "find_steps"]
