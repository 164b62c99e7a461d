"""`srcad rules`: what srcad does with a function. Also the page docs/rules.md."""

from __future__ import annotations

import difflib
from functools import cache

from srcad.frontend.public import read_names
from srcad.rules import document
from srcad.rules.document import Line


@cache
def _lines() -> tuple[Line, ...]:
    return tuple(document.all_lines(read_names()))


def find_rules(name: str = "") -> list[Line]:
    """What is known of functions whose name contains `name`, by name."""
    return [line for line in _lines() if name in line.name]


def near_names(name: str) -> list[str]:
    """Names that look like this one."""
    names = {line.name.rpartition(".")[2]: line.name for line in _lines()}
    return [names[each] for each in difflib.get_close_matches(name.rpartition(".")[2], names, 3)]


def page() -> str:
    """Markdown of all functions, a table for each module: docs/rules.md."""
    return document.page(read_names())
