"""The derivative at a point as a function of tangents: what `srcad.linearize` runs.

    def f(x) -> y                  def f_linearize(x) -> (y, f_jvp)
        t = np.exp(x)                  t = np.exp(x)
        y = t * x                      y = t * x
                                       def f_jvp(x_dot):
                                           return x_dot * t * x + x_dot * t

What depends on tangents goes into the inner function, which reads what was computed before. A loop
or a branch that computes both goes there as a whole, and computes its values again.
"""

from __future__ import annotations

from dataclasses import replace

from srcad.ir.interface import Interface, Param, Slot, map_slots, slots
from srcad.ir.nodes import Block, Closure, Function, Stmt, Value
from srcad.ir.types import ObjectType
from srcad.ir.walk import copy_statements, outputs, reads, substitute
from srcad.rules.core.staged import Builder
from srcad.transform.boundary import Results, interface_of, or_zero
from srcad.transform.derive import tangent_inputs
from srcad.transform.forward.tangent import build_tangent


def linearized(fn: Function) -> Function:
    """The function `(*primals) -> (y, f_jvp)`, where `f_jvp(*tangents)` is the derivative of y."""
    interface = interface_of(fn)
    dots, tangents = tangent_inputs(fn)
    tangent = build_tangent(fn, tangents)
    before, linear = _parted(tangent.body, set(dots.values()))
    y_values = tangent.results
    if any(stmt_out in y_values for stmt in linear for stmt_out in outputs(stmt)):
        env = dict(zip(fn.params, tangent.params, strict=True))
        before += copy_statements(fn.body.body, env)
        y_values = substitute(list(fn.body.results), env)

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
    whole = Block(tangent.params, [*before, Closure(function, out)], results.atoms)
    return Function(f"{fn.name}_linearize", whole, replace(interface, result=result))


def _parted(body: list[Stmt], varied: set[Value]) -> tuple[list[Stmt], list[Stmt]]:
    """What can be computed before the tangents are known, and what depends on them."""
    before: list[Stmt] = []
    linear: list[Stmt] = []
    for stmt in body:
        if varied.isdisjoint(reads(stmt)):
            before.append(stmt)
        else:
            linear.append(stmt)
            varied.update(outputs(stmt))
    return before, linear


__all__ = ["linearized"]
