"""Try each parameter and keep its outcomes, from which docs/generate.py makes docs/options.md.

python -m options.measure            # from tests/
python -m options.measure np.var     # prints those of one function, keeps nothing
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from options.outcomes import outcome
from options.trials import WITHOUT, functions, parameters, trials
from srcad.rules.core.table import name_of

KEPT = Path(__file__).with_name("outcomes.json")


def measure(fn: Any, rule: Any) -> dict[str, dict[str, str]]:
    """The outcome of each value of each parameter of a function."""
    found = {}
    for option in parameters(fn):
        if f"{name_of(fn)}.{option}" not in WITHOUT:
            found[option] = {trial.text: outcome(trial) for trial in trials(fn, rule, option)}
    return found


def kept() -> dict[str, Any]:
    """The outcomes as last measured, and NumPy's version."""
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def main(names: list[str]) -> None:
    """Measure all functions, or print the outcomes of some."""
    os.environ["SRCAD_CACHE"] = "0"
    chosen = {fn: rule for fn, rule in functions().items() if not names or name_of(fn) in names}
    found = {name_of(fn): measure(fn, rule) for fn, rule in chosen.items()}
    text = json.dumps({"numpy": np.__version__, "functions": found}, indent=1, ensure_ascii=False)
    if names:
        print(text)
    else:
        KEPT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
