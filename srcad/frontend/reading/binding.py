"""What a function's own text says: the names it binds, and how arguments go to its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import Args, Kwargs

Default = Callable[[], Abstract]


def local_names(node: gast.FunctionDef) -> frozenset[str]:
    """The names that a function binds anywhere in its own scope: Python looks for these nowhere
    else.
    """
    known: tuple[Any, frozenset[str]] | None = getattr(node, "local_names", None)
    if known is None or known[0] is not node:  # a copy of the node
        found: set[str] = set()
        outer: set[str] = set()
        _collect_names(node.body, found, outer, False)
        known = node.local_names = (node, frozenset(found - outer))
    return known[1]


def free_names(node: gast.FunctionDef | gast.Lambda) -> frozenset[str]:
    """The names in a function that may be those of what is around it."""
    names = {each.id for each in gast.walk(node) if isinstance(each, gast.Name)}
    spec = node.args
    own = (*spec.posonlyargs, *spec.args, spec.vararg, *spec.kwonlyargs, spec.kwarg)
    bound = local_names(node) if isinstance(node, gast.FunctionDef) else frozenset()
    return frozenset(names - bound - {each.id for each in own if each is not None})


_BINDING = (gast.Store, gast.Del)
_SCOPES = (gast.ListComp, gast.DictComp, gast.SetComp, gast.GeneratorExp)


def _collect_names(nodes: list[Any], found: set[str], outer: set[str], inside: bool) -> None:
    """`inside` a comprehension only `:=` binds a name of the function."""
    for node in nodes:
        if isinstance(node, gast.Name) and isinstance(node.ctx, _BINDING) and not inside:
            found.add(node.id)
        elif isinstance(node, gast.NamedExpr):
            found.add(node.target.id)
        elif isinstance(node, gast.Global | gast.Nonlocal):
            outer.update(node.names)
        elif isinstance(node, gast.Import | gast.ImportFrom):
            found.update(imported_name(alias) for alias in node.names)
        elif isinstance(node, gast.FunctionDef | gast.ClassDef):
            found.add(node.name)
            continue
        elif isinstance(node, gast.Lambda):
            continue
        children = list(gast.iter_child_nodes(node))
        _collect_names(children, found, outer, inside or isinstance(node, _SCOPES))


def imported_name(alias: Any) -> str:
    """The name that an import binds."""
    return str(alias.asname or alias.name.partition(".")[0])


def declared(node: Any, kind: type) -> frozenset[str]:
    """The names that a function declares `global` or `nonlocal`."""
    if isinstance(node, gast.Lambda):
        return frozenset()
    found: list[Any] = [each for each in own_nodes(node) if isinstance(each, kind)]
    return frozenset(name for each in found for name in each.names)


def own_nodes(node: Any) -> tuple[Any, ...]:
    """The nodes of a function's body, those of functions and classes inside aside."""
    known: tuple[Any, tuple[Any, ...]] | None = getattr(node, "own_nodes", None)
    if known is None or known[0] is not node:
        found: list[Any] = list(node.body)
        for each in found:  # which grows
            if not isinstance(each, gast.FunctionDef | gast.Lambda | gast.ClassDef):
                found.extend(gast.iter_child_nodes(each))
        known = node.own_nodes = (node, tuple(found))
    return known[1]


def assigns_outside(node: Any) -> bool:
    """Whether a function, or one inside it, assigns names of a function around it."""
    return any(isinstance(each, gast.Nonlocal) for each in gast.walk(node))


def yields(node: gast.FunctionDef) -> Iterator[Any]:
    """The `yield`s of a function, those of functions inside aside."""
    return (each for each in own_nodes(node) if isinstance(each, gast.Yield | gast.YieldFrom))


def bind(
    name: str,
    spec: gast.arguments,
    args: Args,
    kwargs: Kwargs,
    defaults: list[Default],
    kw_defaults: dict[str, Default],
) -> Kwargs:
    """The parameters' values by Python's rules for calls."""
    positional = [a.id for a in (*spec.posonlyargs, *spec.args)]
    only_positional = {a.id for a in spec.posonlyargs}
    bound: Kwargs = dict(zip(positional, args, strict=False))
    if spec.vararg is not None:
        bound[spec.vararg.id] = tuple(args[len(positional) :])
    elif len(args) > len(positional):
        raise error("E131", None, what=f"`{name}` ({len(args)} positional arguments)")
    extra: Kwargs = {}
    names = {*positional, *(a.id for a in spec.kwonlyargs)} - only_positional
    for key, x in kwargs.items():
        if key in bound and key in names:
            raise error("E131", None, what=f"`{name}` (two values for `{key}`)")
        if key in names:
            bound[key] = x
        elif spec.kwarg is None:
            raise error("E131", None, what=f"`{name}` (no parameter `{key}`)")
        else:
            extra[key] = x
    if spec.kwarg is not None:
        bound[spec.kwarg.id] = DictObj(extra)
    with_default = positional[len(positional) - len(defaults) :]
    for key, default in (*zip(with_default, defaults, strict=True), *kw_defaults.items()):
        if key not in bound:
            bound[key] = default()
    missing = [key for key in (*positional, *(a.id for a in spec.kwonlyargs)) if key not in bound]
    if missing:
        raise error("E131", None, what=f"`{name}` (no value for `{missing[0]}`)")
    return bound
