"""What a statement may change of what a handler reads, as its text says.

asked: {"x"}            x = 2.0; for x in a: ...; x += 1
asked: {None}           y[i] = 1.0; p.v = 2.0; y += z; out.append(z); f(z)
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.frontend.exceptions.made_nodes import Entering

Asked = frozenset[str | None]  # names; None: what containers, objects and arrays hold

_PURE_MODULES = ("np", "numpy", "math")
_PLAIN = gast.Name | gast.Constant | gast.Attribute | gast.Tuple | gast.expr_context
_PLAIN_CALLS = ("range", "len", "enumerate", "zip", "reversed", "isinstance")


def key_of(file: str, node: Any) -> str:
    """What stands for a `try` among what is asked for."""
    return f"parts of {file}:{node.lineno}:{node.col_offset}"


def asking(key: str, name: str | None) -> str:
    """What asks for the parts of a `try`, between which this name or what none is may change."""
    return f"{key} {name or ''}"


def asked_of(key: str, statics: frozenset[str]) -> Asked:
    """What is asked for of a `try`."""
    found = (each.removeprefix(f"{key} ") for each in statics if each.startswith(f"{key} "))
    return frozenset(name or None for name in found)


def may_change(stmt: Any, asked: Asked) -> bool:
    """Whether a statement may change something of what is `asked`."""
    return any(_changes(node, asked) for node in gast.walk(stmt))


def _changes(node: Any, asked: Asked) -> bool:
    match node:
        case Entering():
            return True
        case gast.Name(ctx=gast.Store() | gast.Del()):
            return node.id in asked
        case gast.FunctionDef() | gast.ClassDef():
            return node.name in asked
        case gast.Import() | gast.ImportFrom():
            return True
        case gast.AugAssign() | gast.Yield() | gast.YieldFrom():
            return None in asked
        case gast.Subscript(ctx=gast.Store() | gast.Del()):
            return None in asked
        case gast.Attribute(ctx=gast.Store() | gast.Del()):
            return None in asked
        case gast.Call():
            return None in asked and not is_pure_call(node)
        case _:
            return False


def is_opened(stmt: Any) -> bool:
    """Whether the parts of a body stand in the blocks of a statement."""
    match stmt:
        case gast.If() | gast.For() | gast.While() | gast.With() | gast.Try():
            return True
        case gast.Expr(value=gast.Yield()):
            return True
        case _:
            return False


def is_pure_call(node: gast.Call) -> bool:
    """Whether a call is one of a library's functions that compute."""
    owner = node.func.value if isinstance(node.func, gast.Attribute) else None
    is_library = isinstance(owner, gast.Name) and owner.id in _PURE_MODULES
    return is_library and all(k.arg is not None and k.arg != "out" for k in node.keywords)


def is_plain(node: Any) -> bool:
    """Whether an expression hardly raises: names, constants, `is`, ranges of them."""
    match node:
        case gast.Call(func=gast.Name()):
            return node.func.id in _PLAIN_CALLS and all(map(is_plain, node.args))
        case gast.BoolOp():
            return all(map(is_plain, node.values))
        case gast.UnaryOp(op=gast.Not()):
            return is_plain(node.operand)
        case gast.Compare():
            identities = all(isinstance(op, gast.Is | gast.IsNot) for op in node.ops)
            return identities and all(map(is_plain, (node.left, *node.comparators)))
        case _:
            return isinstance(node, _PLAIN)
