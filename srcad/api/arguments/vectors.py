"""`flatten`: a container of arrays as one vector, and the way back.

flatten({"b": 0.5, "w": np.ones((2, 3))})  ->  array of 7, and

    def unflatten(vector):
        if np.shape(vector) != (7,):
            raise ValueError("unflatten takes a vector of shape (7,)")
        return {"b": float(vector[0]), "w": vector[1:7].reshape((2, 3)).astype(np.float64)}

`unflatten` is Python source, so that it can be used inside a function that is differentiated.
"""

from __future__ import annotations

import enum
import hashlib
import linecache
import random
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from srcad.api.arguments.trees import leaves, sorted_keys
from srcad.errors import error
from srcad.kernels import SparseRows
from srcad.runtime.outside import holds_values, values_of, with_values
from srcad.runtime.records import (
    attributes,
    beside_fields,
    is_dataclass,
    is_plain_class,
    own_fields,
    parts,
    record,
    with_attributes,
)  # fmt: skip

_PLAIN_KEYS = (str, int, bool, bytes)
# What `unflatten` carries along: values that cannot vary, and arrays of them by their kinds.
_CONSTANTS = (
    int, str, bytes, enum.Enum, type, range, slice, frozenset, np.dtype, type(Ellipsis),
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, np.ufunc,
    np.random.Generator, np.random.RandomState, random.Random,
)  # fmt: skip
_CARRIED = "biuSUmM"


def flatten(tree: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The numbers in a container as one vector, and the function that makes the container again.

    Args:
        tree: arrays and numbers in tuples, lists, dicts, named tuples, dataclasses and plain
            objects, nested, Series of pandas, masked arrays and arrays of subclasses. Of a dict the
            sorted keys give the order. A `SparseRows` counts as the whole array.

    Returns:
        `(vector, unflatten)`: the vector has the dtype to which the arrays promote;
        `unflatten(vector)` returns new arrays in the dtypes and shapes of `tree`, Python numbers
        where these were. What cannot vary (integers, strings, functions, None) is not in the
        vector, and is carried along by `unflatten` as it is; so are attributes of named tuples
        that are no fields. `unflatten` may be used in a function that is differentiated; not so of
        Series, masked arrays and arrays of subclasses, or of named tuples with such attributes.

    Raises:
        ArgumentTypeError: E308, what is neither, such as a set; E309, an array of objects.

    >>> import numpy as np
    >>> import srcad
    >>> vector, unflatten = srcad.flatten({"b": 0.5, "w": np.ones((2, 2)), "n": 3})
    >>> vector
    array([0.5, 1. , 1. , 1. , 1. ])
    >>> unflatten(2 * vector)
    {'b': 1.0, 'w': array([[2., 2.],
           [2., 2.]]), 'n': 3}
    """
    writer = _Writer(is_complex=any(map(_is_complex, leaves(tree))))
    display = writer.display(tree)
    flat = [np.ravel(leaf) for leaf in writer.leaves]
    vector = np.concatenate(flat) if flat else np.zeros(0)
    return vector, writer.function(display)


def _varies(x: Any) -> bool:
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    return isinstance(x, float | complex) or kind in ("f", "c")


def _is_complex(x: Any) -> bool:
    return isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "") == "c"


class _Writer:
    """Writes `unflatten`; `leaves` are what it takes from the vector."""

    def __init__(self, *, is_complex: bool) -> None:
        self.is_complex = is_complex
        self.leaves: list[Any] = []
        self.n = 0
        self.namespace: dict[str, Any] = {"np": np, "__name__": "srcad.unflatten"}
        self._inside: set[int] = set()

    def display(self, tree: Any, path: str = "the argument") -> str:
        """The expression that makes `tree`; `path` is how it is reached."""
        if id(tree) in self._inside:
            raise error("E308", None, what=f"{path}, which contains itself,")
        self._inside.add(id(tree))
        found = self._container(tree, path)
        self._inside.discard(id(tree))
        return self._leaf(tree, path) if found is None else found

    def _container(self, tree: Any, path: str) -> str | None:
        kind = type(tree)
        if kind is dict:
            # The vector has the items in the order of their keys, the dict in its own.
            items = {key: self.display(tree[key], f"{path}[{key!r}]") for key in sorted_keys(tree)}
            return f"{{{', '.join(f'{self.key(key)}: {items[key]}' for key in tree)}}}"
        if kind in (list, tuple):
            inside = ", ".join(self.display(x, f"{path}[{i}]") for i, x in enumerate(tree))
            return f"[{inside}]" if kind is list else f"({inside}{',' * (len(tree) == 1)})"
        if isinstance(tree, tuple) and hasattr(tree, "_fields"):
            fields = zip(tree._fields, tree, strict=True)
            made = f"{self.constant(kind)}({self.fields(fields, path)})"
            carried = self.carried(attributes(tree))
            return f"{self.constant(with_attributes)}({made}, {carried})" if carried else made
        if holds_values(tree):
            if tree.dtype.kind not in "fc":
                return self.constant(tree)
            values = self.number(values_of(tree))
            return f"{self.constant(with_values)}({self.constant(tree)}, {values})"
        if not is_plain_class(kind) or hasattr(kind, "__array__"):
            return None
        if is_dataclass(kind):
            own = {name: getattr(tree, name) for name in own_fields(kind)}
            beside = beside_fields(tree)
            fixed = {name for name, x in beside.items() if self._is_fixed(x)}
            return self.object(kind, own | beside, path, fixed)
        return self.object(kind, attributes(tree), path)

    def _is_fixed(self, x: Any) -> bool:
        """Whether what an object holds beside its fields is carried along: nothing in it varies, or
        it leads back to what it is in.
        """
        todo, seen = [x], set[int]()
        while todo:
            each = todo.pop()
            if id(each) in self._inside:
                return True
            if id(each) not in seen:
                seen.add(id(each))
                todo += parts(each)
        return not any(map(_varies, leaves(x)))

    def object(self, cls: type, own: dict[str, Any], path: str, fixed: Collection[str] = ()) -> str:
        """An object with these attributes, the `fixed` ones as they are: its constructor might want
        others.
        """
        pairs = ((name in fixed, name, x) for name, x in own.items())
        text = ", ".join(
            self.carried({name: x}) if is_fixed else self.fields([(name, x)], path)
            for is_fixed, name, x in pairs
        )
        if cls is types.SimpleNamespace:
            return f"{self.constant(cls)}({text})"
        return f"{self.constant(record)}({self.constant(cls)}, {text})"

    def fields(self, fields: Iterable[tuple[str, Any]], path: str) -> str:
        """Keyword arguments for attributes."""
        return ", ".join(f"{name}={self.display(x, f'{path}.{name}')}" for name, x in fields)

    def carried(self, others: Mapping[str, Any]) -> str:
        """Keyword arguments for attributes that are carried along."""
        return ", ".join(f"{name}={self.constant(x)}" for name, x in others.items())

    def key(self, key: Any) -> str:
        """A key of a dict."""
        return repr(key) if type(key) in _PLAIN_KEYS else self.constant(key)

    def _leaf(self, x: Any, path: str) -> str:
        if isinstance(x, SparseRows):
            x = np.asarray(x)
        if isinstance(x, np.ndarray | np.generic):
            if x.dtype.hasobject:
                raise error("E309", None, what=path)
            if isinstance(x, np.ndarray) and type(x) not in (np.ndarray, np.memmap):
                raise error("E308", None, what=f"{path} of type {type(x).__name__}")
            if x.dtype.kind in "fc":
                return self.number(x)
            if x.dtype.kind in _CARRIED:
                return self.constant(x)
        elif type(x) in (float, complex):
            return self.number(x)
        elif x is None or isinstance(x, _CONSTANTS) or (callable(x) and not hasattr(x, "__dict__")):
            return self.constant(x)
        raise error("E308", None, what=f"{path} of type {type(x).__name__}")

    def number(self, x: Any) -> str:
        """The part of the vector for a number or array that varies."""
        self.leaves.append(x)
        start = self.n
        self.n += np.size(x)
        is_array = isinstance(x, np.ndarray)
        part = f"vector[{start}:{self.n}].reshape({x.shape})" if is_array else f"vector[{start}]"
        if self.is_complex and not np.iscomplexobj(x):
            part = f"np.real({part})"
        if type(x) in (float, complex):
            return f"{type(x).__name__}({part})"
        dtype = f"np.{x.dtype.type.__name__}" if x.dtype.isnative else self.constant(x.dtype)
        return f"{part}.astype({dtype})" if is_array else f"{dtype}({part})"

    def constant(self, value: Any) -> str:
        """A value that is carried along."""
        if value is None or type(value) in (bool, int, str):
            return repr(value)
        for name, known in self.namespace.items():
            if known is value:
                return name
        name = f"carried_{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def function(self, display: str) -> Callable[[Any], Any]:
        """The function that returns what `display` says."""
        real = "" if self.is_complex else (
            "    if np.iscomplexobj(vector):\n"
            '        raise TypeError("unflatten takes a vector of real numbers")\n'
        )  # fmt: skip
        text = (
            "def unflatten(vector):\n"
            f'    """The container from a vector of shape ({self.n},)."""\n'
            f"    if np.shape(vector) != ({self.n},):\n"
            f'        raise ValueError("unflatten takes a vector of shape ({self.n},)")\n'
            f"{real}"
            f"    return {display}\n"
        )
        filename = f"<unflatten {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        exec(compile(text, filename, "exec"), self.namespace)
        made: Callable[[Any], Any] = self.namespace["unflatten"]
        return made


__all__ = ["flatten"]
