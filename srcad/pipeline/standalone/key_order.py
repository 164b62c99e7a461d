"""Gradients whose dicts have their keys in the order of those of the argument.

return {"b": b_bar, "w": w_bar}    ->    return _in_order({"b": b_bar, "w": w_bar}, params)
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Sequence

from srcad.emit.printing.unparse import unparse
from srcad.frontend.reading.signature import signature_of
from srcad.pipeline.request import Request

_TEXT = '''

def {name}(g, x):
    """The gradient `g` with the keys of its dicts in the order of those of `x`."""
    if type(g) is dict:
        return {{key: {name}(g[key], item) for key, item in x.items() if key in g}}
    if isinstance(g, (list, tuple)):
        parts = [{name}(*pair) for pair in zip(g, x)]
        return type(g)(*parts) if hasattr(g, "_fields") else type(g)(parts)
    return g
'''
_EXTENT = re.compile(r"\.shape\[\d+\]$")
_KINDS = ("grad", "value_and_grad", "elementwise_grad")


class Reordering:
    """What becomes of the statements that return the gradient with respect to dicts.

    `left` are the paths of dicts whose keys must come in the order that the program was made for.

    Args:
        names: of the parameters, if the function keeps what they are.
        general: the paths of dicts on the order of whose keys nothing depends, among others.
        used: names that must not be taken.
    """

    def __init__(
        self,
        request: Request,
        entry: ast.FunctionDef,
        names: Sequence[str] | None,
        general: frozenset[str],
        used: set[str],
    ) -> None:
        self.left: frozenset[str] = frozenset()
        self.definition: list[str] = []
        self.entry = entry
        self.new: dict[ast.Return, ast.Return] = {}
        dicts = frozenset(path for path in general if not _EXTENT.search(path))
        if not dicts:
            return
        if request.kind not in _KINDS or names is None:
            self.left = dicts
            return
        differentiated = _differentiated(request, names)
        mapped = {f"A[{i}]": name for i, name in enumerate(names)}
        own = {p for p in dicts if mapped.get(_argument(p)) in (differentiated or names)}
        attributes = {path for path in own if "." in _outside_quotes(path)}
        returns = [node for node in ast.walk(entry) if isinstance(node, ast.Return)]
        parts = [_gradient_in(node, request) for node in returns]
        if own and (differentiated is None or attributes or None in parts):
            self.left = frozenset(own)
        elif own:
            name = "_in_order_of_argument" if "_in_order" in used else "_in_order"
            self.definition = _TEXT.format(name=name).splitlines()
            given = ", ".join(differentiated or ())
            like = given if request.single else f"({given},)"
            for node, part in zip(returns, parts, strict=True):
                assert part is not None
                self.new[node] = _replaced(node, part, f"{name}({unparse(part).strip()}, {like})")

    def body(self, lines: Sequence[str], start: int) -> list[str]:
        """The lines of the function from `start` on."""
        made: list[str] = []
        at = start
        for old, new in sorted(self.new.items(), key=lambda pair: pair[0].lineno):
            made += lines[at : old.lineno - 1]
            text = unparse(new).strip("\n").splitlines()
            made += [f"{' ' * old.col_offset}{line}" for line in text]
            at = old.end_lineno or old.lineno
        return [*made, *lines[at:]]


def _argument(path: str) -> str:
    return path[: path.index("]") + 1]


def _outside_quotes(path: str) -> str:
    return "".join(path.split("'")[::2])


def _differentiated(request: Request, names: Sequence[str]) -> list[str] | None:
    """The parameters of the gradient; None where one is an item of `*args`."""
    parameters = list(signature_of(request.primal).parameters.values())
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    known = [p.name for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
    by_name = dict(zip(known, names, strict=False))
    found = [known[n] if isinstance(n, int) else n for n in request.argnums]
    return [by_name[name] for name in found]


def _gradient_in(node: ast.Return, request: Request) -> ast.expr | None:
    """The gradient in what is returned; None where it cannot be told."""
    at = {"value_and_grad": 1, "grad": 0 if request.has_aux else None}.get(request.kind)
    if at is None:
        return node.value
    whole = node.value
    return whole.elts[at] if isinstance(whole, ast.Tuple) and len(whole.elts) == 2 else None


def _replaced(node: ast.Return, part: ast.expr, text: str) -> ast.Return:
    """The statement with another expression in the place of a part."""
    new = ast.parse(text, mode="eval").body
    if node.value is part:
        return ast.Return(new)
    assert isinstance(node.value, ast.Tuple)
    return ast.Return(ast.Tuple([new if each is part else each for each in node.value.elts]))


__all__ = ["Reordering"]
