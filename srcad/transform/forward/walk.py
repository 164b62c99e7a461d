"""The state of a forward sweep, and the forms of called functions that it makes.

The parts of forward mode (calls, regions whose tangents come later, solvers) are given the `Walk`:
they ask for tangents of arguments with `of`, and `set` those of results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcad.errors import SrcadError
from srcad.ir.nodes import (
    UNDEFINED,
    Atom,
    Block,
    DerivativeName,
    Function,
    Stmt,
    Value,
)
from srcad.ir.types import Type, dtype_of, is_inexact, rank_of, zero_number
from srcad.ir.walk import copy_block, outputs, statements
from srcad.rules.core.masks import Noted, Notes, note, notes_of, places_of
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.transform.activity import (
    CallActivity,
    find_varied,
)
from srcad.transform.conform import (
    as_form,
    broadcast,
    conform,
    has_numbers_only,
    meeting_type,
    zero_like,
)
from srcad.transform.places import place_of_derivative

Dot = Any  # an atom, or ZERO


def dot_name(value: Value) -> DerivativeName:
    """`h_dot` for `h`; temporaries stay without a name."""
    return DerivativeName(f"{value.name}_dot" if value.name else "")


class Walk(ABC):
    """`dots` has the tangent of each value that has one; values not in it have a zero tangent.
    The tangents of `useful` values are read.
    """

    def __init__(self, varied: set[Value], forms: TangentForms) -> None:
        self.varied = varied
        self.useful: set[Value] = set()
        self.forms = forms
        self.dots: dict[Value, Atom] = {}

    def of(self, atom: Atom) -> Dot:
        """The tangent of an atom."""
        return self.dots.get(atom, ZERO) if isinstance(atom, Value) else ZERO

    def block(self, block: Block, builder: Builder) -> None:
        """Append the statements of `block` with their tangents to `builder`."""
        for stmt in block.body:
            builder.loc = place_of_derivative(stmt)
            try:
                self.statement(stmt, builder)
            except SrcadError as refusal:
                raise refusal.located(stmt.loc) from None

    @abstractmethod
    def statement(self, stmt: Stmt, builder: Builder) -> None:
        """Append one statement with its tangent."""

    def set(self, builder: Builder, out: Value, dot: Dot) -> None:
        """Note the tangent of `out`, in its dtype and shape."""
        if dot is ZERO or out not in self.varied:
            return
        dot = broadcast(builder, conform(builder, dot, out.type), out)
        last = builder.body[-1]
        if isinstance(dot, Value) and not dot.name and dot in outputs(last):
            dot.name = dot_name(out)
        self.dots[out] = dot

    def new_dot(self, value: Value, t: Type) -> Value:
        """A tangent of `value`, of type `t`. That of a number is bound on all paths: it may be
        converted where they meet.
        """
        return Value(dot_name(value), t, value.partial and rank_of(t) != 0)

    def end(self, builder: Builder, atom: Atom, like: Value) -> Atom:
        """The tangent of `atom` on a path that ends in `like`, a zero where it has none."""
        dot, begun = self.of(atom), len(builder.body)
        if dot is ZERO:
            dot = _zero(builder, atom, like)
        if dot is UNDEFINED:
            return UNDEFINED
        made = as_form(builder, conform(builder, dot, like.type), like.type)
        if isinstance(atom, Value) and atom.partial and rank_of(like.type) != 0:
            for out in (out for stmt in builder.body[begun:] for out in outputs(stmt)):
                out.partial = True  # to be computed where the atom is bound
        return made


def builder_of(block: Block) -> Builder:
    """A builder of the tangents of `block`."""
    builder = Builder([])
    builder.primal = {out: stmt for stmt in statements(block) for out in outputs(stmt)}
    return builder


def _zero(builder: Builder, atom: Atom, like: Value) -> Atom:
    """A zero tangent of `atom`, which has the type of `like` or one that widens to it."""
    if rank_of(like.type) == 0:
        return zero_number(like.type)
    if atom is UNDEFINED:
        return UNDEFINED
    if isinstance(atom, Value) and is_inexact(atom.type):
        return zero_like(builder, atom)
    return builder.emit(np.zeros_like, (atom,), {"dtype": dtype_of(like.type)})


@dataclass(frozen=True, slots=True)
class TangentForm:
    """`function` returns the primal's results, then the tangents of those at `results`.

    It takes the primal's arguments, then a tangent for each parameter that has one; `numbers`: all
    of them may be Python numbers. `notes`: what is known of the tangents, once the form is made.
    """

    function: Function
    results: tuple[int, ...]
    numbers: bool
    notes: dict[int, Notes] = field(default_factory=dict)

    def notes_of(self, result: int, dot: Value) -> Notes:
        """What is known of the tangent of a result; until the form is made, of an array that
        entries may have no part in it.
        """
        return self.notes.get(result, Notes(idle=rank_of(dot.type) != 0))


class TangentForms:
    """The forms made so far, by function and positions of the parameters that have a tangent."""

    def __init__(self, walk: Callable[[set[Value], TangentForms], Walk]) -> None:
        self.walk = walk
        self.activity = CallActivity()
        self.made: dict[tuple[Function, Noted], TangentForm] = {}

    def of(self, fn: Function, active: Noted) -> TangentForm:
        """The form of `fn` for tangents of the parameters `active`."""
        key = (fn, active)
        if key not in self.made:
            results = tuple(sorted(self.activity.varied(fn, places_of(active))))
            function = Function(f"{fn.name}_jvp", Block([], [], []), recomputed=fn.recomputed)
            form = self.made[key] = TangentForm(function, results, has_numbers_only(fn.body))
            function.body = self.build(fn, active, form)
        return self.made[key]

    def build(self, fn: Function, active: Noted, form: TangentForm) -> Block:
        """The body of the form."""
        block = copy_block(fn.body)
        given = [block.params[k] for k, _ in active]
        dots = [Value(dot_name(p), form_of(p.type, form)) for p in given]
        walk = self.walk(find_varied(block, given, self.activity), self)
        walk.dots.update(zip(given, dots, strict=True))
        builder = builder_of(block)
        for dot, (_, notes) in zip(dots, active, strict=True):
            note(builder, dot, notes)
        walk.block(block, builder)
        ends = []
        for k in form.results:
            result = block.results[k]
            ends.append(walk.end(builder, result, Value("", form_of(type_of(result), form))))
            form.notes[k] = notes_of(builder, ends[-1])
        return Block([*block.params, *dots], builder.body, [*block.results, *ends])


def form_of(primal: Type, form: TangentForm) -> Type:
    """The type of a tangent in a form."""
    return meeting_type(primal, numbers=form.numbers)


__all__ = ["Dot", "TangentForm", "TangentForms", "Walk", "builder_of", "dot_name", "form_of"]
