"""Run the programs and keep their outcomes, from which docs/generate.py makes docs/packages.md.

python -m packages.measure                   # from tests/; all packages that are installed
python -m packages.measure filterpy ase      # these
python -m packages.measure --show filterpy   # prints each, keeps nothing
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

# Before srcad is read: a time to the first gradient has the compile in it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("SRCAD_NATIVE", "0")
os.environ["SRCAD_CACHE"] = "0"

from packages.outcomes import EXPECTED, Outcome, Unfit, expected, outcome
from packages.registry import PACKAGES, programs, version


def measure(package: str, show: bool) -> dict[str, Outcome]:
    """The outcome of each program of a package, by its text."""
    found = {}
    for text, program in programs(package).items():
        try:
            found[text] = now = outcome(program)
        except Unfit as e:
            print(f"{package}: {text}\n    unfit: {e}", flush=True)
            continue
        if show or now.kind in ("wrong", "crash"):
            print(f"{package}: {text}\n    {now.seconds:.1f} s {now}", flush=True)
    return found


def main(arguments: list[str]) -> int:
    """Measure what is asked for; 1 if a program is wrong or crashes."""
    show = "--show" in arguments
    known, faults = expected(), 0
    for package in [each for each in arguments if each != "--show"] or PACKAGES:
        if version(package) is None:
            print(f"{package} is not installed")
            continue
        found = measure(package, show)
        kinds = [each.kind for each in found.values()]
        faults += kinds.count("wrong") + kinds.count("crash")
        print(f"{package}: {kinds.count('right')} of {len(found)} right", flush=True)
        known[package] = {
            "version": version(package),
            "slowest_s": round(max(each.seconds for each in found.values())),
            "programs": {text: str(each) for text, each in found.items()},
        }
        if not show:
            keep(known)
    return 1 if faults else 0


def keep(known: dict[str, Any]) -> None:
    """Write the outcomes."""
    kept = {package: known[package] for package in PACKAGES if package in known}
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    EXPECTED.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
