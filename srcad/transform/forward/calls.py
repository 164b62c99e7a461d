"""Forward mode through calls: a called function gets a form that takes and returns tangents.

    def f(x, tol):                       def f_jvp(x, tol, x_dot):
        if abs(x) < tol: return x            if abs(x) < tol: return x, x_dot
        y = f(x / 2, tol)                    y, y_dot = f_jvp(x / 2, tol, x_dot / 2)
        return y * x                         return y * x, y_dot * x + y * x_dot

There is one form for each choice of parameters that have a tangent. It is known, with what it
returns, before its body is built: a function that calls itself is built once.
"""

from __future__ import annotations

from dataclasses import replace

from srcad.ir.nodes import UNDEFINED, Atom, Function, Op, Value
from srcad.ir.types import SAVED, Type, is_inexact
from srcad.rules.core.masks import note, noted
from srcad.rules.core.staged import Builder
from srcad.rules.core.zero import ZERO
from srcad.runtime.saved import pack
from srcad.transform.conform import as_form, conform, meeting_type, zero_like, zero_unbound
from srcad.transform.forward.walk import Walk, dot_name, form_of


def push_call(walk: Walk, op: Op, builder: Builder) -> None:
    """Append the call of a function, as one of its tangent form where an argument has a tangent."""
    callee = op.fn
    assert isinstance(callee, Function)
    dots = {
        k: dot
        for k, dot in enumerate(map(walk.of, op.args))
        if dot is not ZERO and is_inexact(callee.params[k].type)
    }
    active = noted(builder, dots.items())
    form = walk.forms.of(callee, active) if active else None
    if form is None or not form.results:
        builder.body.append(op)
        return
    given = [_passed(builder, dot, form_of(callee.params[k].type, form)) for k, dot in dots.items()]
    made = [op.outs[k] for k in form.results]
    found = tuple(Value(dot_name(out), form_of(out.type, form), out.partial) for out in made)
    args, outs = (*op.args, *given), (*op.outs, *found)
    builder.body.append(replace(op, fn=form.function, args=args, outs=outs))
    for k, dot in zip(form.results, found, strict=True):
        note(builder, dot, form.notes_of(k, dot))
    walk.dots.update(zip(made, found, strict=True))


def _passed(builder: Builder, dot: Atom, form: Type) -> Atom:
    return as_form(builder, conform(builder, dot, form), form)


def push_saved(walk: Walk, op: Op, builder: Builder) -> None:
    """The tangents of saved values are saved in a tuple like theirs: a zero where there is none."""
    if op.fn is pack:
        out = walk.dots[op.out] = Value("saved_dot", SAVED)
        args = tuple(_saved_dot(builder, item, walk.of(item)) for item in op.args)
        builder.body.append(Op(pack, args, {}, (out,), op.loc))
        return
    (saved,) = op.args
    if walk.of(saved) is ZERO:
        return
    outs = tuple(Value(dot_name(out), saved_form(out.type), out.partial) for out in op.outs)
    builder.body.append(Op(op.fn, (walk.of(saved),), {}, outs, op.loc))
    pairs = zip(op.outs, outs, strict=True)
    walk.dots.update((out, dot) for out, dot in pairs if is_inexact(out.type))


def _saved_dot(builder: Builder, item: Atom, dot: Atom) -> Atom:
    """The tangent of a saved value, None for what can have none."""
    if not isinstance(item, Value) or not is_inexact(item.type):
        return UNDEFINED
    return saved_item(builder, item, zero_item(builder, item) if dot is ZERO else dot)


def saved_form(t: Type) -> Type:
    """The type in which the (co)tangent of a saved value is saved."""
    return meeting_type(t, numbers=False) if is_inexact(t) else t


def saved_item(builder: Builder, item: Value, dot: Atom) -> Atom:
    """A (co)tangent of a saved value in the form in which it is saved."""
    if item.partial:  # it may be unbound here: nothing can be done with it
        return dot
    return _passed(builder, dot, saved_form(item.type))


def zero_item(builder: Builder, item: Value) -> Atom:
    """A zero (co)tangent of a saved value, which may be bound on some paths only."""
    return zero_unbound(builder, item) if item.partial else zero_like(builder, item)
