"""srcad's transformations used inside a differentiated function: `grad(f)(x)` in a loss, `grad(grad(f))`.

The inner function is lowered to a program of its own, transformed there, and its statements are put in place of
the call. What it reads of the outer function stays a free value, so that the outer derivative sees it: inner and
outer perturbations cannot be confused.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from srcad.errors import error
from srcad.frontend import state as st
from srcad.frontend.frame import Frame
from srcad.frontend.objects import (
    Abstract,
    DictObj,
    FunctionObj,
    ListObj,
    Partial,
    RecordObj,
    Ref,
    contents,
)
from srcad.ir.interface import Interface, Param, Record, Slot, Static, map_slots
from srcad.ir.nodes import Block, Function, Value
from srcad.ir.types import NumberType
from srcad.ir.walk import copy_statements, substitute
from srcad.rules.facts import type_of_constant


def derive_inside(
    frame: Frame, request: Any, callee: Ref, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> Abstract:
    """The result of calling a transformed function inside another function."""
    primal = Ref(request.primal, f"{callee.path}.primal") if callee.path else Ref(request.primal, "")
    bound = bind_arguments(frame, primal, args, kwargs)
    return differentiate(frame, request, primal, bound)


def bind_arguments(
    frame: Frame, primal: Abstract, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> dict[str, Abstract]:
    """The arguments by parameter name, in the order of the primal's signature."""
    from srcad.frontend.lower import signature_of

    if isinstance(primal, FunctionObj):
        names = [a.id for a in (*primal.node.args.args, *primal.node.args.kwonlyargs)]
        bound = dict(zip(names, args, strict=False))
        return {**bound, **kwargs}
    if isinstance(primal, Partial):
        return bind_arguments(frame, primal.fn, (*primal.args, *args), {**primal.kwargs, **kwargs})
    signature = signature_of(primal.obj)
    try:
        found = signature.bind(*args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`{primal.obj.__name__}` ({reason})") from None
    return {k: DictObj(x) if type(x) is dict else x for k, x in found.arguments.items()}


def differentiate(
    frame: Frame, request: Any, primal: Abstract, bound: dict[str, Abstract]
) -> Abstract:
    """Lower `primal` on fresh parameters, transform, and inline the result."""
    from srcad.transform import derive

    inner = lower_inner(frame, primal, bound)
    if request.kind not in ("grad", "value_and_grad", "elementwise_grad"):
        raise error("E120", None, what=f"`srcad.{request.kind}` used in this way")
    made = derive.gradient(
        inner.function,
        request.argnums,
        with_value=request.kind == "value_and_grad",
        has_aux=request.has_aux,
        single=request.single,
        elementwise=request.kind == "elementwise_grad",
    )
    return inline(frame, made, inner.atoms)


class Inner:
    """An inner program: its function, and the outer atoms that its parameters stand for."""

    def __init__(self, function: Function, atoms: list[Any]) -> None:
        self.function = function
        self.atoms = atoms


def lower_inner(frame: Frame, primal: Abstract, bound: dict[str, Abstract]) -> Inner:
    """The program of `primal` on parameters that replace the leaves of its arguments."""
    from srcad.frontend.calls import call
    from srcad.frontend.lower import result_tree

    session = frame.session
    atoms: list[Any] = []
    values: list[Value] = []
    params: list[Param] = []
    abstract: dict[str, Abstract] = {}

    def leaf(x: Abstract) -> Abstract:
        if not isinstance(x, Value | float | complex):
            return x
        value = Value(x.name if isinstance(x, Value) else "", _leaf_type(x))
        if isinstance(x, Value):
            session.roots[value] = session.root(x)
            session.inputs.paths.update(
                {value: session.inputs.paths[x]} if x in session.inputs.paths else {}
            )
        atoms.append(x)
        values.append(value)
        return value

    for name, x in bound.items():
        abstract[name] = st.rebuild(x, leaf)
        params.append(Param(name, _tree(abstract[name], values), _kind(primal, name)))
    results: list[Any] = []
    with session.block() as body:
        result = call(frame, primal, *_as_passed(primal, abstract))
        tree = result_tree(session, result, results)
    name = getattr(primal, "name", None) or getattr(getattr(primal, "obj", None), "__name__", "f")
    function = Function(name, Block(values, body, results), Interface(tuple(params), (), tree))
    return Inner(function, atoms)


def _kind(primal: Abstract, name: str) -> Any:
    from srcad.frontend.lower import signature_of

    if not isinstance(primal, Ref):
        return inspect.Parameter.POSITIONAL_OR_KEYWORD
    return signature_of(primal.obj).parameters[name].kind


def _as_passed(
    primal: Abstract, bound: dict[str, Abstract]
) -> tuple[tuple[Abstract, ...], dict[str, Abstract]]:
    """Bound arguments as a call passes them: by position as far as none is left out."""
    from srcad.frontend.lower import signature_of

    if not isinstance(primal, Ref):
        return (), bound
    positional: list[Abstract] = []
    rest = dict(bound)
    for name, parameter in signature_of(primal.obj).parameters.items():
        if name not in bound or parameter.kind is parameter.KEYWORD_ONLY:
            break
        x = rest.pop(name)
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(x)
        elif parameter.kind is parameter.VAR_KEYWORD:
            rest.update(x.items)
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


__all__ = ["derive_inside", "differentiate"]
