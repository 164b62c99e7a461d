"""The text of an error: place, reason, source line, notes, fix, callers.

model.py:14:5: error[E103]: a `try` block cannot be differentiated
   14 |     try:
      |     ^^^
fix: move the `try` outside `step`    (called from simulate, model.py:31; srcad explain E103)

What stands in an installed package is shown below the user's own line that leads there:

fit.py:7:9: error[E204]: `ndarray.setflags` cannot be used in a differentiated function
    7 |     p = signal.welch(x)[1]
      |         ^^^^^^^^^^^^^^^
in __init__, /usr/lib/python3/site-packages/scipy/signal/_short_time_fft.py:445
  445 |         self.win.setflags(write=False)
      |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from srcad.errors.location import Location

_WIDTH = 100
_CALLS = 8  # that are shown


def render(
    code: str,
    title: str,
    location: Location | None,
    fix: str,
    notes: Sequence[str],
    called_from: Sequence[Location],
) -> str:
    """Text of an error, without a newline at its end."""
    first = _first_shown(location, called_from)
    place = f"{first}: " if first else ""
    lines = [f"{place}error[{code}]: {title}"]
    if first and (excerpt := first.excerpt()):
        lines.append(excerpt)
    if location and location is not first:
        lines.append(f"in {location.function or '<module>'}, {location.file}:{location.line}")
        if excerpt := location.excerpt():
            lines.append(excerpt)
    lines += [_indent("note: ", note) for note in notes]
    trail = f"({_trail(code, location, called_from)})"
    if not fix:
        return "\n".join([*lines, trail])
    fix = _indent("fix: ", fix)
    if "\n" in fix or len(fix) + 4 + len(trail) > _WIDTH:
        return "\n".join([*lines, fix, trail])
    return "\n".join([*lines, f"{fix}    {trail}"])


def _first_shown(location: Location | None, called_from: Sequence[Location]) -> Location | None:
    """The place itself; of one in an installed package the innermost call outside of packages."""
    if location is None or not location.is_installed:
        return location
    calls = (*called_from, location.shown)
    return next((place for place in calls if not place.is_installed), location)


def _trail(code: str, location: Location | None, called_from: Sequence[Location]) -> str:
    """The calls that led to the place; those within one line of a function stand once."""
    here = _place(location) if location else ""
    calls = [place for place, _ in groupby([here, *map(_place, called_from)])][1:]
    left = len(calls) - _CALLS
    if left > 0:
        calls = [*calls[: _CALLS - 1], f"{left} more calls", calls[-1]]
    called = [f"called from {', from '.join(calls)}"] if calls else []
    return "; ".join([*called, f"srcad explain {code}"])


def _place(at: Location) -> str:
    return f"{at.function or '<module>'}, {at.file_in_package}:{at.line}"


def _indent(label: str, text: str) -> str:
    """`text` behind its label; its further lines keep their own indentation below it."""
    first, *rest = text.strip("\n").split("\n")
    return "\n".join([label + first, *(f"    {line}" if line else "" for line in rest)])
