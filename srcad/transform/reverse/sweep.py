"""The state of a reverse sweep, and the forms of called functions that it makes.

The parts of reverse mode (branches, loops, calls, solvers) are given the `Sweep`: they take the
cotangents of results from a scope, `accumulate` those of arguments, and sweep over blocks inside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from srcad import runtime
from srcad.errors import SrcadError, UndefinedName, error
from srcad.ir.nodes import (
    Atom,
    Block,
    Function,
    Op,
    Stmt,
    Value,
)
from srcad.ir.types import SAVED, SeqType, Type, rank_of
from srcad.ir.walk import copy_block, fresh_like, outputs, reads, values_in
from srcad.ops import row_of
from srcad.rules.core.masks import Noted, Notes, add_masked, note, notes_of, places_of
from srcad.rules.core.staged import Builder, type_of, unwrap
from srcad.rules.core.table import name_of
from srcad.rules.core.zero import ZERO
from srcad.runtime.saved import pack, unpack, unpack_one
from srcad.transform.activity import (
    CallActivity,
    Positions,
    find_useful,
    find_varied,
    is_in,
)
from srcad.transform.conform import (
    add_sequences,
    as_form,
    bar_name,
    conform,
    has_numbers_only,
    meeting_type,
    require_rank,
    where_bound,
    zero_like,
)
from srcad.transform.places import place_of_derivative
from srcad.transform.reverse.binding import Binding
from srcad.transform.reverse.residuals import Recompute, supply_values
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.rule_results import require_count, require_fit

HIGHER = "a higher derivative of a function that calls itself"


class Sweep(ABC):
    """The walk backwards. `same` maps elements that a loop reads from one sequence to the first."""

    def __init__(self, varied: set[Value], useful: set[Value], forms: AdjointForms) -> None:
        self.varied = varied
        self.useful = useful
        self.forms = forms
        self.recompute = forms.recompute
        self.same: dict[Value, Value] = {}

    def block(self, scope: Scope) -> None:
        """Reverse all statements of the scope's block."""
        for at in reversed(range(len(scope.block.body))):
            scope.at = at
            self.located(scope.block.body[at], scope)

    def located(self, stmt: Stmt, scope: Scope) -> None:
        """Reverse one statement of the scope's block or of one around it, at its own line."""
        scope.builder.loc = place_of_derivative(stmt)
        try:
            self.statement(stmt, scope)
        except SrcadError as refusal:
            raise refusal.located(stmt.loc) from None

    @abstractmethod
    def statement(self, stmt: Stmt, scope: Scope) -> None:
        """Reverse one statement."""

    def users(self, scope: Scope, value: Value) -> list[int]:
        """The positions of the statements of the scope's block that give `value` a cotangent."""
        if scope.users is None:
            scope.users = {}
            for at, stmt in enumerate(scope.block.body):
                if any(v in self.useful and v in self.varied for v in outputs(stmt)):
                    for v in set(reads(stmt)):
                        scope.users.setdefault(v, []).append(at)
        return [at for at in scope.users.get(value, []) if at <= scope.at]

    def distribute(self, scope: Scope, fn: Any, arg: Any, bar: Any, mark: int) -> None:
        """Accumulate a rule's cotangent of one argument: an atom, or a list of them for a list."""
        if isinstance(arg, Value):
            require_fit(bar, arg.type, fn, "cotangent")
            self.accumulate(scope, arg, bar, mark)
        elif isinstance(arg, tuple | list) and bar is not ZERO:
            for item, item_bar in zip(arg, require_count(bar, arg, fn, "cotangent"), strict=True):
                if any(v in self.varied for v in values_in(item)):  # else a list of constants, say
                    self.distribute(scope, fn, item, item_bar, mark)
        elif bar is not ZERO:
            raise error("E203", scope.builder.loc, what=f"`{name_of(fn)}`")

    def accumulate(
        self, scope: Scope, target: Atom, bar: Cotangent, mark: int | None = None
    ) -> None:
        """Add `bar` to the cotangent of `target`: the first contribution assigns.

        What the builder emitted after `mark` was made for this contribution alone.
        """
        if bar is ZERO or not isinstance(target, Value) or target not in self.varied:
            return
        target = self.same.get(target, target)
        builder = scope.builder
        require_rank(bar, target.type, target.name or "a temporary")
        scattered = None if mark is None else _take_scatter(builder, bar, mark)
        if scattered is None:
            bar = conform(builder, bar, target.type)
            so_far = scope.get(target)
            if isinstance(target.type, SeqType) and so_far is not ZERO:
                scope.bars[target] = add_sequences(builder, so_far, bar)
                return
            total = bar if so_far is ZERO else _sum(scope, target, so_far, bar)
        else:
            values, shape, index = scattered.args
            values = conform(builder, values, target.type)
            so_far = scope.get(target)
            if so_far is ZERO:
                total = builder.emit(scattered.fn, (values, shape, index))
            else:
                total = builder.emit(runtime.index_add, (so_far, index, values))
        scope.bars[target] = _named(builder, total, bar_name(target))


def _sum(scope: Scope, target: Value, so_far: Cotangent, bar: Cotangent) -> Atom:
    """The sum of two contributions to `target`, where it is bound."""
    builder = scope.builder
    is_there = scope.tells(target) if isinstance(bar, Value) and bar.partial else True
    if not isinstance(is_there, Value):
        return unwrap(add_masked(*builder.wrap((so_far, bar))))
    inner = builder.nested()
    total = unwrap(add_masked(*inner.wrap((so_far, bar))))
    return where_bound(builder, target, is_there, inner, total)


def _take_scatter(builder: Builder, bar: Cotangent, mark: int) -> Op | None:
    """The op that made `bar` if it is a scatter emitted just now for it alone; it is taken back."""
    last = builder.body[-1] if len(builder.body) > mark else None
    if not isinstance(last, Op) or not row_of(last.fn).scatters or last.out is not bar:
        return None
    builder.body.pop()
    return last


def _named(builder: Builder, atom: Atom, name: str) -> Atom:
    """Name the value that was emitted last, if it is `atom` and has no name yet."""
    last = builder.body[-1] if builder.body else None
    if isinstance(atom, Value) and not atom.name and isinstance(last, Op) and atom in last.outs:
        atom.name = name
    return atom


@dataclass(frozen=True, slots=True)
class AdjointForm:
    """The two forms of a function.

    forward: returns the primal's results, then what `reverse` needs. reverse: takes that and a
    cotangent for each result that has one; returns a cotangent for each parameter at `params`.
    notes: what is known of these, once the forms are made.
    """

    forward: Function
    reverse: Function
    params: tuple[int, ...]
    numbers: bool
    notes: dict[int, Notes] = field(default_factory=dict)

    def type_of_bar(self, primal: Type) -> Type:
        """The type of the cotangent of a parameter or result."""
        return meeting_type(primal, numbers=self.numbers)

    def notes_of(self, param: int, bar: Value) -> Notes:
        """What is known of the cotangent of a parameter; until the form is made, of an array that
        entries may have been left out.
        """
        return self.notes.get(param, Notes(masked=rank_of(bar.type) != 0))


class AdjointForms:
    """The forms made so far, by function, varied parameters and results with a cotangent."""

    def __init__(
        self,
        recompute: Recompute,
        sweep: Callable[[set[Value], set[Value], AdjointForms], Sweep],
        is_final: bool,
    ) -> None:
        self.recompute = recompute
        self.is_final = is_final
        self.sweep = sweep
        self.activity = CallActivity()
        self.made: dict[tuple[Function, Positions, Noted], AdjointForm] = {}
        self.recomputed: dict[tuple[Function, Positions, Noted], object] = {}

    def of(self, fn: Function, varied: Positions, seeded: Noted) -> AdjointForm:
        """The forms of `fn` for this choice."""
        key = (fn, varied, seeded)
        if key not in self.made:
            params = tuple(sorted(self.activity.useful(fn, varied, places_of(seeded))))
            forward = Function(f"{fn.name}_forward", Block([], [], []))
            reverse = Function(f"{fn.name}_reverse", Block([], [], []))
            form = AdjointForm(forward, reverse, params, has_numbers_only(fn.body))
            self.made[key] = form
            try:
                self.build(fn, varied, seeded, form)
            except UndefinedName as refusal:
                if not _reads_saved(fn):
                    raise
                # On which paths a saved value is bound is not known here.
                raise error("E100", refusal.location, what=HIGHER) from None
        return self.made[key]

    def build(self, fn: Function, varied: Positions, seeded: Noted, form: AdjointForm) -> None:
        """Fill in the bodies of the forms."""
        block = copy_block(fn.body)
        seeds = {k: _seed(block.results[k], form) for k, _ in seeded}
        scope = swept(self, block, varied, seeds, dict(seeded))
        bars = [
            end_of(scope, p, form.type_of_bar(p.type))
            for p in map(block.params.__getitem__, form.params)
        ]
        notes = [notes_of(scope.builder, bar) for bar in bars]
        form.notes.update(zip(form.params, notes, strict=True))
        reverse = Block([], scope.builder.body, bars)
        read: dict[Value, Value] = {}

        def supply(value: Value) -> Value:
            return read.setdefault(value, fresh_like(value))

        supply_values(reverse, scope, set(), supply, self.recompute)
        out, saved = Value("saved", SAVED), Value("saved", SAVED)
        packed = Op(pack, tuple(read), {}, (out,))
        form.forward.body = Block(block.params, [*block.body, packed], [*block.results, out])
        body = [*unpacked(saved, tuple(read.values())), *reverse.body]
        form.reverse.body = Block([saved, *seeds.values()], body, reverse.results)


def swept(
    forms: AdjointForms,
    block: Block,
    varied: Positions,
    seeds: dict[int, Value],
    notes: Mapping[int, Notes],
) -> Scope:
    """The reverse sweep over the body of a function, from the cotangents of its results, of which
    this is known.
    """
    values = find_varied(block, (block.params[k] for k in sorted(varied)), forms.activity)
    targets = [block.results[k] for k in seeds if is_in(block.results[k], values)]
    sweep = forms.sweep(values, find_useful(block, targets, values, forms.activity), forms)
    scope = Scope(block, Binding(block))
    for k, seed in seeds.items():
        note(scope.builder, seed, notes[k])
        sweep.accumulate(scope, block.results[k], seed)
    sweep.block(scope)
    return scope


def _reads_saved(fn: Function) -> bool:
    return any(isinstance(op, Op) and op.fn in (unpack, unpack_one) for op in fn.body.body)


def _seed(result: Atom, form: AdjointForm) -> Value:
    name = bar_name(result) if isinstance(result, Value) else ""
    return Value(name, form.type_of_bar(type_of(result)))


def end_of(scope: Scope, param: Value, form: Type) -> Atom:
    """The cotangent of a parameter in a `form`, a zero where there is none."""
    bar = scope.get(param)
    if bar is ZERO:
        bar = zero_like(scope.builder, param)
    return as_form(scope.builder, bar, form)


def unpacked(saved: Atom, items: tuple[Value, ...]) -> list[Op]:
    """What takes a tuple of saved values apart."""
    if not items:
        return []
    return [Op(unpack_one if len(items) == 1 else unpack, (saved,), {}, items)]


__all__ = [
    "HIGHER",
    "AdjointForm",
    "AdjointForms",
    "Sweep",
    "end_of",
    "swept",
    "unpacked",
]
