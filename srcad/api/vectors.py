"""`flatten`: a container of arrays as one vector, and the way back.

flatten({"b": 0.5, "w": np.ones((2, 3))})  ->  array of 7, and

    def unflatten(vector):
        if np.shape(vector) != (7,):
            raise ValueError("unflatten takes a vector of shape (7,)")
        return {"b": float(vector[0]), "w": vector[1:7].reshape((2, 3)).astype(np.float64)}

`unflatten` is Python source, so that it can be used inside a function that is differentiated.
"""

from __future__ import annotations

import dataclasses
import hashlib
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.api.trees import leaves
from srcad.errors import error

_PLAIN_KEYS = (str, int, bool, bytes)


def flatten(tree: Any) -> tuple[np.ndarray[Any, Any], Callable[[Any], Any]]:
    """The numbers in a container as one vector, and the function that makes the container again.

    Args:
        tree: arrays and numbers in tuples, lists, dicts, named tuples and dataclasses, nested.
            Of a dict the sorted keys give the order.

    Returns:
        `(vector, unflatten)`: the vector has the dtype to which the arrays promote;
        `unflatten(vector)` returns new arrays in the dtypes and shapes of `tree`, Python numbers
        where these were. What cannot vary (integers, strings, None) is not in the vector, and is
        carried along by `unflatten` as it is. `unflatten` may be used in a function that is
        differentiated.

    Raises:
        ArgumentTypeError: E309, an array of objects.

    >>> import numpy as np
    >>> import srcad
    >>> vector, unflatten = srcad.flatten({"b": 0.5, "w": np.ones((2, 2)), "n": 3})
    >>> vector
    array([0.5, 1. , 1. , 1. , 1. ])
    >>> unflatten(2 * vector)
    {'b': 1.0, 'n': 3, 'w': array([[2., 2.],
           [2., 2.]])}
    """
    writer = _Writer(is_complex=any(map(np.iscomplexobj, leaves(tree))))
    display = writer.display(tree)
    flat = [np.ravel(leaf) for leaf in writer.leaves]
    vector = np.concatenate(flat) if flat else np.zeros(0)
    return vector, writer.function(display)


class _Writer:
    """Writes `unflatten`; `leaves` are what it takes from the vector."""

    def __init__(self, *, is_complex: bool) -> None:
        self.is_complex = is_complex
        self.leaves: list[Any] = []
        self.n = 0
        self.namespace: dict[str, Any] = {"np": np, "__name__": "srcad.unflatten"}

    def display(self, tree: Any) -> str:
        """The expression that makes `tree`."""
        kind = type(tree)
        if kind is dict:
            pairs = (f"{self.key(key)}: {self.display(tree[key])}" for key in _sorted(tree))
            return f"{{{', '.join(pairs)}}}"
        if kind is list:
            return f"[{', '.join(map(self.display, tree))}]"
        if kind is tuple:
            return f"({''.join(f'{self.display(item)}, ' for item in tree)})"
        if isinstance(tree, tuple) and hasattr(tree, "_fields"):
            return self.record(tree, tree._fields)
        if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
            return self.record(tree, [f.name for f in dataclasses.fields(tree) if f.init])
        if isinstance(tree, np.ndarray | np.generic) and tree.dtype.hasobject:
            raise error("E309", None, what="an array")
        can_vary = isinstance(tree, float | complex | np.ndarray | np.generic)
        if can_vary and np.asarray(tree).dtype.kind in "fc":
            return self.leaf(tree)
        return self.constant(tree)

    def record(self, obj: Any, names: Any) -> str:
        """A named tuple or dataclass, by its constructor."""
        fields = (f"{name}={self.display(getattr(obj, name))}" for name in names)
        return f"{self.constant(type(obj))}({', '.join(fields)})"

    def key(self, key: Any) -> str:
        """A key of a dict."""
        return repr(key) if type(key) in _PLAIN_KEYS else self.constant(key)

    def leaf(self, x: Any) -> str:
        """The part of the vector for a number or array."""
        self.leaves.append(x)
        start = self.n
        self.n += np.size(x)
        is_array = isinstance(x, np.ndarray)
        part = f"vector[{start}:{self.n}].reshape({x.shape})" if is_array else f"vector[{start}]"
        if self.is_complex and not np.iscomplexobj(x):
            part = f"np.real({part})"
        if type(x) in (float, complex):
            return f"{type(x).__name__}({part})"
        dtype = f"np.{x.dtype.type.__name__}"
        return f"{part}.astype({dtype})" if is_array else f"{dtype}({part})"

    def constant(self, value: Any) -> str:
        """A value that is carried along."""
        if value is None or type(value) in (bool, int, str):
            return repr(value)
        name = f"carried_{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def function(self, display: str) -> Callable[[Any], Any]:
        """The function that returns what `display` says."""
        text = (
            "def unflatten(vector):\n"
            f'    """The container from a vector of shape ({self.n},)."""\n'
            f"    if np.shape(vector) != ({self.n},):\n"
            f'        raise ValueError("unflatten takes a vector of shape ({self.n},)")\n'
            f"    return {display}\n"
        )
        filename = f"<unflatten {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        exec(compile(text, filename, "exec"), self.namespace)
        made: Callable[[Any], Any] = self.namespace["unflatten"]
        return made


def _sorted(tree: dict[Any, Any]) -> list[Any]:
    try:
        return sorted(tree)
    except TypeError:
        return list(tree)


__all__ = ["flatten"]
