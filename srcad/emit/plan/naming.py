"""Out of SSA: one variable for values that may share it, named as the user would name it.

    carried (h) = (h_0)                                  h = np.zeros(n)
        h_1 = tanh(h)                  ->                for i in range(n):
        yield h_1                                            h = np.tanh(h)
    -> h_2

What a loop carries, and what a branch yields, take one variable with the values they come from
wherever no two of these live at once; where they cannot, the printer copies. Then each variable
takes its user's name, or `<name>_2`, ... if that is still in use.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count, filterfalse
from typing import Any

from srcad.emit.plan.families import Family, Held, HeldNames
from srcad.emit.plan.interference import Clashes, find_clashes
from srcad.emit.plan.nesting import Nesting, may_share_name
from srcad.emit.references import RESERVED
from srcad.ir import Block, For, Function, If, NumberType, Op, SeqType, Stmt, Value, While
from srcad.ir.effects import destroys
from srcad.ir.walk import blocks, outputs, statements


def assign_names(
    fn: Function,
    nesting: Nesting,
    fixed: Mapping[Value, str],
    reserved: Iterable[str],
    unbound: Iterable[Value] = (),
) -> dict[Value, str]:
    """The variable of each value that is not nested.

    `fixed` are values whose name is given (parameters); `unbound` are parameters that are never
    unpacked; no variable takes a `reserved` name.
    """
    clashes = find_clashes(fn, nesting)
    clashes.ignore(unbound)
    variables = _Variables(clashes, nesting)
    for stmt in statements(fn.body):
        variables.carry(stmt)
    for stmt in statements(fn.body):
        variables.update_in_place(stmt)
    for value, name in fixed.items():
        variables.of(value).name = name
    for stmt in statements(fn.body):
        variables.join(stmt)
    return variables.named(fn, set(reserved))


@dataclass(eq=False, slots=True)
class _Variable:
    """`values` share the variable, and are the bits of `mine`; `living` is what lives where one of
    them is written.
    """

    wish: str
    values: list[Value]
    mine: int
    living: int
    name: str = ""  # when it is settled
    is_carried: bool = False  # by a loop: the name that a reader follows

    def clashes(self, other: _Variable | Held) -> bool:
        """Whether a value of one is written while one of the other lives."""
        return bool(self.living & other.mine or other.living & self.mine)


@dataclass
class _Variables:
    clashes: Clashes
    nesting: Nesting
    known: dict[Value, _Variable] = field(default_factory=dict)

    def of(self, value: Value) -> _Variable:
        found = self.known.get(value)
        if found is None:
            clashes = self.clashes
            living = clashes.living.get(value, 0)
            found = _Variable(value.name, [value], clashes.bits.of([value]), living)
            self.known[value] = found
        return found

    def merge(self, keep: Value, other: Value, force: bool = False) -> None:
        """One variable for both if no value of one clashes with one of the other."""
        a, b = self.of(keep), self.of(other)
        if a is b or (a.name and b.name):
            return
        if not force and a.clashes(b):
            return
        if b.name:
            a, b = b, a
        a.wish = b.wish if b.is_carried > a.is_carried else a.wish or b.wish
        a.is_carried |= b.is_carried
        a.values += b.values
        a.mine |= b.mine
        a.living |= b.living
        for value in b.values:
            self.known[value] = a

    def join_same(self, target: Value, source: Any) -> None:
        """Merge unless the names differ: `h = h_0` stays what the user wrote."""
        if not isinstance(source, Value) or source in self.nesting.nested:
            return
        a, b = self.of(target), self.of(source)
        if may_share_name(a.name or a.wish, b.name or b.wish) and source not in self.nesting.stored:
            self.merge(target, source)

    def carry(self, stmt: Stmt) -> None:
        """What a loop carries has one variable: parameter and out."""
        if not isinstance(stmt, For | While):
            return
        columns = (stmt.carried,) if isinstance(stmt, For) else (stmt.test.params, stmt.body.params)
        for column in columns:
            for out, param in zip(stmt.outs, column, strict=True):
                self.merge(out, param, force=True)
                self.of(out).is_carried = bool(self.of(out).wish)

    def update_in_place(self, stmt: Stmt) -> None:
        if not isinstance(stmt, Op) or not destroys(stmt) or not stmt.outs:
            return
        if isinstance(stmt.args[0], Value):
            self.merge(stmt.args[0], stmt.out)

    def join(self, stmt: Stmt) -> None:
        """Merge what a loop or branch binds with what it comes from."""
        match stmt:
            case For() | While():
                for out, init in zip(stmt.outs, stmt.init, strict=True):
                    self.join_same(out, init)
                for out, result in zip(stmt.outs, stmt.yielded, strict=True):
                    self.join_same(out, result)
            case If():
                for block in (stmt.then, stmt.orelse):
                    for out, result in zip(stmt.outs, block.results, strict=True):
                        self.join_same(out, result)
            case _:
                pass

    def named(self, fn: Function, reserved: set[str]) -> dict[Value, str]:
        """Settle the names in program order."""
        hints = _hints(fn)
        names: dict[Value, str] = {}
        families: dict[str, Family] = {}
        held = HeldNames()
        for variable in {id(v): v for v in self.known.values() if v.name}.values():
            held.give(variable.name, variable)
        for value in _definitions(fn.body):
            if value in self.nesting.nested or value in self.nesting.stored:
                continue
            variable = self.of(value)
            if not variable.name:
                wish = identifier(variable.wish or hints.get(value, "") or _plain(value))
                if wish not in families:
                    families[wish] = Family(numbered(wish), reserved)
                variable.name = families[wish].free(held, variable)
                held.give(variable.name, variable)
            names[value] = variable.name
        return names


def first_free(wish: str, taken: Collection[str]) -> str:
    """`wish`, `wish_2`, ...: the first that is not taken."""
    return next(filterfalse(taken.__contains__, numbered(wish)))


def numbered(wish: str) -> Iterator[str]:
    """`wish`, `wish_2`, `wish_3`, ..."""
    return chain([wish], (f"{wish}_{k}" for k in count(2)))


def identifier(wish: str) -> str:
    """`wish` as an identifier: `w[0]` becomes `w_0`."""
    wish = unicodedata.normalize("NFKC", wish)  # as Python reads it
    if wish.isidentifier():
        return wish
    word = re.sub(r"\W+", "_", wish).strip("_")
    return word if word.isidentifier() else f"t_{word}".rstrip("_")


def function_name(wish: str) -> str:
    """The name of an emitted function: none that its text may read as another thing.

    A function can be called anything: `f.__name__ = "class"`, `def range(x): ...`.
    """
    word = identifier(wish)
    return f"{word}_" if word in RESERVED else word


def _plain(value: Value) -> str:
    if isinstance(value.type, SeqType):
        return "tape"
    return "n" if isinstance(value.type, NumberType) and value.type.kind is int else "t"


def _hints(fn: Function) -> dict[Value, str]:
    """Names for the nameless things that a loop makes."""
    hints: dict[Value, str] = {}
    for stmt in statements(fn.body):
        if isinstance(stmt, For):
            hints[stmt.index] = "i"
        if isinstance(stmt, For | While) and stmt.count is not None:
            hints[stmt.count] = "count"
        if isinstance(stmt, For | While):
            for seq, element in zip(stmt.seqs, stmt.written, strict=True):
                word = element.name if isinstance(element, Value) else ""
                hints[seq] = f"{word}_tape" if word else "tape"
    return hints


def _definitions(block: Block) -> Iterator[Value]:
    """Every value bound in `block` and the blocks inside, as a reader meets them."""
    yield from block.params
    for stmt in block.body:
        if isinstance(stmt, For | While):
            yield from outputs(stmt)
        for inner in blocks(stmt):
            yield from _definitions(inner)
        if not isinstance(stmt, For | While):
            yield from outputs(stmt)
