"""The program after each pass: the tab "IR", whose lines the script fills in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from srcad.errors import Location
from srcad.explore.programs import Program, Shown
from srcad.explore.sources import Sources

_STAGES = {
    "lower": "lowered",
    "derive": "derived",
    "optimize": "optimized",
    "native": "with functions to compile",
}


@dataclass
class Steps:
    """The IR after each pass: every line is kept once, each step is a list of their numbers."""

    sources: Sources

    def __post_init__(self) -> None:
        self.lines: list[tuple[str, tuple[int, ...]]] = []
        self.steps: list[dict[str, Any]] = []
        self.start = 0
        self._numbers: dict[tuple[str, tuple[int, ...]], int] = {}
        self._options: list[str] = []

    def add(self, program: Program) -> None:
        """Take in the steps of a program."""
        names: list[str] = []
        first = len(self.steps)
        for step in program.steps:
            numbers = [self._number(line.text, line.places) for line in step.lines]
            if names and self.steps[-1]["lines"] == numbers:  # a stage ends with its last pass
                names[-1] += f"; {_STAGES.get(step.title, step.title)}"
            else:
                names.append(_name(step))
                self.steps.append({"program": program.target.name, "lines": numbers})
            if step.title == "optimize" and not step.stage and not self.start:
                self.start = len(self.steps) - 1
        options = "".join(
            f'<option value="{number}">{escape(name)}</option>'
            for number, name in enumerate(names, first)
        )
        label = escape(program.target.title)
        self._options.append(f'<optgroup label="{label}">{options}</optgroup>')

    def _number(self, text: str, places: Sequence[Location]) -> int:
        key = (text, self.sources.groups_of(places))
        if key not in self._numbers:
            self._numbers[key] = len(self.lines)
            self.lines.append(key)
        return self._numbers[key]

    def panel(self) -> str:
        """The tab, whose lines the script fills in."""
        return (
            '<div class="steps"><button id="step-back" type="button" aria-label="The pass before">'
            '&larr;</button><select id="step" aria-label="The program after a pass">'
            f'{"".join(self._options)}</select><button id="step-on" type="button" '
            'aria-label="The pass after">&rarr;</button></div>'
            '<table class="code" id="ir"></table>'
        )


def _name(step: Shown) -> str:
    if not step.stage:
        return f"{step.function}: {_STAGES[step.title]}"
    return f"{step.function}: after {step.title} ({step.stage})"


__all__ = ["Steps"]
