"""Where the reverse sweep keeps the cotangents of the block that it walks backwards.

One scope for each block. A value of an enclosing block has its cotangent in the scope of that block; how it is
reached from inside is what the kinds of scopes differ in:

    BranchScope   reads the cotangent from outside; the new sum becomes a result of the reversed `If`
    LoopScope     gets the cotangent as a carried parameter (an accumulator), made when first needed
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcad.errors import error
from srcad.ir.nodes import UNDEFINED, Atom, Block, If, Stmt, Value
from srcad.ir.types import SeqType, rank_of
from srcad.ir.walk import defined_in, outputs
from srcad.rules.staged import Builder
from srcad.rules.zero import ZERO
from srcad.transform.conform import bar_name, meeting_type, zero_like

Cotangent = Any  # an atom, or ZERO


class Scope:
    """The cotangents of a function's values; `builder` appends to its reverse sweep.

    `at` is the position of the statement being reversed: what stands before it is bound for certain.
    """

    def __init__(self, block: Block, parent: Scope | None = None) -> None:
        self.block = block
        self.parent = parent
        self.builder = Builder([])
        self.bars: dict[Value, Cotangent] = {}
        self.local = defined_in(block)
        self.at = len(block.body)

    def get(self, value: Value) -> Cotangent:
        """The cotangent of `value` so far."""
        found = self.bars.get(value)
        if found is None:
            return self.missing(value)
        return found

    def missing(self, value: Value) -> Cotangent:
        """The cotangent of a value that nothing in this block has contributed to yet."""
        return ZERO

    def pop(self, value: Value) -> Cotangent:
        """The complete cotangent of a value whose statement is reached."""
        return self.bars.pop(value, ZERO)

    def touched(self) -> list[Value]:
        """The values of enclosing blocks that got contributions here, in the order of the first."""
        return [v for v in self.bars if v not in self.local]

    def visible(self) -> Iterator[Value]:
        """The values bound before the statement being reversed, outermost first."""
        if self.parent is not None:
            yield from self.parent.visible()
        yield from self.block.params
        for stmt in self.block.body[: self.at]:
            yield from outputs(stmt)

    def home(self, value: Value) -> tuple[Stmt | None, Scope | None]:
        """The statement that binds `value`, and the scope just inside its block on the way here."""
        inner: Scope | None = None
        scope: Scope | None = self
        while scope is not None and value not in scope.local:
            inner, scope = scope, scope.parent
        assert scope is not None, value
        return scope.local[value], inner

    def zero(self, value: Value) -> Atom:
        """A zero cotangent for a path that contributes nothing to the outer `value`.

        `UNDEFINED` where `value` is bound under this path's condition only: nothing will read it.
        Raises `UndefinedName` (E130) for an array that may or may not be bound here.
        """
        if value.partial and _same_condition(*self.home(value)):
            return UNDEFINED
        return self.bound_zero(value)

    def bound_zero(self, value: Value) -> Atom:
        """A zero cotangent of an outer `value` that is read here."""
        if value.partial and rank_of(value.type) != 0:
            stmt, inner = self.home(value)
            if isinstance(stmt, If) and not _same_condition(stmt, inner):
                raise error("E130", self.builder.loc, what=f"`{value.name}`")
        return zero_like(self.builder, value)


def _same_condition(stmt: Stmt | None, inner: Scope | None) -> bool:
    """Whether a partial value bound by `stmt` is read on the very path that binds it.

    The saved values of a branch are read under its condition, which is the same atom; an element of a
    sequence of such values (`stmt` is None: a loop's parameter) is read under the condition saved with it.
    """
    if not isinstance(inner, BranchScope):
        return False
    return stmt is None or (isinstance(stmt, If) and stmt.cond is inner.cond)


class BranchScope(Scope):
    """One branch of an `If`."""

    def __init__(self, block: Block, parent: Scope, cond: Atom) -> None:
        super().__init__(block, parent)
        self.cond = cond
        self.builder.loc = parent.builder.loc

    def missing(self, value: Value) -> Cotangent:
        """Own values have none yet, outer ones what they have outside."""
        assert self.parent is not None
        return ZERO if value in self.local else self.parent.get(value)


class LoopScope(Scope):
    """The body of a loop. `accumulators` and `readers` are the parameters made on demand.

    accumulators: outer value -> parameter of the reversed loop that carries its cotangent.
    readers: element read from a sequence -> parameter that reads its cotangent so far.
    """

    def __init__(self, block: Block, parent: Scope, elements: dict[Value, Atom], numbers: bool):
        super().__init__(block, parent)
        self.builder.loc = parent.builder.loc
        self.elements = elements
        self.numbers = numbers
        self.accumulators: dict[Value, Value] = {}
        self.readers: dict[Value, Value] = {}

    def missing(self, value: Value) -> Cotangent:
        """Accumulators and readers are made here."""
        if value in self.elements:
            return self._reader(value)
        if value in self.local:
            return ZERO
        form = meeting_type(value.type, numbers=self.numbers)
        param = Value(bar_name(value), form)
        self.accumulators[value] = self.bars[value] = param
        return param

    def _reader(self, element: Value) -> Cotangent:
        assert self.parent is not None
        seq = self.elements[element]
        so_far = self.parent.get(seq)
        if so_far is ZERO:
            return ZERO
        assert isinstance(so_far.type, SeqType)
        param = Value(bar_name(element), so_far.type.elem, element.partial)
        self.readers[element] = self.bars[element] = param
        return param
