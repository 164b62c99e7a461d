"""Where something stands in the user's source, and the excerpt that shows it.

14 |     try:
   |     ^^^
"""

from __future__ import annotations

import inspect
import linecache
import os
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from srcad.errors.cells import cell_name
from srcad.interrupts import raise_users_own

# Folders of installed packages.
INSTALLED = frozenset({"site-packages", "dist-packages"})
_PYTHONS = os.path.dirname(os.__file__) + os.sep

# Of a block that spans lines only its first word is underlined.
_BLOCK_WORD = re.compile(
    r"(?:async\s+)?(?:try|with|for|while|if|elif|else|def|class|match|case)\b", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Location:
    """A stretch of source text.

    Lines count from 1. Columns are as in `ast`: they count from 0, in UTF-8 bytes; a
    printed column counts from 1, in characters. `function` is the name of the function the
    text stands in, "" when it is not known. `caller` is the call of the function, where that is so
    short that its reader thinks of the call: `sigmoid(x @ w)`.

    What is computed there may be a `part` of an `operation` of the user's: a "step" of a function
    that is made of several, or of its "derivative". Places are equal whatever is computed there.
    """

    file: str
    line: int
    col: int = 0
    end_line: int = 0
    end_col: int = 0
    function: str = ""
    caller: Location | None = None
    operation: str = field(default="", compare=False)
    part: Literal["", "step", "derivative"] = field(default="", compare=False)

    @classmethod
    def of_function(cls, fn: Any) -> Location | None:
        """Where a function is defined."""
        code = getattr(inspect.unwrap(fn), "__code__", None)
        return None if code is None else cls(code.co_filename, code.co_firstlineno)

    @classmethod
    def of(cls, node: object, file: str, function: str = "") -> Location:
        """Location of an `ast` or `gast` node that carries positions."""
        line = getattr(node, "lineno", None) or 1
        col = getattr(node, "col_offset", None) or 0
        return cls(
            file,
            line,
            col,
            getattr(node, "end_lineno", None) or line,
            getattr(node, "end_col_offset", None) or col + 1,
            function,
        )

    def at_part(self, operation: str, part: Literal["", "step", "derivative"]) -> Location:
        """The same place, for a part of an operation."""
        place = (self.file, self.line, self.col, self.end_line, self.end_col)
        return Location(*place, self.function, self.caller, operation, part)

    @property
    def shown(self) -> Location:
        """The place to show beside what comes from here: the call, of a short function."""
        return self.caller.shown if self.caller else self

    @property
    def text(self) -> str:
        """The first line of the stretch, without its newline; "" when there is no source."""
        return linecache.getline(self.file, self.line).rstrip("\n")

    @property
    def short_file(self) -> str:
        """The file's path, relative when it lies below the working directory; `cell 3`."""
        if cell := cell_name(self.file):
            return cell
        if self.file.startswith("<") or not os.path.isabs(self.file):
            return self.file
        try:
            relative = os.path.relpath(self.file)
        except (ValueError, OSError) as problem:  # another drive, or no working directory
            raise_users_own(problem)
            return self.file
        return self.file if relative.startswith("..") else relative

    @property
    def is_installed(self) -> bool:
        """Whether it is of a package that was installed, or of Python's own library."""
        parts = self.file.split(os.sep)
        return not INSTALLED.isdisjoint(parts) or self.file.startswith(_PYTHONS)

    @property
    def file_in_package(self) -> str:
        """The path below the folder of installed packages: `scipy/signal/_spectral_py.py`."""
        parts = self.file.split(os.sep)
        below = [k for k, part in enumerate(parts) if part in INSTALLED]
        return "/".join(parts[below[-1] + 1 :]) if below else self.short_file

    def __str__(self) -> str:
        return f"{self.short_file}:{self.line}:{_characters(self.text, self.col) + 1}"

    def excerpt(self) -> str:
        """The first source line with the stretch underlined; "" when there is no source."""
        text = self.text
        if not text.strip():
            return ""
        start, end = self._underlined(text)
        # Tabs stay tabs, so that the carets stand below what they mark.
        pad = "".join("\t" if char == "\t" else " " for char in text[:start])
        number = f"{self.line:5}"
        return f"{number} | {text}\n{' ' * len(number)} | {pad}{'^' * max(1, end - start)}"

    def _underlined(self, text: str) -> tuple[int, int]:
        start = _characters(text, self.col)
        if self.end_line > self.line:
            block = _BLOCK_WORD.match(text, start)
            return start, block.end() if block else len(text.rstrip())
        block = _BLOCK_WORD.match(text, start)
        end = _characters(text, self.end_col)
        return start, block.end() if block and block.end() < end else max(end, start + 1)


def _characters(text: str, col: int) -> int:
    """Number of characters in the first `col` UTF-8 bytes of `text`."""
    return col if text.isascii() else len(text.encode()[:col].decode(errors="ignore"))
