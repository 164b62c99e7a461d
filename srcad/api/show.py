"""Printing source: highlighted where rich is installed and the output is a terminal."""

from __future__ import annotations

import sys


def show(text: str) -> None:
    """Print Python source."""
    if sys.stdout.isatty():
        try:
            from rich.console import Console
            from rich.syntax import Syntax
        except ImportError:
            pass
        else:
            Console().print(Syntax(text, "python", background_color="default"))
            return
    print(text, end="")
