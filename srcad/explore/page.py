"""One page of HTML that needs nothing else: the explorer.

The parts are `page.html`, `page.css` and `page.js` in `assets`. Sources are escaped where they
become HTML; what the script reads is JSON, in which no tag can begin or end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from srcad.errors import Location
from srcad.explore.compiled_sample import CompiledSample, compiled_sample
from srcad.explore.programs import Program, known_program, programs
from srcad.explore.report import duration, report, size
from srcad.explore.sample import Sample, sample
from srcad.explore.sides import Sides, compiled_lines
from srcad.explore.sources import Sources
from srcad.explore.steps import Steps
from srcad.pipeline.reports.explanation import explain
from srcad.pipeline.request import Request
from srcad.pipeline.specialisation import Specialisation

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_HINT = "Point at a line to see what belongs to it. Click, or press Enter, to keep it lit."


def explorer_page(
    request: Request, found: Specialisation, args: Sequence[Any] | None, n_primal: int
) -> str:
    """The page for a derivative.

    Args:
        found: the specialisation that serves the calls.
        args: of the program, for a sample call; the first `n_primal` are the primal's. None: the
            page shows the program of `found` alone.
    """
    if args is None:
        plain, native = known_program(found.artifact), None
    else:
        plain, native = programs(request, args[:n_primal])
    made = [each for each in (plain, native) if each is not None]
    sources = Sources(request.primal, _every_place(made))
    told, compiled = None, CompiledSample()
    if args is not None:
        told = sample(request, plain.artifact, args, n_primal, sources)
        if native is not None:
            compiled = compiled_sample(request, native, args, n_primal)
    view = Sides(sources, plain, told)
    steps = Steps(sources)
    for each in made:
        steps.add(each)
    panels = {
        "Gradient" if "grad" in request.kind else "Program": ("program", view.program()),
        **(
            {"Compiled": ("compiled", compiled_lines(sources, native, compiled.line_ns))}
            if native
            else {}
        ),
        **({"IR": ("ir", steps.panel())} if steps.steps else {}),
        "Report": ("report", report(explain(request, found), native, told, compiled)),
    }
    title = escape(f"{request.kind} of {request.name}")
    data = {
        **{"hint": _HINT, "groups": view.details()},
        **{"lines": steps.lines, "steps": steps.steps, "start": steps.start},
    }
    return _filled(
        title=title,
        facts=escape(_facts(plain, told, compiled)),
        left=view.function(),
        tabs=_tabs(panels),
        panels=_panels(panels),
        data=_json(data),
    )


def _every_place(made: Iterable[Program]) -> list[Location]:
    """All places of all lines, each once: first those of the generated source."""
    found: dict[Location, None] = {}
    for each in made:
        for places in each.places.values():
            found.update(dict.fromkeys(places))
    for each in made:
        for step in each.steps:
            for line in step.lines:
                found.update(dict.fromkeys(line.places))
    return list(found)


def _facts(plain: Program, found: Sample | None, compiled: CompiledSample) -> str:
    n = sum(1 for line in plain.artifact.text.split("\n") if line.strip())
    facts = [f"{n} lines generated"]
    if found is not None and found.call_s:
        also = f", {duration(compiled.call_s)} compiled" if compiled.call_s else ""
        facts.append(f"{duration(found.call_s)} a call on NumPy{also}")
    if found is not None and found.saved:
        facts.append(f"{size(sum(row.n_bytes for row in found.saved))} saved")
    if found is not None and found.notes:
        facts.append(found.notes[0])
    return "; ".join(facts)


def _tabs(panels: Mapping[str, tuple[str, str]]) -> str:
    return "\n".join(
        f'<button role="tab" type="button" id="tab-{key}" data-tab="{key}" '
        f'aria-controls="panel-{key}" aria-selected="{str(k == 0).lower()}" '
        f'tabindex="{-(k > 0)}">{escape(title)}</button>'
        for k, (title, (key, _)) in enumerate(panels.items())
    )


def _panels(panels: Mapping[str, tuple[str, str]]) -> str:
    return "\n".join(
        f'<div class="panel {key}" role="tabpanel" id="panel-{key}" aria-labelledby="tab-{key}"'
        f"{' hidden' * (k > 0)}>\n{html}\n</div>"
        for k, (key, html) in enumerate(panels.values())
    )


def _json(data: Any) -> str:
    """JSON that may stand in a `<script>`: it holds no `<`."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _filled(**parts: str) -> str:
    """The template with its placeholders replaced, all at once: what is put in is not looked at."""
    folder = files("srcad.explore") / "assets"
    template, style, script = (
        (folder / name).read_text(encoding="utf-8") for name in ("page.html", "page.css", "page.js")
    )
    every = {**parts, "style": style.strip(), "script": script.strip()}
    return _PLACEHOLDER.sub(lambda found: every[found[1]], template)


__all__ = ["explorer_page"]
