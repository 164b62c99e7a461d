"""srcad's public functions called inside a differentiated function: `srcad.grad(f)`,
`srcad.jvp(...)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcad.errors import error
from srcad.frontend.checkpoints import call_recomputed
from srcad.frontend.directions import leaves_like
from srcad.frontend.frame import Frame
from srcad.frontend.nested import (
    Leaf,
    Wanted,
    abstract_tree,
    bind_arguments,
    differentiate,
    inline,
    lower_inner,
    parameters_of,
    place,
)
from srcad.frontend.objects import (
    Abstract,
    Closed,
    ListObj,
)
from srcad.ir.interface import map_slots
from srcad.ir.nodes import Closure, Value
from srcad.ir.walk import copy_statements, substitute


def _gradient(kind: str) -> Callable[..., Abstract]:
    def handler(
        frame: Frame,
        f: Abstract = None,
        argnums: Abstract = 0,
        *,
        has_aux: bool = False,
        holomorphic: bool = False,
        **options: Any,
    ) -> Abstract:
        if f is None or isinstance(f, int | str):  # `@srcad.grad(argnums=1)`
            chosen = argnums if f is None else f
            given = {"has_aux": has_aux, "holomorphic": holomorphic}
            return Closed(lambda frame, fn: handler(frame, fn, chosen, **given), kind)
        return _transformed(frame, kind, f, argnums, (bool(has_aux), bool(holomorphic)))

    return handler


def _transformed(
    frame: Frame, kind: str, f: Abstract, argnums: Abstract, options: tuple[bool, bool]
) -> Closed:
    chosen = frame.session.static(argnums, "`argnums`")
    names = [p.name for p in parameters_of(f)]
    single = not isinstance(chosen, tuple | list)
    positions = tuple(_position(each, names) for each in ((chosen,) if single else chosen))
    wanted = Wanted(kind, positions, single, *options)

    def apply(frame: Frame, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return differentiate(frame, wanted, f, args, kwargs)

    return Closed(apply, kind, (f,), parameters_of(f))


def _position(wanted: Any, names: list[str]) -> int:
    if isinstance(wanted, str):
        if wanted not in names:
            raise error("E304", None, what=repr(wanted))
        return names.index(wanted)
    if not -len(names) <= wanted < len(names):
        raise error("E303", None, what=str(wanted))
    return int(wanted) % len(names)


def _jvp(frame: Frame, f: Abstract, primals: Abstract, tangents: Abstract) -> Abstract:
    """`srcad.jvp(f, primals, tangents)`."""
    xs, ts = (tuple(x.items) if isinstance(x, ListObj) else x for x in (primals, tangents))
    if not isinstance(xs, tuple) or not isinstance(ts, tuple) or len(xs) != len(ts):
        raise error("E310", None, what="a tangent that stands in no tuple")
    inner = lower_inner(frame, f, bind_arguments(frame, f, xs, {}))
    made = frame.session.derive.pushforward(inner.function)
    dots = leaves_like(frame, xs, ts)
    return inline(frame, made, [*inner.atoms, *dots])


def _vjp(frame: Frame, f: Abstract, *primals: Abstract) -> Abstract:
    """`srcad.vjp(f, *primals)`: the value, and the pullback as a function of the program's."""
    inner = lower_inner(frame, f, bind_arguments(frame, f, primals, {}))
    made = frame.session.derive.pullback(inner.function)
    atoms = map(frame.session.atom, inner.atoms)
    env: dict[Value, Any] = dict(zip(made.params, atoms, strict=True))
    *body, last = copy_statements(made.body.body, env)
    assert isinstance(last, Closure)
    results = place(frame.session, body, substitute(made.body.results, env))
    assert made.interface is not None
    y_tree, _ = made.interface.result
    y = abstract_tree(map_slots(lambda slot: Leaf(results[slot.index]), y_tree))

    def pull(frame: Frame, y_bar: Abstract) -> Abstract:
        return inline(frame, last.function, leaves_like(frame, y, y_bar))

    held = tuple(v for v in env.values() if isinstance(v, Value))
    return (y, Closed(pull, "pullback", held))


def _derivative(
    frame: Frame, f: Abstract, order: Abstract = 1, *, holomorphic: bool = False
) -> Abstract:
    """`srcad.derivative(f, order)`."""
    result = f
    for _ in range(frame.session.static(order, "`order`")):
        result = _transformed(frame, "elementwise_grad", result, 0, (False, bool(holomorphic)))
    return result


def _checkpoint(frame: Frame, f: Abstract) -> Abstract:
    """`srcad.checkpoint(f)`."""

    def apply(frame: Frame, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_recomputed(frame, f, args, kwargs)

    return Closed(apply, "checkpoint", (f,), parameters_of(f))


INSIDE: dict[str, Callable[..., Abstract]] = {
    "grad": _gradient("grad"),
    "value_and_grad": _gradient("value_and_grad"),
    "elementwise_grad": _gradient("elementwise_grad"),
    "derivative": _derivative,
    "checkpoint": _checkpoint,
    "jacrev": _gradient("jacrev"),
    "jacfwd": _gradient("jacfwd"),
    "jacobian": _gradient("jacobian"),
    "hessian": _gradient("hessian"),
    "hvp": _gradient("hvp"),
    "jvp": _jvp,
    "vjp": _vjp,
}
