"""The lists that a loop only appends to, as its text tells.

for v in x:
    ys.append(v)          `ys` gets an item in each iteration: `appended`
    if v > 0:
        zs += [v]         `zs` in some of them: `appended_on_paths`
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import gast


def appended(node: gast.For | gast.While) -> list[str]:
    """The names that a loop uses once in each iteration, to append to them."""
    found = [name for stmt in node.body if (name := _extended(stmt))]
    uses = _uses(node)
    return [name for name in found if uses[name] == 1]


def appended_on_paths(node: gast.For | gast.While) -> list[str]:
    """The names that the iterations of a loop use only to append to them, on any of their paths."""
    found: list[str] = []
    waiting: list[Any] = [*node.body]
    while waiting:
        each = waiting.pop()
        if name := _extended(each):
            found.append(name)
        if not isinstance(each, _REPEATED):
            waiting.extend(gast.iter_child_nodes(each))
    uses = _uses(node)
    return [name for name, count in Counter(found).items() if uses[name] == count]


def appended_inside(node: gast.For | gast.While) -> list[str]:
    """The names that a loop uses only to append to them in loops inside of it."""
    inner = [
        x for stmt in node.body for x in gast.walk(stmt) if isinstance(x, gast.For | gast.While)
    ]
    found = {id(x): _extended(x) for loop in inner for stmt in loop.body for x in gast.walk(stmt)}
    uses = _uses(node)
    counts = Counter(name for name in found.values() if name)
    return [name for name, count in counts.items() if uses[name] == count]


def may_skip(node: gast.For | gast.While) -> bool:
    """Whether an iteration may leave out an item: by a branch, or by ending early."""
    ends = gast.Continue | gast.Break | gast.Return
    ends_early = any(isinstance(x, ends) for stmt in node.body for x in gast.walk(stmt))
    return ends_early or set(appended_on_paths(node)) != set(appended(node))


def _uses(node: gast.For | gast.While) -> Counter[str]:
    """How often each name stands in what a loop does in each iteration."""
    inside = [*node.body, *([node.test] if isinstance(node, gast.While) else [node.target])]
    names = (each for part in inside for each in gast.walk(part))
    return Counter(each.id for each in names if isinstance(each, gast.Name))


# What stands in these may run several times in an iteration, or later.
_REPEATED = (
    gast.For, gast.While, gast.FunctionDef, gast.Lambda, gast.ClassDef,
    gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp,
)  # fmt: skip


def _extended(node: Any) -> str:
    """The name of the list to which a statement adds one item; nothing for another statement."""
    match node:
        case gast.Expr(value=gast.Call(
            func=gast.Attribute(value=gast.Name(id=name), attr="append"), args=[item], keywords=[]
        )) if not isinstance(item, gast.Starred):  # fmt: skip
            return str(name)
        case gast.Expr(value=gast.Call(
            func=gast.Attribute(value=gast.Name(id=name), attr="extend"), args=[more], keywords=[]
        )) if _is_one(more):  # fmt: skip
            return str(name)
        case gast.AugAssign(target=gast.Name(id=name), op=gast.Add(), value=more) if _is_one(more):
            return str(name)
    return ""


def _is_one(node: Any) -> bool:
    """Whether an expression is a list or tuple of one item."""
    is_display = isinstance(node, gast.List | gast.Tuple) and len(node.elts) == 1
    return is_display and not isinstance(node.elts[0], gast.Starred)


__all__ = ["appended", "appended_inside", "appended_on_paths", "may_skip"]
