"""The elementary functions of compiled code, copied into a module that stands alone.

from srcad.native.functions import exp       from numba.extending import intrinsic
                                             ...
                                       ->    @elementary
                                             def exp(x): ...

They stand before what calls them: functions with a signature are compiled where they are defined.
"""

from __future__ import annotations

import ast

from srcad.emit.bundle import Bundle, names_of
from srcad.emit.printing.unparse import unparse
from srcad.pipeline.standalone.imports import grouped

_MODULE, _CALL_ALL = "srcad.native.functions", "call_all"


def with_functions(text: str) -> str:
    """The text with the definitions of what it imports from `srcad.native.functions`."""
    tree = ast.parse(text)
    statements = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    own = [n for n in statements if isinstance(n, ast.ImportFrom) and n.module == _MODULE]
    if not own:
        return text
    bound = {alias.asname or alias.name: alias.name for n in own for alias in n.names}
    # No thread stands by there: a pool of Python's has each begin.
    left = {f"{b}(" for b, n in bound.items() if n == _CALL_ALL}
    bound = {b: n for b, n in bound.items() if n != _CALL_ALL}
    imported = {alias.asname or alias.name for n in statements for alias in n.names}
    bundle = Bundle((names_of(tree) | imported) - {b for b, n in bound.items() if b == n})
    names = {b: bundle.add(_MODULE, n) for b, n in bound.items()}
    lines = [*bundle.lines(), *(f"{b} = {name}" for b, name in names.items() if name != b)]
    kept = {unparse(n).strip() for n in statements if n not in own}
    start, end = statements[0].lineno - 1, statements[-1].end_lineno
    body = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    decorators = [each for fn in body for each in fn.decorator_list]
    first = min([node.lineno for node in body] + [node.lineno for node in decorators]) - 1
    given = [line for line in text.splitlines() if not line.lstrip().startswith(tuple(left))]
    head = [*given[:start], *grouped(kept.union(bundle.imports)), *given[end:first]]
    while not head[-1]:
        head.pop()
    return "\n".join([*head, "", *lines, "", "", *given[first:], ""])


__all__ = ["with_functions"]
