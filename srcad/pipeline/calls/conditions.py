"""Guards as lines of Python, which leave a loop by `break` where one does not hold.

Guard("A[0]", "keys", ("u", "v"))                  if type(a0) is not dict or ...: break
Guard("A[0]['u']", "leaf", (float64, (False,)))    v0 = a0['u']
                                                   if type(v0) is not ndarray or ...: break
                                                   n1 = len(v0)
                                                   if n1 == 1: break
Guard("A[0]['u'].shape[0] == A[1].shape[0]", ...)  if n1 != n2: break
Guard("F.__globals__['np']", "is", numpy)          if G['np'] is not k3: break

They run before each call, so what is read once has a name from then on: an item, an extent. What a
guard has found to be a certain object is that object below it.
"""

from __future__ import annotations

import operator
import re
import types
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from srcad.ir.guards import Guard, are_alike, are_apart

_STRING = r"'(?:[^'\\]|\\.)*'" + r'|"(?:[^"\\]|\\.)*"'
_STEP = re.compile(rf"\.\w+|\[(?:-?\d+|True|False|{_STRING})\]")
# A way to an object, or a string, in which there is none.
_WAY = re.compile(rf"{_STRING}|(?<![\w.])(?:[AK]\[\d+\]|F\b)(?:{_STEP.pattern})*")
_EXTENT = re.compile(r"n\d+(?: [+-] \d+)?")


class Conditions:
    """The lines for guards in their order, and the names they use.

    Args:
        namespace: gets the objects that the lines refer to.
        captures: paths of captured values, named `c0`, `c1`, ...; arguments have names.
    """

    def __init__(
        self,
        namespace: dict[str, Any],
        fn: Any,
        n_args: int,
        captures: Sequence[str],
        kept: Sequence[Any],
    ) -> None:
        namespace.update(ndarray=np.ndarray, are_apart=are_apart)
        self.lines: list[str] = []
        self._namespace = namespace
        self._constants: dict[int, str] = {}
        self._names = {f"A[{i}]": f"a{i}" for i in range(n_args)}
        self._captures = {path: self._names.get(path, f"c{i}") for i, path in enumerate(captures)}
        self._fn = fn
        self._settle("F", fn)
        for i, obj in enumerate(kept):
            self._settle(f"K[{i}]", obj)

    @property
    def captured(self) -> list[str]:
        """The names of the captured values."""
        return [*self._captures.values()]

    def add(self, guards: Sequence[Guard]) -> None:
        """Append the lines for guards; then those that read the other captured values."""
        ordered = {f"tuple({guard.path})" for guard in guards if guard.kind == "keys"}
        orders = {guard.path: guard for guard in guards if guard.path in ordered}
        for guard in guards:
            order = f"tuple({guard.path})"
            if guard.kind == "keys" and order in orders:
                self._add_keys(self._bind(guard.path), orders[order].expected)
            elif guard.path not in orders:
                self._add(guard)
        for path in self._captures:
            self._bind(path)

    def text(self, path: str) -> str:
        """A path by the names that there are so far."""
        calls = [way for way in self._names if "(" in way and way in path]
        for way in sorted(calls, key=len, reverse=True):  # what is computed once has a name
            path = re.sub(rf"(?<![\w.]){re.escape(way)}(?![\w(])", self._names[way], path)
        return self._ways(path)

    def _ways(self, path: str) -> str:
        def named(found: re.Match[str]) -> str:
            way = found[0]
            if way[0] in "'\"":
                return way
            ends = [way.find("]") + 1 if way[0] in "AK" else 1]
            ends += [step.end() for step in _STEP.finditer(way, ends[0])]
            end = next((end for end in reversed(ends) if way[:end] in self._names), 0)
            return self._names[way[:end]] + way[end:] if end else way

        return _WAY.sub(named, path)

    def _add(self, guard: Guard) -> None:
        expected, path = guard.expected, guard.path
        match guard.kind:
            case "is":
                self._leave_if(f"{self.text(path)} is not {self._constant(expected)}")
                self._settle(path, expected)
            case "code":
                self._add_code(path, *expected)
            case "equals" | "static":
                self._add_equal(self.text(path), expected)
            case "type":
                self._leave_if(f"type({self._bind(path)}) is not {self._constant(expected)}")
            case "length":
                at, (cls, n) = self._bind(path), expected
                self._leave_if(f"type({at}) is not {cls.__name__} or len({at}) != {n}")
            case "keys" if len(expected) == 1:
                self._add_keys(self._bind(path), expected)
            case "keys":
                at = self._bind(path)
                absent = "".join(f" or {self._constant(key)} not in {at}" for key in expected)
                self._leave_if(f"type({at}) is not dict or len({at}) != {len(expected)}{absent}")
            case "apart":
                self._leave_if(f"not are_apart(*{self.text(path)})")
            case "leaf":
                self._add_leaf(path, expected)

    def _add_code(self, path: str, fn: Any, code: Any) -> None:
        if path != "F" or fn is not self._fn:
            self._leave_if(f"{self.text(path)} is not {self._constant(fn)}")
            self._settle(path, fn)
        self._leave_if(f"{self.text(path)}.__code__ is not {self._constant(code)}")

    def _add_keys(self, at: str, keys: tuple[Any, ...]) -> None:
        """The keys of a dict and their order; a few are quicker compared one by one."""
        self._leave_if(f"type({at}) is not dict")
        if len(keys) > 4:
            same, alike, known = map(self._constant, (operator.is_, are_alike, keys))
            found = f"all(map({same}, {at}, {known})) or {alike}(tuple({at}), {known})"
            self._leave_if(f"len({at}) != {len(keys)} or not ({found})")
            return
        names = [f"key_{i}" for i in range(len(keys))]
        comma = "," if len(names) == 1 else ""
        self.lines.append(f"{', '.join(names)}{comma} = {at}")
        self._leave_if(" or ".join(map(self._is_other, names, keys)))

    def _is_other(self, name: str, key: Any) -> str:
        """The test that what has a name is not this key, which it mostly is, itself."""
        cls, value = type(key), self._constant(key)
        if not _is_told_by_value(key):
            return f"not {self._constant(are_alike)}({name}, {value})"
        kind = cls.__name__ if cls.__module__ == "builtins" else self._constant(cls)
        return f"{name} is not {value} and (type({name}) is not {kind} or {name} != {value})"

    def _add_equal(self, at: str, expected: Any) -> None:
        left, _, right = at.partition(" == ")
        if expected is True and _EXTENT.fullmatch(left) and _EXTENT.fullmatch(right):
            self._leave_if(f"{left} != {right}")
        elif expected is None or isinstance(expected, bool):
            self._leave_if(f"({at}) is not {expected}")
        elif not _is_told_by_value(expected):
            self._leave_if(f"not {self._constant(are_alike)}({at}, {self._constant(expected)})")
        else:
            kind, value = self._constant(type(expected)), self._constant(expected)
            self._leave_if(f"type({at}) is not {kind} or {at} != {value}")

    def _add_leaf(self, path: str, key: Any) -> None:
        at = self._bind(path)
        if not isinstance(key, tuple):
            self._leave_if(f"type({at}) is not {self._constant(key)}")
            return
        dtype = self._constant(key[0])
        if len(key) == 1:
            scalar = self._constant(key[0].type)
            self._leave_if(f"type({at}) is not {scalar} or {at}.dtype != {dtype}")
            return
        # Most dtypes there is but one object of.
        other = f"{at}.dtype is not {dtype} and {at}.dtype != {dtype}"
        cls = "ndarray" if len(key) == 2 else self._constant(key[2])
        array = f"type({at}) is not {cls} or {other}"
        if len(key[1]) < 2:  # of more axes than one, the shape is taken apart, or cannot be
            array += f" or {at}.ndim != {len(key[1])}"
        self._leave_if(array)
        if key[1]:
            self._add_extents(path, at, key[1])

    def _add_extents(self, path: str, at: str, ones: Sequence[bool]) -> None:
        first = len(self._names)
        extents = [f"n{first + axis}" for axis in range(len(ones))]
        for axis, extent in enumerate(extents):
            self._names[f"{path}.shape[{axis}]"] = extent
        one = len(extents) == 1
        self.lines.append(f"{', '.join(extents)} = {f'len({at})' if one else f'{at}.shape'}")
        tests = (
            f"{n} {'!=' if is_one else '=='} 1" for n, is_one in zip(extents, ones, strict=True)
        )
        self._leave_if(" or ".join(tests))

    def _leave_if(self, test: str) -> None:
        self.lines.append(f"if {test}: break")

    def _bind(self, path: str) -> str:
        """The name of what a path leads to, which is read if it has none."""
        if path not in self._names:
            text = self.text(path)
            self._names[path] = name = self._captures.get(path) or f"v{len(self._names)}"
            self.lines.append(f"{name} = {text}")
        return self._names[path]

    def _settle(self, path: str, obj: Any) -> None:
        """From here on a path leads to this object, and so do others from it for ever."""
        if path not in self._captures:
            self._names[path] = self._constant(obj)
        if type(obj) is types.FunctionType:
            self._names[f"{path}.__globals__"] = self._constant(obj.__globals__)
            for i, cell in enumerate(obj.__closure__ or ()):
                self._names[f"{path}.__closure__[{i}]"] = self._constant(cell)

    def _constant(self, value: Any) -> str:
        if id(value) not in self._constants:
            name = self._constants[id(value)] = f"k{len(self._constants)}"
            self._namespace[name] = value
        return self._constants[id(value)]


def _is_told_by_value(x: Any) -> bool:
    """Whether what is of the same class and equal is the same to a program: 0.0 and -0.0 are not,
    nor are parts of different classes, and NaN is not equal to itself.
    """
    if isinstance(x, float):
        return x != 0 and x == x
    return not isinstance(x, _TOLD_BY_PARTS)


_TOLD_BY_PARTS = (
    tuple, slice, range, set, frozenset, complex, Decimal, np.inexact,
)  # fmt: skip
