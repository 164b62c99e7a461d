"""Whether a function does more than give a result: then it is not called on made-up arguments.

    def save(x):
        np.save("w.npy", x)         does_besides(save)      "it calls `np.save`"
        return float(np.sum(x))

Followed are the functions and methods of users that it names, found as they are now. A call of what
it is passed, or holds in a variable of its own, is not known.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import os
import random
import sys
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

import gast
import numpy as np

from srcad.errors import SrcadError, error
from srcad.frontend.reading.hidden_changes import CHANGING, body_of, written_by
from srcad.frontend.reading.rule_bodies import is_library_module
from srcad.frontend.reading.source import get_source
from srcad.rules.core.declaration import probing
from srcad.rules.core.declaration.registration import of_users

# Modules whose functions reach files, processes, other machines, or a log.
_REACHING = frozenset(
    """
    ftplib http httpx logging multiprocessing poplib requests shelve shutil smtplib socket sqlite3
    ssl subprocess tempfile urllib webbrowser winreg
    """.split()  # noqa: SIM905 - a list of strings would be a page
)
# Of `os` those that only look.
_LOOKING = frozenset(
    """
    access cpu_count environ fspath fstat get_terminal_size getcwd getenv getlogin getpid getppid
    isatty listdir lstat path scandir sched_getaffinity sep stat times uname urandom walk
    """.split()  # noqa: SIM905 - likewise
)
_OF_NUMPY = frozenset(("save", "savetxt", "savez", "savez_compressed", "seterr", "seterrcall"))
_BUILTIN = frozenset(("breakpoint", "delattr", "exec", "input", "setattr"))
# Methods of files, paths, connections, frames of data and figures.
_METHODS = frozenset(
    """
    commit dump execute executemany executescript mkdir rmdir savefig sendall sendto to_csv
    to_excel to_feather to_hdf to_netcdf to_parquet to_pickle to_sql to_zarr tofile touch unlink
    write write_bytes write_text writelines
    """.split()  # noqa: SIM905 - likewise
)
# What opens a file for reading or for writing.
_OPENING = frozenset(("Dataset", "File", "GzipFile", "TarFile", "ZipFile", "fdopen", "memmap"))
_MODES = ("mode", "mmap_mode")
_DRAWING = (np.random.RandomState, np.random.Generator, random.Random)
_ABSENT: Any = object()


def does_besides(fn: Any) -> str:
    """What a function does besides giving a result, as a note says it; "" if nothing is found."""
    return _Search().of(fn)


def _refuse_trial(fn: Any) -> None:
    """Refuse to find a type by calling a function that does more than give a result.

    Raises:
        MissingRule: E207.
    """
    note = does_besides(fn) if fn in of_users else ""
    if note:
        note = f"it is not called to find out, because {note}"
        raise error("E207", None, what=f"`{getattr(fn, '__name__', fn)}`", notes=(note,))


probing.before_trial.append(_refuse_trial)


class _Search:
    def __init__(self) -> None:
        self._seen: set[int] = set()

    def of(self, fn: Any, *, is_new: bool = False) -> str:
        """What a function does; `is_new`: to its first argument it may do anything."""
        fn = _python_behind(fn)
        if not isinstance(fn, types.FunctionType) or id(fn) in self._seen:
            return ""
        self._seen.add(id(fn))
        if len(self._seen) > 1 and is_library_module(sys.modules.get(fn.__module__)):
            return ""
        try:
            node = get_source(fn).node
        except SrcadError:
            return ""
        written = written_by(fn)
        own = fn.__code__.co_varnames[:1] if is_new else ()
        changed = {*written.names, *(name for root, name in written.fields if root not in own)}
        if changed:
            return f"it changes `{min(changed)}`"
        scope = _Scope(fn, node, is_new)
        return next(filter(None, (self._at(each, scope) for each in body_of(node))), "")

    def _at(self, node: Any, scope: _Scope) -> str:
        """What is done at one place of a function's text."""
        match node:
            case gast.Call():
                return self._call(node, scope)
            case gast.Name(ctx=gast.Load()) | gast.Attribute(ctx=gast.Load()):
                found = scope.find(node)
                if _acts(found):
                    return f"it calls `{gast.unparse(node).strip()}`"
                if found is _ABSENT or isinstance(found, type | _Own):
                    return ""
                return self.of(found)
        return ""

    def _call(self, node: Any, scope: _Scope) -> str:
        name: str = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
        text = f"it calls `{gast.unparse(node.func).strip()}`"
        if name in _OPENING or name.endswith("open") or name == "load":
            return text if _writes(node) else ""
        if name in _METHODS and isinstance(node.func, gast.Attribute):
            return "" if scope.find(node.func.value) in (sys.stdout, sys.stderr) else text
        found = scope.find(node.func)
        if isinstance(found, type):
            made = inspect.getattr_static(found, "__init__", None)
            return (
                ""
                if is_library_module(sys.modules.get(found.__module__))
                else self.of(made, is_new=True)
            )
        if _changes_outer(node, found, scope):
            return text
        return ""


class _Own:
    """The object that a function is a method of."""

    def __init__(self, cls: type) -> None:
        self.cls = cls


class _Scope:
    """What the names in a function mean."""

    def __init__(self, fn: types.FunctionType, node: Any, is_new: bool) -> None:
        self._fn = fn
        code = fn.__code__
        self._params = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self._known: dict[str, Any] = dict.fromkeys((*code.co_varnames, *code.co_cellvars), _ABSENT)
        for name, cell in zip(code.co_freevars, fn.__closure__ or (), strict=True):
            try:
                self._known[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                self._known[name] = _ABSENT
        for each in body_of(node):
            if isinstance(each, gast.Import | gast.ImportFrom):
                self._known |= dict(_imported(each))
        if code.co_argcount and not is_new and (cls := _class_of(fn)) is not None:
            self._known[code.co_varnames[0]] = _Own(cls)

    def find(self, node: Any) -> Any:
        """The object that an expression means, `_ABSENT` if that is not known."""
        if isinstance(node, gast.Name):
            if node.id in self._known:
                return self._known[node.id]
            found = self._fn.__globals__.get(node.id, _ABSENT)
            return getattr(builtins, node.id, _ABSENT) if found is _ABSENT else found
        if not isinstance(node, gast.Attribute):
            return _ABSENT
        owner = self.find(node.value)
        if owner is _ABSENT:
            return _ABSENT
        if isinstance(owner, _Own):
            owner = owner.cls
        found = inspect.getattr_static(owner, node.attr, _ABSENT)
        is_missing = found is _ABSENT and isinstance(owner, types.ModuleType)
        if is_missing or isinstance(owner, _DRAWING):
            return getattr(owner, node.attr, _ABSENT)
        return found

    def is_param(self, node: Any) -> bool:
        """Whether an expression is the name of a parameter."""
        return isinstance(node, gast.Name) and node.id in self._params

    def is_outside(self, node: Any) -> bool:
        """Whether an expression means an object that was there before the call."""
        if self.is_param(node):
            return True
        found = self.find(node)
        return found is not _ABSENT and not callable(found)


def _imported(node: Any) -> Iterator[tuple[str, Any]]:
    """The names that a statement inside a function imports, with what has been imported already."""
    for alias in node.names:
        if isinstance(node, gast.Import):
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or name, sys.modules.get(name, types.ModuleType(name))
        else:
            home = sys.modules.get(node.module or "")
            found = getattr(home, alias.name, _ABSENT)
            yield alias.asname or alias.name, found


def _class_of(fn: types.FunctionType) -> type | None:
    """The class in whose statement a function stands."""
    *owners, name = fn.__qualname__.split(".")
    found: Any = fn.__globals__.get(owners[0]) if owners else None
    for each in owners[1:]:
        found = inspect.getattr_static(found, each, None)
    if not isinstance(found, type):
        return None
    return found if _python_behind(vars(found).get(name)) is fn else None


def _python_behind(obj: Any) -> Any:
    """The Python function that is called where `obj` is, or asked for where it is an attribute."""
    for _ in range(8):
        if isinstance(obj, types.FunctionType):
            inner = getattr(obj, "__wrapped__", None)
            if not isinstance(inner, types.FunctionType) or not is_library_module(
                sys.modules.get(obj.__module__)
            ):
                return obj
            obj = inner
        elif isinstance(obj, types.MethodType | staticmethod | classmethod):
            obj = obj.__func__
        elif isinstance(obj, functools.partial):
            obj = obj.func
        elif isinstance(obj, property):
            obj = obj.fget
        elif isinstance(obj, np.vectorize):
            obj = obj.pyfunc
        elif isinstance(obj, type | types.ModuleType) or obj is None:
            return None
        else:
            held = vars(obj) if hasattr(obj, "__dict__") else {}
            inner = held.get("__wrapped__", held.get("py_func"))
            obj = inner or inspect.getattr_static(type(obj), "__call__", None)
    return None


def _acts(obj: Any) -> bool:
    """Whether a function of a library does more than give a result."""
    if isinstance(obj, staticmethod | classmethod):
        obj = obj.__func__
    owner = getattr(obj, "__self__", None)
    if isinstance(owner, _DRAWING):
        return True  # the next number drawn is another one
    if isinstance(owner, list | dict | set | deque) and obj.__name__ in CHANGING:
        return True
    if obj is _ABSENT or not callable(obj) or isinstance(obj, type):
        return False
    home, name = getattr(obj, "__module__", None) or "", getattr(obj, "__name__", "")
    root = home.partition(".")[0]
    if root == "builtins":
        return name in _BUILTIN
    if root in ("os", os.name) or home == "posixpath":
        return home in ("os", os.name) and name not in _LOOKING and not name.startswith("get")
    if root == "numpy":
        return name in _OF_NUMPY
    return root in _REACHING


def _writes(node: Any) -> bool:
    """Whether a call that opens a file may be for writing."""
    given = {each.arg: each.value for each in node.keywords}
    is_load = getattr(node.func, "attr", "") == "load"
    of_path = isinstance(node.func, gast.Attribute) and node.func.attr == "open"
    modes = [given[name] for name in _MODES if name in given]
    if not is_load:
        modes += node.args[1:2]
    if of_path and not modes and len(node.args) == 1:  # `path.open("w")`
        modes = [each for each in node.args if isinstance(each, gast.Constant)]
        modes = [each for each in modes if each.value in _PATHS_MODES]
    for mode in modes:
        if isinstance(mode, gast.Constant) and (mode.value is None or isinstance(mode.value, int)):
            continue
        if not isinstance(mode, gast.Constant) or set(str(mode.value)) & set("wax+"):
            return True
    return False


_PATHS_MODES = {a + b + c for a in "wax" for b in ("", "b", "t") for c in ("", "+")} | {"r+", "r+b"}


def _changes_outer(node: Any, callee: Any, scope: _Scope) -> bool:
    """Whether a helper changes something from outside that it is passed."""
    fn = _python_behind(callee)
    if not isinstance(fn, types.FunctionType) or is_library_module(sys.modules.get(fn.__module__)):
        return False
    try:
        items, attributes = _changed_params(get_source(fn).node)
    except SrcadError:
        return False
    names: tuple[str, ...] = fn.__code__.co_varnames[: fn.__code__.co_argcount]
    args = list(node.args)
    owner = scope.find(node.func.value) if isinstance(node.func, gast.Attribute) else fn
    if owner is not fn and not isinstance(owner, types.ModuleType | type):
        args.insert(0, node.func.value)  # it is a method
    given = [*zip(names, args, strict=False), *((each.arg, each.value) for each in node.keywords)]
    return any(
        name in items | attributes
        and scope.is_outside(x)
        and (name in attributes or not scope.is_param(x))
        for name, x in given
    )


def _changed_params(node: Any) -> tuple[set[str], set[str]]:
    """The names of which a function's text changes items, and of which it sets attributes."""
    items: set[str] = set()
    attributes: set[str] = set()
    for each in body_of(node):
        match each:
            case gast.Attribute(value=base, ctx=gast.Store() | gast.Del()):
                attributes.add(_root(base))
            case gast.Subscript(value=base, ctx=gast.Store() | gast.Del()):
                (attributes if isinstance(base, gast.Attribute) else items).add(_root(base))
            case gast.Call(func=gast.Attribute(value=base, attr=method)) if method in CHANGING:
                (attributes if isinstance(base, gast.Attribute) else items).add(_root(base))
    return items, attributes


def _root(base: Any) -> str:
    """The name that an expression begins with."""
    while isinstance(base, gast.Subscript | gast.Attribute):
        base = base.value
    return base.id if isinstance(base, gast.Name) else ""


__all__ = ["does_besides"]
