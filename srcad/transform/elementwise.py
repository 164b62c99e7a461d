"""Derivatives of functions of one number, and of elementwise functions: tangents along ones.

    def f(x):                     def f_derivative(x):
        return np.sin(x)              return np.cos(x)             # x_dot = 1 at each entry

Forward mode, because it is repeated: a level gives each value of the one before a tangent of its
own, and equal ones are computed once, so that programs grow slowly with the order. By reverse mode
upon reverse mode they would double each time.

Of a function of a number that returns an array or a container, that is the derivative of each
entry. An array's function has to be elementwise. That of one that sums such a function up is the
gradient, which is the same in reverse mode.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from srcad.errors import error
from srcad.ir.interface import Slot, Tree, map_slots, slots
from srcad.ir.nodes import Atom, Block, Function, Op, Value
from srcad.ir.types import (
    ArrayType,
    NumberType,
    TupleType,
    dtype_of,
    is_inexact,
    rank_of,
    shape_of,
)
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.transform.boundary import (
    Results,
    describe,
    differentiable_slots,
    interface_of,
    is_complex,
    or_zero,
    wanted_params,
)
from srcad.transform.derive import gradient
from srcad.transform.forward.tangent import build_tangent


def elementwise_derivative(fn: Function, *, holomorphic: bool = False) -> Function:
    """The derivative of `fn` by its first parameter, a number or an array.

    Args:
        holomorphic: `fn` maps complex numbers to complex ones; the derivative is complex.
    """
    interface = interface_of(fn)
    (param,) = wanted_params(fn, (0,))
    name = f"{fn.name.removesuffix('_derivative')}_derivative"
    wrt = differentiable_slots(fn, [param], holomorphic)
    is_leaf = isinstance(param.tree, Slot)
    x = fn.params[wrt[0]] if is_leaf else None
    if x is None or (rank_of(x.type) != 0 and not _is_alike(fn, interface.result, x)):
        made = gradient(fn, (0,), elementwise=True, holomorphic=holomorphic)
        return Function(name, made.body, made.interface)
    _check(fn, x, interface.result, holomorphic)
    one = _one(x)
    seed = one if rank_of(x.type) == 0 else Value("", x.type)
    tangent = build_tangent(fn, [seed if p is x else ZERO for p in fn.params])
    results = Results(tangent.results)
    end = Builder(tangent.body)
    dots = {
        slot: results.add(or_zero(end, tangent.tangents[slot], tangent.results[slot]))
        for slot in slots(interface.result)
    }
    tree = map_slots(lambda slot: dots[slot.index], interface.result)
    start = [] if seed is one else _spread(one, tangent.params[wrt[0]], seed)
    block = Block(tangent.params, [*start, *tangent.body], results.atoms)
    return Function(name, block, replace(interface, result=tree))


def _is_alike(fn: Function, tree: Tree, x: Value) -> bool:
    """Whether the result is an array like `x`, as that of an elementwise function is."""
    if not isinstance(tree, Slot):
        return False
    rank = rank_of(x.type)
    return rank is not None and rank == rank_of(type_of(fn.body.results[tree.index]))


def _check(fn: Function, x: Value, tree: Tree, holomorphic: bool) -> None:
    """Refuse results that have no derivative."""
    for slot in slots(tree):
        t = type_of(fn.body.results[slot])
        if not is_inexact(t) or not isinstance(t, ArrayType | NumberType):
            raise error("E306", None, what=f"the result, of type {describe(t)},")
        if is_complex(t) and is_complex(x.type) and not holomorphic:
            fix = "pass holomorphic=True for a holomorphic f, or differentiate by real numbers"
            raise error("E306", None, what="the result, a complex number,", fix=fix)
        if holomorphic and not is_complex(t):
            raise error("E318", None, what=f"the result, of type {describe(t)},")
    if is_complex(x.type) and not holomorphic:
        fix = "pass holomorphic=True, or differentiate by real and imaginary parts"
        raise error("E306", None, what="an argument of complex numbers", fix=fix)
    if not slots(tree):
        raise error("E316", None, what=f"`{fn.name}`")


def _one(x: Value) -> Atom:
    """The number 1 in the dtype of `x`."""
    if isinstance(x.type, NumberType):
        return x.type.kind(1)
    dtype = dtype_of(x.type)
    assert dtype is not None
    return 1.0 if dtype == np.float64 else dtype.type(1)


def _spread(one: Atom, x: Value, seed: Value) -> list[Op]:
    """The statements that bind `seed` to ones in the shape of `x`."""
    extents = shape_of(x.type) or ()
    shape = Value("", TupleType(tuple(NumberType(int) for _ in extents)))
    return [Op(np.shape, (x,), {}, (shape,)), Op(np.broadcast_to, (one, shape), {}, (seed,))]


__all__ = ["elementwise_derivative"]
