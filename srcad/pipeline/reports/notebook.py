"""What notebooks show of reports: `_repr_html_` in place of text.

A frame has its own colours, light or dark as the system is, and its style holds for nothing outside
of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
.srcad-frame { color-scheme: light dark; background: #fff; color: #1f2328;
  border: 1px solid #e3e6ea; border-radius: 6px;
  padding: 8px 12px; overflow-x: auto; font-size: 13px; text-align: left; }
.srcad-frame .head { color: #59636e; margin: 0 0 6px; }
.srcad-frame .sides { display: flex; flex-wrap: wrap; gap: 4px 28px; }
.srcad-frame pre { margin: 0; padding: 0; background: none; color: inherit;
  font: 12.5px/1.55 monospace; }
.srcad-frame table { border-collapse: collapse; margin: 0; font-size: 12.5px; }
.srcad-frame table th, .srcad-frame table td { background: none; border: 0; padding: 2px 14px 2px 0;
  text-align: left; vertical-align: top; white-space: pre-wrap; font-family: monospace; }
.srcad-frame table th { color: #59636e; font-weight: normal; }
.srcad-frame table .r { text-align: right; }
.srcad-frame .k { color: #8a3ffc; } .srcad-frame .f { color: #0b5fa8; font-weight: 600; }
.srcad-frame .n { color: #0f6b4f; } .srcad-frame .s { color: #8f3f10; }
.srcad-frame .c { color: #59636e; font-style: italic; }
@media (prefers-color-scheme: dark) {
  .srcad-frame { background: #15181d; color: #dfe4ea; border-color: #2c323b; }
  .srcad-frame .head, .srcad-frame table th, .srcad-frame .c { color: #a7b0ba; }
  .srcad-frame .k { color: #c5a3ff; } .srcad-frame .f { color: #7ec2ff; }
  .srcad-frame .n { color: #7bd5b1; } .srcad-frame .s { color: #f0a875; }
}
"""


def framed(html: str) -> str:
    """HTML with the style that it needs."""
    return f'<div class="srcad-frame"><style>{_STYLE}</style>{html}</div>'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], right: frozenset[str]) -> str:
    """A table; cells are HTML. The columns named `right` are numbers."""
    kinds = [' class="r"' if head in right else "" for head in heads]
    head = "".join(f"<th{k}>{escape(h)}</th>" for k, h in zip(kinds, heads, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{k}>{c}</td>" for k, c in zip(kinds, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """A table of heads with their texts; a head stands once for those that follow one another."""
    lines, last = [], ""
    for head, text in rows:
        shown = head if head != last else ""
        lines.append(f"<tr><th>{escape(shown)}</th><td>{escape(text)}</td></tr>")
        last = head
    return f"<table><tbody>{''.join(lines)}</tbody></table>"


__all__ = ["framed", "pairs", "table"]
