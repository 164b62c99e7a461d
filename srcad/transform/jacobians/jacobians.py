"""Jacobians: a sweep for each entry of the result (reverse) or of the argument (forward).

    def f(x) -> y       def f_jacrev(x):                      def f_jacfwd(x):
                            <forward sweep>                       <primal>
                            for i in range(y.size):               for i in range(x.size):
                                y_bar = 1 at i, else 0                x_dot = 1 at i, else 0
                                <reverse sweep>                       <tangents>
                                y_jac[i] = x_bar                      y_jac[..., i] = y_dot
                            return y_jac                          return y_jac

The result is a container like the function's, of containers like the argument's, of arrays of shape
`y.shape + x.shape`. What does not depend on the direction is computed once, before the loop. The
entries of several results (arguments) are numbered through: one loop goes over them all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from srcad.errors import error
from srcad.ir.interface import (
    Interface,
    Param,
    Slot,
    Static,
    Tree,
    map_records,
    map_slots,
    rebuilt,
    slots,
)
from srcad.ir.nodes import Atom, Block, Function, Value
from srcad.ir.types import ArrayType, NumberType, Type, is_inexact, shape_of
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.transform.boundary import (
    Results,
    describe,
    differentiable_slots,
    interface_of,
    is_complex,
    wanted_params,
)
from srcad.transform.conform import bar_name
from srcad.transform.forward.tangent import has_tangent
from srcad.transform.forward.walk import dot_name
from srcad.transform.jacobians.direction_split import are_several, split, split_tangent
from srcad.transform.jacobians.directions import Directions
from srcad.transform.reverse.adjoint import build_adjoint
from srcad.transform.reverse.residuals import Recompute, effort_of
from srcad.transform.reverse.scope import Cotangent


def jacrev(
    fn: Function,
    argnums: Sequence[int | str],
    *,
    has_aux: bool = False,
    single: bool = True,
    holomorphic: bool = False,
    recompute: Recompute = effort_of,
    is_final: bool = True,
) -> Function:
    """The function that returns the Jacobian of `fn`, by a reverse sweep for each of its results.

    Arguments as of `gradient`.
    """
    fn, tree, aux = _outputs(fn, has_aux)
    wanted = wanted_params(fn, argnums)
    wrt = differentiable_slots(fn, wanted, holomorphic)
    used = slots(tree)
    _check_results(fn, used, holomorphic, real=not holomorphic)
    ys = Directions.placeholders([fn.body.results[slot] for slot in used], bar_name)
    seeds: list[Cotangent] = [ZERO] * len(fn.body.results)
    for slot, seed in zip(used, ys, strict=True):
        seeds[slot] = seed
    adjoint = build_adjoint(
        fn, wrt, seeds, recompute, is_final=is_final, are_directions=are_several(ys)
    )
    builder = Builder(adjoint.forward)
    before, inside = split(adjoint.reverse, ys)
    builder.body.extend(before)
    space = Directions(builder, [adjoint.results[slot] for slot in used], ys)
    xs = [adjoint.params[slot] for slot in wrt]
    jacobians = space.rows(inside, xs, adjoint.cotangents)
    results = Results(adjoint.results)
    at = {slot: k for k, slot in enumerate(used)}
    found = map_slots(
        lambda slot: _by_parameters(results, wanted, wrt, jacobians[at[slot.index]], single),
        _of_read(tree),
    )
    return _finish(fn, "jacrev", adjoint.params, builder, results, found, aux, has_aux)


def jacfwd(
    fn: Function,
    argnums: Sequence[int | str],
    *,
    has_aux: bool = False,
    single: bool = True,
    holomorphic: bool = False,
    leading: bool = False,
) -> Function:
    """The function that returns the Jacobian of `fn`, by tangents for each entry of the arguments.

    Arguments as of `gradient`, and `leading`: as `products` asks for it. Where what has an effect
    has a derivative as well, as a function that prints and calls itself, reverse sweeps are made
    instead: effects take place once.
    """
    whole = fn
    fn, tree, aux = _outputs(fn, has_aux)
    wanted = wanted_params(fn, argnums)
    wrt = differentiable_slots(fn, wanted, holomorphic)
    check_real(fn, wrt, holomorphic)
    used = slots(tree)
    _check_results(fn, used, holomorphic, real=False)
    seeds = Directions.placeholders([fn.params[slot] for slot in wrt], dot_name)
    dots: list[Cotangent] = [ZERO] * len(fn.params)
    for slot, seed in zip(wrt, seeds, strict=True):
        dots[slot] = seed
    found = split_tangent(fn, dots, seeds, (*used, *slots(aux)))
    if found is None:
        made = jacrev(whole, argnums, has_aux=has_aux, single=single, holomorphic=holomorphic)
        return _with_rows(made) if leading else replace_name(made, f"{fn.name}_jacfwd")
    builder = Builder(found.before)
    space = Directions(builder, [found.params[slot] for slot in wrt], seeds)
    ys = [found.results[slot] for slot in used]
    dots = [found.tangents[slot] for slot in used]
    if leading:
        space.beside = found.params
        jacobians = [space.along(found.inside, ys, dots)]
    else:
        jacobians = space.columns(found.inside, ys, dots)
    results = Results(found.results)
    at = {slot: k for k, slot in enumerate(used)}
    trees = map_slots(
        lambda slot: _by_parameters(
            results, wanted, wrt, [row[at[slot.index]] for row in jacobians], single
        ),
        _of_read(tree),
    )
    kind = "products" if leading else "jacfwd"
    return _finish(fn, kind, found.params, builder, results, trees, aux, has_aux)


def products(
    fn: Function,
    argnums: Sequence[int | str],
    *,
    has_aux: bool = False,
    single: bool = True,
    holomorphic: bool = False,
) -> Function:
    """As `jacfwd` by a vector of a function that returns an array, with its axis first: a row for
    each entry of the vector.
    """
    return jacfwd(fn, argnums, has_aux=has_aux, holomorphic=holomorphic, leading=True)


def jacobian(
    fn: Function,
    argnums: Sequence[int | str],
    *,
    has_aux: bool = False,
    single: bool = True,
    holomorphic: bool = False,
) -> Function:
    """The Jacobian by the mode with fewer sweeps, as far as the types tell the sizes.

    Callers that know the numbers choose themselves (`srcad.pipeline.reports.sizes`).
    """
    interface = interface_of(fn)
    tree = interface.result
    if has_aux and isinstance(tree, tuple | list) and len(tree) == 2:
        tree = tree[0]
    wanted = wanted_params(fn, argnums)
    n_in = [fn.params[slot].type for param in wanted for slot in slots(param.tree)]
    n_out = [type_of(fn.body.results[slot]) for slot in slots(tree)]
    make = jacrev if _are_fewer(n_out, n_in) or not has_tangent(fn) else jacfwd
    made = make(fn, argnums, has_aux=has_aux, single=single, holomorphic=holomorphic)
    return replace_name(made, f"{fn.name}_jacobian")


def _with_rows(fn: Function) -> Function:
    """The Jacobian by a vector with its last axis first."""
    builder = Builder([])
    results = list(fn.body.results)
    results[0] = builder.emit(np.moveaxis, (results[0], -1, 0))
    return Function(
        fn.name, Block(fn.params, [*fn.body.body, *builder.body], results), fn.interface
    )


def _are_fewer(some: Sequence[Type], others: Sequence[Type]) -> bool:
    """Whether `some` have fewer entries: by number, or because fewer extents are unknown."""
    a, b = (_extents(types) for types in (some, others))
    unknown = a[1] - b[1], b[1] - a[1]
    if unknown[0] or unknown[1]:
        return sum(unknown[0].values()) < sum(unknown[1].values())
    return a[0] < b[0]


def _extents(types: Sequence[Type]) -> tuple[int, Counter[str]]:
    """The sum of known sizes, and the unknown extents."""
    known, unknown = 0, Counter[str]()
    for t in types:
        shape = shape_of(t) or ()
        known += math.prod(e for e in shape if isinstance(e, int))
        unknown.update(str(e) for e in shape if not isinstance(e, int))
    return known, unknown


def replace_name(fn: Function, name: str) -> Function:
    """`fn` under another name."""
    return Function(name, fn.body, fn.interface)


def _outputs(fn: Function, has_aux: bool) -> tuple[Function, Tree, Tree]:
    """`fn` with its constant results as slots, the tree to differentiate, the one handed through.

    A number has a Jacobian, of zeros; what else is known in a container, such as a string, stays.
    """
    interface = interface_of(fn)
    tree, aux = interface.result, ()
    if has_aux:
        if not isinstance(tree, tuple | list) or len(tree) != 2:
            raise error("E307", None, what="a single value")
        tree, aux = tree
    if isinstance(tree, Static) and tree.value is None:
        raise error("E316", None, what=f"`{fn.name}`")
    if isinstance(tree, Static) and type(tree.value) not in (int, float, complex):
        raise error("E306", None, what=f"the result, {tree.value!r},")
    results = list(fn.body.results)
    tree = _constants_as_slots(tree, results)
    result = [tree, aux] if has_aux else tree
    block = Block(fn.body.params, fn.body.body, results)
    return Function(fn.name, block, replace(interface, result=result)), tree, aux


def _constants_as_slots(tree: Tree, results: list[Atom]) -> Tree:
    if isinstance(tree, Static) and type(tree.value) in (int, float, complex):
        results.append(tree.value)
        return Slot(len(results) - 1)
    if isinstance(tree, tuple | list | dict):
        return rebuilt(tree, lambda item: _constants_as_slots(item, results))
    return tree


def _check_results(fn: Function, used: Sequence[int], holomorphic: bool, *, real: bool) -> None:
    """Refuse results that are no real (complex) numbers."""
    for slot in used:
        t = type_of(fn.body.results[slot])
        if not is_inexact(t) or not isinstance(t, ArrayType | NumberType):
            raise error("E306", None, what=f"the result, of type {describe(t)},")
        if holomorphic and not is_complex(t):
            raise error("E318", None, what=f"the result, of type {describe(t)},")
        if real and is_complex(t):
            fix = "return real numbers, or pass holomorphic=True for a holomorphic f"
            raise error("E306", None, what="the result, a complex number,", fix=fix)


def check_real(fn: Function, wrt: Sequence[int], holomorphic: bool) -> None:
    """Refuse complex arguments in forward mode: there is more than one direction to an entry."""
    for slot in wrt:
        if is_complex(fn.params[slot].type) and not holomorphic:
            fix = "differentiate by real and imaginary parts; or pass holomorphic=True"
            raise error("E306", None, what="an argument of complex numbers", fix=fix)


def _by_parameters(
    results: Results, wanted: Sequence[Param], wrt: Sequence[int], row: Sequence[Atom], single: bool
) -> Tree:
    """The Jacobians of one result in the containers of the parameters."""
    found = dict(zip(wrt, row, strict=True))
    trees = tuple(
        map_slots(lambda slot: results.add(found[slot.index]), param.tree) for param in wanted
    )
    return _of_read(trees[0] if single else trees)


def _of_read(tree: Tree) -> Tree:
    """The tree with the attributes that are read alone: zeros for others have other shapes."""
    return map_records(lambda record: replace(record, whole=False), tree)


def _finish(
    fn: Function,
    kind: str,
    params: list[Value],
    builder: Builder,
    results: Results,
    found: Tree,
    aux: Tree,
    has_aux: bool,
) -> Function:
    result = (found, results.keep(aux)) if has_aux else found
    interface: Interface = replace(interface_of(fn), result=result)
    return Function(f"{fn.name}_{kind}", Block(params, builder.body, results.atoms), interface)


__all__ = ["check_real", "jacfwd", "jacobian", "jacrev", "replace_name"]
