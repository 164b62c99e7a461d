"""The derivative at a point as a function of tangents: what `srcad.linearize` runs.

    def f(x) -> y                  def f_linearize(x) -> (y, f_jvp)
        t = np.exp(x)                  t = np.exp(x)
        y = t * x                      y = t * x
                                       def f_jvp(x_dot):
                                           return x_dot * t * x + x_dot * t

What depends on tangents goes into the inner function, which reads what was computed before. A loop
or a branch that computes both goes there as a whole, and computes its values again, without effects
(`srcad.transform.forward.effects_apart`).
"""

from __future__ import annotations

from dataclasses import replace

from srcad.errors import error
from srcad.ir.interface import Interface, Param, Slot, map_slots
from srcad.ir.nodes import Block, Closure, Function, Value
from srcad.ir.types import ObjectType
from srcad.rules.core.staged import Builder
from srcad.transform.boundary import Results, interface_of, tangent_params
from srcad.transform.class_results import tangent_tree
from srcad.transform.derive import tangent_inputs
from srcad.transform.jacobians.direction_split import split_tangent

_FIX = "draw the numbers outside and pass them; or call srcad.jvp, once for each direction"


def linearized(fn: Function) -> Function:
    """The function `(*primals) -> (y, f_jvp)`, where `f_jvp(*tangents)` is the derivative of y.

    Raises:
        MissingRule: E206, what has an effect has a derivative as well.
    """
    interface = interface_of(fn)
    dots, tangents = tangent_inputs(fn)
    found = split_tangent(fn, tangents, list(dots.values()), range(len(fn.body.results)))
    if found is None:
        what = f"a function in `{fn.name}` that draws or prints"
        raise error("E206", None, what=what, fix=_FIX)

    inner, end = Results([]), Builder(found.inside)
    y_dot = tangent_tree(fn, interface.result, found, dots, end, inner)
    at = {slot: k for k, slot in enumerate(dots)}
    params = tuple(
        Param(
            f"{param.name}_dot",
            map_slots(lambda slot: Slot(at[slot.index]), param.tree),
        )
        for param in tangent_params(interface)
    )
    body = Block([*dots.values()], end.body, inner.atoms)
    function = Function("f_jvp", body, Interface(params, (), y_dot))

    out = Value("f_jvp", ObjectType("function"))
    results = Results(found.results)
    result = (results.keep(interface.result), results.add(out))
    whole = Block(found.params, [*found.before, Closure(function, out)], results.atoms)
    return Function(f"{fn.name}_linearize", whole, replace(interface, result=result))


__all__ = ["linearized"]
