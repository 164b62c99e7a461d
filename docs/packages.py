"""packages.md: programs that call functions of published packages, as last measured.

`python -m packages.measure`, in tests/, runs them and records their outcomes.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

OUTCOMES = Path(__file__).parent.parent / "tests" / "packages" / "outcomes.json"
CAUSES = 25  # most frequent ones that are shown

_HEAD = """# Published packages

This page measures the gradients of {total} small programs. Each calls one public function of a
package from PyPI, as installed: `np.sum(package.function(x, ...))`, at a point where the function
is smooth. The functions were chosen in the order of the packages' documentation. *Right* means that
the value equals Python's, and that central differences along random directions confirm the
gradient. *Refused* means an [error](errors.md) of srcad before anything runs, or a `LinAlgError`
for vectors that are not unique.

{right} of {total} are right, {refused} refused. The slowest first gradient takes {slowest} s
of processor time, including compilation.

The programs are in `tests/packages`. `pip install -e '.[packages]'` installs the versions, `python
-m packages.measure` in `tests` measures, and `python docs/generate.py` writes this page. `pytest -m
packages` checks that no program gets worse.
"""


def page() -> str:
    """The page."""
    packages = json.loads(OUTCOMES.read_text(encoding="utf-8"))
    outcomes = [each for package in packages.values() for each in package["programs"].values()]
    refused = [each.removeprefix("refused: ") for each in outcomes if each.startswith("refused: ")]
    head = _HEAD.format(
        total=len(outcomes),
        right=outcomes.count("right"),
        refused=len(refused),
        slowest=max(package["slowest_s"] for package in packages.values()),
    )
    return "\n".join([head, *_by_package(packages), "", *_by_cause(refused), ""])


def _by_package(packages: dict[str, Any]) -> list[str]:
    lines = [
        "## By package",
        "",
        "| package | version | programs | right | refused |",
        "|---|---|---:|---:|---:|",
    ]
    for name, package in packages.items():
        outcomes = list(package["programs"].values())
        right = outcomes.count("right")
        row = (name.replace("_", "-"), package["version"], len(outcomes), right)
        lines.append("| " + " | ".join(map(str, (*row, len(outcomes) - right))) + " |")
    return lines


def _by_cause(refused: list[str]) -> list[str]:
    lines = [
        "## By cause",
        "",
        f"The first error of each program; others may follow. The {CAUSES} most frequent:",
        "",
        "| programs | error | reason |",
        "|---:|---|---|",
    ]
    ranked = sorted(Counter(refused).items(), key=lambda each: (-each[1], each[0]))
    for text, count in ranked[:CAUSES]:
        code, _, reason = text.partition(" ")
        lines.append(f"| {count} | {code} | {reason} |")
    return lines
