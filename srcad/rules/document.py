"""The table of rules as Markdown, for `docs/rules.md` and `srcad rules`.

| function | kind | varied | options | at kinks |
|---|---|---|---|---|
| `np.maximum` | elementwise | `a, b` | | ties share evenly |
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterable
from typing import Any

from srcad.rules.staged import OPERATORS
from srcad.rules.table import RULES, Rule, name_of

# Where the rules stand in the page, in this order; functions of other modules follow by name.
_SECTIONS = {
    "operators": "Operators",
    "": "Built-in functions",
    "math": "`math`",
    "np": "NumPy",
    "np.linalg": "`np.linalg`",
}
_HEAD = "| function | kind | varied | options | conventions |\n|---|---|---|---|---|"


def rules_table() -> str:
    """All rules as Markdown: one section for each module, one line for each function."""
    import srcad.rules.library  # noqa: F401 - fills the table

    RULES.load_all()
    sections: dict[str, list[Rule]] = {}
    for rule in RULES.values():
        sections.setdefault(_section(rule.fn), []).append(rule)
    sections.pop("srcad.runtime", None)  # helpers of emitted code, not for people
    order = [*_SECTIONS, *sorted(set(sections) - set(_SECTIONS))]
    return "\n\n".join(_table(key, sections[key]) for key in order if key in sections) + "\n"


def _section(fn: Any) -> str:
    module = name_of(fn).rpartition(".")[0]
    if module == "operator":
        return "operators"
    return "srcad.runtime" if module.startswith("srcad.runtime") else module


def _table(key: str, rules: Iterable[Rule]) -> str:
    lines = sorted(map(_line, rules), key=str.lower)
    title = _SECTIONS.get(key, f"`{key}`")
    return "\n".join([f"## {title}", "", _HEAD, *lines])


def _line(rule: Rule) -> str:
    inputs, options = _parameters(rule)
    cells = [_shown(rule.fn), rule.kind, _code(inputs), _code(options), rule.note]
    return f"| {' | '.join(cells)} |".replace("  ", " ")


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


def _shown(fn: Any) -> str:
    """`np.sum`; an operator with its sign."""
    sign = SIGNS.get(fn, "")
    return " ".join(filter(None, (_code(name_of(fn)), _code(sign))))


def _parameters(rule: Rule) -> tuple[str, str]:
    """The inputs that have a vjp, and the options, each as in a call."""
    if rule.signature is None:
        return "", ""
    parameters = list(rule.signature.parameters.values())
    inputs = [p for p in parameters if p.default is p.empty]
    varied = [
        f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name
        for i, p in enumerate(inputs)
        if i in rule.vjps or rule.kind == "composed"
    ]
    options = [f"{p.name}={_default(p)}" for p in parameters if p.default is not p.empty]
    return ", ".join(varied), ", ".join(options)


def _default(parameter: inspect.Parameter) -> str:
    value = parameter.default
    return name_of(value) if isinstance(value, type) else repr(value)


SIGNS = {
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
