"""Statements that say where names come from: `global`, `nonlocal`, `import`."""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame, attribute_of_module
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.dispatch import handles_statement
from srcad.frontend.kinds import is_trusted
from srcad.frontend.reading.binding import imported_name


@handles_statement(gast.Global, gast.Nonlocal)
def _declaration(frame: Frame, node: Any, rest: list[Any]) -> None:
    """Nothing happens here: the frame has known it from the start."""


@handles_statement(gast.Import)
def _import(frame: Frame, node: gast.Import, rest: list[Any]) -> None:
    for alias in node.names:
        found = _module(frame, node, alias.name)
        top = found if alias.asname else _module(frame, node, alias.name.partition(".")[0])
        frame.bind(imported_name(alias), Ref(top, ""))


@handles_statement(gast.ImportFrom)
def _import_from(frame: Frame, node: gast.ImportFrom, rest: list[Any]) -> None:
    if node.level or node.module is None:
        raise error("E106", frame.at(node), what="a relative `import`")
    module = Ref(_module(frame, node, node.module), "")
    for alias in node.names:
        frame.bind(imported_name(alias), _member(frame, node, module, alias.name))


def _member(frame: Frame, node: Any, module: Ref, name: str) -> Abstract:
    if not hasattr(module.obj, name):
        return Ref(_module(frame, node, f"{module.obj.__name__}.{name}"), "")
    return attribute_of_module(frame.session, module, name)


def _module(frame: Frame, node: Any, name: str) -> types.ModuleType:
    """A module whose contents never change: of NumPy, SciPy, srcad or the standard library."""
    if not is_fixed(name):
        raise error("E106", frame.at(node), what=f"`import` of `{name}`, which may change,")
    try:
        return importlib.import_module(name)
    except ImportError:
        raise error("E106", frame.at(node), what=f"`import` of `{name}`, which fails,") from None


def is_fixed(name: str) -> bool:
    """Whether the contents of a module are taken as fixed."""
    root = name.partition(".")[0]
    if root in sys.stdlib_module_names or root in ("numpy", "scipy", "srcad"):
        return True
    return is_trusted(sys.modules.get(root))
