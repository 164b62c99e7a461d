"""The emitted module: imports, constants, helpers, functions, and the map to the user's lines.

import numpy as np

__all__ = ["loss_grad"]


def unbroadcast(g, shape):
    ...


def loss_grad(w, x):
    ...
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from srcad.emit.functions import FunctionWriter, plan_function
from srcad.emit.native import NUMBA, Dialect
from srcad.emit.places import Places, find_places
from srcad.emit.plan.comments import paragraphs
from srcad.emit.plan.naming import function_name
from srcad.emit.printing.unparse import unparse_with_lines
from srcad.emit.references import STORE, References
from srcad.emit.writer import SourceText
from srcad.errors import Location
from srcad.ir import Function
from srcad.ir.calls import called as called_by


@dataclass(frozen=True, slots=True)
class Emitted:
    """A module's text.

    `entry` is its public function; `line_map` leads from its lines to the user's. `globals` are
    objects that the text refers to and that have no importable name (lambdas, local functions, big
    arrays): a text without any stands alone. From line `border` on it writes the caller's arrays.
    `places` finds every place that a line computes for, where `line_map` has the first.
    """

    text: str
    entry: str
    line_map: dict[int, Location]
    globals: dict[str, Any] = field(default_factory=dict)
    border: int = 0
    places: Callable[[], Places] = dict


def emit(
    fn: Function, *, doc: str = "", source_lines: SourceText | None = None, dialect: Dialect = NUMBA
) -> Emitted:
    """Print `fn`, with the functions that it calls, as a module whose public function is `fn.name`.

    Args:
        doc: the docstring of the public function.
        source_lines: gives the text of the line at a location; `linecache` does if it is left out.
        dialect: how the target's programs are printed.
    """
    source = source_lines or line_text
    public = function_name(fn.name)
    called = called_by(fn)
    plans = [(callee, plan_function(_flat(callee), [public])) for callee in called]
    entry = plan_function(fn, [public, *(callee.name for callee in called)])
    references = References(_names([*(plan for _, plan in plans), entry]), dialect)
    references.taken.add(public)
    functions = {callee: references.fresh(function_name(callee.name)) for callee in called}
    definitions: list[ast.stmt] = []
    locations: dict[ast.stmt, Location] = {}
    writers: list[FunctionWriter] = []
    for callee, plan in [*plans, (None, entry)]:
        writer = FunctionWriter(plan, references, functions, source)
        is_entry = callee is None
        name = public if callee is None else functions[callee]
        written = writer.definition(name, doc if is_entry else "")
        if callee is not None and callee.native:
            written.decorator_list.append(dialect.decorator(callee, references.member))
        definitions.append(written)
        locations.update(writer.locations)
        writers.append(writer)
    text, lines = unparse_with_lines(_module(public, references, definitions))
    line_map = {
        line: loc if loc.caller is None else replace(loc, caller=None)
        for line, stmt in lines.items()
        if (loc := locations.get(stmt)) is not None
    }
    border = min((line for line, stmt in lines.items() if stmt is writer.writer.border), default=0)
    places = partial(find_places, [each.writer for each in writers], lines)
    return Emitted(text, public, line_map, references.globals, border, places)


def line_text(loc: Location) -> str:
    """The line, or only the stretch that is the body of a lambda or of a `def` on one line."""
    text = loc.text
    before = text.encode()[: loc.col].decode(errors="ignore")
    if not re.search(r"\b(lambda|def)\b", before):
        return text
    end = loc.end_col if loc.end_line == loc.line else None
    return text.encode()[loc.col : end].decode(errors="ignore")


def _flat(fn: Function) -> Function:
    """What an operation calls: leaves in, leaves out."""
    return Function(fn.name, fn.body)


def _names(plans: Iterable[Any]) -> set[str]:
    found = {name for plan in plans for name in plan.names.values()}
    return found.union(*(labels for plan in plans for labels in plan.labels.values()))


def _module(entry: str, references: References, definitions: list[ast.stmt]) -> ast.Module:
    public = ast.List([ast.Constant(entry)], ast.Load())
    exported = ast.Assign([ast.Name("__all__", STORE)], public, lineno=0)
    head: list[list[ast.stmt]] = [*_import_groups(references), [exported], references.constants]
    return ast.Module([*paragraphs(head), *references.helpers, *definitions], [])


def _import_groups(references: References) -> list[list[ast.stmt]]:
    """Imports of the standard library, of packages for numbers, of the user's modules."""
    groups: list[list[ast.stmt]] = [[], [], []]
    for (module, member), statement in sorted(references.imports.values(), key=_import_order):
        groups[import_group(module or member)].append(statement)
    return groups


def import_group(module: str) -> int:
    """The group of a module's import: 0 for the standard library, 1 for numbers, 2 for others."""
    top = module.split(".")[0]
    return 0 if top in sys.stdlib_module_names else 1 if top in _NUMBERS else 2


_NUMBERS = ("numpy", "scipy", "cupy", "cupyx")


def _import_order(entry: tuple[tuple[str | None, str], ast.stmt]) -> tuple[bool, str, str]:
    (module, member), _ = entry
    return module is not None, module or "", member
