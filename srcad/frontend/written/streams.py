"""`io.StringIO`, read in place: a text that grows.

s = io.StringIO()                  s = StringIO()
print("step", k, file=s)           s.write("step" + " " + str(k) + "\\n")
"""

from __future__ import annotations

import io
from typing import Any


class StringIO:
    """A stream that begins empty, and is written at its end."""

    stands_for = io.StringIO

    def __init__(self) -> None:
        self._text = ""
        self._is_closed = False

    def _check(self) -> None:
        if self._is_closed:
            raise ValueError("I/O operation on closed file")

    def write(self, text: Any, /) -> Any:
        """Put a text at the end."""
        self._check()
        if not isinstance(text, str):
            raise TypeError("string argument expected")
        self._text = self._text + text
        return len(text)

    def writelines(self, lines: Any, /) -> None:
        """Put texts at the end, one after the other."""
        for line in lines:
            self.write(line)

    def getvalue(self) -> Any:
        """All that was written."""
        self._check()
        return self._text

    def flush(self) -> None:
        """Nothing waits to be written."""
        self._check()

    def close(self) -> None:
        """Forget what was written."""
        self._is_closed = True

    def __enter__(self) -> Any:
        self._check()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._is_closed = True


def print_to(file: Any, items: Any, sep: Any = None, end: Any = None, flush: Any = False) -> None:
    """`print(*items, sep=sep, end=end, file=file)`."""
    between = " " if sep is None else sep
    for k in range(len(items)):
        if k > 0:
            file.write(between)
        file.write(str(items[k]))
    file.write("\n" if end is None else end)
