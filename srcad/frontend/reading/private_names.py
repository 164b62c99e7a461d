"""Private names of classes, as Python's compiler writes them.

class Account:                          class Account:
    def __init__(self, v):                  def __init__(self, v):
        self.__v = v              ->            self._Account__v = v
"""

from __future__ import annotations

from typing import Any

import gast


def mangled(name: str, class_name: str | None) -> str:
    """A name as Python's compiler writes it inside a class."""
    owner = (class_name or "").lstrip("_")
    is_private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{owner}{name}" if owner and is_private else name


def mangle(tree: gast.AST, class_name: str | None) -> None:
    """Write the private names of a function's tree as its bytecode has them.

    `class_name`: the innermost class around the function. Classes inside keep the name that is
    written as `written`.
    """
    # The function's own name belongs to what is around it.
    own = getattr(tree, "name", None)
    _Mangling(class_name).visit(tree)
    if own is not None:
        tree.name = own


class _Mangling(gast.NodeVisitor):  # type: ignore[misc]  # gast is untyped
    def __init__(self, class_name: str | None) -> None:
        self.class_name = class_name

    def visit_ClassDef(self, node: Any) -> None:  # noqa: N802 -- named as the class it visits
        """A class: its bases and decorators stand outside of it."""
        for each in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(each)
        inside = _Mangling(node.name)
        for each in node.body:
            inside.visit(each)
        node.written = node.name
        self._rename(node, "name")

    def visit_FunctionDef(self, node: Any) -> None:  # noqa: N802
        """A function: its name is one of the scope around it."""
        self._rename(node, "name")
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Name(self, node: Any) -> None:  # noqa: N802
        """A variable or a parameter; not the keyword of a call."""
        self._rename(node, "id")
        self.generic_visit(node)

    def visit_Attribute(self, node: Any) -> None:  # noqa: N802
        """An attribute."""
        self._rename(node, "attr")
        self.generic_visit(node)

    def visit_alias(self, node: Any) -> None:
        """What is imported, and its name."""
        self._rename(node, "name")
        self._rename(node, "asname")

    def visit_Global(self, node: Any) -> None:  # noqa: N802
        """Names that are declared."""
        node.names = [mangled(name, self.class_name) for name in node.names]

    visit_Nonlocal = visit_Global  # noqa: N815

    def visit_MatchAs(self, node: Any) -> None:  # noqa: N802
        """A name that a pattern binds; not the attributes that it asks for."""
        self._rename(node, "name")
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs  # noqa: N815

    def visit_MatchMapping(self, node: Any) -> None:  # noqa: N802
        """The rest of a dict."""
        self._rename(node, "rest")
        self.generic_visit(node)

    def _rename(self, node: Any, field: str) -> None:
        name = getattr(node, field)
        if isinstance(name, str):
            setattr(node, field, mangled(name, self.class_name))


__all__ = ["mangle", "mangled"]
