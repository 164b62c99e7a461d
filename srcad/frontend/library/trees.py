"""Functions of the package optree: containers of which the structure is known while compiling.

optree.tree_map(f, {"w": w, "b": b})        {"w": f(w), "b": f(b)}, `b` before `w`
optree.tree_reduce(f, [x, (y, z)])          f(f(x, y), z)

optree itself takes apart and rebuilds containers like those of the program, with a `Leaf` in the
place of each value: so the order, and what raises, are its own.
"""

from __future__ import annotations

import functools
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj, SetObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe
from srcad.frontend.calls.handled import check_fits
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.expressions.expressions import item
from srcad.frontend.expressions.missing import fails
from srcad.frontend.loops.iteration import items_of


@dataclass(eq=False, slots=True)
class Leaf:
    """A value of the program in a container."""

    value: Abstract

    def __repr__(self) -> str:
        return "..."


class Trees:
    """The containers of a call, as optree takes them."""

    def __init__(self, frame: Frame, name: str, options: Kwargs) -> None:
        self.frame, self.name = frame, name
        self.known: dict[int, tuple[Any, Abstract]] = {}  # by the container made: this one, whose
        is_leaf = options.pop("is_leaf", None)
        self.options = {key: frame.session.static(x, f"`{key}`") for key, x in options.items()}
        if is_leaf is not None:
            self.options["is_leaf"] = functools.partial(self._is_leaf, is_leaf)

    def _is_leaf(self, is_leaf: Abstract, node: Any) -> bool:
        found = call(self.frame, is_leaf, (self.back(node),))
        return bool(self.frame.session.static(found, f"what `is_leaf=` of `{self.name}` returns"))

    def taken(self, x: Abstract) -> Any:
        """A container like `x`, of leaves; None is a container of nothing."""
        if x is None:
            return None
        made = self._container(x)
        if made is None:
            return Leaf(x)
        self.known[id(made)] = (made, x)
        return made

    def _container(self, x: Abstract) -> Any:
        behind = x.obj if isinstance(x, Ref) else None
        cls = x.cls if isinstance(x, DictObj | ListObj | RecordObj) else type(behind or x)
        if isinstance(x, tuple):
            return tuple(map(self.taken, x))
        if isinstance(x, RecordObj) and not x.is_tuple:
            return self._unless_known(cls)
        if isinstance(x, RecordObj) or (isinstance(behind, tuple) and cls is not tuple):
            return cls(*map(self.taken, items_of(self.frame, x, f"`{self.name}`")))
        if isinstance(x, DictObj | ListObj) or isinstance(behind, dict | list | tuple):
            if cls not in (dict, OrderedDict, list, tuple):
                raise error("E120", None, what=f"`{self.name}` of {describe(x)}")
            items = items_of(self.frame, x, f"`{self.name}`")
            if issubclass(cls, dict):
                return cls((key, self.taken(item(self.frame, x, key))) for key in items)
            return cls(map(self.taken, items))
        if isinstance(x, SetObj) or isinstance(behind, set | deque):
            return None
        return None if behind is None else self._unless_known(cls)

    def _unless_known(self, cls: type) -> None:
        """Refuse an object that optree was told how to take apart."""
        import optree

        namespace = self.options.get("namespace", "")
        if optree.register_pytree_node.get(cls, namespace=namespace) is not None:
            fix = "map over its attributes"
            what = f"`{self.name}` of a `{cls.__name__}`, which is registered with optree,"
            raise error("E120", None, what=what, fix=fix)

    def back(self, made: Any) -> Abstract:
        """What a part of a container stands for: that of the program, or a new one."""
        if isinstance(made, Leaf):
            return made.value
        found = self.known.get(id(made))
        if found is not None and found[0] is made:
            return found[1]
        if isinstance(made, dict):
            return DictObj({key: self.back(x) for key, x in made.items()}, cls=type(made))
        if isinstance(made, list):
            return ListObj(list(map(self.back, made)))
        if isinstance(made, tuple) and type(made) is not tuple:
            fields: tuple[str, ...] = getattr(made, "_fields")  # noqa: B009 -- of a named tuple
            return RecordObj(type(made), dict(zip(fields, map(self.back, made), strict=True)))
        return tuple(map(self.back, made)) if isinstance(made, tuple) else made

    def asked(self, fn: Callable[..., Any], *args: Any) -> Any:
        """What optree gives; where it raises, the program does."""
        try:
            return fn(*args)
        except (ValueError, TypeError) as problem:
            raise fails(self.frame, problem) from None

    def flat(self, tree: Abstract) -> tuple[list[Abstract], Any]:
        """The leaves, and the structure."""
        import optree

        made = self.taken(tree)
        leaves, spec = self.asked(functools.partial(optree.tree_flatten, **self.options), made)
        return list(map(self.back, leaves)), spec

    def built(self, spec: Any, leaves: list[Abstract]) -> Abstract:
        """A container of this structure."""
        return self.back(self.asked(spec.unflatten, list(map(Leaf, leaves))))


def _leaves(trees: Trees, tree: Abstract) -> Abstract:
    return ListObj(trees.flat(tree)[0])


def _flatten(trees: Trees, tree: Abstract) -> Abstract:
    leaves, spec = trees.flat(tree)
    return (ListObj(leaves), Ref(spec, ""))


def _structure(trees: Trees, tree: Abstract) -> Abstract:
    return Ref(trees.flat(tree)[1], "")


def _unflatten(trees: Trees, spec: Abstract, leaves: Abstract) -> Abstract:
    if not isinstance(spec, Ref):
        raise error("E132", None, what=f"`{trees.name}` of {describe(spec)}")
    if spec.path:
        trees.frame.session.inputs.guard(spec.path, "equals", spec.obj)
    return trees.built(spec.obj, items_of(trees.frame, leaves, f"`{trees.name}`"))


def _mapped(trees: Trees, func: Abstract, tree: Abstract, *rests: Abstract) -> Any:
    """The structure, and what the function gives for each leaf."""
    leaves, spec = trees.flat(tree)
    columns = [leaves]
    for rest in rests:
        parts = trees.asked(spec.flatten_up_to, trees.taken(rest))
        columns.append(list(map(trees.back, parts)))
    return spec, [call(trees.frame, func, args) for args in zip(*columns, strict=True)]


def _map(trees: Trees, func: Abstract, tree: Abstract, *rests: Abstract) -> Abstract:
    return trees.built(*_mapped(trees, func, tree, *rests))


def _map_for_effects(trees: Trees, func: Abstract, tree: Abstract, *rests: Abstract) -> Abstract:
    _mapped(trees, func, tree, *rests)
    return tree


def _reduce(trees: Trees, func: Abstract, tree: Abstract, *initial: Abstract) -> Abstract:
    given = (func, _leaves(trees, tree), *initial)
    return call(trees.frame, Ref(functools.reduce, ""), given)


def _by(builtin: Callable[..., Any]) -> Callable[..., Abstract]:
    def handler(trees: Trees, tree: Abstract, *start: Abstract) -> Abstract:
        return call(trees.frame, Ref(builtin, ""), (_leaves(trees, tree), *start))

    return handler


_HANDLERS: dict[str, Callable[..., Abstract]] = {
    "tree_all": _by(all),
    "tree_any": _by(any),
    "tree_flatten": _flatten,
    "tree_leaves": _leaves,
    "tree_map": _map,
    "tree_map_": _map_for_effects,
    "tree_reduce": _reduce,
    "tree_structure": _structure,
    "tree_sum": _by(sum),
    "tree_unflatten": _unflatten,
}
_MAYBE_POSITIONAL = {
    "tree_flatten": ("is_leaf",), "tree_leaves": ("is_leaf",), "tree_structure": ("is_leaf",),
}  # fmt: skip


def call_tree(frame: Frame, fn: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """A call of a function of optree, or of `unflatten` of a structure.

    Raises:
        SrcadError: E120, another function of optree, or a container that is not known here; E131,
            the arguments do not fit.
    """
    import optree

    spec = getattr(fn, "__self__", None)
    if spec is not None:  # `treespec.unflatten`, of a structure made inside
        return call_tree(frame, optree.tree_unflatten, (Ref(spec, ""), *args), kwargs)
    name = f"optree.{fn.__name__}"
    handler = _HANDLERS.get(fn.__name__)
    if handler is None:
        fix = f"use one of {', '.join(sorted(_HANDLERS))}"
        raise error("E120", None, what=f"`{name}`", fix=fix)
    check_fits(fn, name, args, kwargs)
    given = dict(kwargs)
    for key in ("initial", "start"):
        if key in given:
            args = (*args, given.pop(key))
    for key, x in zip(_MAYBE_POSITIONAL.get(fn.__name__, ()), args[1:], strict=False):
        args, given[key] = args[:1], x
    return handler(Trees(frame, name, given), *args)


__all__ = ["call_tree"]
