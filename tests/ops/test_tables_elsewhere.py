"""What is known of an operation stands in its row: few other tables have functions as keys."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from srcad.ops.table import rows
from srcad.rules import RULES

ROOT = Path(__file__).parent.parent.parent / "srcad"
# How many tables of functions each package may have that are a pass's own, besides those of what it
# calls for each (handlers, what stands in a function's place). A fact of the operation itself is a
# column of `srcad.ops.table.Row`.
MOST = {
    "optimize": 0,
    "transform": 1,
    "native": 4,
    "emit": 0,
    "pipeline": 0,
    "frontend": 4,
}


# How many lists of operations each package may have, the same way: those that one pass treats in a
# way of its own. What two passes ask is a column.
MOST_LISTS = {
    "optimize": 7,
    "transform": 10,
    "native": 13,
    "emit": 0,
    "pipeline": 2,
    "frontend": 12,
}

# What a target writes for an operation is its own.
TARGETS = (ROOT / "native" / "c", ROOT / "emit" / "on_cupy.py")


def is_function(key: Any) -> bool:
    """Whether a key of a table is a function, or a pair that begins with one."""
    fn = key[0] if isinstance(key, tuple) and key else key
    return not isinstance(fn, type) and (isinstance(fn, np.ufunc) or hasattr(fn, "__name__"))


def is_dispatch(table: Any) -> bool:
    """Whether a table has what a pass calls for each function: a handler, a form in its place."""
    return isinstance(table, dict) and all(map(callable, table.values()))


def tables(path: Path) -> set[str]:
    """The sets and mappings of a module, made there or elsewhere, most keys of which are so."""
    name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    module = importlib.import_module(name.removesuffix(".__init__"))
    text = path.read_text()
    return {
        f"{name}.{own}"
        for own, table in vars(module).items()
        if isinstance(table, dict | set | frozenset)
        and any(text.startswith(f"{own}{end}") or f"\n{own}{end}" in text for end in (":", " ="))
        and 2 * sum(map(is_function, table)) > len(table)
        and not is_dispatch(table)
    }


def lists(path: Path) -> set[str]:
    """The lists of a module, most items of which are operations: what one pass asks of them."""
    name = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    module = importlib.import_module(name.removesuffix(".__init__"))
    text = path.read_text()
    known = {*rows(), *RULES}
    return {
        f"{name}.{own}"
        for own, table in vars(module).items()
        if isinstance(table, tuple | list)
        and len(table) > 1
        and any(text.startswith(f"{own}{end}") or f"\n{own}{end}" in text for end in (":", " ="))
        and 2 * sum(is_function(x) and x in known for x in table) > len(table)
    }


@pytest.mark.parametrize("package", MOST)
@pytest.mark.parametrize(("found_in", "most"), [(tables, MOST), (lists, MOST_LISTS)])
def test_facts_of_operations_stand_in_their_rows(found_in, most, package: str):
    if package == "native":
        pytest.importorskip("numba")
    paths = (
        path
        for path in sorted((ROOT / package).rglob("*.py"))
        if not {path, path.parent} & {*TARGETS}
    )
    found = [table for path in paths for table in found_in(path)]
    assert len(found) <= most[package], found
