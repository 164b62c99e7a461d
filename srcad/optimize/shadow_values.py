"""Shadow values: a second value beside each value; branches yield both, loops carry both.

    s = 0.0                                  s, s_is_told = 0.0, True
    for i in range(n):                       for i in range(n):
        if c: s = f(s)               ->          if c: s, s_is_told = f(s), False

Subclasses decide what a shadow says of its value: that it is a number of Python's
(`weak_scalar_tags`), that it is bound (`bound_flags`), or what an operation gives of it
(`partial_sinking`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, Final

from srcad.ir import UNDEFINED, Block, For, If, NumberType, Op, Stmt, Value, While
from srcad.ir.definedness import carried
from srcad.ir.regions import Context
from srcad.ir.walk import with_blocks

BOOL: Final = NumberType(bool)
Flag = Any  # a truth: a value, True or False


class ShadowValues(ABC):
    """Makes the flags of values: of those asked for and those that these are made of."""

    def __init__(self, asked: Iterable[Value]) -> None:
        self.flags: dict[Value, Flag] = {}
        self.wanted: dict[Value, None] = {}
        for value in asked:
            self.want(value)

    @abstractmethod
    def sources(self, atom: Any) -> Iterable[Any] | None:
        """What an atom with a flag is made of; None if it has none."""

    @abstractmethod
    def moved(self, atom: Any, target: Value, made: list[Stmt]) -> Flag:
        """The flag of what is moved to `target`; what tells it is appended to `made`."""

    @abstractmethod
    def name(self, value: Value) -> str:
        """What the flag of a value with a name is called."""

    @abstractmethod
    def operation(self, op: Op) -> list[Stmt]:
        """What takes the place of an operation."""

    def want(self, atom: Any) -> None:
        """Note a value that needs a flag, and those that it is made of."""
        sources = self.sources(atom) if atom not in self.wanted else None
        if sources is not None:
            self.wanted[atom] = None
            for source in sources:
                self.want(source)

    def fresh(self, value: Value) -> Value:
        """A new flag for a value."""
        self.flags[value] = made = self.shadow(self.name(value) if value.name else "", value)
        return made

    def shadow(self, name: str, value: Value) -> Value:
        """A new shadow of `value`, by default a flag."""
        return Value(name, BOOL)

    def block(self, block: Block) -> Block:
        """A block with flags for what it binds."""
        return replace(block, body=[new for stmt in block.body for new in self.statement(stmt)])

    def statement(self, stmt: Stmt) -> list[Stmt]:
        """A statement with what tells the flags of its results."""
        match stmt:
            case Op():
                return self.operation(stmt)
            case If():
                return [self.branch(stmt)]
            case For() | While():
                return self.loop(stmt)
            case _:
                return [with_blocks(stmt, self.block)]

    def branch(self, stmt: If) -> If:
        """Each side yields the flags of what it yields; a `with` has one side."""
        asked = [k for k, out in enumerate(stmt.outs) if out in self.wanted]
        sides = []
        for side in (stmt.then, stmt.orelse):
            made = self.block(side)
            if isinstance(stmt.cond, Context) and side is stmt.orelse:
                flags = [UNDEFINED] * len(asked)
            else:
                flags = [self.moved(side.results[k], stmt.outs[k], made.body) for k in asked]
            sides.append(replace(made, results=[*made.results, *flags]))
        outs = tuple(self.fresh(stmt.outs[k]) for k in asked)
        return replace(stmt, then=sides[0], orelse=sides[1], outs=(*stmt.outs, *outs))

    def loop(self, stmt: For | While, aside: Collection[int] = ()) -> list[Stmt]:
        """Flags are carried with their values, but for those in the places `aside`."""
        columns = {k: carried(stmt, k) for k in range(len(stmt.init)) if k not in aside}
        own = {
            k: params
            for k, params in columns.items()
            if any(value in self.wanted for value in (stmt.outs[k], *params))
        }
        before: list[Stmt] = []
        init = [self.moved(stmt.init[k], own[k][0], before) for k in own]
        # Of the parameters of the body, then of those of a test.
        inner = [
            [self.fresh(param) for param in column] for column in zip(*own.values(), strict=True)
        ]
        made = with_blocks(stmt, self.block)
        assert isinstance(made, For | While)
        ends = [self.moved(stmt.yielded[k], own[k][0], made.body.body) for k in own]
        outs = [self.fresh(stmt.outs[k]) for k in own]
        return [*before, _carrying(made, init, inner, ends, outs) if own else made]


def _carrying(
    stmt: For | While,
    init: list[Flag],
    inner: list[list[Value]],
    yielded: list[Flag],
    outs: list[Value],
) -> For | While:
    """A loop that carries more."""
    n, body = len(stmt.init), stmt.body
    results = [*body.results[:n], *yielded, *body.results[n:]]
    lead = n + isinstance(stmt, For)
    params = [*body.params[:lead], *inner[0], *body.params[lead:]]
    body = Block(params, body.body, results)
    made = replace(stmt, init=[*stmt.init, *init], body=body, outs=(*stmt.outs, *outs))
    if isinstance(made, While):
        test = made.test
        made = replace(made, test=replace(test, params=[*test.params, *inner[1]]))
    return made
