"""Guards and captured inputs as one generated function: the warm path of every call.

def dispatch(a0, a1):
    try:
        ok = type(a0) is ndarray and a0.dtype == k0 and a0.ndim == 2 and 1 not in a0.shape and
        ... if ok: c0 = F.__globals__['scale']; ok = type(c0) is float
    except Exception: return MISS
    return entry(a0, a1, c0) if ok else MISS

Where there is a table of entries, the size of the arguments chooses one:

    return entry[(a0.size + a1.size).bit_length()](a0, a1, c0)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.ir.guards import Guard, are_apart

MISS = object()
_MAX_SIZES = 6


def build_dispatch(
    entry: Callable[..., Any] | list[Callable[..., Any]],
    fn: Callable[..., Any],
    n_args: int,
    n_extra: int,
    guards: Sequence[Guard],
    captures: tuple[str, ...],
    kept: tuple[Any, ...],
) -> Callable[..., Any]:
    """A function of the arguments that calls `entry` if every guard holds, else returns `MISS`.

    Args:
        entry: the program; or one for each number of bits that the arguments' size has.
        n_args: number of the primal's arguments; `n_extra` more are passed on unchecked (tangents).
    """
    namespace: dict[str, Any] = {
        "F": fn, "K": kept, "entry": entry, "MISS": MISS, "ndarray": np.ndarray,
        "are_apart": are_apart,
    }  # fmt: skip
    tests = _Tests(namespace, captures)
    for guard in guards:
        tests.add(guard)
    parameters = ", ".join(f"a{i}" for i in range(n_args + n_extra))
    passed = ", ".join([parameters, *(f"c{i}" for i in range(len(captures)))]).strip(", ")
    body = "\n        ".join(tests.lines) or "pass"
    chosen = "entry" if callable(entry) else f"entry[{_bits(guards, captures)}]"
    text = (
        f"def dispatch({parameters}):\n    try:\n        {body}\n"
        f"    except Exception:\n        return MISS\n    return {chosen}({passed})\n"
    )
    exec(compile(text, "<srcad dispatch>", "exec"), namespace)
    dispatch: Callable[..., Any] = namespace["dispatch"]
    return dispatch


def _bits(guards: Sequence[Guard], captures: tuple[str, ...]) -> str:
    """The bits of the number of entries of the arrays that come in; of the first, if many."""
    paths = [guard.path for guard in guards if guard.kind == "leaf" and _has_axes(guard.expected)]
    # What stands in containers comes last: parameters of a model, which rarely change in size.
    paths = sorted(paths, key=lambda path: path.count("["))[:_MAX_SIZES]
    names = {path: f"c{i}" for i, path in enumerate(captures)}
    sizes = " + ".join(f"{names.get(path) or _argument(path)}.size" for path in paths)
    return f"({sizes}).bit_length()" if sizes else "0"


def _has_axes(key: Any) -> bool:
    """Whether a `leaf_key` is that of an array with axes."""
    return isinstance(key, tuple) and len(key) > 1 and bool(key[1])


class _Tests:
    """Lines that read captured inputs and leave with MISS where a guard fails."""

    def __init__(self, namespace: dict[str, Any], captures: tuple[str, ...]) -> None:
        self.namespace = namespace
        self.names = {path: f"c{i}" for i, path in enumerate(captures)}
        self.lines = [f"{name} = {_argument(path)}" for path, name in self.names.items()]

    def constant(self, value: Any) -> str:
        name = f"k{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def add(self, guard: Guard) -> None:
        at = self.names.get(guard.path) or f"({_argument(guard.path)})"
        self.lines.append(f"if not ({self.test(guard, at)}): return MISS")

    def test(self, guard: Guard, at: str) -> str:
        expected = guard.expected
        match guard.kind:
            case "is":
                return f"{at} is {self.constant(expected)}"
            case "code":
                fn, code = expected
                return f"{at} is {self.constant(fn)} and {at}.__code__ is {self.constant(code)}"
            case "equals" | "static":
                if expected is None or isinstance(expected, bool):
                    return f"{at} is {expected}"
                kind = self.constant(type(expected))
                return f"type({at}) is {kind} and {at} == {self.constant(expected)}"
            case "type":
                return f"type({at}) is {self.constant(expected)}"
            case "length":
                cls, n = expected
                return f"type({at}) is {cls.__name__} and len({at}) == {n}"
            case "keys":
                keys = "".join(f" and {key!r} in {at}" for key in expected)
                return f"type({at}) is dict and len({at}) == {len(expected)}{keys}"
            case "apart":
                return f"are_apart(*{at})"
            case "leaf":
                return self.leaf(at, expected)

    def leaf(self, at: str, key: Any) -> str:
        if not isinstance(key, tuple):
            return f"type({at}) is {self.constant(key)}"
        dtype = self.constant(key[0])
        if len(key) == 1:
            return f"type({at}) is {self.constant(key[0].type)} and {at}.dtype == {dtype}"
        ones = key[1]
        # Most dtypes there is but one object of.
        head = (
            f"type({at}) is ndarray and ({at}.dtype is {dtype} or {at}.dtype == {dtype})"
            f" and {at}.ndim == {len(ones)}"
        )
        if not any(ones):
            return f"{head} and 1 not in {at}.shape" if ones else head
        flags = (f"{at}.shape[{i}] {'==' if one else '!='} 1" for i, one in enumerate(ones))
        return f"{head} and {' and '.join(flags)}"


def _argument(path: str) -> str:
    """`A[3]["w"]` as an expression on the parameter `a3`."""
    return re.sub(r"\bA\[(\d+)\]", r"a\1", path)
