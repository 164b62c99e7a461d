"""Reverse mode through calls of recomputed functions: nothing but their arguments is saved.

    def f(x):                            def f_adjoint(x, y_bar):
        e = np.exp(x)                        e = np.exp(x)
        return np.sin(e)                     return y_bar * np.cos(e) * e

    y = f(x)                             y = f(x)
    ...                                  ...
                                         x_bar = f_adjoint(x, y_bar)

The adjoint form is a whole gradient: it runs the function again and back. It is recomputed itself,
so that derivatives of any order save no more. What the function does besides (`print`) is done in
the first run only.
"""

from __future__ import annotations

from dataclasses import dataclass

from srcad.ir.calls import calls
from srcad.ir.nodes import Block, Function, If, Op, Value
from srcad.ir.regions import Attempt
from srcad.ir.types import Type
from srcad.ir.walk import blocks, copy_block, free_values
from srcad.rules.core.masks import Noted, Notes, note, notes_of, places_of
from srcad.rules.core.staged import type_of
from srcad.runtime.effects import ensure, ensure_bound, raise_, reraise
from srcad.transform.activity import Positions
from srcad.transform.conform import bar_name, has_numbers_only, meeting_type
from srcad.transform.prune import must_run, prune
from srcad.transform.reverse.calls import asked_of, bars_of
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import AdjointForms, Sweep, end_of, swept


@dataclass(frozen=True, slots=True)
class RecomputedForm:
    """The adjoint of a function: it takes the arguments at `read` and a cotangent for each seeded
    result; it returns a cotangent for each parameter at `params`.
    """

    function: Function
    read: tuple[int, ...]
    params: tuple[int, ...]
    numbers: bool
    notes: tuple[Notes, ...]

    def type_of_bar(self, primal: Type) -> Type:
        """The type of the cotangent of a parameter or result."""
        return meeting_type(primal, numbers=self.numbers)


def reverse_recomputed(sweep: Sweep, op: Op, gs: list[Cotangent], scope: Scope) -> None:
    """Contribute to the cotangents of the arguments of a call of a recomputed function."""
    callee, varied, seeded = asked_of(sweep, op, gs, scope)
    builder = scope.builder
    form = _form_of(sweep.forms, callee, varied, seeded)
    if not form.params:
        return
    op.raises = False  # all of it runs again
    given, bars = bars_of(builder, callee, form, {k: gs[k] for k, _ in seeded})
    args = (*(op.args[k] for k in form.read), *given)
    builder.body.append(Op(form.function, args, {}, bars, op.loc))
    for k, bar, notes in zip(form.params, bars, form.notes, strict=True):
        note(builder, bar, notes)
        sweep.accumulate(scope, op.args[k], bar)


def _form_of(forms: AdjointForms, fn: Function, varied: Positions, seeded: Noted) -> RecomputedForm:
    """The adjoint of `fn` for this choice, made once."""
    key = (fn, varied, seeded)
    if key not in forms.recomputed:
        forms.recomputed[key] = _build(forms, fn, varied, seeded)
    form = forms.recomputed[key]
    assert isinstance(form, RecomputedForm)
    return form


def _build(forms: AdjointForms, fn: Function, varied: Positions, seeded: Noted) -> RecomputedForm:
    params = tuple(sorted(forms.activity.useful(fn, varied, places_of(seeded))))
    function = Function(f"{fn.name}_adjoint", Block([], [], []), recomputed=True)
    numbers = has_numbers_only(fn.body)
    block = copy_block(fn.body)
    silence(block, {})
    seeds = {
        k: Value(_bar_name_of(block, k), meeting_type(type_of(block.results[k]), numbers=numbers))
        for k, _ in seeded
    }
    scope = swept(forms, block, varied, seeds, dict(seeded))
    bars = [
        end_of(scope, p, meeting_type(p.type, numbers=numbers))
        for p in map(block.params.__getitem__, params)
    ]
    notes = tuple(notes_of(scope.builder, bar) for bar in bars)
    whole = Block([], [*block.body, *scope.builder.body], bars)
    prune(whole, {})
    used = free_values(whole)
    read = tuple(k for k, p in enumerate(block.params) if p in used)
    given = [*(block.params[k] for k in read), *seeds.values()]
    function.body = Block(given, whole.body, whole.results)
    return RecomputedForm(function, read, params, numbers, notes)


def _bar_name_of(block: Block, k: int) -> str:
    result = block.results[k]
    return (bar_name(result) if isinstance(result, Value) else "") or "y_bar"


# Running again -----------------------------------------------------------------------------------


def silence(block: Block, silent: dict[Function, Function], *, in_try: bool = False) -> None:
    """Take out of a block, in place, what is done besides computing its results.

    What raises stays: it did not the first time, but says where the path ends. So do checks in a
    `try`, whose handler may be the path that was taken.
    """
    block.body[:] = [
        stmt for stmt in block.body if not _is_outward(stmt) or (in_try and _is_check(stmt))
    ]
    for op in calls(Block([], block.body, [])):
        if op.effect:
            assert isinstance(op.fn, Function)
            op.fn, op.effect = _silent(op.fn, silent), False
    for stmt in block.body:
        is_try = in_try or (isinstance(stmt, If) and isinstance(stmt.cond, Attempt))
        for inner in blocks(stmt):
            silence(inner, silent, in_try=is_try)


def _is_outward(stmt: object) -> bool:
    if not isinstance(stmt, Op) or isinstance(stmt.fn, Function):
        return False
    return must_run(stmt) and not stmt.outs and stmt.fn not in (raise_, reraise)


def _is_check(stmt: object) -> bool:
    return isinstance(stmt, Op) and stmt.fn in (ensure, ensure_bound)


def _silent(fn: Function, silent: dict[Function, Function]) -> Function:
    if fn not in silent:
        silent[fn] = Function(fn.name, copy_block(fn.body), recomputed=fn.recomputed)
        silence(silent[fn].body, silent, in_try=True)
    return silent[fn]


__all__ = ["reverse_recomputed"]
