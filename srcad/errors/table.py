"""The table of error kinds, read from `kinds/eN.toml` when the first error of a group is made.

A kind is a table `[E103]` with:

- `title`: the reason; `{what}` stands for the thing at fault.
- `what`: the thing at fault in the documents, and where the raiser names none.
- `fix`: the way out; `{what}` as in the title, `{name}` the same without its backticks,
  `{inputs}` the parameters of the function of that name.
- `why`: the explanation, a paragraph or two of Markdown.
- `example`: a program that raises it, the line at fault marked `# <- here`; empty for what no
  program can provoke.
- `limit`: whether it is a limit of srcad rather than a mistake, and stands in `docs/limits.md`;
  true for what is an `UnsupportedSyntax` or a `MissingRule` and nothing more special.
- `class`: the exception's class; without it that of the code's first digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from srcad.errors import classes
from srcad.errors.location import Location

MARK = "# <- here"

_GROUPS: dict[str, type[classes.SrcadError]] = {
    "1": classes.UnsupportedSyntax,
    "2": classes.MissingRule,
    "3": classes.NotDifferentiable,
    "4": classes.ShapeError,
    "5": classes.CacheError,
    "6": classes.RuleError,
    "7": classes.NotFinite,
    "9": classes.InternalError,
}


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """One row of the table; see the module's header for its columns."""

    code: str
    cls: type[classes.SrcadError]
    title: str
    what: str
    fix: str
    why: str
    example: str
    limit: bool

    @property
    def heading(self) -> str:
        """The title with the kind's own `what` in it."""
        return _fill(self.title, self.what)

    @property
    def way_out(self) -> str:
        """The fix with the kind's own `what` in it."""
        return _fill(self.fix, self.what).strip()

    @property
    def line(self) -> int | None:
        """Line of the example that is at fault; None when it marks none."""
        lines = self.example.splitlines()
        return next((n for n, line in enumerate(lines, 1) if line.rstrip().endswith(MARK)), None)


def error(
    code: str,
    location: Location | None = None,
    *,
    what: str | None = None,
    fix: str | None = None,
    inputs: str = "x",
    name: str | None = None,
    notes: Iterable[str] = (),
    called_from: Iterable[Location] = (),
) -> classes.SrcadError:
    """The error of a kind, to be raised.

    Args:
        code: the kind, `"E103"`.
        location: the place in the user's source; None when the place is the call of srcad.
        what: the thing at fault, in the words of the title: "a `try` block".
        fix: the way out, where it can be more exact than the table's.
        inputs: the parameters of the function at fault.
        name: an expression for it, where `what` is none.
        notes: facts that help, each one line or several.
        called_from: calls that led to the place, innermost first.
    """
    row = kind(code)
    named = row.what if what is None else what
    return row.cls(
        code,
        _fill(row.title, named),
        location,
        fix if fix is not None else _fill(row.fix, named, inputs, name),
        notes,
        called_from,
    )


def kind(code: str) -> ErrorKind:
    """The row of a code; KeyError when there is none."""
    if code[:1] != "E" or code[1:2] not in _GROUPS:
        raise KeyError(code)
    return _load(code[1])[code]


def all_kinds() -> list[ErrorKind]:
    """All rows in the order of their codes."""
    return [row for digit in _GROUPS for row in _load(digit).values()]


def _fill(template: str, what: str, inputs: str = "x", name: str | None = None) -> str:
    named = template.replace("{name}", name or what.strip("`")).replace("{what}", what)
    return named.replace("{inputs}", inputs)


@cache
def _load(digit: str) -> Mapping[str, ErrorKind]:
    # Imported here: a program that makes no mistake does not pay for them.
    import tomllib
    from importlib import resources

    text = resources.files("srcad.errors").joinpath(f"kinds/e{digit}.toml").read_text("utf-8")
    rows = tomllib.loads(text)
    return {code: _kind(code, rows[code]) for code in sorted(rows)}


def _kind(code: str, row: Mapping[str, Any]) -> ErrorKind:
    name = row.get("class")
    cls = getattr(classes, name) if name else _GROUPS[code[1]]
    return ErrorKind(
        code,
        cls,
        row["title"],
        row.get("what", ""),
        row["fix"],
        row["why"].strip(),
        row.get("example", ""),
        row.get("limit", cls in (classes.UnsupportedSyntax, classes.MissingRule)),
    )
