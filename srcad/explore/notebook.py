"""What a notebook shows of a transformed function: both sources, highlighted."""

from __future__ import annotations

from html import escape

from srcad.errors import SrcadError
from srcad.explore.highlight import highlight
from srcad.explore.sources import function_of
from srcad.frontend.reading.source import get_source
from srcad.pipeline.reports.notebook import framed
from srcad.pipeline.request import Request
from srcad.pipeline.specialisation import Specialisation


def both_sources(request: Request, found: Specialisation | None) -> str:
    """The function, and the program compiled last, as HTML."""
    title = f"{request.kind} of {request.name}"
    sides = [code for code in (_own(request), found and _code(found.artifact.text)) if code]
    note = "" if found else ": nothing is compiled yet; call it, or its `.source` with arguments"
    head = f'<p class="head">{escape(title + note)}</p>'
    return framed(f'{head}<div class="sides">{"".join(sides)}</div>')


def _own(request: Request) -> str:
    try:
        return _code(get_source(function_of(request.primal)).text)
    except SrcadError:  # it has none
        return ""


def _code(text: str) -> str:
    return f"<pre>{chr(10).join(highlight(text))}</pre>"


__all__ = ["both_sources"]
