"""The figures as tables and a plot, in the terminal and in `docs/kernels.md`."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import geometric_mean

from timing import print_table
from training.report import markdown, replaced

from .measure import COMPILED, PRIMAL, Figures
from .programs import PROGRAMS
from .systems import TITLES

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = "benchmarks/kernels.py"
COLORS = {"numpy": "#7fb2d9", "native": "#1b6ca8", "best": "#6a994e", "c": "#444444"}

Found = dict[str, dict[str, dict[str, Figures]]]  # by size, program, system
Table = tuple[list[str], list[list[str]]]


def ours(figures: dict[str, Figures]) -> str:
    """Return the backend whose ratios are told: the compiled one, where there is one."""
    return "native" if "native" in figures else "numpy"


def systems_of(found: dict[str, dict[str, Figures]]) -> list[str]:
    """Return the systems that computed some program."""
    return [name for name in TITLES if any(name in f for f in found.values())]


def times(found: dict[str, dict[str, Figures]]) -> Table:
    """Return the medians in milliseconds."""
    names = [PRIMAL, *systems_of(found)]
    rows = [
        [PROGRAMS[key].title, *(_ms(f[name].median) if name in f else "-" for name in names)]
        for key, f in found.items()
    ]
    return ["median, ms", "function, NumPy", *(TITLES[name] for name in names[1:])], rows


def ratios(found: dict[str, dict[str, Figures]]) -> Table:
    """Return value and gradient by srcad over everything else, and geometric means."""
    columns = {
        "/ JAX, loops": "loops",
        "/ JAX, best": "best",
        "/ C by hand": "c",
        "/ function, NumPy": PRIMAL,
        "/ function, compiled": COMPILED,
    }
    columns = {k: v for k, v in columns.items() if any(v in f for f in found.values())}
    values = {
        key: [ratio(f[ours(f)], f[other]) if other in f else None for other in columns.values()]
        for key, f in found.items()
    }
    rows = [[PROGRAMS[key].title, *map(_pair, row)] for key, row in values.items()]
    means = []
    for column in zip(*values.values(), strict=True):
        there = [pair for pair in column if pair]
        means.append(_pair(tuple(map(geometric_mean, zip(*there, strict=True)))))
    return ["srcad", *columns], [*rows, ["**geometric mean**", *means]]


def ratio(a: Figures, b: Figures) -> tuple[float, float]:
    """Return the ratio of the medians and that of the least times."""
    return a.median / b.median, a.least / b.least


def first_calls(found: dict[str, dict[str, Figures]]) -> Table:
    """Return the seconds of the first calls."""
    names = systems_of(found)
    rows = [
        [PROGRAMS[key].title, *(f"{f[name].first:.2f}" if name in f else "-" for name in names)]
        for key, f in found.items()
    ]
    return ["first call, s", *(TITLES[name] for name in names)], rows


def show(size: str, found: dict[str, dict[str, Figures]]) -> None:
    """Print the tables of one size."""
    for table in (times(found), ratios(found), first_calls(found)):
        print(f"\nsize {size}\n")
        print_table(*table)


def _ms(seconds: float) -> str:
    x = 1e3 * seconds
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def _pair(values: tuple[float, ...] | None) -> str:
    if not values:
        return "-"
    return "{} ({})".format(*(f"{x:.0f}" if x >= 10 else f"{x:.2g}" for x in values))


# ---------------------------------------------------------------------------- the document


def write(found: Found, threads: int) -> None:
    """Put tables and plots of the sizes that were measured into the document."""
    path = DOCS / "kernels.md"
    text = path.read_text()
    for size, by_program in found.items():
        tables = (ratios(by_program), times(by_program), first_calls(by_program))
        plot(size, by_program, DOCS / f"kernels_{size}.png")
        parts = [
            _setting(by_program, threads),
            f"![Value and gradient over that of JAX with the same loops](kernels_{size}.png)",
            *(markdown(*table) for table in tables),
        ]
        text = replaced(text, f"size {size}", "\n\n".join(parts), SCRIPT)
    path.write_text(text)


def _setting(found: dict[str, dict[str, Figures]], threads: int) -> str:
    titles = {"numpy": "NumPy", "numba": "Numba", "jax": "JAX"}
    versions = ", ".join(f"{t} {_version(n)}" for n, t in titles.items())
    rounds = max(len(f.times) for figures in found.values() for f in figures.values())
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}; {threads} "
        f"thread{'s' if threads > 1 else ''} for every system; Python "
        f"{platform.python_version()}, {versions}; {rounds} rounds; load average "
        f"{os.getloadavg()[1]:.0f} while measured: others used the machine too."
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def plot(size: str, found: dict[str, dict[str, Figures]], path: Path) -> None:
    """Draw each system's least time over that of JAX's loops."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{path.name}: not drawn, pip install matplotlib")
        return
    figure = Figure(figsize=(8, 6), layout="constrained")
    axes = figure.subplots()
    keys = [key for key in reversed(found) if "loops" in found[key]]
    for name, color in COLORS.items():
        at = [i for i, key in enumerate(keys) if name in found[key]]
        ratios = [ratio(found[keys[i]][name], found[keys[i]]["loops"])[1] for i in at]
        axes.plot(ratios, at, "o", color=color, markersize=5, label=TITLES[name])
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(keys)), [PROGRAMS[key].title for key in keys])
    axes.grid(alpha=0.3)
    axes.set(title=f"size {size}", xlabel="value and gradient / JAX jit of the same loops")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(COLORS), frameon=False)
    figure.savefig(path, dpi=110)
