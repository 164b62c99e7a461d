"""Second derivatives: a Jacobian of the gradient, or its product with a vector.

    def f(x) -> y       def f_hvp(x, v):                    forward over reverse
                            x_dot = v
                            <the gradient of f, with tangents>
                            return x_bar_dot

Where a rule states the adjoint alone, reverse over reverse: a Hessian is its own transpose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from srcad.errors import error
from srcad.ir.interface import Param, Slot, Static, map_slots, slots
from srcad.ir.nodes import Atom, Block, Function, Stmt, Value
from srcad.ir.types import ArrayType, NumberType
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.transform.boundary import (
    Results,
    differentiable_slots,
    interface_of,
    or_zero,
    wanted_params,
)
from srcad.transform.derive import gradient
from srcad.transform.forward.tangent import build_tangent, has_tangent
from srcad.transform.forward.walk import dot_name
from srcad.transform.jacobians.jacobians import check_real, jacfwd, jacrev, replace_name
from srcad.transform.reverse.adjoint import build_adjoint
from srcad.transform.reverse.scope import Cotangent


def hessian(
    fn: Function,
    argnums: Sequence[int | str],
    *,
    has_aux: bool = False,
    single: bool = True,
    holomorphic: bool = False,
) -> Function:
    """The function that returns the second derivatives of `fn`: forward over reverse, or reverse
    over reverse where a rule states the adjoint alone.
    """
    first = gradient if _is_scalar_result(fn, has_aux) else jacrev
    made = first(
        fn, argnums, has_aux=has_aux, single=single, holomorphic=holomorphic, is_final=False
    )
    second = jacfwd if has_tangent(made) else jacrev
    made = second(made, argnums, has_aux=has_aux, single=single, holomorphic=holomorphic)
    return replace_name(made, f"{fn.name}_hessian")


def hvp(
    fn: Function, argnums: Sequence[int | str], *, has_aux: bool = False, single: bool = True
) -> Function:
    """The function `(*primals, v) -> H v`: the tangent of the gradient along `v`; or its cotangent,
    which is the same, where a rule states the adjoint alone.

    `v` has the container of the gradient: a tuple for a tuple of parameters.
    """
    made = gradient(fn, argnums, has_aux=has_aux, single=single, is_final=False)
    interface = interface_of(made)
    wanted = wanted_params(made, argnums)
    wrt = differentiable_slots(made, wanted, False)
    if len(wrt) < sum(len(slots(param.tree)) for param in wanted):
        raise error("E310", None, what="`v`, with two vectors for one argument,")
    check_real(made, wrt, False)
    dots = {slot: Value(dot_name(made.params[slot]), made.params[slot].type) for slot in wrt}
    tree, aux = interface.result if has_aux else (interface.result, ())
    used = slots(tree)
    is_forward = has_tangent(made) or len({*used}) != len(dots)
    product = _along(made, dots) if is_forward else _back_along(made, dots, used)
    results = Results(product.results)
    builder = Builder(product.body)
    found = map_slots(
        lambda slot: results.add(
            or_zero(builder, product.along[slot.index], product.results[slot.index])
        ),
        tree,
    )
    at = {slot: len(made.params) + k for k, slot in enumerate(wrt)}
    trees = tuple(map_slots(lambda slot: Slot(at[slot.index]), p.tree) for p in wanted)
    v = Param("v", trees[0] if single else trees)
    shape = replace(
        interface,
        params=(*interface.params, v),
        result=(found, results.keep(aux)) if has_aux else found,
    )
    body = Block([*product.params, *dots.values()], product.body, results.atoms)
    return Function(f"{fn.name}_hvp", body, shape)


@dataclass(frozen=True, slots=True)
class _Product:
    """`body` computes the `results` of a gradient, and the product with `v` in place of each."""

    params: list[Value]
    body: list[Stmt]
    results: list[Atom]
    along: Mapping[int, Cotangent]


def _along(made: Function, dots: Mapping[int, Value]) -> _Product:
    """The tangent of a gradient."""
    tangent = build_tangent(made, [dots.get(slot, ZERO) for slot in range(len(made.params))])
    along = dict(enumerate(tangent.tangents))
    return _Product(tangent.params, tangent.body, tangent.results, along)


def _back_along(made: Function, dots: Mapping[int, Value], used: Sequence[int]) -> _Product:
    """The cotangent of a gradient: a Hessian is its own transpose."""
    seeds: list[Cotangent] = [ZERO] * len(made.body.results)
    for slot, v in zip(used, dots.values(), strict=True):
        seeds[slot] = v
    adjoint = build_adjoint(made, list(dots), seeds)
    along = dict(zip(used, adjoint.cotangents, strict=True))
    return _Product(adjoint.params, [*adjoint.forward, *adjoint.reverse], adjoint.results, along)


def _is_scalar_result(fn: Function, has_aux: bool) -> bool:
    """Whether `gradient` takes the function."""
    tree = interface_of(fn).result
    if has_aux and isinstance(tree, tuple | list) and len(tree) == 2:
        tree = tree[0]
    if not isinstance(tree, Slot):
        return isinstance(tree, Static)
    t = type_of(fn.body.results[tree.index])
    return isinstance(t, NumberType) or (isinstance(t, ArrayType) and t.shape == ())
