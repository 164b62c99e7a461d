"""Lines of code as rows of a table: number, measures, source, values.

    <tr data-g="3 7" style="--h:51"><td class="m">12 us</td><td class="no">12</td><td>...</td></tr>

`data-g` lists the user's statements that the line is of: lines that share one light up together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from srcad.explore.values import Seen

# Degrees between the colours of statements that follow one another: the golden angle.
HUE_STEP = 137


@dataclass(frozen=True, slots=True)
class Measure:
    """A cell with a number: its text, and its part of the greatest of the column."""

    text: str
    share: float = 0.0


def row(
    number: int,
    html: str,
    groups: Sequence[int],
    measures: Iterable[Measure] = (),
    seen: Iterable[Seen] = (),
) -> str:
    """One line; the first of its `groups` gives the colour."""
    attributes = 'class="line" tabindex="-1"'
    if groups:
        hue = groups[0] * HUE_STEP % 360
        attributes += f' data-g="{" ".join(map(str, groups))}" style="--h:{hue}"'
    cells = "".join(map(_measure, measures))
    values = "".join(map(_value, seen))
    return f'<tr {attributes}>{cells}<td class="no">{number}</td><td>{html}{values}</td></tr>'


def _measure(cell: Measure) -> str:
    width = f' style="--w:{100 * cell.share:.0f}%"' if cell.share >= 0.005 else ""
    return f'<td class="m"{width}>{escape(cell.text)}</td>'


def _value(seen: Seen) -> str:
    name = "" if seen.name == "return" else f"{seen.name} "
    text = escape(f"{name}{seen.kind} {seen.range}".strip())
    odd = f' <b class="odd">{escape(seen.odd)}</b>' if seen.odd else ""
    times = f" x{seen.times:,}" if seen.times > 1 else ""
    return f'<span class="seen">{text}{odd}{times}</span>'


def table(caption: str, heads: Sequence[str], rows: Iterable[str]) -> str:
    """Rows below a caption, with the heads of their measures."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    cells = f"<thead><tr>{head}<th></th><th></th></tr></thead>" if heads else ""
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<table class="code">{title}{cells}<tbody>{"".join(rows)}</tbody></table>'


__all__ = ["HUE_STEP", "Measure", "row", "table"]
