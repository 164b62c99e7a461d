"""options.md: the documented parameters of NumPy's functions, as last measured.

`python -m options.measure`, in tests/, tries them and records their outcomes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

OUTCOMES = Path(__file__).parent.parent / "tests" / "options" / "outcomes.json"

_HEAD = """# Options of NumPy's functions

This page lists the documented parameters, beside its inputs, of each function of NumPy that has a
[rule](rules.md). Each was tried with values that NumPy {version} takes: the value must be NumPy's,
with its type and dtype, and central differences must confirm the derivative. What is refused ends
in an [error](errors.md).

{functions} functions have {total} parameters: {right} are supported, {some} for some of their
values, {refused} are refused ({percent:.1f} %). All ufuncs take `out`, `where`, `casting`, `order`,
`dtype` and `subok`; those without another entry here are left out below.

| function | supported | refused |
|---|---|---|
"""


def page() -> str:
    """The page."""
    kept = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    by_name: dict[str, Any] = kept["functions"]
    states = [_state(by) for found in by_name.values() for by in found.values()]
    head = _HEAD.format(
        version=kept["numpy"],
        functions=len(by_name),
        total=len(states),
        right=states.count("right"),
        some=states.count("some"),
        refused=states.count("refused"),
        percent=100 * states.count("refused") / len(states),
    )
    rows = [_row(name, found) for name, found in sorted(by_name.items()) if found]
    return head + "".join(row for row in rows if row)


def _state(by: dict[str, str]) -> str:
    kinds = {each.split(":")[0] for each in by.values()}
    return kinds.pop() if len(kinds) == 1 else "some"


_UFUNC = ["out", "where", "casting", "order", "dtype", "subok"]


def _row(name: str, found: dict[str, dict[str, str]]) -> str:
    good = [option for option, by in found.items() if _state(by) != "refused"]
    bad = []
    for option, by in found.items():
        if _state(by) == "refused":
            bad.append(f"`{option}`")
        elif _state(by) == "some":
            values = [text for text, each in by.items() if each != "right"]
            bad.append(f"`{option}`: {', '.join(f'`{text}`' for text in values)}")
    if good == _UFUNC and not bad:
        return ""
    return f"| `{name}` | {', '.join(f'`{each}`' for each in good)} | {'; '.join(bad)} |\n"
