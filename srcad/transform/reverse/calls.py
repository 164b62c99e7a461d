"""Reverse mode through calls: a called function gets a form that runs forward, one that runs back.

    def f(x, tol):                       def f_forward(x, tol):
        if abs(x) < tol: return x            c = abs(x) < tol
        y = f(x / 2, tol)                    if c: return x, (c, x, None, None)
        return y * x                         y, saved = f_forward(x / 2, tol)
                                             return y * x, (c, x, y, saved)

                                         def f_reverse(saved, y_bar):
                                             c, x, y, inner = saved
                                             if c: return y_bar
                                             return f_reverse(inner, y_bar * x) / 2 + y_bar * y

The forward form returns one tuple more: what the reverse form reads of the primal, the tuples of
the calls inside among it. There is one pair of forms for each choice of parameters that vary and
results that have a cotangent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from srcad.errors import UndefinedName, error
from srcad.ir.nodes import UNDEFINED, Atom, Block, Function, Op, Value
from srcad.ir.types import SAVED, Type, is_inexact
from srcad.ir.walk import copy_block, fresh_like
from srcad.rules.core.staged import type_of
from srcad.rules.core.zero import ZERO
from srcad.runtime.saved import pack, unpack, unpack_one
from srcad.transform.activity import (
    CallActivity,
    Positions,
    find_useful,
    find_varied,
    is_in,
    positions,
)
from srcad.transform.conform import (
    as_form,
    bar_name,
    conform,
    has_numbers_only,
    meeting_type,
    zero_like,
)
from srcad.transform.forward.calls import saved_form, saved_item
from srcad.transform.reverse.binding import Binding
from srcad.transform.reverse.residuals import Recompute, supply_values
from srcad.transform.reverse.scope import Cotangent, Scope

if TYPE_CHECKING:
    from srcad.transform.reverse.adjoint import Sweep

_HIGHER = "a higher derivative of a function that calls itself"


@dataclass(frozen=True, slots=True)
class AdjointForm:
    """The two forms of a function.

    forward: returns the primal's results, then what `reverse` needs. reverse: takes that and a
    cotangent for each result that has one; returns a cotangent for each parameter at `params`.
    """

    forward: Function
    reverse: Function
    params: tuple[int, ...]
    numbers: bool

    def type_of_bar(self, primal: Type) -> Type:
        """The type of the cotangent of a parameter or result."""
        return meeting_type(primal, numbers=self.numbers)


class AdjointForms:
    """The forms made so far, by function, varied parameters and results with a cotangent."""

    def __init__(self, recompute: Recompute) -> None:
        self.recompute = recompute
        self.activity = CallActivity()
        self.made: dict[tuple[Function, Positions, Positions], AdjointForm] = {}
        self.recomputed: dict[tuple[Function, Positions, Positions], object] = {}

    def of(self, fn: Function, varied: Positions, seeded: Positions) -> AdjointForm:
        """The forms of `fn` for this choice."""
        key = (fn, varied, seeded)
        if key not in self.made:
            params = tuple(sorted(self.activity.useful(fn, varied, seeded)))
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
                raise error("E100", refusal.location, what=_HIGHER) from None
        return self.made[key]

    def build(self, fn: Function, varied: Positions, seeded: Positions, form: AdjointForm) -> None:
        """Fill in the bodies of the forms."""
        block = copy_block(fn.body)
        seeds = {k: _seed(block.results[k], form) for k in sorted(seeded)}
        scope = swept(self, block, varied, seeds)
        bars = [
            end_of(scope, p, form.type_of_bar(p.type))
            for p in map(block.params.__getitem__, form.params)
        ]
        reverse = Block([], scope.builder.body, bars)
        read: dict[Value, Value] = {}

        def supply(value: Value) -> Value:
            return read.setdefault(value, fresh_like(value))

        supply_values(reverse, scope, set(), supply, self.recompute)
        out, saved = Value("saved", SAVED), Value("saved", SAVED)
        packed = Op(pack, tuple(read), {}, (out,))
        form.forward.body = Block(block.params, [*block.body, packed], [*block.results, out])
        body = [*_unpacked(saved, tuple(read.values())), *reverse.body]
        form.reverse.body = Block([saved, *seeds.values()], body, reverse.results)


def swept(forms: AdjointForms, block: Block, varied: Positions, seeds: dict[int, Value]) -> Scope:
    """The reverse sweep over the body of a function, from the cotangents of its results."""
    from srcad.transform.reverse.adjoint import Sweep

    values = find_varied(block, (block.params[k] for k in sorted(varied)), forms.activity)
    targets = [block.results[k] for k in seeds if is_in(block.results[k], values)]
    sweep = Sweep(values, find_useful(block, targets, values, forms.activity), forms)
    scope = Scope(block, Binding(block))
    for k, seed in seeds.items():
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


def _unpacked(saved: Atom, items: tuple[Value, ...]) -> list[Op]:
    if not items:
        return []
    return [Op(unpack_one if len(items) == 1 else unpack, (saved,), {}, items)]


def reverse_call(sweep: Sweep, op: Op, gs: list[Cotangent], scope: Scope) -> None:
    """Contribute to the cotangents of a call's arguments; the primal calls the forward form."""
    callee = op.fn
    assert isinstance(callee, Function)
    varied = frozenset(
        k for k in positions(op.args, sweep.varied) if is_inexact(callee.params[k].type)
    )
    seeded = frozenset(k for k, g in enumerate(gs) if g is not ZERO)
    form = sweep.forms.of(callee, varied, seeded)
    if not form.params:
        return
    saved = Value("saved", SAVED)
    outs = (*op.outs, saved)
    scope.block.body[scope.at] = replace(op, fn=form.forward, outs=outs)
    builder = scope.builder
    given = []
    for k in sorted(seeded):
        t = form.type_of_bar(type_of(callee.body.results[k]))
        given.append(as_form(builder, conform(builder, gs[k], t), t))
    bars = tuple(
        Value(bar_name(callee.params[k]), form.type_of_bar(callee.params[k].type))
        for k in form.params
    )
    builder.body.append(Op(form.reverse, (saved, *given), {}, bars, op.loc))
    for k, bar in zip(form.params, bars, strict=True):
        sweep.accumulate(scope, op.args[k], bar)


def reverse_saved(sweep: Sweep, op: Op, gs: list[Cotangent], scope: Scope) -> None:
    """The cotangents of saved values come and go in a tuple of the same form."""
    builder = scope.builder
    if op.fn is pack:
        (g,) = gs
        items = tuple(_bar_of(item) for item in op.args)
        builder.body.extend(_unpacked(g, items))
        for item, bar in zip(op.args, items, strict=True):
            sweep.accumulate(scope, item, bar)
        return
    (saved,) = op.args
    if not is_in(saved, sweep.varied):
        return
    if scope.get(saved) is not ZERO:
        raise error("E100", op.loc, what=_HIGHER)
    bars = tuple(_saved_bar(scope, out, g) for out, g in zip(op.outs, gs, strict=True))
    out = Value("saved_bar", SAVED)
    builder.body.append(Op(pack, bars, {}, (out,), op.loc))
    sweep.accumulate(scope, saved, out)


def _bar_of(item: Atom) -> Value:
    if not isinstance(item, Value):
        return Value("", SAVED)
    return Value(bar_name(item), saved_form(item.type), item.partial)


def _saved_bar(scope: Scope, item: Value, bar: Cotangent) -> Atom:
    """The cotangent of a saved value, None for what can have none."""
    if not is_inexact(item.type):
        return UNDEFINED
    if bar is ZERO:
        bar = scope.bound_zero(item)
    return saved_item(scope.builder, item, bar)
