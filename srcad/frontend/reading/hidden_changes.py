"""What functions that are called as they are change outside: the program must not read it.

    def tick():                     written_by(tick).names      {"count"}
        global count
        count += 1

A program reads a global, or an attribute of an object, once for each call. It would miss what such
a function makes of it meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import gast

from srcad.errors import Location, SrcadError, error
from srcad.frontend.abstract.session import Session
from srcad.frontend.reading.source import get_source
from srcad.ir.guards import is_below
from srcad.ir.nodes import Block
from srcad.ir.walk import reads, statements, values_in

# Methods of Python's containers and of arrays.
CHANGING = frozenset(
    """
    add append appendleft clear difference_update discard extend extendleft fill insert
    intersection_update move_to_end partition pop popitem popleft put remove resize reverse rotate
    setdefault setfield sort symmetric_difference_update update
    """.split()  # noqa: SIM905 - a list of strings would be a page
)
# Those that do the same whatever is held, and give nothing.
_ADDING = frozenset(("add", "append", "appendleft", "clear", "discard", "extend", "update"))
_NAME = re.compile(r"\['(\w+)'\]|\.(\w+)")
_OF_NAME = re.compile(r"('\]|\.cell_contents)$")
_OF_CELL = re.compile(r"F\.__closure__\[(\d+)\]\.cell_contents")


@dataclass(frozen=True)
class Written:
    """What a function's text changes: globals and attributes, and attributes of parameters;
    `unread`: those that it does not read besides. `returns`: whether it may give more than None.
    """

    names: frozenset[str] = frozenset()
    fields: frozenset[tuple[str, str]] = frozenset()
    unread: frozenset[str] = frozenset()
    returns: bool = True


def written_by(fn: Any) -> Written:
    """What a function's text changes that is not its own."""
    try:
        node = get_source(fn).node
    except SrcadError:
        return Written()
    code = fn.__code__
    params, own = code.co_varnames[: code.co_argcount], {*code.co_varnames}
    found = list(_written(node))
    return Written(
        frozenset(name for root, name in found if root not in params and name not in own),
        frozenset((root, name) for root, name in found if root in params),
        frozenset(_unread(node)),
        _returns(node),
    )


def body_of(node: Any) -> Iterator[Any]:
    """What is in the body of a function; its decorators and defaults are not."""
    for stmt in node.body if isinstance(node.body, list) else [node.body]:
        yield from gast.walk(stmt)


def _returns(node: Any) -> bool:
    """Whether the text returns what may be no None."""
    kinds = (gast.Yield, gast.YieldFrom, gast.Await)
    return isinstance(node, gast.Lambda) or any(
        isinstance(each, kinds) or (isinstance(each, gast.Return) and not _is_none(each.value))
        for each in body_of(node)
    )


def _is_none(x: Any) -> bool:
    return x is None or (isinstance(x, gast.Constant) and x.value is None)


def _unread(node: Any) -> set[str]:
    """The names of which all that is done is that something is added: `seen.append(x)`."""
    nodes = list(body_of(node))
    adding = []
    for each in nodes:
        match each:
            case gast.Expr(value=gast.Call(func=gast.Attribute(value=base, attr=method))):
                if method in _ADDING and isinstance(base, gast.Name | gast.Attribute):
                    adding.append(base)
    others = [each for each in nodes if not any(each is base for base in adding)]
    return {_name_of(base) for base in adding} - {_name_of(each) for each in others}


def _name_of(node: Any) -> str:
    return getattr(node, "id", "") or getattr(node, "attr", "")


def _written(node: Any) -> Iterator[tuple[str, str]]:
    """The name that an attribute is of, if it is one, and the name that is changed."""
    for each in body_of(node):
        match each:
            case gast.Global(names=names) | gast.Nonlocal(names=names):
                yield from (("", name) for name in names)
            case gast.Attribute(ctx=gast.Store() | gast.Del()):
                yield from _last_name(each)
            case gast.Subscript(value=base, ctx=gast.Store() | gast.Del()):
                yield from _last_name(base)
            case gast.Call(func=gast.Attribute(value=base, attr=method)) if method in CHANGING:
                yield from _last_name(base)
            case gast.AugAssign(target=target):  # `history += [x]`
                yield from _last_name(target)


def _last_name(base: Any) -> Iterator[tuple[str, str]]:
    while isinstance(base, gast.Subscript):
        base = base.value
    if isinstance(base, gast.Name):
        yield "", base.id
    elif isinstance(base, gast.Attribute):
        yield (base.value.id if isinstance(base.value, gast.Name) else ""), base.attr


def names_in(path: str) -> list[str]:
    """The keys and attributes by which a path leads to an object."""
    return ["".join(pair) for pair in _NAME.findall(path)]


def refuse_read(session: Session, results: Sequence[Any], fn: Any) -> None:
    """Refuse a program of `fn` that reads what such a function changes.

    Raises:
        UnsupportedSyntax: E107.
    """
    if not session.hidden:
        return
    inputs, body = session.inputs, session.builder.body
    used = {v for stmt in statements(Block([], body, [])) for v in reads(stmt)}
    used |= set(values_in(results))
    known = {**inputs.values, **inputs.forgotten}
    read = {path: value.name for path, value in known.items() if value in used}
    # What a name of a module holds is lifted where the program reads it, all else with its object.
    read |= {g.path: "" for g in inputs.guards.values() if _OF_NAME.search(g.path)}
    free = getattr(getattr(fn, "__code__", None), "co_freevars", ())
    for path, named in read.items():
        if path.startswith("A["):
            _refuse_below(session, path)
            continue
        cell = _OF_CELL.match(path)
        own = free[int(cell[1])] if cell and int(cell[1]) < len(free) else named
        for name in (*names_in(path), own):
            if name in session.hidden:
                _refuse(name, *session.hidden[name])
        _refuse_below(session, path)
    for path in session.attributes_read:
        _refuse_below(session, path)


def _refuse_below(session: Session, path: str) -> None:
    """Refuse a read at a path that begins with that of something hidden."""
    for start, hides in session.hidden.items():
        owner = start.rpartition(".")[0]
        if is_below(path, start) or path == f"{owner}.__dict__":
            _refuse(names_in(start)[-1], *hides)


def _refuse(name: str, by: str, where: Location | None) -> NoReturn:
    what = f"reading `{name}`, which `{by}` may change here,"
    fix = f"pass `{name}` as an argument and return the new one"
    raise error("E107", where, what=what, fix=fix)


__all__ = ["CHANGING", "body_of", "names_in", "refuse_read", "written_by"]
