"""Whole functions with their containers: gradient, pushforward (jvp) and pullback (vjp).

    def loss(w, x) -> y         def loss_value_and_grad(w, x) -> (y, w_bar)
                                def loss_jvp(w, x, w_dot, x_dot) -> (y, y_dot)
                                def loss_vjp(w, x) -> (y, pullback)     # y_bar -> (w_bar, x_bar)

`grad` hands back a gradient in the container of its parameter.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from srcad.errors import error
from srcad.ir.interface import (
    Interface,
    Outside,
    Param,
    Slot,
    Static,
    Tree,
    map_records,
    map_slots,
    map_statics,
    rebuilt,
    slots,
)
from srcad.ir.nodes import Atom, Block, Closure, Function, Op, Stmt, Value
from srcad.ir.types import (
    ArrayType,
    NumberType,
    ObjectType,
    TupleType,
    Type,
    dtype_of,
    is_inexact,
    rank_of,
    shape_of,
)
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.transform.boundary import (
    Results,
    by_values,
    describe,
    describe_tree,
    differentiable_slots,
    interface_of,
    is_complex,
    or_zero,
    tangent_params,
    varying_slots,
    wanted_params,
)
from srcad.transform.class_results import as_cotangent, attribute_slots, entries, tangent_tree
from srcad.transform.code_sinking import sink_raising
from srcad.transform.conform import bar_name
from srcad.transform.forward.tangent import build_tangent
from srcad.transform.forward.walk import dot_name
from srcad.transform.reverse.adjoint import Adjoint, build_adjoint
from srcad.transform.reverse.residuals import Recompute, effort_of
from srcad.transform.reverse.scope import Cotangent


def gradient(
    fn: Function,
    argnums: Sequence[int | str],
    *,
    with_value: bool = False,
    has_aux: bool = False,
    single: bool = True,
    elementwise: bool = False,
    holomorphic: bool = False,
    recompute: Recompute = effort_of,
    border: Callable[[], None] | None = None,
    is_final: bool = True,
) -> Function:
    """The function that returns the gradient of the scalar `fn`.

    Args:
        fn: the primal; its interface says what is in which container.
        argnums: what to differentiate by, see `wanted_params`.
        with_value: also return the value, `(value, gradient)`.
        has_aux: `fn` returns `(loss, aux)`; aux is handed through.
        single: return the gradient of the only parameter itself, not a tuple of one.
        elementwise: `fn` returns an array; the gradient is that of its sum.
        holomorphic: `fn` maps complex numbers to a complex number; the derivative is complex.
        recompute: which ops of branches and loops are computed again instead of saved.
        border: called between the forward and the reverse sweep, as a mark.
        is_final: it is not differentiated again.
    """
    interface = interface_of(fn)
    wanted = wanted_params(fn, argnums)
    wrt = differentiable_slots(fn, wanted, holomorphic)
    value_tree, *_ = _value_and_aux(fn, interface.result, has_aux)
    loss, aux = _loss_and_aux(fn, interface.result, has_aux, elementwise, holomorphic)
    adjoint, start = _seeded(fn, wrt, loss, elementwise, recompute, is_final)
    results = Results(adjoint.results)
    value = results.keep(value_tree) if with_value else ()
    handed = results.keep(aux)
    trees = _gradients(adjoint, wrt, wanted, results)
    found: Tree = trees[0] if single else trees
    result: Tree = (found, handed) if has_aux else found
    if with_value:
        result = ((value, handed) if has_aux else value, found)
    mark = [] if border is None else [Op(border, (), effect=True)]
    sweeps = [*adjoint.forward, *mark, *start, *adjoint.reverse]
    body = Block(adjoint.params, sweeps, results.atoms)
    suffix = "value_and_grad" if with_value else "grad"
    return sink_raising(Function(f"{fn.name}_{suffix}", body, replace(interface, result=result)))


def _gradients(
    adjoint: Adjoint, wrt: Sequence[int], wanted: Sequence[Param], results: Results
) -> tuple[Tree, ...]:
    """The cotangents at the end of the sweep, each in the container of its parameter."""
    end = Builder(adjoint.reverse)
    bars = {
        slot: or_zero(end, bar, adjoint.params[slot])
        for slot, bar in zip(wrt, adjoint.cotangents, strict=True)
    }
    # A parameter that is asked for twice has two gradients, each with a result of its own.
    return tuple(
        map_slots(lambda slot: results.add(bars[slot.index]), param.tree) for param in wanted
    )


def _seeded(
    fn: Function,
    wrt: Sequence[int],
    loss: Tree,
    elementwise: bool,
    recompute: Recompute,
    is_final: bool,
) -> tuple[Adjoint, list[Stmt]]:
    """The adjoint for the cotangent 1 of the loss, and what makes this one."""
    start = Builder([])
    seeds: list[Cotangent] = [ZERO] * len(fn.body.results)
    if not isinstance(loss, Slot):  # a constant
        return build_adjoint(fn, wrt, seeds, recompute), start.body
    t = type_of(fn.body.results[loss.index])
    ones = Value("", t) if elementwise and rank_of(t) != 0 else None
    seeds[loss.index] = _seed(start, t) if ones is None else ones
    adjoint = build_adjoint(fn, wrt, seeds, recompute, is_final=is_final)
    y = adjoint.results[loss.index]
    if ones is not None:
        start.body.extend(_ones_in(ones, y))
    if isinstance(y, Value) and not y.name:
        y.name = "value"
    return adjoint, start.body


def tangent_inputs(fn: Function) -> tuple[dict[int, Value], list[Cotangent]]:
    """A tangent for each slot of the parameters, by the slot; and those along which `fn` is
    differentiated, ZERO for what has none.
    """
    params = tangent_params(interface_of(fn))
    given = sorted({slot for param in params for slot in slots(param.tree)})
    dots = {slot: Value(dot_name(fn.params[slot]), fn.params[slot].type) for slot in given}
    tangents: list[Cotangent] = [
        dots[slot] if slot in dots and is_inexact(x.type) else ZERO
        for slot, x in enumerate(fn.params)
    ]
    return dots, tangents


def pushforward(fn: Function, *, has_aux: bool = False) -> Function:
    """The function `(*primals, *tangents) -> (y, y_dot)`; tangents have the primals' containers.

    Args:
        has_aux: the result is a pair, whose second part is handed through: `(y, y_dot, aux)`.
    """
    interface = interface_of(fn)
    y_tree, *aux_tree = _value_and_aux(fn, interface.result, has_aux)
    n = len(fn.params)
    dots, tangents = tangent_inputs(fn)
    tangent = build_tangent(fn, tangents)
    results = Results(tangent.results)
    y = results.keep(y_tree)
    end = Builder(tangent.body)
    y_dot = tangent_tree(fn, y_tree, tangent, dots, end, results)
    aux = map(results.keep, aux_tree)
    at = {slot: n + k for k, slot in enumerate(dots)}
    more = tuple(
        Param(
            f"{param.name}_dot",
            map_slots(lambda slot: Slot(at[slot.index]), param.tree),
            param.kind,
        )
        for param in tangent_params(interface)
    )
    body = Block([*tangent.params, *dots.values()], tangent.body, results.atoms)
    shape = replace(interface, params=(*interface.params, *more), result=(y, y_dot, *aux))
    return sink_raising(Function(f"{fn.name}_jvp", body, shape))


def pullback(fn: Function, recompute: Recompute = effort_of, *, has_aux: bool = False) -> Function:
    """The function `(*primals) -> (y, pullback)` where `pullback(y_bar)` is a tuple of cotangents.

    Leaves that are no real or complex numbers have the cotangent None.

    Args:
        has_aux: the result is a pair, whose second part is handed through: `(y, pullback, aux)`.
    """
    interface = interface_of(fn)
    primal_y, *aux_tree = _value_and_aux(fn, interface.result, has_aux)
    cotangent = as_cotangent(primal_y)
    used = slots(cotangent)
    y_bars = [_y_bar(fn.body.results[slot]) for slot in used]
    seeds: list[Cotangent] = [ZERO] * len(fn.body.results)
    for slot, y_bar in zip(used, y_bars, strict=True):
        seeds[slot] = y_bar if is_inexact(y_bar.type) else ZERO
    leaves = varying_slots(interface)
    wrt = [slot for slot in leaves if is_inexact(fn.params[slot].type)]
    attribute_slots(fn, primal_y, wrt)
    adjoint = build_adjoint(fn, wrt, seeds, recompute)

    inner = Results([])
    end = Builder(adjoint.reverse)
    bars: dict[int, Tree] = {slot: Static(None) for slot in leaves}
    for slot, bar in zip(wrt, adjoint.cotangents, strict=True):
        bars[slot] = inner.add(or_zero(end, bar, adjoint.params[slot]))
    trees: list[Tree] = []
    for param in interface.params:
        is_known = isinstance(param.tree, Static)
        # What an object has besides is known where the pullback is called, not in it.
        tree = Static(None) if is_known else _without_outside(param.tree)
        tree = map_statics(_of_constant, map_slots(lambda s: bars[s.index], tree))
        # The arguments in `*args` have a cotangent each.
        is_open = param.kind is inspect.Parameter.VAR_POSITIONAL
        tree = map_records(lambda record: replace(record, like=""), tree)
        trees.extend(cast(tuple[Tree, ...], tree) if is_open else [tree])
    at = {slot: k for k, slot in enumerate(used)}
    y_tree = map_slots(lambda slot: Slot(at[slot.index]), cotangent)
    pulls = Interface(
        (Param("y_bar", y_tree, inspect.Parameter.POSITIONAL_OR_KEYWORD),), (), tuple(trees)
    )
    function = Function("pullback", Block(y_bars, adjoint.reverse, inner.atoms), pulls)

    out = Value("pullback", ObjectType("function"))
    results = Results(adjoint.results)
    result = (results.keep(primal_y), results.add(out), *map(results.keep, aux_tree))
    body = Block(adjoint.params, [*adjoint.forward, Closure(function, out)], results.atoms)
    return sink_raising(Function(f"{fn.name}_vjp", body, replace(interface, result=result)))


def _without_outside(tree: Tree) -> Tree:
    """None in the place of data of which other packages have computed something."""
    if isinstance(tree, Outside):
        varied = by_values(tree)
        if varied is None:
            return Static(None)
        return replace(varied, like="", fields={replace(varied, like="").way: varied.own_values()})
    return rebuilt(tree, _without_outside)


def _of_constant(x: Static) -> Static:
    """What is pulled back to a leaf that is a constant of the program: nothing, of a number."""
    is_number = type(x.value) in (int, float, complex) or isinstance(x.value, np.ndarray)
    return Static(None) if is_number or isinstance(x.value, np.number) else x


def _value_and_aux(fn: Function, tree: Tree, has_aux: bool) -> tuple[Tree, ...]:
    """What varies, and what is handed through beside it; refuses what is no pair."""
    if not has_aux:
        return (tree,)
    if not isinstance(tree, tuple | list) or len(tree) != 2:
        raise error("E307", None, what=describe_tree(fn, tree))
    return tuple(tree)


def _loss_and_aux(
    fn: Function, tree: Tree, has_aux: bool, elementwise: bool, holomorphic: bool
) -> tuple[Tree, Tree]:
    """The leaf to differentiate and the tree handed through; refuses what is no scalar."""
    aux: Tree = ()
    if has_aux:
        if not isinstance(tree, tuple | list) or len(tree) != 2:
            raise error("E307", None, what=describe_tree(fn, tree))
        tree, aux = tree
    tree = entries(tree)
    if isinstance(tree, Static):
        if tree.value is None:
            raise error("E316", None, what=f"`{fn.name}`")
        t = type_of(tree.value)
    elif isinstance(tree, Slot):
        t = type_of(fn.body.results[tree.index])
    else:
        what = f"the result, {describe_tree(fn, tree)},"
        raise error("E302", None, what=what, fix=_WITH_AUX if _is_pair(fn, tree) else None)
    if not is_inexact(t) or not isinstance(t, ArrayType | NumberType):
        raise error("E306", None, what=f"the result, of type {describe(t)},")
    if holomorphic and not is_complex(t):
        raise error("E318", None, what=f"the result, of type {describe(t)},")
    if is_complex(t) and not holomorphic:
        fix = "return a real number, such as abs(z); or pass holomorphic=True for a holomorphic f"
        raise error("E306", None, what="the result, a complex number,", fix=fix)
    shape = shape_of(t)
    if not elementwise and (shape is None or any(extent != 1 for extent in shape)):
        raise error("E302", None, what=f"the result, of type {describe(t)},")
    return tree, aux


_WITH_AUX = "pass has_aux=True, if the first is the value and the rest is handed through"


def _is_pair(fn: Function, tree: Tree) -> bool:
    """Whether a result is a number and something else: `(loss, aux)`."""
    if not isinstance(tree, tuple) or len(tree) != 2 or not isinstance(tree[0], Slot):
        return False
    return rank_of(type_of(fn.body.results[tree[0].index])) == 0


def _ones_in(ones: Value, like: Atom) -> list[Op]:
    """The statements that bind `ones`: one number, spread, which operations can do without."""
    dtype, shape = dtype_of(ones.type), shape_of(ones.type)
    if dtype is None or shape is None or dtype.kind == "c":
        return [Op(np.ones_like, (like,), {}, (ones,))]
    extents = Value("", TupleType(tuple(NumberType(int) for _ in shape)))
    one = 1.0 if dtype == np.float64 else dtype.type(1)
    spread = Op(np.broadcast_to, (one, extents), {}, (ones,))
    return [Op(np.shape, (like,), {}, (extents,)), spread]


def _seed(builder: Builder, t: Type) -> Atom:
    """The cotangent 1 of a scalar result; a Python 1.0 where that has the result's dtype."""
    dtype, shape = dtype_of(t), shape_of(t)
    assert dtype is not None
    if not shape:
        return 1.0 if dtype == np.float64 else dtype.type(1)
    options = {} if dtype == np.float64 else {"dtype": dtype.type}
    return builder.emit(np.ones, (shape,), options)


def _y_bar(result: Atom) -> Value:
    """The parameter of a pullback for the cotangent of one result."""
    named = result if isinstance(result, Value) else Value("", type_of(result))
    return Value(bar_name(named) or "y_bar", named.type)


__all__ = ["gradient", "pullback", "pushforward"]
