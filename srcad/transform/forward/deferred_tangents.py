"""Tangents of what stands in a `try`: computed after it, so that they cannot be what fails.

    try:                            try:
        y = np.sqrt(x)                  y = np.sqrt(x)
    except FloatingPointError:          ok = True
        y = 0.0                     except FloatingPointError:
                                        y = 0.0
                                        ok = False
                                    if ok:
                                        y_dot = x_dot * 0.5 / y
                                    else:
                                        y_dot = 0.0

The values of the operations of the block itself are handed over. Loops and branches in it are run
once more, with their tangents: what succeeded once succeeds again. So it is with a `with` that
makes errors of warnings; outside of it a `try` would not find what it handles, and is refused.
"""

from __future__ import annotations

from typing import Any

from srcad.errors import error
from srcad.ir.nodes import UNDEFINED, Atom, Block, Closure, Function, If, Op, Stmt, Value
from srcad.ir.raising import is_strict
from srcad.ir.regions import Attempt, Context
from srcad.ir.walk import (
    blocks,
    copy_statements,
    defined_in,
    free_values,
    statements,
    substitute,
)
from srcad.rules.core.masks import hand_on
from srcad.rules.core.staged import Builder
from srcad.rules.core.zero import ZERO
from srcad.runtime.effects import caught, ensure, raise_, reraise
from srcad.runtime.saved import pack, unpack, unpack_one
from srcad.transform.conform import is_number, meeting_type
from srcad.transform.forward.walk import Walk
from srcad.transform.places import place_of_derivative
from srcad.transform.prune import prune, replace_in
from srcad.transform.reverse.contexts import block_always_run, place


def must_split(stmt: If) -> bool:
    """Whether the tangents of `stmt` must be computed after it."""
    return isinstance(stmt.cond, Attempt) or (isinstance(stmt.cond, Context) and is_strict(stmt))


def push_split(walk: Walk, stmt: If, builder: Builder) -> None:
    """Append a copy of `stmt`, and then its tangents."""
    if isinstance(stmt.cond, Context) and any(map(_takes_warnings, statements(stmt.then))):
        what = "a `try` inside a `with` that makes errors of warnings"
        fix = "use reverse mode (grad, vjp, jacrev), or put the `with` into the `try`"
        raise error("E206", place_of_derivative(stmt), what=what, fix=fix)
    sides = [_Side(walk, stmt, block, builder) for block in (stmt.then, stmt.orelse)]
    only = block_always_run(stmt)
    outs, dots = [], []
    for j, out in enumerate(stmt.outs):
        known = [side.dot(j) for side in sides if side.dot(j) is not ZERO]
        if known:
            outs.append(out)
            dots.append(
                walk.new_dot(out, meeting_type(out.type, numbers=all(map(is_number, known))))
            )
            if len(known) == 1:
                builder.marks.idle.add(dots[-1])
            for side in sides:
                side.finish(j, dots[-1])
    primal = If(stmt.cond, sides[0].primal, sides[1].primal, stmt.outs, stmt.loc)
    builder.body.append(primal)
    if not dots:
        return
    for side, other in zip(sides, sides[::-1], strict=True):
        side.settle(primal, other, partial=only is None)
    if only is None:
        then, orelse = (side.tangent() for side in sides)
        builder.body.append(If(primal.truth, then, orelse, tuple(dots), stmt.loc))
        return walk.dots.update(zip(outs, dots, strict=True))
    side = sides[0 if only is stmt.then else 1]
    found = place(stmt, side.tangent(), side.builder, builder, [dot.name for dot in dots])
    walk.dots.update(zip(outs, found, strict=True))


def _takes_warnings(stmt: Stmt) -> bool:
    """Whether a statement is a `try` that may handle what warnings are made into."""
    if not isinstance(stmt, If) or not isinstance(stmt.cond, Attempt):
        return False
    made = (FloatingPointError, RuntimeWarning)
    return any(
        issubclass(kind, (FloatingPointError, Warning))
        or any(issubclass(each, kind) for each in made)
        for kind in stmt.cond.exceptions
    )


class _Side:
    """One block: `primal` is its copy, the original statements are what the tangents are made
    from.
    """

    def __init__(self, walk: Walk, stmt: If, block: Block, outer: Builder) -> None:
        self.walk = walk
        self.block = block
        self.env: dict[Value, Any] = {}
        body = copy_statements(block.body, self.env)
        self.primal = Block([], body, substitute(block.results, self.env))
        self.builder = outer.nested(stmt.loc)
        self.results: list[Atom] = []
        for each in block.body:
            self.builder.loc = place_of_derivative(each)
            self.push(each)

    def push(self, stmt: Stmt) -> None:
        """The tangents of one statement; of an operation, not the operation itself."""
        if not isinstance(stmt, Op):
            self.walk.statement(_silenced(stmt), self.builder)
        elif isinstance(stmt.fn, Function) or stmt.fn in (pack, unpack, unpack_one):
            self.walk.statement(stmt, self.builder)
        elif not stmt.effect:
            mark = len(self.builder.body)
            self.walk.statement(stmt, self.builder)
            del self.builder.body[mark]

    def dot(self, j: int) -> Any:
        """The tangent of the j-th result."""
        return self.walk.of(self.block.results[j])

    def finish(self, j: int, like: Value) -> None:
        """Add the tangent of the j-th result to the results."""
        self.results.append(self.walk.end(self.builder, self.block.results[j], like))
        hand_on(self.builder, self.results[-1], like)

    def tangent(self) -> Block:
        """The block of tangents."""
        return Block([], self.builder.body, self.results)

    def settle(self, primal: If, other: _Side, *, partial: bool) -> None:
        """Let the tangents read the values of the block as results of `primal`."""
        block = self.tangent()
        prune(block, {})
        env: dict[Value, Any] = {}
        local = defined_in(self.block)
        for value in free_values(block):
            if value not in local:
                continue
            out = Value(value.name, value.type, partial or value.partial)
            self.primal.results.append(substitute(value, self.env))
            other.primal.results.append(UNDEFINED)
            primal.outs = (*primal.outs, out)
            env[value] = out
        replace_in(block, env, {})
        self.results = block.results


def _silenced(stmt: Stmt, attempted: bool = False) -> Stmt:
    """`stmt` without its effects, which the first run has had; in a `try` an exception is none."""
    attempted = attempted or (isinstance(stmt, If) and isinstance(stmt.cond, Attempt))
    for block in blocks(stmt) if not isinstance(stmt, Closure) else ():
        kept: list[Stmt] = []
        for each in block.body:
            if not isinstance(each, Op):
                kept.append(_silenced(each, attempted))
            elif not each.effect or (attempted and each.fn in (raise_, ensure, reraise, caught)):
                kept.append(each)
            elif each.outs:
                raise error("E103", each.loc)
        block.body[:] = kept
    return stmt
