"""Messages of exceptions on paths that data decides: what cannot be read of them is left out.

    if not constraint.holds(alpha):                 If(...): raise_(ValueError, "f'{constraint}'")
        text = f"{constraint}"
        raise ValueError(f"alpha must be {text}")

Such a path is never part of a derivative. It raises an exception of the same class, with the text
of the message in place of what Python writes. It does nothing else: what may leave it by another
way, raise something else or print stays refused.
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.errors import SrcadError
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Conflict, Ref
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.dispatch import expression, handles_statement
from srcad.runtime.effects import raise_

_PREPARING = gast.Assign | gast.AnnAssign | gast.AugAssign | gast.If
_GATHERING = ("append", "extend", "insert", "add", "update")  # of lines of the text


@handles_statement(SrcadError)
def _raised_without_text(frame: Frame, refused: Exception, rest: list[Any]) -> Outcome | None:
    """Raise what these statements end in, of which one was refused; None where it stays refused."""
    last = rest[-1]
    if not isinstance(refused, SrcadError) or not isinstance(last, gast.Raise):
        return None
    if not frame.session.conditions or not all(map(_prepares, rest[:-1])):
        return None
    nodes = [node for each in rest for node in gast.walk(each)]
    stored = [node for node in nodes if isinstance(getattr(node, "ctx", None), gast.Store)]
    if not all(isinstance(node, gast.Name) for node in stored):
        return None
    cls = _class_of(frame, last.exc)
    if cls is None:
        return None
    for node in stored:
        frame.bind(node.id, Conflict("E138", f"`{node.id}`"))
    arguments = getattr(last.exc, "args", [])
    frame.session.effect(raise_, Ref(cls, ""), ", ".join(map(gast.unparse, arguments)))
    return Outcome("raise")


def _prepares(stmt: Any) -> bool:
    """Whether a statement does nothing but make parts of a text."""
    if isinstance(stmt, gast.If):
        return all(map(_prepares, (*stmt.body, *stmt.orelse)))
    if isinstance(stmt, gast.Expr):
        called = stmt.value.func if isinstance(stmt.value, gast.Call) else None
        return isinstance(called, gast.Attribute) and called.attr in _GATHERING
    return isinstance(stmt, _PREPARING | gast.Pass)


def _class_of(frame: Frame, node: Any) -> type | None:
    """The class of what is raised, if it takes a message and nothing else."""
    named = node.func if isinstance(node, gast.Call) else node
    if not isinstance(named, gast.Name | gast.Attribute):
        return None
    found = expression(frame, named)
    cls = found.obj if isinstance(found, Ref) else None
    if not isinstance(cls, type) or not issubclass(cls, Exception):
        return None
    own = [each for each in cls.__mro__ if each.__module__ != "builtins"]
    plain = not any({"__init__", "__new__"} & vars(each).keys() for each in own)
    return cls if plain else None
