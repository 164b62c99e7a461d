"""What functions that are called as they are change outside: the program must not read it.

    def tick():                     written_names(tick)    {"count"}
        global count
        count += 1

A program reads a global, or an attribute of an object, once for each call. It would miss what such
a function makes of it meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import Any

import gast

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.session import Session
from srcad.frontend.reading.source import get_source
from srcad.ir.nodes import Block
from srcad.ir.walk import reads, statements, values_in
from srcad.rules import RULES
from srcad.rules.core.declaration.declared import is_by_trial
from srcad.rules.core.declaration.registration import of_users

# Methods of Python's containers and of arrays.
_CHANGING = frozenset(
    """
    add append appendleft clear difference_update discard extend extendleft fill insert
    intersection_update move_to_end partition pop popitem popleft put remove resize reverse rotate
    setdefault setfield sort symmetric_difference_update update
    """.split()  # noqa: SIM905 - a list of strings would be a page
)
_NAME = re.compile(r"\['(\w+)'\]|\.(\w+)")


def written_names(fn: Any) -> frozenset[str]:
    """The globals and attributes that a function's text changes."""
    try:
        node = get_source(fn).node
    except SrcadError:
        return frozenset()
    return frozenset(_written(node)) - {*fn.__code__.co_varnames}


def _written(node: Any) -> Iterator[str]:
    for each in gast.walk(node):
        match each:
            case gast.Global(names=names) | gast.Nonlocal(names=names):
                yield from names
            case gast.Attribute(attr=name, ctx=gast.Store() | gast.Del()):
                yield name
            case gast.Subscript(value=base, ctx=gast.Store() | gast.Del()):
                yield from _last_name(base)
            case gast.Call(func=gast.Attribute(value=base, attr=method)) if method in _CHANGING:
                yield from _last_name(base)
            case gast.AugAssign(target=target):  # `history += [x]`
                yield from _last_name(target)


def _last_name(base: Any) -> Iterator[str]:
    while isinstance(base, gast.Subscript):
        base = base.value
    if isinstance(base, gast.Name):
        yield base.id
    elif isinstance(base, gast.Attribute):
        yield base.attr


def refuse_trial(fn: Any) -> None:
    """Refuse to find a type by calling a function that changes what is not its own.

    Raises:
        MissingRule: E207.
    """
    if fn not in of_users or not isinstance(fn, FunctionType) or not is_by_trial(RULES[fn].type_of):
        return
    names = sorted(written_names(fn))
    if names:
        note = f"it is not called to find out, because it changes `{names[0]}`"
        raise error("E207", None, what=f"`{fn.__name__}`", notes=(note,))


def names_in(path: str) -> list[str]:
    """The keys and attributes by which a path leads to an object."""
    return ["".join(pair) for pair in _NAME.findall(path)]


def refuse_read(session: Session, results: Sequence[Any]) -> None:
    """Refuse a program that reads what such a function changes.

    Raises:
        UnsupportedSyntax: E107.
    """
    if not session.hidden:
        return
    inputs, body = session.inputs, session.builder.body
    used = {v for stmt in statements(Block([], body, [])) for v in reads(stmt)}
    used |= set(values_in(results))
    read = [path for path, value in inputs.values.items() if value in used]
    # What a name of a module holds is lifted where the program reads it, all else with its object.
    read += [guard.path for guard in inputs.guards.values() if guard.path.endswith("']")]
    for path in read:
        if path.startswith("A["):
            continue
        for name in names_in(path):
            if name in session.hidden:
                by, where = session.hidden[name]
                what = f"reading `{name}`, which `{by}` may change here,"
                fix = f"pass `{name}` as an argument and return the new one"
                raise error("E107", where, what=what, fix=fix)


__all__ = ["names_in", "refuse_read", "refuse_trial", "written_names"]
