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

from dataclasses import replace
from typing import Protocol

from srcad.errors import error
from srcad.ir.nodes import UNDEFINED, Atom, Function, Op, Value
from srcad.ir.types import SAVED, Type, is_inexact
from srcad.rules.core.masks import Noted, note, noted
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.runtime.saved import pack
from srcad.transform.activity import (
    Positions,
    is_in,
    positions,
)
from srcad.transform.conform import (
    as_form,
    bar_name,
    conform,
)
from srcad.transform.forward.calls import saved_form, saved_item
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import HIGHER, Sweep, unpacked


def reverse_call(sweep: Sweep, op: Op, gs: list[Cotangent], scope: Scope) -> None:
    """Contribute to the cotangents of a call's arguments; the primal calls the forward form."""
    callee, varied, seeded = asked_of(sweep, op, gs, scope)
    builder = scope.builder
    form = sweep.forms.of(callee, varied, seeded)
    if not form.params:
        return
    saved = Value("saved", SAVED)
    outs = (*op.outs, saved)
    scope.block.body[scope.at] = replace(op, fn=form.forward, outs=outs)
    given, bars = bars_of(builder, callee, form, {k: gs[k] for k, _ in seeded})
    builder.body.append(Op(form.reverse, (saved, *given), {}, bars, op.loc))
    for k, bar in zip(form.params, bars, strict=True):
        note(builder, bar, form.notes_of(k, bar))
        sweep.accumulate(scope, op.args[k], bar)


def asked_of(
    sweep: Sweep, op: Op, gs: list[Cotangent], scope: Scope
) -> tuple[Function, Positions, Noted]:
    """The function that is called, its parameters that vary and its results with a cotangent."""
    callee = op.fn
    assert isinstance(callee, Function)
    varied = frozenset(
        k for k in positions(op.args, sweep.varied) if is_inexact(callee.params[k].type)
    )
    return callee, varied, noted(scope.builder, ((k, g) for k, g in enumerate(gs) if g is not ZERO))


class _Form(Protocol):
    """What runs a function back."""

    @property
    def params(self) -> tuple[int, ...]:
        """The parameters whose cotangents it returns."""

    def type_of_bar(self, primal: Type) -> Type:
        """The type of the cotangent of a parameter or result."""


def bars_of(
    builder: Builder, callee: Function, form: _Form, gs: dict[int, Cotangent]
) -> tuple[list[Atom], tuple[Value, ...]]:
    """The cotangents of results as a form takes them, and those of parameters that it returns."""
    given = []
    for k, g in gs.items():
        t = form.type_of_bar(type_of(callee.body.results[k]))
        given.append(as_form(builder, conform(builder, g, t), t))
    bars = tuple(
        Value(bar_name(callee.params[k]), form.type_of_bar(callee.params[k].type))
        for k in form.params
    )
    return given, bars


def reverse_saved(sweep: Sweep, op: Op, gs: list[Cotangent], scope: Scope) -> None:
    """The cotangents of saved values come and go in a tuple of the same form."""
    builder = scope.builder
    if op.fn is pack:
        (g,) = gs
        items = tuple(_bar_of(item) for item in op.args)
        builder.body.extend(unpacked(g, items))
        for item, bar in zip(op.args, items, strict=True):
            sweep.accumulate(scope, item, bar)
        return
    (saved,) = op.args
    if not is_in(saved, sweep.varied):
        return
    if scope.get(saved) is not ZERO:
        raise error("E100", op.loc, what=HIGHER)
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
        bar = scope.zero(item)
    return saved_item(scope.builder, item, bar)
