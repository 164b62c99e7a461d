"""What emitted text refers to outside its functions: imports, helpers, constants, objects.

np.tanh                np.tanh            import numpy as np
math.sin               math.sin           import math
model.activation       activation         from model import activation
runtime.unbroadcast    unbroadcast        the helper's source, above the functions
Checkpoints            Checkpoints        from srcad.runtime.checkpoints.states import Checkpoints
finite.check_value     finite.check_value from srcad.runtime import finite
kernels.conv2d         kernels.conv2d     from srcad import kernels
compiled.conv2d        compiled.conv2d    from srcad.kernels import compiled
<lambda>               function           no importable name: in `globals`
"""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
import random
import sys
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from srcad.emit.definitions import definitions_of, names_read_by, renamed
from srcad.emit.native import NUMBA, Dialect
from srcad.ops import row_of

LOAD: Final = ast.Load()
STORE: Final = ast.Store()
RESERVED: Final = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "np"}) - {"_"}

_OF_MANY: Final = (np, np.linalg, np.fft, np.random, random)  # whose names do not say where
# Larger arrays are handed over as objects: a page of digits helps no reader.
_MAX_LITERAL = 1000


def name(identifier: str) -> ast.Name:
    """The expression that reads a variable."""
    return ast.Name(identifier, LOAD)


def attributes(base: ast.expr, path: Iterable[str]) -> ast.expr:
    """`base.a.b`"""
    for part in path:
        base = ast.Attribute(base, part, LOAD)
    return base


class References:
    """The module-level names of one emitted module; `taken` are names they must not have. What
    compiled functions import, the dialect tells.
    """

    def __init__(self, taken: Iterable[str], dialect: Dialect = NUMBA) -> None:
        self.taken, self.dialect = set(taken), dialect
        # (module, member) or (None, module), and the statement, by the name that it binds.
        self.imports: dict[str, tuple[tuple[str | None, str], ast.stmt]] = {}
        self.helpers: list[ast.stmt] = []
        self.constants: list[ast.stmt] = []
        self.globals: dict[str, object] = {}
        # The object is kept beside its expression, so that its id stays its own.
        self._known: dict[int, tuple[object, ast.expr]] = {}

    def fresh(self, wish: str) -> str:
        """A new module-level name."""
        found, k = wish, 1
        while found in self.taken or (keyword.iskeyword(found)):
            k += 1
            found = f"{wish}_{k}"
        self.taken.add(found)
        return found

    def to(self, obj: Any) -> ast.expr:
        """The expression for a function, class or module."""
        known = self._known.get(id(obj))
        if known is None:
            known = self._known[id(obj)] = (obj, self._find(self.dialect.form(obj)))
        return known[1]

    def _find(self, obj: Any) -> ast.expr:
        own = getattr(obj, "__name__", "")
        if own and vars(builtins).get(own) is obj:
            return name(own) if own not in self.taken else attributes(self.to(builtins), [own])
        if isinstance(obj, ModuleType):
            return self._module(obj.__name__)
        if (of_runtime := getattr(obj, "name_in_runtime", None)) is not None:
            return self.member(self.dialect.runtime, of_runtime)
        owner = getattr(obj, "__self__", None)
        if isinstance(owner, np.ufunc):
            return attributes(self.to(owner), [own])
        found = locate(obj)
        if found is None:
            return self._passed_in(obj, own)
        module, path = found
        if any(obj is each for each in self.dialect.on_host):
            return self.member(module, path[0])
        if module.startswith("srcad.kernels.compiled."):
            return attributes(self.member("srcad.kernels", "compiled"), path)
        if module.startswith("srcad.kernels.") and self.dialect.imports_kernels:
            return attributes(self.member("srcad", "kernels"), path)
        if module == "srcad.runtime.finite":  # it raises what srcad catches: no copy would do
            return attributes(self.member("srcad.runtime", "finite"), path)
        if module == "srcad.runtime.checkpoints.states":  # a saved module has a copy of the class
            return self.member(module, path[0])
        if module.split(".")[0] == "srcad" and isinstance(obj, FunctionType):
            return self._helper(obj)
        top = module.split(".")[0]
        if top in {"numpy", "scipy"} or top in sys.stdlib_module_names:
            return attributes(self._module(module), path)
        return attributes(self.member(module, path[0]), path[1:])

    def _module(self, module: str) -> ast.expr:
        top, _, rest = module.partition(".")
        if top == "numpy":
            bound = self._import("np", None, self.dialect.numpy)
            return attributes(name(bound), rest.split(".") if rest else [])
        if rest:
            parent, _, last = module.rpartition(".")
            first, _, others = parent.partition(".")
            home = self.dialect.packages.get(first, first)
            return self.member(f"{home}.{others}".rstrip("."), last)
        return name(self._import(top, None, top))

    def member(self, module: str, member: str) -> ast.expr:
        """What is imported `from module import member`."""
        return name(self._import(member, module, member))

    def _import(self, wish: str, module: str | None, member: str) -> str:
        """`import member`, or `from module import member`; returns the name that it is bound to."""
        for bound, (key, _) in self.imports.items():
            if key == (module, member):
                return bound
        bound = self.fresh(wish if wish not in RESERVED - {"np"} else f"{wish}_")
        alias = ast.alias(member, bound if bound != member else None)
        statement = ast.ImportFrom(module, [alias], 0) if module else ast.Import([alias])
        self.imports[bound] = (module, member), statement
        return bound

    def _helper(self, fn: FunctionType) -> ast.expr:
        definition = definitions_of(fn.__module__).defined[fn.__name__]
        assert isinstance(definition, ast.FunctionDef), f"{fn.__name__} is no plain function"
        bound = name(self.fresh(fn.__name__))
        self._known[id(fn)] = (fn, bound)  # before its body, which may call it again
        others = {}
        for word in names_read_by(fn.__module__, fn.__name__):
            if word not in fn.__globals__:
                continue
            obj = fn.__globals__[word]
            is_code = isinstance(obj, ModuleType) or callable(obj)
            others[word] = self.to(obj) if is_code else self.constant(obj)
        written = renamed(definition, others)
        written.name = bound.id
        if fn.__module__.startswith("srcad.native."):
            written.decorator_list = [self.dialect.decorator(None, self.member)]
        self.helpers.append(written)
        return bound

    def _passed_in(self, obj: Any, wish: str) -> ast.expr:
        if not wish.isidentifier() or wish in RESERVED:
            wish = "function" if callable(obj) else type(obj).__name__.lower()
        is_name = wish.isidentifier() and wish not in RESERVED
        bound = self.fresh(wish if is_name else "value")
        self.globals[bound] = obj
        return name(bound)

    def constant(self, value: Any) -> ast.expr:
        """A value known while compiling, as a literal where there is one."""
        kind = type(value)
        if kind is float and not np.isfinite(value):
            return self._special(value)
        if kind in (bool, int, float, str, bytes, type(None), type(...)):
            return ast.Constant(value)
        if kind is complex:
            if np.isfinite(value):
                return ast.Constant(value)
            return ast.Call(self.to(complex), [*map(self.constant, (value.real, value.imag))], [])
        if kind in (tuple, list):
            items = [self.constant(item) for item in value]
            return ast.Tuple(items, LOAD) if kind is tuple else ast.List(items, LOAD)
        if kind is dict:
            return ast.Dict([*map(self.constant, value)], [*map(self.constant, value.values())])
        if kind in (slice, range):
            ends = (value.start, value.stop, value.step)
            return ast.Call(self.to(kind), [*map(self.constant, ends)], [])
        if isinstance(value, np.dtype):
            written = self.dtype(value)
            return ast.Call(self.to(np.dtype), [written], []) if _is_numeric(value) else written
        if isinstance(value, np.longdouble):  # `item()` is no number of Python's
            return ast.Call(self.to(kind), [ast.Constant(str(value))], [])
        if isinstance(value, np.clongdouble):
            real, imag = self.constant(value.real), self.constant(value.imag)
            return ast.BinOp(real, ast.Add(), ast.BinOp(imag, ast.Mult(), ast.Constant(1j)))
        if isinstance(value, np.datetime64 | np.timedelta64):
            return self._time(value)
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return ast.Call(self.to(kind), [self.constant(value.item())], [])
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = (value, self._object(value))
        return known[1]

    def _time(self, value: np.datetime64 | np.timedelta64) -> ast.expr:
        """`np.timedelta64(6, "h")`."""
        unit, count = np.datetime_data(value.dtype)
        whole = int(value.astype(np.int64))
        text = "NaT" if np.isnat(value) else str(value) if unit != "generic" else whole
        given = whole if isinstance(value, np.timedelta64) and text != "NaT" else text
        units = [] if unit == "generic" else [unit if count == 1 else f"{count}{unit}"]
        return ast.Call(self.to(type(value)), [*map(self.constant, (given, *units))], [])

    def _special(self, value: float) -> ast.expr:
        base = attributes(self.to(np), ["nan" if np.isnan(value) else "inf"])
        return ast.UnaryOp(ast.USub(), base) if value == -np.inf else base

    def dtype(self, dtype: np.dtype[Any]) -> ast.expr:
        """What a function is given that asks for a dtype: the class of its numbers will do."""
        if _is_numeric(dtype):
            return self.to(dtype.type)
        if dtype.names is not None and np.dtype(dtype.descr) == dtype:
            fields = ast.parse(repr(dtype.descr), mode="eval").body
            return ast.Call(self.to(np.dtype), [fields], [])
        if dtype != np.dtype(dtype.str):  # with fields that leave gaps
            return self._passed_in(dtype, "")
        return ast.Call(self.to(np.dtype), [ast.Constant(dtype.str)], [])

    def _object(self, value: Any) -> ast.expr:
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, type | ModuleType) or callable(value):
            return self.to(value)
        return self._passed_in(value, "")

    def _array(self, value: np.ndarray[Any, Any]) -> ast.expr:
        bound = self.fresh("CONSTANT")
        if value.dtype.kind not in "biufc":
            value = self.dialect.moved(value)
        if (
            type(value) is not np.ndarray
            or value.dtype.kind not in "biufcUS"
            or value.size > _MAX_LITERAL
        ):
            self.globals[bound] = self.dialect.moved(value)
            return name(bound)
        if value.size == 0:
            literal = ast.Call(self.to(np.zeros), [self.constant(value.shape)], [])
        else:
            literal = ast.Call(self.to(np.array), [self.constant(value.tolist())], [])
        if value.size == 0 or np.array(value.tolist()).dtype != value.dtype:
            literal.keywords.append(ast.keyword("dtype", self.dtype(value.dtype)))
        if value.flags.fnc:
            literal.keywords.append(ast.keyword("order", ast.Constant("F")))
        self.constants.append(ast.Assign([ast.Name(bound, STORE)], literal, lineno=0))
        return name(bound)


def _is_numeric(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype is that of one of NumPy's classes of numbers."""
    return dtype.isbuiltin == 1 and dtype.kind in "biufc"


def locate(obj: Any) -> tuple[str, tuple[str, ...]] | None:
    """The module and the path in it under which anyone can import `obj`; None if there is none."""
    own = getattr(obj, "__name__", "")
    wish = row_of(obj).name or own
    for module in _OF_MANY:
        if wish and vars(module).get(wish) is obj:
            return module.__name__, (wish,)
    path = tuple(getattr(obj, "__qualname__", own).split("."))
    if not own or any(not part.isidentifier() or keyword.iskeyword(part) for part in path):
        return None
    for candidate in _public_modules(obj):
        found: Any = sys.modules.get(candidate)
        for part in path:
            found = inspect.getattr_static(found, part, None)
        if found is obj:
            return candidate, path
    return None


def _public_modules(obj: Any) -> list[str]:
    """Modules where `obj` may be found: that where it was made, after its public parent."""
    home = getattr(obj, "__module__", None)
    if home is None:
        return ["scipy.special"] if isinstance(obj, np.ufunc) else []
    if home == "__main__":
        return []
    parts = home.split(".")
    private = next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))
    public = [".".join(parts[:private])] if 0 < private < len(parts) else []
    return [*public, *([home.lstrip("_")] if home.startswith("_") else []), home]
