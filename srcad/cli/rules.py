"""`srcad rules`: what has a derivative rule. Also the page docs/rules.md."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import groupby

from srcad.rules import (
    RULES,
    Rule,
    library,  # noqa: F401 - fills RULES
)
from srcad.rules.table import name_of

_KINDS = {
    "elementwise": "entry by entry, stated by partial derivatives",
    "linear": "linear in each argument that it can be differentiated by",
    "general": "written out for both modes",
    "composed": "made of functions that have rules, which take its place",
    "zero": "the derivative is zero wherever there is one",
    "nondiff": "the result cannot be varied: an index, a shape, a truth value",
}

_INTRO = """\
# Rules

Functions with a derivative rule. Each rule serves forward and reverse mode. `srcad rules NAME`
searches this list; `srcad.rules` has the constructors for rules of your own. *By* are the arguments
that a function can be differentiated by. The
kinds:

"""


def find_rules(name: str = "") -> list[tuple[str, Rule]]:
    """Rules whose function's name contains `name`, by name."""
    RULES.load_all()
    found = ((name_of(fn), rule) for fn, rule in RULES.items())
    return sorted((pair for pair in found if name in pair[0]), key=lambda pair: pair[0])


def near_names(name: str) -> list[str]:
    """Names with a rule that look like this one."""
    names = {full.rpartition(".")[2]: full for full, _ in find_rules()}
    return [names[each] for each in difflib.get_close_matches(name.rpartition(".")[2], names, 3)]


def describe(rule: Rule) -> tuple[str, str]:
    """The arguments that can be varied, and the rule's note."""
    return ", ".join(_varied(rule)), rule.note


def _varied(rule: Rule) -> Iterable[str]:
    if rule.signature is None:
        return [f"argument {i}" for i in rule.vjps]
    parameters = list(rule.signature.parameters.values())
    if rule.kind == "composed":
        return [p.name for p in parameters if p.default is p.empty]
    names = (parameters[min(i, len(parameters) - 1)] for i in rule.vjps)
    starred = (f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name for p in names)
    return dict.fromkeys(starred)


def page() -> str:
    """Markdown of the whole registry, a table for each module: docs/rules.md."""
    sections = groupby(sorted(find_rules(), key=_section), key=lambda pair: _section(pair)[0])
    kinds = "".join(f"- *{kind}*: {meaning}\n" for kind, meaning in _KINDS.items())
    return f"{_INTRO}{kinds}\n" + "\n".join(
        _table(module, list(pairs)) for module, pairs in sections
    )


def _section(pair: tuple[str, Rule]) -> tuple[str, str]:
    module, _, name = pair[0].rpartition(".")
    return module or "builtins", name


def _table(module: str, pairs: list[tuple[str, Rule]]) -> str:
    lines = [f"## {module}\n", "| function | kind | by | note |", "|---|---|---|---|"]
    for name, rule in pairs:
        varied, note = (cell.replace("|", "\\|") for cell in describe(rule))
        lines.append(f"| `{name}` | {rule.kind} | {varied} | {note} |".replace("  |", " |"))
    return "\n".join(lines) + "\n"
