"""Both sides of the page: the function, and its generated program, line by line."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from srcad.errors import Location
from srcad.explore.highlight import highlight
from srcad.explore.lines import Measure, row, table
from srcad.explore.programs import Program
from srcad.explore.report import duration, size
from srcad.explore.sample import Sample
from srcad.explore.sources import Sources
from srcad.explore.values import Seen
from srcad.pipeline.reports.saved_values import Kept


class Sides:
    """The function and its generated program, with what a sample call tells of their lines."""

    def __init__(self, sources: Sources, program: Program, found: Sample | None) -> None:
        self.sources = sources
        self.made = program
        self.sample = found
        self.groups = _groups(sources, program)
        self.time: defaultdict[int, float] = defaultdict(float)
        self.saved: defaultdict[int, list[Kept]] = defaultdict(list)
        if found is not None:
            for line, ns in found.line_ns.items():
                if of := self.groups.get(line):
                    self.time[of[0]] += ns
            for kept in found.saved:
                group = sources.group(kept.place) if kept.place else None
                if group is not None:
                    self.saved[group].append(kept)

    def function(self) -> str:
        """The left side: every function of the user's that takes part."""
        most_ns = max(self.time.values(), default=0.0)
        sizes = {group: sum(kept.n_bytes for kept in rows) for group, rows in self.saved.items()}
        most = max(sizes.values(), default=0)
        tables = []
        shown: set[int] = set()
        for listing in self.sources.listings:
            rows = []
            lines = highlight("\n".join(each.text for each in listing.rows) + "\n")
            for each, html in zip(listing.rows, lines, strict=True):
                is_first = each.group is not None and each.group not in shown
                measures: list[Measure] = []
                if self.sample is not None:
                    n = sizes.get(each.group, 0) if is_first and each.group is not None else 0
                    ns = (
                        self.time.get(each.group, 0.0) if is_first and each.group is not None else 0
                    )
                    measures = [
                        Measure(size(n) if n else "", n / most if most else 0.0),
                        Measure(duration(ns * 1e-9) if ns else "", ns / most_ns if most_ns else 0),
                    ]
                groups = () if each.group is None else (each.group,)
                seen = self._own(listing.file, each.line) if is_first else ()
                rows.append(row(each.line, html, groups, measures, seen))
                shown.update(groups)
            heads = ("saved", "time") if self.sample is not None else ()
            tables.append(table(listing.title, heads, rows))
        return "\n".join(tables) or "<p>Its source is not to be had.</p>"

    def _own(self, file: str, line: int) -> Iterable[Seen]:
        """The values of a statement; it may have run in several of its lines."""
        if self.sample is None:
            return ()
        group = self.sources.group(Location(file, line))
        found: dict[str, Seen] = {}
        for at, items in self.sample.own.items():
            if self.sources.group(Location(*at)) == group:
                found.update(items)
        return found.values()

    def program(self) -> str:
        """The right side."""
        measures: dict[int, Measure] | None = None
        seen: Mapping[int, Mapping[str, Seen]] = {}
        if self.sample is not None:
            measures = _times(self.sample.line_ns)
            seen = self.sample.made
        return _lines(self.made.artifact.text, self.groups, measures, seen)

    def details(self) -> dict[int, list[tuple[str, str, str]]]:
        """The description of each statement that stands below both sides: head, text, class."""
        found: dict[int, list[tuple[str, str, str]]] = {}
        for listing in self.sources.listings:
            for each in listing.rows:
                if each.group is None or each.group in found:
                    continue
                found[each.group] = [
                    (f"{listing.name}, line {each.line}", each.text.strip(), "code"),
                    *self._measured(each.group),
                    *(_told(seen) for seen in self._own(listing.file, each.line)),
                ]
        return found

    def _measured(self, group: int) -> Iterable[tuple[str, str, str]]:
        if ns := self.time.get(group):
            total = sum(self.time.values())
            yield "time", f"{duration(ns * 1e-9)}, {100 * ns / total:.0f} %", ""
        for kept in self.saved.get(group, ()):
            what = f"tape of {len(kept.items):,}, " if kept.tape else ""
            yield f"saves {kept.name}".strip(), f"{what}{kept.n_bytes:,} bytes", ""


def _told(seen: Seen) -> tuple[str, str, str]:
    text = f"{seen.kind} {seen.range}".strip()
    text += f", {seen.odd}" if seen.odd else ""
    text += f", {seen.times:,} times" if seen.times > 1 else ""
    return "returns" if seen.name == "return" else seen.name, text, "odd" if seen.odd else ""


def compiled_lines(sources: Sources, program: Program, line_ns: Mapping[int, float]) -> str:
    """The compiled form, with the times of its lines where they are known."""
    measures = _times(line_ns) if line_ns else None
    return _lines(program.artifact.text, _groups(sources, program), measures, {})


def _times(line_ns: Mapping[int, float]) -> dict[int, Measure]:
    most = max(line_ns.values(), default=1.0) or 1.0
    return {line: Measure(duration(ns * 1e-9), ns / most) for line, ns in line_ns.items()}


def _lines(
    text: str,
    groups: Mapping[int, Sequence[int]],
    measures: Mapping[int, Measure] | None,
    seen: Mapping[int, Mapping[str, Seen]],
) -> str:
    rows = []
    for number, html in enumerate(highlight(text), 1):
        cells = [] if measures is None else [measures.get(number, Measure(""))]
        values = seen.get(number, {}).values()
        rows.append(row(number, html, groups.get(number, ()), cells, values))
    return table("", () if measures is None else ("time",), rows)


def _groups(sources: Sources, program: Program) -> dict[int, tuple[int, ...]]:
    """The statements of each line.

    The compiler's own lines, a tape's say, belong to the loop or branch that they are in; a comment
    belongs where the line below it does; the head of the program is that of the function.
    """
    found = {line: sources.groups_of(places) for line, places in program.places.items()}
    lines = program.artifact.text.split("\n")
    for number in range(len(lines), 0, -1):
        if lines[number - 1].lstrip().startswith("#") and number not in found:
            found[number] = _quoted(sources, lines[number - 1], found.get(number + 1, ()))
    for stmt in ast.parse(program.artifact.text).body:
        if isinstance(stmt, ast.FunctionDef):
            _inherit(found, stmt.body, ())
            if stmt.name == program.artifact.entry and sources.listings:
                heads = (each.group for each in sources.listings[0].rows)
                found[stmt.lineno] = tuple(g for g in heads if g is not None)[:1]
    return {line: groups for line, groups in found.items() if groups}


def _inherit(
    found: dict[int, tuple[int, ...]], body: Sequence[ast.stmt], around: tuple[int, ...]
) -> None:
    for stmt in body:
        own = found.get(stmt.lineno) or around
        for line in range(stmt.lineno, (stmt.end_lineno or stmt.lineno) + 1):
            found[line] = found.get(line) or own
        for part in ("body", "orelse", "finalbody"):
            _inherit(found, getattr(stmt, part, ()), own)
        for handler in getattr(stmt, "handlers", ()):
            _inherit(found, handler.body, own)


def _quoted(sources: Sources, comment: str, below: Sequence[int]) -> tuple[int, ...]:
    """The statements that a comment quotes: of those below it the one with its text."""
    text = comment.strip().removeprefix("# ")
    quoted = {
        each.group
        for listing in sources.listings
        for each in listing.rows
        if each.text.strip() == text and each.group is not None
    }
    return tuple(group for group in below if group in quoted) or tuple(below[:1])


__all__ = ["Sides", "compiled_lines"]
