"""What srcad does with each function, as lines: for `docs/rules.md` and `srcad rules`.

| function | kind | by | options | note |
|---|---|---|---|---|
| `np.maximum` | elementwise | a, b | | ties share evenly |
| `np.load` | refused | | | it reads or writes files |
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import cache
from inspect import Parameter
from itertools import groupby
from typing import Any

from srcad.rules.core.call_facts import INSTEAD
from srcad.rules.core.names import (
    CLASSES,
    MODULES,
    UNKNOWN,
    public_names,
    stated,
    status_of,
)
from srcad.rules.core.operators import OPERATORS
from srcad.rules.core.table import RULES, Rule, name_of

KINDS = {
    "elementwise": "stated by partial derivatives, entry by entry",
    "linear": "linear in each differentiable argument",
    "general": "written out for both modes",
    "composed": "replaced by a body of functions that have rules",
    "zero": "the derivative is zero wherever it exists",
    "nondiff": "the result cannot vary: an index, a shape, a truth value",
    "read": "needs no rule: read with its meaning in Python and NumPy",
    "class": "a class that can be named but not called",
    "refused": "an error gives the reason and an alternative",
}
_INTRO = """\
# Rules

This page lists what srcad does with each public function of NumPy, `math`, `operator`, `functools`,
`itertools` and Python itself, with the methods of arrays and ufuncs, and with the SciPy functions
that have a rule. Each rule serves forward and reverse mode. `srcad rules NAME` searches the list;
`srcad.rules` has the constructors for your own rules. The column *by* names the differentiable
arguments. The methods of a ufunc are supported if the ufunc has a rule, and so are its options
`out`, `where` (with `out`), `dtype`, `casting` and `order`. Exceptions can be raised, tested and
caught.
"""
# In this order; functions of other modules follow by name.
_SECTIONS = ("", "math", "operator", "functools", "itertools", "np", "np.linalg", "np.fft",
             "np.lib.stride_tricks", "ndarray", "ufunc")  # fmt: skip
_TITLES = {"": "Built into Python", "ndarray": "Arrays", "ufunc": "Ufuncs"}


@dataclass(frozen=True, slots=True)
class Line:
    """One function: `by` and `options` as in a call."""

    name: str
    kind: str
    by: str = ""
    options: str = ""
    note: str = ""

    @property
    def section(self) -> str:
        """The module, or the class of methods."""
        section = self.name.rpartition(".")[0]
        # Methods of distributions: `scipy.stats.norm.pdf`.
        return "scipy.stats" if section.startswith("scipy.stats.") else section


def all_lines(read: Container[str]) -> list[Line]:
    """A line for each function there is, by name; `read` are names that the frontend reads."""
    RULES.load_all()
    found = {name_of(fn): line_of(name_of(fn), rule) for fn, rule in RULES.items()}
    found |= {name_of(fn): line_of(name_of(fn), RULES[made]) for fn, made in INSTEAD.items()}
    names = public_names()
    for name, member in names.items():
        if member in RULES:
            found[name] = _alias(name, RULES[member])
        elif name not in found and not _is_exception(member):
            found[name] = _without_rule(name, read)
    of_people = (x for x in found.values() if not x.name.startswith("srcad.runtime"))
    return sorted(of_people, key=lambda line: line.name)


def _is_exception(member: object) -> bool:
    return isinstance(member, type) and issubclass(member, BaseException)


def line_of(name: str, rule: Rule) -> Line:
    """The line of a function with a rule."""
    by, options = _parameters(rule)
    return Line(name, rule.kind, by, options, rule.note)


def _alias(name: str, rule: Rule) -> Line:
    own = name_of(rule.fn)
    note = (
        rule.note if own == name else "; ".join(filter(None, (f"the same as `{own}`", rule.note)))
    )
    line = line_of(name, rule)
    return Line(name, line.kind, line.by, line.options, note)


def _without_rule(name: str, read: Container[str]) -> Line:
    status = status_of(name, read)
    if status is None:
        return Line(name, UNKNOWN.status, note=UNKNOWN.reason)
    entry = stated().get(name)
    return Line(name, status, note=entry.reason if entry else "")


def _parameters(rule: Rule) -> tuple[str, str]:
    """The inputs that can be varied, and the options, each as in a call."""
    if rule.signature is None:
        return ", ".join(f"argument {i}" for i in rule.vjps), ""
    parameters = list(rule.signature.parameters.values())
    inputs = [p for p in parameters if p.default is p.empty]
    varied = [p for i, p in enumerate(inputs) if i in rule.vjps or rule.kind == "composed"]
    options = [p.name for p in parameters if p.default is not p.empty]
    return ", ".join(map(_shown, varied)), ", ".join(options)


def _shown(parameter: Parameter) -> str:
    return f"*{parameter.name}" if parameter.kind is Parameter.VAR_POSITIONAL else parameter.name


# The page


def page(read: Container[str]) -> str:
    """Markdown of all functions, a table for each module: docs/rules.md."""
    lines = sorted(all_lines(read), key=lambda line: (_order(line.section), line.name))
    by_section = [(key, list(group)) for key, group in groupby(lines, key=lambda x: x.section)]
    tables = [_table(key, group) for key, group in by_section]
    return "\n".join([_INTRO, _summary(lines), *tables])


def _order(section: str) -> tuple[int, str]:
    known = section in _SECTIONS
    return (_SECTIONS.index(section) if known else len(_SECTIONS), section)


def _summary(lines: Iterable[Line]) -> str:
    counts = dict.fromkeys(KINDS, 0)
    for line in lines:
        counts[line.kind] += 1
    rows = [f"| {kind} | {n} | {KINDS[kind]} |" for kind, n in counts.items() if n]
    return "\n".join(["| kind | functions | meaning |", "|---|---:|---|", *rows]) + "\n"


def _table(section: str, lines: Iterable[Line]) -> str:
    title = _TITLES.get(section, f"`{section}`")
    head = [f"## {title}", "", "| function | kind | by | options | note |", "|---|---|---|---|---|"]
    return "\n".join([*head, *map(_row, lines)]) + "\n"


def _row(line: Line) -> str:
    cells = [_named(line.name), line.kind, _escaped(line.by), line.options, _escaped(line.note)]
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*") if "`" not in text else text


def _named(name: str) -> str:
    """`np.sum`; an operator with its sign."""
    sign = _signs().get(name)
    return f"`{name}`" + (f" `{sign}`".replace("|", "\\|") if sign else "")


@cache
def _signs() -> dict[str, str]:
    return {name_of(fn): sign for fn, sign in SIGNS.items()}


SIGNS: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.pow: "**",
    operator.matmul: "@",
    operator.neg: "-x",
    operator.pos: "+x",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
    operator.and_: "&",
    operator.or_: "|",
    operator.xor: "^",
    operator.invert: "~",
    operator.lshift: "<<",
    operator.rshift: ">>",
    operator.getitem: "x[i]",
}
assert set(OPERATORS.values()) <= SIGNS.keys()
assert set(_SECTIONS) == {*MODULES, *CLASSES}

__all__ = ["KINDS", "Line", "all_lines", "line_of", "page"]
