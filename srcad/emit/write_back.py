"""The end of a compiled function: what changes in the containers of the caller's.

Write("item", "A[0]", Slot(2), "step")              state["step"] = step
Write("attribute", "A[1].inner", Slot(3), "h")      model.inner.h = h
Write("items", "A[2]", [Slot(4), Slot(5)])          history[:] = [a, b]
Write("keys", "A[3]", {"a": Slot(6)})               d_2 = {"a": a}; d.clear(); d.update(d_2)

Inner containers come first, since paths lead through outer ones. What is read of a container is
read before the first is changed. (Arrays are written by the program itself.)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from srcad.emit.interface import Result
from srcad.emit.plan.naming import first_free
from srcad.emit.references import LOAD, STORE, name
from srcad.ir.interface import Chosen, Given, Interface, Record, Tree, Write


def write_containers(
    interface: Interface, results: Result, taken: set[str]
) -> tuple[list[ast.stmt], ast.expr]:
    """The statements that change containers, and the expression that is returned after them.

    Args:
        taken: names of variables.
    """
    writes = [write for write in interface.writes if write.kind != "array"]
    # A cached property is set in the dict of its object, in turn with its other attributes.
    writes.sort(key=lambda write: -_depth(results.given(write.path.removesuffix(".__dict__"))))
    before: list[ast.stmt] = []

    def bound(tree: Tree, wish: str) -> ast.expr:
        """The display of `tree`, as a variable where it reads what is changed."""
        value = results.display(tree)
        if not writes or not _reads(tree):
            return value
        variable = first_free(wish, taken)
        taken.add(variable)
        before.append(ast.Assign([ast.Name(variable, STORE)], value, lineno=0))
        return name(variable)

    values = [bound(write.tree, "item") for write in writes]
    returned = bound(interface.result, "result")
    after = [
        stmt
        for write, value in zip(writes, values, strict=True)
        for stmt in _write(write, value, results)
    ]
    return [*before, *after], returned


def _write(write: Write, value: ast.expr, results: Result) -> Iterator[ast.stmt]:
    owner = results.given(write.path)
    match write.kind:
        case "attribute":
            yield _assign(ast.Attribute(owner, write.key, STORE), value)
        case "item":
            key = results.references.constant(write.key)
            yield _assign(ast.Subscript(owner, key, STORE), value)
        case "items":
            yield _assign(ast.Subscript(owner, ast.Slice(), STORE), value)
        case "keys":
            yield _call(owner, "clear")
            yield _call(owner, "update", value)


def _assign(target: ast.expr, value: ast.expr) -> ast.stmt:
    return ast.Assign([target], value, lineno=0)


def _call(owner: ast.expr, method: str, *args: Any) -> ast.stmt:
    return ast.Expr(ast.Call(ast.Attribute(owner, method, LOAD), [*args], []))


def _depth(path: ast.expr) -> int:
    return sum(isinstance(node, ast.Subscript | ast.Attribute) for node in ast.walk(path))


def _reads(tree: Tree) -> bool:
    """Whether a tree reads what is in the caller's containers or objects."""
    if isinstance(tree, Given):
        return not re.fullmatch(r"A\[\d+\]", tree.path)
    if isinstance(tree, Record):
        return True
    if isinstance(tree, Chosen):
        return any(map(_reads, tree.cases.values()))
    if isinstance(tree, tuple | list):
        return any(map(_reads, tree))
    return isinstance(tree, dict) and any(map(_reads, tree.values()))
