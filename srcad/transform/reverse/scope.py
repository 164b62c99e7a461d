"""Where the reverse sweep keeps the cotangents of the block that it walks backwards.

One scope for each block. A value of an enclosing block has its cotangent in the scope of that
block; how it is reached from inside is what the kinds of scopes differ in:

    BranchScope   reads the cotangent from outside; the sum becomes a result of the reversed `If`
    LoopScope     gets the cotangent as a carried parameter (an accumulator), made when first needed
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from srcad.ir.nodes import Atom, Block, Op, Value
from srcad.ir.types import SeqType, rank_of, shape_of
from srcad.ir.walk import defined_in, outputs
from srcad.rules.core.masks import hand_on
from srcad.rules.core.regularity import has_look_for_nan
from srcad.rules.core.staged import Builder
from srcad.rules.core.zero import ZERO
from srcad.transform.conform import (
    bar_name,
    has_zero,
    is_lasting_array,
    is_perhaps_unbound,
    meeting_type,
    zero_like,
    zero_unbound,
    zero_where,
)
from srcad.transform.prune import Settled
from srcad.transform.reverse.binding import Binding, Side

Cotangent = Any  # an atom, or ZERO


class Scope:
    """The cotangents of a function's values; `builder` appends to its reverse sweep.

    `at` is the position of the statement being reversed: what stands before it is bound for
    certain.
    """

    def __init__(self, block: Block, binding: Binding, parent: Scope | None = None) -> None:
        self.block = block
        self.binding = binding
        self.parent = parent
        self.builder: Builder = Builder([]) if parent is None else parent.builder.nested()
        # What rules ask of the primal: which indices count up (`srcad.rules.arrays.distinct`).
        self.counts: dict[Value, Op] = {} if parent is None else dict(parent.counts)
        self.counts.update(
            (stmt.out, stmt) for stmt in block.body if isinstance(stmt, Op) and stmt.fn is np.arange
        )
        self.builder.primal = binding.made_by
        self.builder.made.update(self.counts)
        self.bars: dict[Value, Cotangent] = {}
        self.settled: Settled = {} if parent is None else parent.settled
        self.local = defined_in(block)
        self.at = len(block.body)
        self._places: dict[int, int] = {}  # by the identity of a statement
        self.users: dict[Value, list[int]] | None = None  # as `Sweep.users` has them

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
        around: list[Scope] = [self]
        while around[-1].parent is not None:
            around.append(around[-1].parent)
        for scope in reversed(around):
            yield from scope.block.params
            for stmt in scope.block.body[: scope.at]:
                yield from outputs(stmt)

    def place_of(self, value: Value) -> int | None:
        """The position of the operation of this block that makes `value`, None where none does."""
        made = self.local.get(value)
        if not isinstance(made, Op):
            return None
        if not self._places:
            self._places.update((id(stmt), at) for at, stmt in enumerate(self.block.body))
        return self._places[id(made)]

    def conditions(self, value: Value) -> list[Side]:
        """The sides of branches between the block of `value` and here, outermost first."""
        found: list[Side] = []
        scope: Scope | None = self
        while scope is not None and value not in scope.local:
            if isinstance(scope, BranchScope):
                found.append(scope.side)
            scope = scope.parent
        return found[::-1]

    def is_bound(self, value: Value) -> bool | None:
        """Whether a value is bound here, as far as the branches around the place tell."""
        return not value.partial or self.binding.is_bound(value, self.conditions(value))

    def is_unbound(self, value: Value) -> bool:
        """Whether the outer `value` is unbound in this branch: nothing reads its cotangent."""
        return self.is_bound(value) is False

    def tells(self, value: Value) -> Atom | None:
        """A truth that tells whether `value` is bound; None where nothing does."""
        return True if self.is_bound(value) else self.binding.flags.of(value)

    def zero(self, value: Value) -> Atom:
        """A zero cotangent of an outer `value`, to which nothing contributes here.

        Raises `UndefinedName` (E130) for an array of which nothing tells whether it is bound.
        """
        if not value.partial:
            return zero_like(self.builder, value)
        return self._zero(value, self.is_bound(value))

    def carried_zero(self, param: Value, result: Atom) -> Atom:
        """A zero cotangent of a loop's carried `param`, which need not be bound in the first
        iteration: it becomes the `result` of one, or starts as it.

        Raises `UnsupportedSyntax` (E122) where its shape cannot be known.
        """
        shape = shape_of(param.type)
        is_there = isinstance(result, Value) and not result.partial
        if param.partial and is_there and shape and shape_of(result.type) == shape:
            return zero_like(self.builder, result)
        return self._zero(param, not param.partial, "E122")

    def _zero(self, value: Value, bound: bool | None, code: str = "E130") -> Atom:
        if bound or rank_of(value.type) == 0:
            return zero_like(self.builder, value)
        like = self.twin(value)
        if like is not None:
            return zero_like(self.builder, like)
        is_there = None if has_zero(value.type) else self.binding.flags.of(value)
        if is_there is None:
            return zero_unbound(self.builder, value, code)
        return zero_where(self.builder, value, is_there)

    def twin(self, value: Value) -> Value | None:
        """An array bound before this place that has the dtype and shape of `value`."""
        fits = (v for v in self.visible() if is_lasting_array(v) and v.type == value.type)
        return next(fits, None)


class RegionScope(Scope):
    """A block that is run whenever the one around it is: inside a `with`."""

    def __init__(self, block: Block, parent: Scope) -> None:
        super().__init__(block, parent.binding, parent)
        self.builder.loc = parent.builder.loc

    def missing(self, value: Value) -> Cotangent:
        """Own values have none yet, outer ones what they have outside."""
        assert self.parent is not None
        return ZERO if value in self.local else self.parent.get(value)


class BranchScope(RegionScope):
    """One branch of an `If`."""

    def __init__(self, block: Block, parent: Scope, side: Side) -> None:
        super().__init__(block, parent)
        self.side = side


class LoopScope(Scope):
    """The body of a loop. `accumulators` and `readers` are the parameters made on demand.

    accumulators: outer value -> parameter of the reversed loop that carries its cotangent.
    readers: element read from a sequence -> parameter that reads its cotangent so far.
    """

    def __init__(self, block: Block, parent: Scope, elements: dict[Value, Atom], numbers: bool):
        super().__init__(block, parent.binding, parent)
        self.builder.loc = parent.builder.loc
        self.elements = elements
        self.numbers = numbers
        self.looks_for_nan = has_look_for_nan(block)
        self.accumulators: dict[Value, Value] = {}
        self.readers: dict[Value, Value] = {}

    def missing(self, value: Value) -> Cotangent:
        """Accumulators and readers are made here."""
        if value in self.elements:
            return self._reader(value)
        if value in self.local:
            return ZERO
        form = meeting_type(value.type, numbers=self.numbers)
        param = Value(bar_name(value), form, is_perhaps_unbound(value))
        self.accumulators[value] = self.bars[value] = param
        if rank_of(value.type):  # an iteration may read some of the entries
            self.builder.marks.masked.add(param)
            if self.looks_for_nan:
                self.builder.marks.missing.add(param)
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
        hand_on(self.parent.builder, so_far, param)
        return param
