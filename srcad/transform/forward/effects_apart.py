"""Effects apart: the primal has them once, and what computes it again reads what they gave.

    def f(x, rng):                  record = []                    again = iter(record)
        for i in range(n):          for i in range(n):             for i in range(n):
            e = rng.normal()            e = rng.normal()               e = replayed(again)
            y[i] = e * x[i]             keep(record, e)                y[i] = e * x[i]
        print(y)              ->        y[i] = e * x[i]
                                    print(y)

A sweep along tangents computes a loop again that carries both the numbers and their tangents. It
must not draw, print, store or call again what the primal has, and no effect has a derivative: what
was drawn is a constant. Where it is raised and caught, it is raised again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from srcad.ir.effects import has_effect
from srcad.ir.nodes import Atom, Block, Function, If, Op, Stmt, Value
from srcad.ir.types import ObjectType
from srcad.ir.walk import (
    blocks,
    copy_statements,
    reads,
    statements,
    substitute,
    with_blocks,
    with_body,
)
from srcad.ops import row_of
from srcad.runtime.replay import keep, replayed
from srcad.transform.activity import find_varied

# What only decides where the program goes on.


@dataclass(frozen=True, slots=True)
class Apart:
    """`quiet` is the program without effects: after its own parameters it takes what they gave;
    `loud` has them, with what binds these parameters.
    """

    quiet: Function
    loud: list[Stmt]

    def primal(self, params: Sequence[Value]) -> tuple[list[Stmt], list[Atom]]:
        """The statements of `loud` and the results, where these are the parameters of `quiet`."""
        env: dict[Value, Value] = dict(zip(self.quiet.params, params, strict=True))
        made: list[Stmt] = []
        for stmt in self.loud:
            if isinstance(stmt, Op) and any(out in env for out in stmt.outs):
                outs = tuple(env[out] for out in stmt.outs)
                args, kwargs = substitute((stmt.args, stmt.kwargs), env)
                made.append(replace(stmt, args=args, kwargs=kwargs, outs=outs))
            else:
                made += copy_statements([stmt], env)
        return made, substitute(self.quiet.body.results, env)


def effects_apart(fn: Function, wrt: Iterable[Value]) -> Apart | None:
    """The program without its effects, and with them; None where what has an effect has a result
    that depends on `wrt`: an equation that is solved of a function that prints.
    """
    varied = find_varied(fn, wrt)
    if any(_gives(s) and varied.intersection(s.outs) for s in _operations(fn.body)):
        return None
    loud: list[Stmt] = []
    quiet: list[Stmt] = []
    given: list[Value] = []
    for stmt in fn.body.body:
        if not has_effect(stmt):
            loud.append(stmt)
            quiet.append(stmt)
        elif isinstance(stmt, Op):
            loud.append(stmt)
            given += stmt.outs
        else:
            if not any(_gives(op) for block in blocks(stmt) for op in _operations(block)):
                loud.append(stmt)
                quiet.append(_silenced(stmt, None))
                continue
            record, again = Value("record", ObjectType("list")), Value("again", ObjectType())
            given.append(record)
            loud += [Op(list, (), {}, (record,), effect=True), _recorded(stmt, record)]
            quiet += [Op(iter, (record,), {}, (again,), effect=True), _silenced(stmt, again)]
    body = Block([*fn.body.params, *given], quiet, fn.body.results)
    return Apart(replace(fn, body=body), loud)


def started_again(before: Sequence[Stmt], inside: Sequence[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
    """What comes before the sweeps and what is inside, where each sweep reads records anew."""
    read = {value for stmt in inside for value in reads(stmt)}
    moved = {
        stmt.out: stmt
        for stmt in before
        if isinstance(stmt, Op) and stmt.fn is iter and stmt.out in read
    }
    made: list[Stmt] = []
    for stmt in inside:
        made += [moved[value] for value in dict.fromkeys(reads(stmt)) if value in moved]
        made.append(stmt)
    return [stmt for stmt in before if stmt not in moved.values()], made


def _operations(block: Block) -> Iterator[Op]:
    return (stmt for stmt in statements(block) if isinstance(stmt, Op))


def _gives(op: Op) -> bool:
    return op.effect and bool(op.outs) and not row_of(op.fn).control


def _recorded(stmt: Stmt, record: Value) -> Stmt:
    """A statement that keeps what effects inside give."""

    def change(block: Block) -> Block:
        body: list[Stmt] = []
        for each in block.body:
            body.append(_recorded(each, record))
            if isinstance(each, Op) and _gives(each):
                body += [
                    Op(keep, (record, out), {}, (), each.loc, effect=True) for out in each.outs
                ]
        return with_body(block, body)

    return with_blocks(stmt, change)


def _silenced(stmt: Stmt, again: Value | None, is_caught: bool = False) -> Stmt:
    """A statement without effects inside, which reads what they gave; `is_caught`: what is raised
    inside may decide where it goes on.
    """
    is_caught = is_caught or (isinstance(stmt, If) and not stmt.is_branch)

    def change(block: Block) -> Block:
        body: list[Stmt] = []
        for each in block.body:
            if not isinstance(each, Op):
                body.append(_silenced(each, again, is_caught))
            elif not each.effect or (row_of(each.fn).control and is_caught):
                body.append(each)
            else:
                body += [
                    Op(replayed, (again,), {}, (out,), each.loc, effect=True) for out in each.outs
                ]
        return with_body(block, body)

    return with_blocks(stmt, change)


__all__ = ["Apart", "effects_apart", "started_again"]
