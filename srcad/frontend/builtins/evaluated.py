"""`eval` of a text that is known while compiling: its expression is read where it stands.

eval("np." + window + "(n)")        np.hanning(n)

What a text hides from all that looks for effects and for the uses of lists in advance stays
refused: calls of the user's functions, containers, names of functions around.
"""

from __future__ import annotations

import ast
from typing import Any

import gast

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Method, Ref, is_static
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.calls.origins import is_library, module_of
from srcad.frontend.dispatch import expression
from srcad.ir.nodes import Value
from srcad.rules import RULES

_TAKEN = (
    gast.Expression, gast.BinOp, gast.UnaryOp, gast.Compare, gast.Call, gast.keyword,
    gast.Attribute, gast.Subscript, gast.Slice, gast.Tuple, gast.Constant, gast.Name,
    gast.expr_context, gast.operator, gast.unaryop, gast.cmpop,
)  # fmt: skip


def _eval(frame: Frame, source: Abstract, /, *scopes: Abstract) -> Abstract:
    text = frame.session.static(source, "the text that `eval` gets")
    if scopes or frame.fn is None or frame.outer is not None or not isinstance(text, str):
        raise _refused()
    try:
        node = gast.ast_to_gast(ast.parse(text.lstrip(" \t"), mode="eval"))
    except SyntaxError:
        raise _refused() from None
    for each in gast.walk(node):
        if not isinstance(each, _TAKEN):
            raise _refused()
        gast.copy_location(each, frame.node)
    _check(frame, node)
    return expression(frame, node.body)


def _check(frame: Frame, node: Any) -> None:
    """Refuse names that stand for containers, and calls of what is not a library's."""
    for each in gast.walk(node):
        if isinstance(each, gast.Name):
            found = expression(frame, each)
            if not (isinstance(found, Value | Ref) or is_static(found)):
                raise _refused()
        elif isinstance(each, gast.Call):
            called = expression(frame, each.func)
            is_method = isinstance(called, Method) and isinstance(called.receiver, Value)
            if not is_method and not (isinstance(called, Ref) and _only_computes(called.obj)):
                raise _refused()


def _only_computes(fn: Any) -> bool:
    home = module_of(fn).partition(".")[0]
    return fn in RULES or (is_library(fn) and home in ("numpy", "scipy", "math"))


def _refused() -> SrcadError:
    fix = "write the expression itself; choose a function by `getattr(np, name)` or from a dict"
    return error("E204", None, what="`eval` of this text", fix=fix)


BUILTINS[eval] = _eval
