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
from srcad.ir.effects import has_effect
from srcad.ir.interface import Interface, Param, Slot, map_slots, slots
from srcad.ir.nodes import Block, Closure, Function, Value
from srcad.ir.types import ObjectType
from srcad.ir.walk import outputs
from srcad.rules.core.staged import Builder
from srcad.rules.core.zero import ZERO
from srcad.transform.boundary import Results, interface_of, or_zero
from srcad.transform.derive import tangent_inputs
from srcad.transform.forward.effects_apart import effects_apart, started_again
from srcad.transform.forward.tangent import build_tangent
from srcad.transform.jacobians.direction_split import split

_FIX = "draw the numbers outside and pass them; or call srcad.jvp, once for each direction"


def linearized(fn: Function) -> Function:
    """The function `(*primals) -> (y, f_jvp)`, where `f_jvp(*tangents)` is the derivative of y.

    Raises:
        MissingRule: E206, what has an effect has a derivative as well.
    """
    interface = interface_of(fn)
    dots, tangents = tangent_inputs(fn)
    tangent = build_tangent(fn, tangents)
    before, linear = split(tangent.body, list(dots.values()))
    y_values = tangent.results
    bound = {out for stmt in linear for out in outputs(stmt)}
    if any(y in bound for y in y_values if isinstance(y, Value)) or any(map(has_effect, linear)):
        apart = effects_apart(fn, [fn.params[slot] for slot in dots])
        if apart is None:
            what = f"a function in `{fn.name}` that draws or prints"
            raise error("E206", None, what=what, fix=_FIX)
        given = len(apart.quiet.params) - len(fn.params)
        tangent = build_tangent(apart.quiet, [*tangents, *[ZERO] * given])
        before, linear = started_again(*split(tangent.body, list(dots.values())))
        primal, y_values = apart.primal(tangent.params)
        before = [*primal, *before]

    inner, end = Results([]), Builder(linear)
    y_dots = {
        slot: inner.add(or_zero(end, tangent.tangents[slot], y_values[slot]))
        for slot in slots(interface.result)
    }
    y_dot = map_slots(lambda slot: y_dots[slot.index], interface.result)
    at = {slot: k for k, slot in enumerate(dots)}
    params = tuple(
        Param(
            f"{param.name}_dot",
            map_slots(lambda slot: Slot(at[slot.index]), param.tree),
        )
        for param in interface.params
    )
    body = Block([*dots.values()], linear, inner.atoms)
    function = Function("f_jvp", body, Interface(params, (), y_dot))

    out = Value("f_jvp", ObjectType("function"))
    results = Results(y_values)
    result = (results.keep(interface.result), results.add(out))
    whole = Block(
        tangent.params[: len(fn.params)], [*before, Closure(function, out)], results.atoms
    )
    return Function(f"{fn.name}_linearize", whole, replace(interface, result=result))


__all__ = ["linearized"]
