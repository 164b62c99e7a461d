"""The figures as tables, in the terminal and in the documents."""

from __future__ import annotations

from timing import print_table

from training.measure import Figures
from training.networks import Model
from training.systems import TITLES

HEAD = ("system", "step, ms", "least", "/ by hand", "first, s", "epoch, s", "peak, MB",
        "allocated, GB / epoch", "last loss")  # fmt: skip


def table(model: Model, found: dict[str, Figures]) -> list[list[str]]:
    """Return a row of cells for each system."""
    base = next(iter(found.values())).median
    return [
        [
            TITLES[name],
            f"{1e3 * f.median:.3g}",
            f"{1e3 * f.least:.3g}",
            f"{f.median / base:.2f}",
            f"{f.first:.2g}",
            f"{f.median * model.epoch:.3g}",
            f"{f.peak / 1e6:.1f}",
            f"{f.allocated * model.epoch / 1e9:.3g}",
            f"{f.losses[-1]:.6g}" if model.lr else "-",
        ]
        for name, f in found.items()
    ]


def show(model: Model, found: dict[str, Figures]) -> None:
    """Print a model's table."""
    print(f"\n{model.title} ({len(next(iter(found.values())).losses)} steps)\n")
    print_table(HEAD, table(model, found))
