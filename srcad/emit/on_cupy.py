"""Programs for CuPy: its modules in the place of NumPy's and SciPy's, and a check that they have
what the program calls.

    np.tanh(x)                  import cupy as np
    special.erf(x)              from cupyx.scipy import special
    kernels.conv2d(x, w)        conv2d(x, w), a copy of the plain form in `srcad.kernels.anywhere`
    s = x[0]                    s = x[0].copy(): an entry is a view there
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Hashable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np

from srcad import kernels, runtime
from srcad.devices import LIBRARY
from srcad.emit.module import Emitted
from srcad.emit.module import emit as emit_module
from srcad.emit.native import NUMBA, Through
from srcad.errors import Location, error
from srcad.ir import ArrayType, Function, NumberType, Op, SeqType, Value
from srcad.kernels import anywhere, recycled
from srcad.rules.draws import METHODS


def _forms() -> dict[Any, Any]:
    """The function that is called in the place of another."""
    plain = {getattr(kernels, name): getattr(anywhere, name) for name in anywhere.__all__
             if hasattr(kernels, name)}  # fmt: skip
    return plain | {
        kernels.SparseRows: anywhere.whole_rows,
        recycled.empty: np.empty,
        recycled.empty_like: np.empty_like,
        recycled.product: np.matmul,
        runtime.add_at: anywhere.added_at,
        runtime.as_held: anywhere.as_held,
        runtime.inverse: anywhere.inverse,
        METHODS["normal"]: anywhere.normal,
    }


_FORMS = _forms()


def _form(fn: Any) -> Any:
    try:
        return _FORMS.get(fn, fn)
    except TypeError:  # it has no hash
        return fn


# Functions that take a number in the place of an array in NumPy; in CuPy they do not.
_NAMES_OF_ARRAYS = """
    all any argmax argmin argsort broadcast_to clip copy count_nonzero cumprod cumsum diagonal
    empty_like expand_dims flatnonzero flip full_like max mean min moveaxis nonzero ones_like prod
    ravel repeat reshape roll round searchsorted sort split squeeze std sum swapaxes take tile
    trace transpose var where zeros_like
"""
_OF_ARRAYS = frozenset(getattr(np, name) for name in _NAMES_OF_ARRAYS.split())
_DRAWS = frozenset(METHODS.values())
_OF_LISTS = frozenset(
    {np.array, np.asarray, np.stack, np.concatenate, np.hstack, np.vstack, np.column_stack}
)


def _adapted(op: Op) -> Op:
    """An operation whose numbers in the places of arrays are arrays without axes, as CuPy's
    functions want it.
    """
    if not op.args or not isinstance(op.fn, Hashable):
        return op
    first, rest = op.args[0], op.args[1:]
    if op.fn in _DRAWS and _form(op.fn) is op.fn and not hasattr(_generator(), op.fn.__name__):
        raise error("E208", op.loc, what=f"`{op.fn.__name__}` of a random generator")
    if isinstance(op.fn, type) and issubclass(op.fn, np.generic) and isinstance(first, Value):
        return replace(op, fn=anywhere.as_dtype, args=(first, np.dtype(op.fn)))
    if op.fn in _OF_ARRAYS and _is_number(first):
        return replace(op, args=(Through(np.asarray, first), *rest))
    if op.fn in _OF_LISTS and isinstance(first, list | tuple):
        items = [*_leaves(first)]
        if any(isinstance(x, Value) for x in items) and any(map(_is_number, items)):
            return replace(op, args=(_as_arrays(first), *rest))
    if op.fn in _OF_LISTS and isinstance(first, Value) and isinstance(first.type, SeqType):
        return replace(op, args=(Through(anywhere.as_arrays, first), *rest))
    return op


def _generator() -> Any:
    return importlib.import_module(f"{LIBRARY}.random").Generator


def _is_number(x: Any) -> bool:
    """Whether what is given may be a number on the host."""
    if not isinstance(x, Value):
        return isinstance(x, int | float | complex | np.generic)
    if isinstance(x.type, ArrayType):
        return x.type.scalar or x.type.shape is None
    return isinstance(x.type, NumberType)


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, list | tuple):
        for item in tree:
            yield from _leaves(item)
    else:
        yield tree


def _as_arrays(tree: Any) -> Any:
    if isinstance(tree, list | tuple):
        return [*map(_as_arrays, tree)]
    return Through(np.asarray, tree) if _is_number(tree) else tree


def _moved(array: np.ndarray) -> Any:
    """A constant, once for all calls, on the device."""
    if array.dtype.kind not in "biufc":
        raise error("E208", None, what=f"an array of {array.dtype}")
    return importlib.import_module(LIBRARY).asarray(array)


CUPY = replace(
    NUMBA,
    numpy=LIBRARY,
    packages={"scipy": "cupyx.scipy"},
    form=_form,
    adapted=_adapted,
    on_host=(np.errstate, np.printoptions),
    apart=anywhere.apart,
    keywords=frozenset({"axis", "keepdims", "dtype", "ddof", "order", "decimals", "copy"}),
    moved=_moved,
    imports_kernels=False,
    keeps_entries=False,
)


def emit(program: Function, doc: str) -> Emitted:
    """Print a program.

    Raises:
        MissingRule: E208, it calls what CuPy does not have.
    """
    emitted = emit_module(program, doc=doc, dialect=CUPY)
    for line, what in _missing(ast.parse(emitted.text)):
        raise error("E208", _place(emitted, line), what=what)
    return emitted


def _missing(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The lines of what CuPy has not, or has with other parameters."""
    found = dict(_imported(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and _is_own(node.module):
            for alias in node.names:
                if (alias.asname or alias.name) not in found:
                    yield node.lineno, f"`{node.module}.{alias.name}`"
        if isinstance(node, ast.Attribute) and (path := _path(node)) and path[0] in found:
            if path[-1] in _OF_UFUNCS and path[-2] not in _OF_UFUNCS[path[-1]]:
                yield node.lineno, f"`{'.'.join([LIBRARY, *path[1:]])}`"
            missing = _first_missing(found[path[0]], path[1:])
            if missing is not None:
                yield node.lineno, f"`{'.'.join([_NAMES.get(path[0], path[0]), *missing])}`"
        if isinstance(node, ast.Call) and (path := _path(node.func)) and path[0] in found:
            called = _follow(found[path[0]], path[1:])
            if called is not None and not _takes(called, node):
                name = ".".join([_NAMES.get(path[0], path[0]), *path[1:]])
                yield node.lineno, f"`{name}` with these parameters"


# Of which ufuncs there are these methods.
_OF_UFUNCS = {
    "reduce": {"add", "multiply"},
    "accumulate": {"add", "multiply"},
    "reduceat": {"add"},
    "at": {"add", "subtract", "maximum", "minimum"},
}
_NAMES = {"np": LIBRARY}


def _is_own(module: str) -> bool:
    return module.partition(".")[0] in (LIBRARY, "cupyx")


def _imported(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """What is imported from CuPy, by the names that it is bound to."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _is_own(alias.name):
                    yield alias.asname or alias.name, importlib.import_module(alias.name)
        if isinstance(node, ast.ImportFrom) and node.module and _is_own(node.module):
            for alias in node.names:
                member = _member(importlib.import_module(node.module), alias.name)
                if member is not None:
                    yield alias.asname or alias.name, member


def _member(owner: Any, name: str) -> Any:
    found = getattr(owner, name, None)
    if found is None and isinstance(owner, ModuleType):
        try:
            return importlib.import_module(f"{owner.__name__}.{name}")
        except ImportError:
            return None
    return found


def _path(node: ast.expr) -> list[str]:
    """`np.linalg.solve` as its parts."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    return [node.id, *parts] if isinstance(node, ast.Name) else []


def _first_missing(owner: Any, parts: list[str]) -> list[str] | None:
    """The parts up to the first that is not there."""
    for k, part in enumerate(parts):
        if not isinstance(owner, ModuleType):
            return None
        if part != "newaxis" and _member(owner, part) is None:
            return parts[: k + 1]
        owner = _member(owner, part)
    return None


def _follow(owner: Any, parts: list[str]) -> Any:
    for part in parts:
        owner = _member(owner, part)
        if owner is None:
            return None
    return owner


def _takes(fn: Any, call: ast.Call) -> bool:
    """Whether a function takes so many arguments and these keywords; ufuncs tell nothing."""
    if isinstance(fn, type) or any(isinstance(arg, ast.Starred) for arg in call.args):
        return True
    try:
        signature = inspect.signature(fn)
    except (TypeError, ValueError):
        return True
    keywords = {k.arg: None for k in call.keywords if k.arg is not None}
    try:
        signature.bind(*call.args, **keywords)
    except TypeError:
        return False
    return True


def _place(emitted: Emitted, line: int) -> Location | None:
    """The user's line for one of the text; for one in a helper, that of a call of the helper."""
    tree = ast.parse(emitted.text)
    for _ in range(len(tree.body)):
        if line in emitted.line_map:
            return emitted.line_map[line]
        helper = next(
            (
                each.name
                for each in tree.body
                if isinstance(each, ast.FunctionDef)
                and each.lineno <= line <= (each.end_lineno or 0)
            ),
            None,
        )
        calls = [
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and node.id == helper
        ]
        if not calls:
            return None
        line = max(calls)
    return None


__all__ = ["CUPY", "emit"]
