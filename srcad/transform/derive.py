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

import numpy as np

from srcad.errors import error
from srcad.ir.interface import Interface, Param, Record, Slot, Static, Tree, map_slots, paths, slots
from srcad.ir.nodes import Atom, Block, Closure, Function, Op, Value
from srcad.ir.types import (
    ArrayType,
    NumberType,
    ObjectType,
    Type,
    dtype_of,
    is_inexact,
    rank_of,
    shape_of,
)
from srcad.rules.staged import Builder, type_of
from srcad.rules.zero import ZERO
from srcad.transform.adjoint import build_adjoint
from srcad.transform.conform import as_scalar, bar_name, zero_like, zero_number
from srcad.transform.residuals import Recompute, effort_of
from srcad.transform.scope import Cotangent
from srcad.transform.tangent import build_tangent, dot_name


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
) -> Function:
    """The function that returns the gradient of the scalar `fn`.

    Args:
        fn: the primal; its interface says what is in which container.
        argnums: what to differentiate by, see `find_params`.
        with_value: also return the value, `(value, gradient)`.
        has_aux: `fn` returns `(loss, aux)`; aux is handed through.
        single: return the gradient of the only parameter itself, not a tuple of one.
        elementwise: `fn` returns an array; the gradient is that of its sum.
        holomorphic: `fn` maps complex numbers to a complex number; the derivative is complex.
        recompute: which ops of branches and loops are computed again instead of saved.
        border: called between the forward and the reverse sweep, as a mark.
    """
    interface = _interface(fn)
    wanted = find_params(interface, argnums)
    wrt = _differentiable_slots(fn, wanted, holomorphic)
    loss, aux = _loss_and_aux(fn, interface.result, has_aux, elementwise, holomorphic)
    start = Builder([])
    seeds: list[Cotangent] = [ZERO] * len(fn.body.results)
    ones = None
    if isinstance(loss, Slot):
        t = type_of(fn.body.results[loss.index])
        if elementwise and rank_of(t) != 0:
            seeds[loss.index] = ones = Value("", t)
        else:
            seeds[loss.index] = _seed(start, t)
    adjoint = build_adjoint(fn, wrt, seeds, recompute)
    if ones is not None and isinstance(loss, Slot):
        start.body.append(Op(np.ones_like, (adjoint.results[loss.index],), {}, (ones,)))

    results = _Results(adjoint.results)
    value = results.keep(loss) if with_value else ()
    primal_value = adjoint.results[loss.index] if isinstance(loss, Slot) else None
    if isinstance(primal_value, Value) and not primal_value.name:
        primal_value.name = "value"
    handed = results.keep(aux)
    end = Builder(adjoint.reverse)
    bars = {}
    for slot, bar in zip(wrt, adjoint.cotangents, strict=True):
        x = adjoint.params[slot]
        bars[slot] = results.add(_or_zero(end, bar, x))
    trees = tuple(map_slots(lambda slot: bars[slot.index], param.tree) for param in wanted)
    found: Tree = trees[0] if single else trees
    if has_aux:
        result: Tree = ((value, handed), found) if with_value else (found, handed)
    else:
        result = (value, found) if with_value else found
    mark = [] if border is None else [Op(border, (), effect=True)]
    sweeps = [*adjoint.forward, *mark, *start.body, *adjoint.reverse]
    body = Block(adjoint.params, sweeps, results.atoms)
    suffix = "value_and_grad" if with_value else "grad"
    return Function(f"{fn.name}_{suffix}", body, replace(interface, result=result))


def find_params(interface: Interface, argnums: Sequence[int | str]) -> list[Param]:
    """The parameters that `argnums` names: by position among the arguments, or by name.

    Positions reach into `*args`: of `f(*xs)`, argument 1 is `xs[1]`, while the name "xs" is all of
    them.
    """
    found: list[Param] = []
    for each in argnums:
        named = [p for p in interface.params if p.name == each]
        found.append(named[0] if named else _at_position(interface, int(each)))
    return found


def _at_position(interface: Interface, index: int) -> Param:
    for position, param in enumerate(interface.params):
        if param.kind is inspect.Parameter.VAR_POSITIONAL:
            k = index - position
            if k >= len(param.tree):
                raise error("E303", None, what=str(index))
            return Param(f"{param.name}[{k}]", param.tree[k])
        if position == index:
            return param
    raise error("E303", None, what=str(index))


def pushforward(fn: Function) -> Function:
    """The function `(*primals, *tangents) -> (y, y_dot)`; tangents have the primals' containers."""
    interface = _interface(fn)
    n = len(fn.params)
    given = sorted({slot for param in interface.params for slot in slots(param.tree)})
    dots = {slot: Value(dot_name(fn.params[slot]), fn.params[slot].type) for slot in given}
    tangents = [
        dots[slot] if slot in dots and is_inexact(x.type) else ZERO
        for slot, x in enumerate(fn.params)
    ]
    tangent = build_tangent(fn, tangents)
    results = _Results(tangent.results)
    y = results.keep(interface.result)
    end = Builder(tangent.body)
    y_dots = {
        slot: results.add(_or_zero(end, tangent.tangents[slot], tangent.results[slot]))
        for slot in slots(interface.result)
    }
    y_dot = map_slots(lambda slot: y_dots[slot.index], interface.result)
    at = {slot: n + k for k, slot in enumerate(given)}
    more = tuple(
        Param(
            f"{param.name}_dot",
            map_slots(lambda slot: Slot(at[slot.index]), param.tree),
            param.kind,
        )
        for param in interface.params
    )
    body = Block([*tangent.params, *dots.values()], tangent.body, results.atoms)
    shape = replace(interface, params=(*interface.params, *more), result=(y, y_dot))
    return Function(f"{fn.name}_jvp", body, shape)


def pullback(fn: Function, recompute: Recompute = effort_of) -> Function:
    """The function `(*primals) -> (y, pullback)` where `pullback(y_bar)` is a tuple of cotangents.

    Leaves that are no real or complex numbers have the cotangent None.
    """
    interface = _interface(fn)
    used = slots(interface.result)
    y_bars = [_y_bar(fn.body.results[slot]) for slot in used]
    seeds: list[Cotangent] = [ZERO] * len(fn.body.results)
    for slot, y_bar in zip(used, y_bars, strict=True):
        seeds[slot] = y_bar if is_inexact(y_bar.type) else ZERO
    leaves = [slot for param in interface.params for slot in slots(param.tree)]
    wrt = [slot for slot in leaves if is_inexact(fn.params[slot].type)]
    adjoint = build_adjoint(fn, wrt, seeds, recompute)

    inner = _Results([])
    end = Builder(adjoint.reverse)
    bars: dict[int, Tree] = {slot: Static(None) for slot in leaves}
    for slot, bar in zip(wrt, adjoint.cotangents, strict=True):
        bars[slot] = inner.add(_or_zero(end, bar, adjoint.params[slot]))
    trees = tuple(
        Static(None)
        if isinstance(param.tree, Static)
        else map_slots(lambda slot: bars[slot.index], param.tree)
        for param in interface.params
    )
    at = {slot: k for k, slot in enumerate(used)}
    y_tree = map_slots(lambda slot: Slot(at[slot.index]), interface.result)
    pulls = Interface((Param("y_bar", y_tree, inspect.Parameter.POSITIONAL_OR_KEYWORD),), (), trees)
    function = Function("pullback", Block(y_bars, adjoint.reverse, inner.atoms), pulls)

    out = Value("pullback", ObjectType("function"))
    results = _Results(adjoint.results)
    result = (results.keep(interface.result), results.add(out))
    body = Block(adjoint.params, [*adjoint.forward, Closure(function, out)], results.atoms)
    return Function(f"{fn.name}_vjp", body, replace(interface, result=result))


class _Results:
    """The flat results of a function being put together."""

    def __init__(self, primal: list[Atom]) -> None:
        self.primal = primal
        self.atoms: list[Atom] = []

    def add(self, atom: Atom) -> Slot:
        """Append a result."""
        self.atoms.append(atom)
        return Slot(len(self.atoms) - 1)

    def keep(self, tree: Tree) -> Tree:
        """Append the primal's results that `tree` names; returns it with their new positions."""
        return map_slots(lambda slot: self.add(self.primal[slot.index]), tree)


def _interface(fn: Function) -> Interface:
    assert fn.interface is not None, fn.name
    return fn.interface


def _differentiable_slots(fn: Function, wanted: Sequence[Param], holomorphic: bool) -> list[int]:
    """The flat positions of all leaves of the parameters; refuses (E301) those that cannot vary."""
    found: list[int] = []
    for param in wanted:
        if isinstance(param.tree, Static) and param.tree.value is not None:
            given = param.tree.value
            code = "E301" if isinstance(given, bool | int) else "E308"
            raise error(code, None, what=f"argument `{param.name}` of type {type(given).__name__}")
        for slot, path in paths(param.tree, param.name).items():
            t = fn.params[slot].type
            if not is_inexact(t):
                raise error("E301", None, what=f"argument `{path}` of type {_describe(t)}")
            if holomorphic and not _is_complex(t):
                raise error("E317", None, what=f"argument `{path}` of type {_describe(t)}")
            found.append(slot)
    return found


def _loss_and_aux(
    fn: Function, tree: Tree, has_aux: bool, elementwise: bool, holomorphic: bool
) -> tuple[Tree, Tree]:
    """The leaf to differentiate and the tree handed through; refuses what is no scalar."""
    aux: Tree = ()
    if has_aux:
        if not isinstance(tree, tuple | list) or len(tree) != 2:
            raise error("E307", None, what=_describe_tree(fn, tree))
        tree, aux = tree
    if isinstance(tree, Static):
        if tree.value is None:
            raise error("E316", None, what=f"`{fn.name}`")
        t = type_of(tree.value)
    elif isinstance(tree, Slot):
        t = type_of(fn.body.results[tree.index])
    else:
        raise error("E302", None, what=f"the result, {_describe_tree(fn, tree)},")
    if not is_inexact(t) or not isinstance(t, ArrayType | NumberType):
        raise error("E306", None, what=f"the result, of type {_describe(t)},")
    if holomorphic and not _is_complex(t):
        raise error("E318", None, what=f"the result, of type {_describe(t)},")
    if _is_complex(t) and not holomorphic:
        fix = "return a real number, such as abs(z); or pass holomorphic=True for a holomorphic f"
        raise error("E306", None, what="the result, a complex number,", fix=fix)
    shape = shape_of(t)
    if not elementwise and (shape is None or any(extent != 1 for extent in shape)):
        raise error("E302", None, what=f"the result, of type {_describe(t)},")
    return tree, aux


def _is_complex(t: Type) -> bool:
    dtype = dtype_of(t)
    return dtype is not None and dtype.kind == "c"


def _describe(t: Type) -> str:
    """A type in the words of Python and NumPy."""
    match t:
        case NumberType():
            return t.kind.__name__
        case ArrayType(shape=None):
            return f"array of {t.dtype}"
        case ArrayType() if t.shape:
            extents = (str(e) if isinstance(e, int) else "n" for e in t.shape)
            return f"{t.dtype}[{', '.join(extents)}]"
        case ArrayType():
            return str(t.dtype)
        case ObjectType():
            return t.name
        case _:
            return str(t)


def _describe_tree(fn: Function, tree: Tree) -> str:
    match tree:
        case Slot():
            return f"a value of type {_describe(type_of(fn.body.results[tree.index]))}"
        case Static():
            return repr(tree.value)
        case Record():
            return f"a {tree.cls.__name__}"
        case _:
            return f"a {type(tree).__name__} of length {len(tree)}"


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


def _or_zero(builder: Builder, found: Cotangent, primal: Atom) -> Atom:
    """A (co)tangent that leaves the function: a zero in the primal's shape where there is none.

    That of a number is a number, that of an array without axes is one.
    """
    t = type_of(primal)
    if found is not ZERO:
        have = type_of(found)
        is_number = isinstance(t, NumberType) or (isinstance(t, ArrayType) and t.scalar)
        if is_number and isinstance(have, ArrayType) and have.shape == () and not have.scalar:
            return as_scalar(builder, found, have.dtype)
        if not is_number and rank_of(t) == 0 and not _is_array(have):
            return builder.emit(np.asarray, (found,))
        return found
    if isinstance(primal, Value) and is_inexact(t) and (rank_of(t) != 0 or not _is_array(t)):
        return zero_like(builder, primal)
    if rank_of(t) == 0 and isinstance(t, NumberType | ArrayType) and not _is_array(t):
        return zero_number(t)
    return builder.emit(np.zeros_like, (primal,))


def _is_array(t: Type) -> bool:
    return isinstance(t, ArrayType) and not t.scalar


__all__ = ["gradient", "pullback", "pushforward"]
