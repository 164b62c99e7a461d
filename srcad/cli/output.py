"""Printing: with rich's colours on a terminal where rich is installed, plain text elsewhere.

Plain text is the text alone, so that `srcad show ... > grad.py` writes a module.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from srcad.cli.failure import Failure


def _console() -> Any:
    """A rich console for a terminal; None where text is to stay plain."""
    if not sys.stdout.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console()


def print_code(text: str) -> None:
    """Print Python source."""
    if console := _console():
        from rich.syntax import Syntax

        console.print(Syntax(text.rstrip("\n"), "python", background_color="default"))
    else:
        print(text.rstrip("\n"))


def print_markdown(text: str) -> None:
    """Print Markdown."""
    if console := _console():
        from rich.markdown import Markdown

        console.print(Markdown(text))
    else:
        print(text.rstrip("\n"))


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows below their heads."""
    if console := _console():
        from rich import box
        from rich.table import Table

        table = Table(*heads, box=box.SIMPLE_HEAD)
        for row in rows:
            table.add_row(*(cell.replace("[", r"\[") for cell in row))
        console.print(table)
        return
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(padded).rstrip())


def print_failure(failure: Failure) -> None:
    """Print a message to the error stream."""
    print(f"srcad: {failure.message}", file=sys.stderr)
    if failure.hint:
        print(f"hint: {failure.hint}", file=sys.stderr)
