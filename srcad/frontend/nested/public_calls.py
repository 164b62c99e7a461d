"""srcad's public functions called inside a differentiated function: `srcad.grad(f)`,
`srcad.jvp(...)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from srcad.deferred import Deferred
from srcad.errors import SrcadError, error
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj
from srcad.frontend.abstract.containers.contents import known_contents
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot, Sparing
from srcad.frontend.abstract.objects import Abstract, Closed, Conflict, Instance, Range
from srcad.frontend.calls.checkpoints import call_checkpointed
from srcad.frontend.calls.opaque_calls import without_derivative
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.nested.directions import leaves_like, with_attributes
from srcad.frontend.nested.inlining import Leaf, abstract_tree, inline, place
from srcad.frontend.nested.mapping import call_mapped, known_axes
from srcad.frontend.nested.parameters import bind_arguments, parameters_of
from srcad.frontend.nested.transforms import (
    Wanted,
    differentiate,
    lower_inner,
    refuse_joint,
    refuse_objects,
)
from srcad.ir.interface import map_slots
from srcad.ir.kinds import holds_ints, is_array
from srcad.ir.marks import checkpointing_from
from srcad.ir.nodes import Checkpointing, Closure, Value
from srcad.ir.types import shape_of
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
        _check_options(options)
        if f is None or isinstance(f, int | str | tuple):  # `@srcad.grad(argnums=1)`
            chosen = argnums if f is None else f
            given = {"has_aux": has_aux, "holomorphic": holomorphic}
            return Closed(lambda frame, fn: handler(frame, fn, chosen, **given), kind)
        return _transformed(frame, kind, f, argnums, (bool(has_aux), bool(holomorphic)))

    return handler


def _transformed(
    frame: Frame, kind: str, f: Abstract, argnums: Abstract, options: tuple[bool, bool]
) -> Closed:
    chosen = frame.session.static(argnums, "`argnums`")
    single = not isinstance(chosen, tuple | list)
    positions = tuple(
        _position(each, parameters_of(f)) for each in ((chosen,) if single else chosen)
    )
    wanted = Wanted(kind, positions, single, *options)

    def apply(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return differentiate(frame, wanted, f, args, kwargs)

    return Closed(apply, kind, (f,), parameters_of(f))


def _position(wanted: Any, parameters: list[inspect.Parameter]) -> int:
    """Where an argument is among the parameters; from `*args` on, among their items."""
    names = [p.name for p in parameters]
    if isinstance(wanted, str):
        if wanted not in names:
            raise error("E304", None, what=repr(wanted))
        return names.index(wanted)
    open_ended = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if open_ended and wanted >= 0:
        return int(wanted)
    if open_ended or not -len(names) <= wanted < len(names):
        raise error("E303", None, what=str(wanted))
    return int(wanted) % len(names)


def _jvp(
    frame: Frame,
    f: Abstract,
    primals: Abstract,
    tangents: Abstract,
    *,
    has_aux: bool = False,
    **options: Abstract,
) -> Abstract:
    """`srcad.jvp(f, primals, tangents)`."""
    _check_options(options)
    xs, ts = (tuple(x.items) if isinstance(x, ListObj) else x for x in (primals, tangents))
    if not isinstance(xs, tuple) or not isinstance(ts, tuple) or len(xs) != len(ts):
        raise error("E310", None, what="a tangent that stands in no tuple")
    refuse_joint(frame, xs)
    inner = lower_inner(frame, f, bind_arguments(f, xs, {}))
    made = frame.session.derive.pushforward(inner.function, has_aux=bool(has_aux))
    dots = leaves_like(frame, xs, ts)
    return inline(frame, made, [*inner.atoms, *dots])


def _vjp(
    frame: Frame, f: Abstract, *primals: Abstract, has_aux: bool = False, **options: Abstract
) -> Abstract:
    """`srcad.vjp(f, *primals)`: the value, and the pullback as a function of the program's."""
    _check_options(options)
    unknown: dict[int, Abstract] = {}
    for k, x in enumerate(primals):
        if isinstance(x, Instance):  # which may be passed, if its cotangent is not read
            what = f"an object of class `{type(x.obj).__name__}`"
            asks = partial(frame.session.inputs.beside.ask_object, x.obj, x.path)
            unknown[k] = Conflict("E308", what, asks=asks)
        else:
            refuse_objects(frame, x)
    inner = lower_inner(frame, f, bind_arguments(f, primals, {}))
    pullback = frame.session.derive.pullback(inner.function, has_aux=bool(has_aux))
    made = frame.session.simplify(pullback)
    atoms = map(frame.session.atom, inner.atoms)
    env: dict[Value, Any] = dict(zip(made.params, atoms, strict=True))
    *body, last = copy_statements(made.body.body, env)
    assert isinstance(last, Closure)
    results = place(frame.session, body, substitute(made.body.results, env))
    assert made.interface is not None

    def abstract(tree: Any) -> Abstract:
        return abstract_tree(map_slots(lambda slot: Leaf(results[slot.index]), tree))

    y_tree, _, *aux = made.interface.result
    y = abstract(y_tree)

    def pull(frame: Frame, y_bar: Abstract) -> Abstract:
        bars = inline(frame, last.function, leaves_like(frame, y, y_bar))
        made = (with_attributes(bar, x) for bar, x in zip(bars, primals, strict=True))
        return tuple(unknown.get(k, bar) for k, bar in enumerate(made))

    held = tuple(v for v in env.values() if isinstance(v, Value))
    return (y, Closed(pull, "pullback", held), *map(abstract, aux))


def _derivative(
    frame: Frame,
    f: Abstract = None,
    order: Abstract = 1,
    *,
    holomorphic: bool = False,
    **options: Abstract,
) -> Abstract:
    """`srcad.derivative(f, order)`."""
    _check_options(options)
    if f is None:  # `@srcad.derivative(order=2)`
        return Closed(
            lambda frame, fn: _derivative(frame, fn, order, holomorphic=holomorphic), "derivative"
        )
    known = frame.session.static(order, "`order`")
    if isinstance(known, bool) or not isinstance(known, int) or known < 1:
        raise error("E312", None, what=repr(known))
    result = f
    for _ in range(known):
        result = _transformed(frame, "derivative", result, 0, (False, bool(holomorphic)))
    return result


def _vmap(
    frame: Frame,
    f: Abstract = None,
    in_axes: Abstract = 0,
    out_axes: Abstract = 0,
    **options: Abstract,
) -> Abstract:
    """`srcad.vmap(f, in_axes, out_axes)`."""
    _check_options(options)
    if f is None:  # `@srcad.vmap(in_axes=(0, None))`
        return Closed(lambda frame, fn: _vmap(frame, fn, in_axes, out_axes), "vmap")
    axes = known_axes(frame, in_axes, "`in_axes`"), known_axes(frame, out_axes, "`out_axes`")

    def apply(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_mapped(frame, axes, f, args, kwargs)

    return Closed(apply, "vmap", (f,), parameters_of(f))


def _checkpoint(
    frame: Frame, f: Abstract = None, *, budget: Abstract = None, steps: Abstract = None
) -> Abstract:
    """`srcad.checkpoint(f, budget, steps)`, of a function or of what a loop runs over."""
    if f is None:
        return Closed(lambda frame, fn: _checkpoint(frame, fn, budget=budget, steps=steps), "")
    static = frame.session.static
    found = checkpointing_from(static(budget, "`budget`"), static(steps, "`steps`"))
    how = None if found is None else Checkpointing(*found)
    if how is not None and isinstance(f, range | Range | Value | OneShot):
        return Sparing(f, how)

    def apply(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_checkpointed(frame, f, how, args, kwargs)

    return Closed(apply, "checkpoint", (f,), parameters_of(f))


def _compile(frame: Frame, f: Abstract = None, **options: Abstract) -> Abstract:
    """`srcad.compile(f)`: `f`, which is part of the program in any case."""
    _check_options(options)
    return Closed(lambda frame, fn: fn, "compile") if f is None else f


def _stop_gradient(frame: Frame, x: Abstract) -> Abstract:
    """`srcad.stop_gradient(x)`: containers are new ones."""
    return without_derivative(frame, x)


def _leaves(frame: Frame, tree: Abstract) -> Abstract:
    """What optimisers call: `srcad.api.arguments.trees.leaves`. Keys of dicts in their order."""
    return ListObj(list(_leaves_of(tree)))


def _leaves_of(x: Abstract) -> Iterator[Abstract]:
    if isinstance(x, DictObj):
        for key in sorted(x.items):
            yield from _leaves_of(x.items[key])
    elif isinstance(x, tuple | ListObj | RecordObj):
        for item in x if isinstance(x, tuple) else known_contents(x).values():
            yield from _leaves_of(item)
    elif x is not None:
        yield x


def _updated_leaves(frame: Frame, params: Abstract, gradient: Abstract) -> Abstract:
    """`srcad.api.arguments.updates.updated_leaves(params, gradient)`."""
    arrays = [x for x in _leaves_of(params) if not holds_ints(x)]  # ints are kept as they are
    parts = list(_leaves_of(gradient))
    fits = all(_may_have_shape(p, g) for p, g in zip(arrays, parts, strict=False))
    if len(arrays) != len(parts) or not fits:
        raise error("E310", None, what="a gradient that an optimiser is given")
    return (ListObj(arrays), ListObj(parts))


def _may_have_shape(p: Abstract, g: Abstract) -> bool:
    """Whether two arrays have one shape, as far as is known; the update itself sees to the rest."""
    a, b = (shape_of(x.type) if is_array(x) else None for x in (p, g))
    if a is None or b is None or len(a) != len(b):
        return False
    return all(m == n or not {m, n} & {1} for m, n in zip(a, b, strict=True))


_OPTIONS = ("backend", "fast_math", "cache")


def _check_options(options: dict[str, Abstract]) -> None:
    """Refuse options that no transformation has; the common ones are those of the outermost."""
    for name, x in options.items():
        if name == "sparse" and x is False:
            continue
        if name == "sparse":
            raise _sparse()
        if name not in _OPTIONS:
            raise error("E131", None, what=f"a transformation (no option `{name}`)")


def _sparse() -> SrcadError:
    fix = "compute it outside, and pass it as an argument; or leave sparse=True out"
    what = "a sparse derivative, whose pattern is found outside of programs,"
    return error("E100", None, what=what, fix=fix)


def use_inside(frame: Frame, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of calling a public function of srcad's in a differentiated function.

    Raises:
        UnsupportedSyntax: E100 for those that are for use outside.
    """
    handler = INSIDE.get(name)
    if name == "__call__":
        raise _sparse()
    if handler is None:
        fix = "call it outside of the differentiated function, and pass what it returns"
        raise error("E100", None, what=f"`srcad.{name}`", fix=fix)
    try:
        inspect.signature(handler).bind(frame, *args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`srcad.{name}` ({reason})") from None
    return handler(frame, *args, **kwargs)


INSIDE: dict[str, Callable[..., Abstract]] = {
    "grad": _gradient("grad"),
    "value_and_grad": _gradient("value_and_grad"),
    "elementwise_grad": _gradient("elementwise_grad"),
    "derivative": _derivative,
    "checkpoint": _checkpoint,
    "compile": _compile,
    "fixed_point": Deferred("srcad.frontend.solvers.implicit:fixed_point"),
    "implicit": Deferred("srcad.frontend.solvers.implicit:implicit"),
    "jacrev": _gradient("jacrev"),
    "jacfwd": _gradient("jacfwd"),
    "jacobian": _gradient("jacobian"),
    "hessian": _gradient("hessian"),
    "hvp": _gradient("hvp"),
    "jvp": _jvp,
    "leaves": _leaves,
    "solve_ivp_by_adjoint": Deferred("srcad.frontend.solvers.initial_values:solve_ivp_by_adjoint"),
    "stop_gradient": _stop_gradient,
    "updated_leaves": _updated_leaves,
    "vjp": _vjp,
    "vmap": _vmap,
}
