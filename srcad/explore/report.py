"""What the explorer knows beside the lines: the tab "Report"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from srcad.explore.compiled_sample import CompiledSample
from srcad.explore.programs import Program
from srcad.explore.sample import Sample
from srcad.pipeline.reports.explanation import Explanation
from srcad.pipeline.reports.saved_values import Kept
from srcad.pipeline.targets import NATIVE


def report(
    explanation: Explanation, native: Program | None, sample: Sample | None,
    compiled: CompiledSample,
) -> str:  # fmt: skip
    """The tab as HTML."""
    parts = ["<h2>Which program runs</h2>", f"<pre>{escape(str(explanation))}</pre>"]
    parts += ["<h2>Compiled form</h2>", *_paragraphs(_compiled(native))]
    if sample is None:
        parts += ["<h2>Sample call</h2>", "<p>None: no arguments were given.</p>"]
        return "\n".join(parts)
    if sample.call_s:
        parts += ["<h2>Sample call</h2>", *_paragraphs(_times(sample, compiled))]
    if sample.notes:
        parts += _paragraphs(sample.notes)
    parts += ["<h2>Saved for the reverse sweep</h2>", _saved(sample.saved)]
    return "\n".join(parts)


def _paragraphs(texts: Iterable[str]) -> list[str]:
    return [f"<p>{escape(text)}</p>" for text in texts]


def _compiled(native: Program | None) -> Sequence[str]:
    """What Numba compiles, and what stays in Python."""
    if native is not None:
        stays = ", ".join(native.artifact.left)
        compiled = f"Compiled: {', '.join(native.artifact.compiled)}."
        return [compiled, f"Stays in Python: {stays}." if stays else "Nothing stays in Python."]
    if why := NATIVE.why_not():
        return [f"There is none here: {why}."]
    return ["There is none: nothing in this program is compiled."]


def _times(sample: Sample, compiled: CompiledSample) -> list[str]:
    times = [f"The generated program takes {duration(sample.call_s)} on NumPy."]
    if sample.primal_s:
        ratio = sample.call_s / sample.primal_s
        times.append(f"The function itself takes {duration(sample.primal_s)}: {ratio:.2g} times.")
    if compiled.call_s:
        ratio = sample.call_s / compiled.call_s
        times.append(
            f"The compiled form takes {duration(compiled.call_s)}: NumPy's takes {ratio:.2g} times "
            "as long. What a compiled function takes stands at its first line, and at its calls."
        )
    if compiled.note:
        times.append(f"{compiled.note[0].upper()}{compiled.note[1:]}.")
    times.append(
        "Times of lines are measured between statements, each at a cost of its own: compare them "
        "with one another, not with the time of the call."
    )
    return times


def _saved(rows: Sequence[Kept]) -> str:
    if not rows:
        return "<p>Nothing.</p>"
    head = "".join(
        f"<th{' class=r' * (name == 'bytes')}>{name}</th>"
        for name in ("line", "value", "elements", "type", "bytes")
    )
    body = "".join(f"<tr>{_row(row)}</tr>" for row in rows)
    total = f"{sum(row.n_bytes for row in rows):,} bytes in all."
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div><p>{total}</p>'


def _row(row: Kept) -> str:
    from srcad.explore.values import describe

    place = f"{row.place.short_file}:{row.place.line}" if row.place else ""
    kinds = list(dict.fromkeys(describe(item) for item in row.items))
    cells = (place, row.name or "(unnamed)", f"{len(row.items):,}", ", ".join(kinds[:3]))
    texts = "".join(f"<td>{escape(text)}</td>" for text in cells)
    return f"{texts}<td class=r>{row.n_bytes:,}</td>"


def duration(seconds: float) -> str:
    """`12.3 ms`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.0f} ns"


def size(n_bytes: int) -> str:
    """`1.2 MB`."""
    number = float(n_bytes)
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:.3g} {unit}" if unit != "B" else f"{n_bytes} B"
        number /= 1000
    return f"{number:.3g} GB"


__all__ = ["duration", "report", "size"]
