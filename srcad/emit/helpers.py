"""The source of srcad's own run-time functions, to be copied into a module that stands alone.

def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:      def unbroadcast(g, shape):
    ...                                                 ->       ...
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import inspect
import textwrap
from types import FunctionType
from typing import Any


def helper_source(fn: FunctionType) -> tuple[ast.FunctionDef, dict[str, Any]]:
    """The definition of `fn` without annotations, and the globals that it reads, by name."""
    definition, names = _parsed(fn)
    used = {word: fn.__globals__[word] for word in names if word in fn.__globals__}
    return copy.deepcopy(definition), used


@functools.cache
def _parsed(fn: FunctionType) -> tuple[ast.FunctionDef, tuple[str, ...]]:
    definition = ast.parse(textwrap.dedent(inspect.getsource(fn))).body[0]
    assert isinstance(definition, ast.FunctionDef), f"{fn.__name__} is no plain function"
    Unannotated().visit(definition)
    bound = {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}
    names = [node for node in ast.walk(definition) if isinstance(node, ast.Name)]
    bound |= {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    read = dict.fromkeys(node.id for node in names if node.id not in bound)
    return definition, tuple(word for word in read if not hasattr(builtins, word))


class Unannotated(ast.NodeTransformer):
    """Takes annotations away, helpers need no typing; but those that make the `fields` of a class,
    where these are to stay.
    """

    def __init__(self, fields: bool = False) -> None:
        self.fields = fields

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """A parameter."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function, and what is in it."""
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """`x: int = 3`, or `x: int`, which is nothing without its annotation."""
        if node.value is None:
            return node if self.fields else ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)
