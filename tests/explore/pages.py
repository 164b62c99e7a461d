"""A page as its tests read it: rows with their text and groups, elements, scripts."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "input", "br"}


@dataclass
class Row:
    text: str = ""
    groups: tuple[int, ...] = ()
    seen: str = ""
    measures: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """`left` and `right` are the rows of the function and of its gradient."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: dict[str, list[Row]] = {}
        self.scripts: list[str] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()
        assert self._open == []
        for row in (row for rows in self.rows.values() for row in rows):
            row.text = row.text.strip()

    @property
    def left(self) -> list[Row]:
        return self.rows["left"]

    @property
    def right(self) -> list[Row]:
        return self.rows["panel-program"]

    def partners(self, text: str) -> set[str]:
        """The lines of the gradient that light up with a line of the function."""
        (row,) = (row for row in self.left if row.text == text)
        return {each.text for each in self.right if set(each.groups) & set(row.groups)}

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag not in VOID:
            self._open.append((tag, found))
        if tag == "script":
            self.scripts.append("")
        if tag == "tr" and "line" in (found.get("class") or ""):
            groups = tuple(map(int, (found.get("data-g") or "").split()))
            self.rows.setdefault(self._place(), []).append(Row(groups=groups))

    def handle_endtag(self, tag):
        assert tag not in VOID
        opened, _ = self._open.pop()
        assert opened == tag, f"<{opened}> ends with </{tag}> at {self.getpos()}"

    def handle_data(self, data):
        if self._open and self._open[-1][0] == "script":
            self.scripts[-1] += data
        cells = [found for tag, found in self._open if tag == "td"]
        if not cells or not self._is_line():
            return
        row = self.rows[self._place()][-1]
        kinds = {found.get("class") for tag, found in self._open}
        if "seen" in kinds:
            row.seen += data
        elif "m" in kinds:
            row.measures.append(data)
        elif "no" not in kinds:
            row.text += data

    def _is_line(self) -> bool:
        return any(tag == "tr" and "line" in (at.get("class") or "") for tag, at in self._open)

    def _place(self) -> str:
        ids = [found["id"] for _, found in self._open if found.get("id")]
        return next(each for each in ids if each == "left" or each.startswith("panel-"))


def read(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))
