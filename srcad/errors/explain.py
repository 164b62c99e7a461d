"""Kinds of errors as Markdown: `docs/errors.md`, the table of `docs/limits.md`, `srcad explain`."""

from __future__ import annotations

import re

from srcad.errors.table import ErrorKind, all_kinds

_INTRO = """\
# Errors

Each error of srcad has a code, a location in your source and a fix. `srcad explain E103` prints the
same text as this page.

| codes | class | meaning |
|---|---|---|
"""


def explain(row: ErrorKind) -> str:
    """Title, reason, an example that raises the error, and the way out."""
    parts = [f"## {row.code}: {row.heading}", row.why, f"Raises {_classes(row)}."]
    if row.example:
        parts.append(f"```python\n{row.example.strip()}\n```")
    first, _, stub = row.way_out.partition("\n\n")
    parts.append(f"**Fix:** {first}")
    if stub:
        parts.append(f"```python\n{stub.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def page() -> str:
    """The whole table: `docs/errors.md`."""
    rows = all_kinds()
    groups = {row.code[:2]: _group(row) for row in rows}
    table = "".join(
        f"| {digits}xx | `{cls.__name__}` | {_meaning(cls)} |\n" for digits, cls in groups.items()
    )
    return f"{_INTRO}{table}\n" + "\n".join(explain(row) for row in rows)


def limits() -> str:
    """What is refused, why, and what to write instead: the table of `docs/limits.md`."""
    head = "| refused | why | write instead |\n|---|---|---|\n"
    return head + "".join(_limit(row) for row in all_kinds() if row.limit)


def _limit(row: ErrorKind) -> str:
    place = anchor(f"{row.code}: {row.heading}")
    instead = row.way_out.partition("\n\n")[0].rstrip(":").partition(" says so")[0]
    cells = (f"[{row.code}](errors.md#{place}): {row.heading}", row.why, instead)
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |\n"


def anchor(heading: str) -> str:
    """A heading's anchor, as GitHub and MkDocs make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _group(row: ErrorKind) -> type[Exception]:
    """The class of a kind's hundred: the one right below SrcadError."""
    ours = [cls for cls in row.cls.__mro__ if cls.__module__ == row.cls.__module__]
    return ours[-2]


def _meaning(cls: type[Exception]) -> str:
    """`E4xx: the shapes do not fit.` -> `the shapes do not fit`."""
    return (cls.__doc__ or "").split(": ", 1)[-1].rstrip(".")


def _classes(row: ErrorKind) -> str:
    """The kind's class, with the builtin it can be caught as."""
    group = _group(row)
    familiar = {
        cls.__name__: None
        for cls in (*row.cls.__bases__, *group.__bases__)
        if cls.__module__ == "builtins"
    }
    names = [group.__name__] if row.cls is group else [row.cls.__name__, group.__name__]
    text = f"`{names[0]}`" + (f", a `{names[1]}`" if names[1:] else "")
    return text + "".join(f" and `{name}`" for name in familiar)
