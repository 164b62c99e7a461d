"""The figures as tables and a plot, in the terminal and in `docs/results.md`.

In the document everything between the marks of a section is replaced; all else stays as it is.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from timing import print_table

from training import papers
from training.measure import Figures
from training.networks import MODELS, Model
from training.systems import TITLES

HEAD = ("system", "step, ms", "least", "/ by hand", "first, s", "epoch, s", "peak, MB",
        "allocated, GB / epoch", "last loss")  # fmt: skip
DOCS = Path(__file__).parent.parent.parent / "docs"
COLORS = {
    "tuned": "#9a9a9a",
    "srcad": "#1b6ca8",
    "whole": "#5a9bcf",
    "native": "#0b3c5d",
    "compiled": "#06202f",
    "torch": "#d9822b",
    "jax": "#6a994e",
    "autograd": "#8d6b94",
}

Found = dict[str, dict[str, Figures]]


def table(model: Model, found: dict[str, Figures]) -> list[list[str]]:
    """Return a row of cells for each system."""
    base = found["hand"]
    return [
        [
            TITLES[name],
            _number(1e3 * f.median),
            _number(1e3 * f.least),
            f"{f.median / base.median:.2f} ({f.least / base.least:.2f})",
            f"{f.first:.2g}",
            _number(f.median * model.epoch) if model.lr else "-",
            f"{max(0, f.peak) / 1e6:.1f}" if f.peak == f.peak else "-",
            _number(f.allocated * model.epoch / 1e9)
            if f.allocated == f.allocated and model.lr
            else "-",
            f"{f.losses[-1]:.5g}" if model.lr else "-",
        ]
        for name, f in found.items()
    ]


def _number(x: float) -> str:
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def show(model: Model, found: dict[str, Figures]) -> None:
    """Print a model's table."""
    print(f"\n{model.title} ({_steps(found)} steps)\n")
    print_table(HEAD, table(model, found))


def _steps(found: dict[str, Figures]) -> int:
    return len(next(iter(found.values())).losses)


# ---------------------------------------------------------------------------- the document


def write(found: Found, threads: int) -> None:
    """Put tables and plot into the document."""
    path = DOCS / "results.md"
    text = path.read_text()
    text = replaced(text, "setting", _setting(found, threads))
    text = replaced(text, "summary", markdown(*_summary(found)))
    text = replaced(text, "steps", "\n\n".join(_section(key, f) for key, f in found.items()))
    text = replaced(text, "papers", markdown(papers.HEAD, papers.ROWS))
    path.write_text(text)
    plot(found, DOCS / "results.png")


def replaced(text: str, name: str, new: str, script: str = "benchmarks/models.py") -> str:
    """Return the document with another text between the marks of a section."""
    start, end = f"<!-- {name}: made by {script} -->", f"<!-- end of {name} -->"
    before, _, rest = text.partition(start)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"no section between {start!r} and {end!r}")
    return f"{before}{start}\n\n{new}\n\n{end}{after}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _section(key: str, found: dict[str, Figures]) -> str:
    model = MODELS[key]
    head = f"### {model.title}\n\n{_steps(found)} steps of each system."
    return f"{head}\n\n{markdown(HEAD, table(model, found))}"


def _summary(found: Found) -> tuple[list[str], list[list[str]]]:
    """One row for each model: srcad's step over everyone else's, of medians and of least times."""
    measured = {name for figures in found.values() for name in figures}
    others = [name for name in TITLES if name in measured and name != "srcad"]
    rows = []
    for key, f in found.items():
        ours = f["srcad"]
        cells = [
            f"{ours.median / f[o].median:.2f} ({ours.least / f[o].least:.2f})" if o in f else "-"
            for o in others
        ]
        rows.append([MODELS[key].title, *cells])
    return ["srcad's step /", *(TITLES[o] for o in others)], rows


def _setting(found: Found, threads: int) -> str:
    names = {"numpy": "NumPy", "torch": "PyTorch", "jax": "JAX", "autograd": "autograd"}
    systems = {name for figures in found.values() for name in figures} | {"numpy"}
    versions = ", ".join(f"{t} {_version(n)}" for n, t in names.items() if n in systems)
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}; {threads} "
        f"thread{'s' if threads > 1 else ''} for every system; "
        f"Python {platform.python_version()}, {versions}; load average "
        f"{os.getloadavg()[1]:.0f} while measured: others used the machine too."
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"


# ---------------------------------------------------------------------------- the plot


def plot(found: Found, path: Path) -> None:
    """Draw each system's step over the hand-written one's, on a scale of powers of two."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{path.name}: not drawn, pip install matplotlib")
        return
    keys = [key for key in found if key != "tra"]
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    ax = figure.subplots()
    for name, color in COLORS.items():
        at = [i for i, key in enumerate(keys) if name in found[key]]
        ratios = [found[keys[i]][name].least / found[keys[i]]["hand"].least for i in at]
        if at:
            ax.scatter(ratios, at, color=color, label=TITLES[name], zorder=2)
    ax.axvline(1, color="black", linewidth=1.2, zorder=1)
    ax.set_xscale("log", base=2)
    ax.set_yticks(range(len(keys)), [MODELS[key].title for key in keys])
    ax.invert_yaxis()
    ax.grid(alpha=0.3)
    ax.set_axisbelow(True)
    ax.set_xlabel("step / by hand in NumPy, as written")
    figure.legend(loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=120)
