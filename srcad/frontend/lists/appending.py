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
    """The names to which a loop appends in each iteration, and nowhere else; it may read them."""
    found = _each_time(node.body)
    changes = _changes(node) if found else Counter()
    return [name for name, (_, places) in found.items() if changes[name] == places]


def appended_on_paths(node: gast.For | gast.While) -> list[str]:
    """The names to which a loop appends on any path of an iteration; it may read them."""
    found: list[str] = []
    waiting: list[Any] = [*node.body]
    while waiting:
        each = waiting.pop()
        if name := _extended(each):
            found.append(name)
        if not isinstance(each, _REPEATED):
            waiting.extend(gast.iter_child_nodes(each))
    changes = _changes(node) if found else Counter()
    return [name for name, count in Counter(found).items() if changes[name] == count]


def appended_inside(node: gast.For | gast.While) -> list[str]:
    """The names that a loop uses only to append to them in loops inside of it."""
    inner = [
        x for stmt in node.body for x in gast.walk(stmt) if isinstance(x, gast.For | gast.While)
    ]
    found = {id(x): _extended(x) for loop in inner for stmt in loop.body for x in gast.walk(stmt)}
    counts = Counter(name for name in found.values() if name)
    uses = _uses(node) if counts else Counter()
    return [name for name, count in counts.items() if uses[name] == count]


def _each_time(body: list[Any]) -> dict[str, tuple[int, int]]:
    """How often statements append to names, where that is the same on all paths, and the number of
    places where they do.
    """
    found: dict[str, tuple[int, int]] = {}
    for stmt in body:
        more: dict[str, tuple[int, int]] = {}
        if name := _extended(stmt):
            more = {name: (1, 1)}
        elif isinstance(stmt, gast.If):
            first, second = _each_time(stmt.body), _each_time(stmt.orelse)
            same = [n for n in first if first[n][0] == second.get(n, (0, 0))[0]]
            more = {n: (first[n][0], first[n][1] + second[n][1]) for n in same}
        for n, (count, places) in more.items():
            known = found.get(n, (0, 0))
            found[n] = known[0] + count, known[1] + places
    return found


def may_skip(node: gast.For | gast.While) -> bool:
    """Whether an iteration may leave out an item: by a branch, or by ending early."""
    ends = gast.Continue | gast.Break | gast.Return
    ends_early = any(isinstance(x, ends) for stmt in node.body for x in gast.walk(stmt))
    return ends_early or set(appended_on_paths(node)) != set(appended(node))


def has_loops(node: gast.For | gast.While) -> bool:
    """Whether the body of a loop has loops."""
    return any(isinstance(x, gast.For | gast.While) for stmt in node.body for x in gast.walk(stmt))


def _uses(node: gast.For | gast.While) -> Counter[str]:
    """How often each name stands in what a loop does in each iteration."""
    inside = [*node.body, *([node.test] if isinstance(node, gast.While) else [node.target])]
    names = (each for part in inside for each in gast.walk(part))
    return Counter(each.id for each in names if isinstance(each, gast.Name))


def _changes(node: gast.For | gast.While) -> Counter[str]:
    """How often a loop appends to what each name stands for, changes it otherwise, or binds the
    name: a queue that `pop(0)` keeps short is no list that grows.
    """
    inside = [*node.body, *([node.test] if isinstance(node, gast.While) else [node.target])]
    nodes = [each for part in inside for each in gast.walk(part)]
    names = [each for each in nodes if isinstance(each, gast.Name)]
    bound = Counter(each.id for each in names if not isinstance(each.ctx, gast.Load))
    added = Counter(filter(None, map(_extended, nodes)))
    own = Counter(filter(None, (_extended(x) for x in nodes if isinstance(x, gast.AugAssign))))
    taken = Counter(filter(None, map(_shortened, nodes)))
    return bound + added + taken - own


# What stands in these may run several times in an iteration, or later.
_REPEATED = (
    gast.For, gast.While, gast.FunctionDef, gast.Lambda, gast.ClassDef,
    gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp,
)  # fmt: skip


def _extended(node: Any) -> str:
    """The name of the list to which a statement adds items; nothing for another statement."""
    match node:
        case gast.Expr(value=gast.Call(
            func=gast.Attribute(value=gast.Name(id=name), attr="append"), args=[item], keywords=[]
        )) if not isinstance(item, gast.Starred):  # fmt: skip
            return str(name)
        case gast.Expr(value=gast.Call(
            func=gast.Attribute(value=gast.Name(id=name), attr="extend"), args=[more], keywords=[]
        )) if _are_items(more):  # fmt: skip
            return str(name)
        case gast.AugAssign(target=gast.Name(id=name), op=gast.Add()) if _are_items(node.value):
            return str(name)
    return ""


def _shortened(node: Any) -> str:
    """The name of the list from which an expression takes items."""
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="pop" | "remove")):
            return str(name)
    return ""


def _are_items(node: Any) -> bool:
    """Whether an expression is a list or tuple of some items."""
    is_display = isinstance(node, gast.List | gast.Tuple) and bool(node.elts)
    return is_display and not any(isinstance(each, gast.Starred) for each in node.elts)


__all__ = ["appended", "appended_inside", "appended_on_paths", "has_loops", "may_skip"]
