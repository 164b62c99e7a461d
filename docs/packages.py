"""packages.md: programs around functions of published packages, as they were measured last.

`python -m packages.measure`, in tests/, runs them and keeps their outcomes.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

OUTCOMES = Path(__file__).parent.parent / "tests" / "packages" / "outcomes.json"
CAUSES = 25  # most frequent ones that are shown

_HEAD = """# Published packages

The gradient of {total} small programs, each around one public function of a package from PyPI as
it is installed: `np.sum(package.function(x, ...))`, at a point where the function is smooth. They
were chosen in the order of the packages' documentation. *Right* is a value equal to Python's and a
gradient that central differences along random directions confirm. *Refused* is an error of
[these](errors.md) before anything runs, or a `LinAlgError` of vectors that are not determined.

{right} of {total} are right, {refused} refused. The slowest takes {slowest} s to its first
gradient, with the compile.

`tests/packages` has the programs; `pip install -e '.[packages]'` installs the versions, `python -m
packages.measure` in `tests` measures, and `python docs/generate.py` writes this page. `pytest -m
packages` holds that none becomes worse.
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
        f"What stops a program first; another may stand behind it. The {CAUSES} most frequent:",
        "",
        "| programs | error | reason |",
        "|---:|---|---|",
    ]
    ranked = sorted(Counter(refused).items(), key=lambda each: (-each[1], each[0]))
    for text, count in ranked[:CAUSES]:
        code, _, reason = text.partition(" ")
        lines.append(f"| {count} | {code} | {reason} |")
    return lines
