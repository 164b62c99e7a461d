"""srcad's transformations used inside a differentiated function: `grad(f)(x)` in a loss,
`grad(grad(f))`.

The inner function is lowered to a program of its own, transformed there, and its statements are put
in place of the call. What it reads of the outer function stays a free value, so that the outer
derivative sees it: inner and outer perturbations cannot be confused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from srcad.errors import error
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.frame import Frame
from srcad.frontend.objects import (
    Abstract,
    Bound,
    Closed,
    DictObj,
    FunctionObj,
    ListObj,
    Partial,
    RecordObj,
    Ref,
    contents,
    like,
)
from srcad.frontend.recursion import refuse_open
from srcad.frontend.results import result_tree
from srcad.frontend.signals import Pending, Raising
from srcad.frontend.signature import signature_of
from srcad.frontend.state import is_leaf
from srcad.ir.interface import Interface, Param, Record, Slot, Static, map_slots
from srcad.ir.nodes import Block, Closure, Function, Value
from srcad.ir.types import NumberType
from srcad.ir.walk import copy_statements, substitute
from srcad.rules.facts import type_of_constant


@dataclass(frozen=True)
class Wanted:
    """A transformation asked for inside: as the requests of `srcad.pipeline`, for an abstract
    function.
    """

    kind: str
    argnums: tuple[int, ...] = (0,)
    single: bool = True
    has_aux: bool = False


def derive_inside(frame: Frame, request: Any, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of calling a transformed function of the outside inside another function."""
    primal = (
        Ref(request.primal, f"{callee.path}.primal") if callee.path else Ref(request.primal, "")
    )
    wanted = Wanted(request.kind, request.argnums, request.single, request.has_aux)
    return differentiate(frame, wanted, primal, args, kwargs)


def differentiate(
    frame: Frame, wanted: Wanted, primal: Abstract, args: Args, kwargs: Kwargs
) -> Abstract:
    """Lower `primal` on fresh parameters, transform, and inline the result."""
    if wanted.kind not in ("grad", "value_and_grad", "elementwise_grad"):
        raise error("E120", None, what=f"`srcad.{wanted.kind}` used in this way")
    inner = lower_inner(frame, primal, bind_arguments(frame, primal, args, kwargs))
    made = frame.session.derive.gradient(
        inner.function,
        wanted.argnums,
        with_value=wanted.kind == "value_and_grad",
        has_aux=wanted.has_aux,
        single=wanted.single,
        elementwise=wanted.kind == "elementwise_grad",
    )
    return inline(frame, made, inner.atoms)


# The public functions, called inside
# ---------------------------------------------------------------


def _gradient(kind: str) -> Callable[..., Abstract]:
    def handler(
        frame: Frame,
        f: Abstract = None,
        argnums: Abstract = 0,
        *,
        has_aux: bool = False,
        **options: Any,
    ) -> Abstract:
        if f is None or isinstance(f, int | str):  # `@srcad.grad(argnums=1)`
            chosen = argnums if f is None else f
            return Closed(lambda frame, fn: handler(frame, fn, chosen, has_aux=has_aux), kind)
        return _transformed(frame, kind, f, argnums, bool(has_aux))

    return handler


def _transformed(frame: Frame, kind: str, f: Abstract, argnums: Abstract, has_aux: bool) -> Closed:
    chosen = frame.session.static(argnums, "`argnums`")
    names = [p.name for p in parameters_of(f)]
    single = not isinstance(chosen, tuple | list)
    positions = tuple(_position(each, names) for each in ((chosen,) if single else chosen))
    wanted = Wanted(kind, positions, single, has_aux)

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
    dots = _leaves_like(xs, ts)
    return inline(frame, made, [*inner.atoms, *dots])


def _leaves_like(xs: Abstract, ts: Abstract) -> list[Any]:
    """The leaves of tangents, for those leaves of their primals that are inputs."""
    if _is_input(xs):
        return [ts]
    if isinstance(xs, tuple) and isinstance(ts, tuple) and len(xs) == len(ts):
        return [t for x, each in zip(xs, ts, strict=True) for t in _leaves_like(x, each)]
    if isinstance(xs, ListObj | DictObj | RecordObj) and type(xs) is type(ts):
        a, b = contents(xs), contents(ts)
        if a.keys() == b.keys():
            return [t for key in a for t in _leaves_like(a[key], b[key])]
    if is_leaf(xs) or xs is None:
        return []
    raise error("E310", None, what="a tangent of another structure")


def _vjp(frame: Frame, f: Abstract, *primals: Abstract) -> Abstract:
    """`srcad.vjp(f, *primals)`: the value, and the pullback as a function of the program's."""
    inner = lower_inner(frame, f, bind_arguments(frame, f, primals, {}))
    made = frame.session.derive.pullback(inner.function)
    env: dict[Value, Any] = dict(zip(made.params, inner.atoms, strict=True))
    *body, last = copy_statements(made.body.body, env)
    assert isinstance(last, Closure)
    frame.session.builder.body.extend(body)
    results = substitute(made.body.results, env)
    assert made.interface is not None
    y_tree, _ = made.interface.result
    y = abstract_tree(map_slots(lambda slot: Leaf(results[slot.index]), y_tree))

    def pull(frame: Frame, y_bar: Abstract) -> Abstract:
        return inline(frame, last.function, _leaves_like(y, y_bar))

    held = tuple(v for v in env.values() if isinstance(v, Value))
    return (y, Closed(pull, "pullback", held))


def _derivative(frame: Frame, f: Abstract, order: Abstract = 1) -> Abstract:
    """`srcad.derivative(f, order)`."""
    result = f
    for _ in range(frame.session.static(order, "`order`")):
        result = _transformed(frame, "elementwise_grad", result, 0, False)
    return result


INSIDE: dict[str, Callable[..., Abstract]] = {
    "grad": _gradient("grad"),
    "value_and_grad": _gradient("value_and_grad"),
    "elementwise_grad": _gradient("elementwise_grad"),
    "derivative": _derivative,
    "jvp": _jvp,
    "vjp": _vjp,
}


# Lowering the inner function
# -----------------------------------------------------------------------


def parameters_of(f: Abstract) -> list[inspect.Parameter]:
    """The parameters of an abstract function."""
    match f:
        case FunctionObj():
            spec = f.node.args
            kinds = inspect.Parameter
            found = [
                kinds(a.id, kinds.POSITIONAL_OR_KEYWORD) for a in (*spec.posonlyargs, *spec.args)
            ]
            if spec.vararg is not None:
                found.append(kinds(spec.vararg.id, kinds.VAR_POSITIONAL))
            found += [kinds(a.id, kinds.KEYWORD_ONLY) for a in spec.kwonlyargs]
            if spec.kwarg is not None:
                found.append(kinds(spec.kwarg.id, kinds.VAR_KEYWORD))
            return found
        case Closed(parameters=parameters) if parameters is not None:
            return list(parameters)
        case Bound():
            return parameters_of(f.fn)[1:]
        case Partial():
            rest = parameters_of(f.fn)[len(f.args) :]
            return [p for p in rest if p.name not in f.kwargs]
        case Ref():
            return list(signature_of(f.obj).parameters.values())
    raise error("E313", None, what="what is differentiated")


def bind_arguments(
    frame: Frame, primal: Abstract, args: Args, kwargs: Kwargs
) -> dict[str, tuple[Abstract, Any]]:
    """Argument and kind by parameter name, in the order of the primal's signature."""
    signature = inspect.Signature(parameters_of(primal))
    try:
        found = signature.bind_partial(*args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"the function differentiated here ({reason})") from None
    return {
        name: (DictObj(x) if type(x) is dict else x, signature.parameters[name].kind)
        for name, x in found.arguments.items()
    }


class Inner:
    """An inner program: its function, and the outer atoms that its parameters stand for."""

    def __init__(self, function: Function, atoms: list[Any]) -> None:
        self.function = function
        self.atoms = atoms


def _is_input(x: Abstract) -> bool:
    return isinstance(x, Value | float | complex) and not isinstance(x, bool)


def lower_inner(frame: Frame, primal: Abstract, bound: dict[str, tuple[Abstract, Any]]) -> Inner:
    """The program of `primal` on parameters that replace the leaves of its arguments."""
    session = frame.session
    atoms: list[Any] = []
    values: list[Value] = []

    def fresh(x: Abstract) -> Abstract:
        if isinstance(x, tuple):
            return tuple(map(fresh, x))
        if isinstance(x, ListObj | DictObj | RecordObj):
            made = like(x, {key: fresh(item) for key, item in contents(x).items()})
            made.frozen = True  # it stands for one of the outer program
            return made
        if not _is_input(x):
            return x
        value = Value(x.name if isinstance(x, Value) else "", _leaf_type(x))
        if isinstance(x, Value):
            session.sharing.tell(value, session.sharing.roots(x))
            if x in session.inputs.paths:
                session.inputs.paths[value] = session.inputs.paths[x]
        atoms.append(x)
        values.append(value)
        return value

    abstract = {name: (fresh(x), kind) for name, (x, kind) in bound.items()}
    params = tuple(Param(name, _tree(x, values), kind) for name, (x, kind) in abstract.items())
    results: list[Any] = []
    with session.block() as body:
        try:
            result = call(frame, primal, *_as_passed(abstract))
        except Pending:
            raise
        except Raising:
            raise error("E316", None, what="the function differentiated here") from None
        tree = result_tree(session, result, results)
    name = getattr(primal, "name", None) or getattr(getattr(primal, "obj", None), "__name__", None)
    function = Function(name or "f", Block(values, body, results), Interface(params, (), tree))
    refuse_open(session, function)
    return Inner(function, atoms)


def _as_passed(bound: dict[str, tuple[Abstract, Any]]) -> tuple[Args, Kwargs]:
    """Bound arguments as a call passes them."""
    kinds = inspect.Parameter
    positional: list[Abstract] = []
    rest: Kwargs = {}
    for name, (x, kind) in bound.items():
        if kind is kinds.VAR_POSITIONAL:
            positional.extend(x)
        elif kind is kinds.VAR_KEYWORD:
            rest.update(x.items)
        elif kind is kinds.KEYWORD_ONLY:
            rest[name] = x
        else:
            positional.append(x)
    return tuple(positional), rest


def _leaf_type(x: Any) -> Any:
    if isinstance(x, Value):
        return NumberType(x.type.kind) if isinstance(x.type, NumberType) else x.type
    return type_of_constant(x)


def _tree(x: Abstract, values: Sequence[Value]) -> Any:
    if isinstance(x, Value):
        return Slot(values.index(x))
    if isinstance(x, tuple):
        return tuple(_tree(item, values) for item in x)
    if isinstance(x, ListObj):
        return [_tree(item, values) for item in x.items]
    if isinstance(x, DictObj):
        return {key: _tree(item, values) for key, item in x.items.items()}
    if isinstance(x, RecordObj):
        return Record(x.cls, {key: _tree(item, values) for key, item in contents(x).items()})
    return Static(x)


# Putting the result in place
# -----------------------------------------------------------------------


def inline(frame: Frame, fn: Function, atoms: Sequence[Any]) -> Abstract:
    """Put the statements of `fn` here, its parameters replaced by `atoms`; returns its result."""
    env: dict[Value, Any] = dict(zip(fn.params, atoms, strict=True))
    session = frame.session
    session.builder.body.extend(copy_statements(fn.body.body, env))
    results = substitute(fn.body.results, env)
    assert fn.interface is not None
    return abstract_tree(map_slots(lambda slot: Leaf(results[slot.index]), fn.interface.result))


class Leaf:
    """A result on its way from a tree to an abstract value."""

    def __init__(self, atom: Any) -> None:
        self.atom = atom


def abstract_tree(tree: Any) -> Abstract:
    """A result tree as an abstract value."""
    if isinstance(tree, Leaf):
        return tree.atom
    if isinstance(tree, tuple):
        return tuple(map(abstract_tree, tree))
    if isinstance(tree, list):
        return ListObj(list(map(abstract_tree, tree)))
    if isinstance(tree, dict):
        return DictObj({key: abstract_tree(item) for key, item in tree.items()})
    if isinstance(tree, Record):
        return RecordObj(tree.cls, {k: abstract_tree(item) for k, item in tree.fields.items()})
    return tree.value


__all__ = ["INSIDE", "derive_inside"]
