"""Statements that say where names come from: `global`, `nonlocal`, `import`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any

import gast

from srcad.errors import Location, error
from srcad.frontend.abstract.frame import Frame, attribute_of_module
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.dispatch import handles_statement
from srcad.frontend.expressions.missing import fails
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
        frame.bind(imported_name(alias), top)


@handles_statement(gast.ImportFrom)
def _import_from(frame: Frame, node: gast.ImportFrom, rest: list[Any]) -> None:
    module = _module(frame, node, _absolute(frame, node))
    for alias in node.names:
        if alias.name == "*":
            raise error("E106", frame.at(node), what="`import *`")
        frame.bind(imported_name(alias), _member(frame, node, module, alias.name))


def _absolute(frame: Frame, node: gast.ImportFrom) -> str:
    """The name of the module that is meant: `..core` counts from the package of the function."""
    dots, name = "." * (node.level or 0), node.module or ""
    if not dots:
        return name
    home: Frame | None = frame
    while home is not None and home.fn is None:
        home = home.outer
    fn: Any = None if home is None else home.fn
    known: dict[str, Any] = {} if fn is None else fn.__globals__
    package = known.get("__package__") or str(known.get("__name__", "")).rpartition(".")[0]
    try:
        return importlib.util.resolve_name(dots + name, package)
    except ImportError as problem:
        raise _failing(frame, node, dots + name, problem) from None


def _member(frame: Frame, node: Any, module: Ref, name: str) -> Abstract:
    if hasattr(module.obj, name):
        return attribute_of_module(frame.session, module, name)
    full = f"{module.obj.__name__}.{name}"
    if hasattr(module.obj, "__path__") and importlib.util.find_spec(full) is not None:
        return _module(frame, node, full)
    where = getattr(module.obj, "__file__", None) or "unknown location"
    if module.path:
        frame.session.inputs.guard(f"hasattr({module.path}, {name!r})", "equals", False)
    message = f"cannot import name {name!r} from {module.obj.__name__!r} ({where})"
    raise _failing(frame, node, full, ImportError(message))


def _module(frame: Frame, node: Any, name: str) -> Ref:
    """A module by its name: NumPy's, SciPy's, srcad's or the standard library's never change; of
    one of the user's it is looked at each call which one it is, and what is read of it.
    """
    is_there = is_fixed(name) or sys.modules.get(name) is not None
    if not is_there and _on_some_paths(frame):
        fix = f"import `{name}` at the top of the module"
        what = f"`import` of `{name}` on some paths, which has not been imported yet,"
        raise error("E106", _at(frame, node), what=what, fix=fix)
    try:
        found = importlib.import_module(name)
    except ImportError as problem:
        raise _failing(frame, node, name, problem) from None
    if is_fixed(name):
        return Ref(found, "")
    inputs = frame.session.inputs
    made: Ref = inputs.lift(found, f"{inputs.keep(sys.modules)}[{name!r}]", name)
    return made


def import_module(frame: Frame, name: Abstract) -> Ref:
    """`importlib.import_module(name)` of a module that is known while compiling."""
    return _module(frame, None, frame.session.static(name, "the name of a module"))


def _on_some_paths(frame: Frame) -> bool:
    """Whether what stands here is run under a condition, which a `try` is not."""
    session = frame.session
    known = (*session.memory.producers, *session.inputs.paths)
    return any(cond in known for _, cond in session.conditions)


def _failing(frame: Frame, node: Any, name: str, problem: ImportError) -> Exception:
    """What an import raises that fails: in a `try` its handler follows while it is not there."""
    if not frame.session.watchers:
        return error("E106", _at(frame, node), what=f"`import` of `{name}`, which fails,")
    inputs = frame.session.inputs
    inputs.guard(f"{name!r} in {inputs.keep(sys.modules)}", "equals", False)
    return fails(frame, problem)


def _at(frame: Frame, node: Any) -> Location | None:
    """The place of a statement; of a call it is known where the error comes through."""
    return None if node is None else frame.at(node)


def is_fixed(name: str) -> bool:
    """Whether the contents of a module are taken as fixed."""
    root = name.partition(".")[0]
    if root in sys.stdlib_module_names or root in ("numpy", "scipy", "srcad"):
        return True
    return is_trusted(sys.modules.get(root))
