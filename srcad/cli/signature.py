"""Arguments from their description: `f32[100,784], {"w": f64[3], "on": True}, "relu"`.

    item      = array | number | literal | container
    array     = dtype "[" extents "]"          f32[100,784]   i64[3]   f64[]
    number    = dtype | "int" | "float"        f64: a NumPy scalar; float: a Python number
    literal   = 3 | -0.5 | "text" | True | False | None
    container = "(" items ")" | "[" items "]" | "{" text ":" item, ... "}"

Entries are random, the same each time: floats in the range that is asked for, integers 0 or 1.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from srcad.cli.failure import Failure

_DTYPES = {
    **{f"f{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    **{f"c{bits}": np.dtype(f"complex{bits}") for bits in (64, 128)},
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"u{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    "bool": np.dtype(bool),
}
_LITERALS = {"True": True, "False": False, "None": None}
_TOKEN = re.compile(
    r"""(?P<name>[A-Za-z_]\w*)
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<text>"[^"\\]*"|'[^'\\]*')
      | (?P<mark>[()\[\]{},:])""",
    re.VERBOSE,
)
_CLOSE = {"(": ")", "[": "]", "{": "}"}


def build_arguments(
    signature: str, *, seed: int = 0, low: float = -1.0, high: float = 1.0
) -> tuple[Any, ...]:
    """Arguments as the signature describes them, floats in [low, high].

    Raises:
        Failure: the signature cannot be read; the message shows where.
    """
    return _Reader(signature, np.random.default_rng(seed), low, high).arguments()


class _Reader:
    """Recursive descent over the text; `self.token` is what comes next."""

    def __init__(self, text: str, rng: np.random.Generator, low: float, high: float) -> None:
        self.text = text
        self.rng = rng
        self.low, self.high = low, high
        self.kind, self.token, self.start, self.end = "", "", 0, 0
        self.advance()

    def arguments(self) -> tuple[Any, ...]:
        items = [] if self.kind == "end" else [self.item()]
        while self.kind != "end":
            self.expect(",")
            items.append(self.item())
        return tuple(items)

    def advance(self) -> None:
        start = self.end + len(self.text[self.end :]) - len(self.text[self.end :].lstrip())
        found = _TOKEN.match(self.text, start)
        self.start = start
        if found:
            self.kind, self.token, self.end = found.lastgroup or "", found[0], found.end()
        elif start == len(self.text):
            self.kind, self.token, self.end = "end", "", start
        else:
            raise self.failure(f"unexpected {self.text[start]!r}")

    def expect(self, mark: str) -> None:
        if self.token != mark:
            seen = f"{self.token!r}" if self.token else "the end"
            raise self.failure(f"expected {mark!r}, found {seen}")
        self.advance()

    def item(self) -> Any:
        kind, token = self.kind, self.token
        if kind == "name":
            return self.named()
        if token in _CLOSE:
            return self.container()
        if kind in ("number", "text"):
            self.advance()
            return ast.literal_eval(token)
        raise self.failure("expected a type, a value or a container")

    def named(self) -> Any:
        name = self.token
        if name in _LITERALS:
            self.advance()
            return _LITERALS[name]
        if name not in _DTYPES and name not in ("int", "float"):
            raise self.failure(f"unknown type {name!r}; there are {', '.join(_DTYPES)}, int, float")
        self.advance()
        if name == "float":
            return float(self.rng.uniform(self.low, self.high))
        if name == "int":
            return int(self.rng.integers(0, 2))
        if self.token != "[":
            return self.random(_DTYPES[name], ())[()]
        self.advance()
        return self.random(_DTYPES[name], self.extents())

    def extents(self) -> tuple[int, ...]:
        extents: list[int] = []
        while self.token != "]":
            if extents:
                self.expect(",")
            if not self.token.isdecimal():
                raise self.failure("expected an extent, a number like 3")
            extents.append(int(self.token))
            self.advance()
        self.advance()
        return tuple(extents)

    def container(self) -> Any:
        opening, items = self.token, []
        closing = _CLOSE[opening]
        keys: list[str] = []
        one_tuple = False
        self.advance()
        while self.token != closing:
            if opening == "{":
                keys.append(self.key())
            items.append(self.item())
            if self.token != closing:
                self.expect(",")
                one_tuple = True
        self.advance()
        if opening == "{":
            return dict(zip(keys, items, strict=True))
        if opening == "[":
            return items
        return tuple(items) if len(items) != 1 or one_tuple else items[0]

    def key(self) -> str:
        if self.kind != "text":
            raise self.failure('expected a key like "w"')
        key: str = ast.literal_eval(self.token)
        self.advance()
        self.expect(":")
        return key

    def random(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
        if dtype.kind in "iub":
            return np.asarray(self.rng.integers(0, 2, shape)).astype(dtype)
        entries = np.asarray(self.rng.uniform(self.low, self.high, shape))
        if dtype.kind == "c":
            entries = entries + 1j * self.rng.uniform(self.low, self.high, shape)
        return entries.astype(dtype)

    def failure(self, reason: str) -> Failure:
        caret = " " * self.start + "^" * max(1, self.end - self.start)
        return Failure(
            f"signature: {reason}\n    {self.text}\n    {caret}",
            hint='a signature reads like "f32[100,784], (f64[3], f64), {\\"w\\": f64[3,4]}, 0.5"',
        )
