"""The table of docs/kinks.md: what srcad gives at kinks, and what other systems answer.

Theirs is kept in tests/oracle/kinks.json, which tests/oracle/test_kinks.py holds against them.
"""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from tests.rules.kink_programs import KINKS, Kink

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "kinks.md"
ANSWERS = ROOT / "tests" / "oracle" / "kinks.json"
SYSTEMS = ("jax", "autograd", "torch")
_HEAD = (
    "| function | at | gradient | why | JAX | autograd | PyTorch |\n|---|---|---|---|---|---|---|"
)


def short(numbers: Any) -> str:
    """Numbers as the table shows them: `0, 0.5, inf`."""
    parts = [f"{float(x):.4g}" for x in np.asarray(numbers).reshape(-1)]
    return ", ".join(part.replace("-0", "0") if part == "-0" else part for part in parts)


def table() -> str:
    """The table as Markdown."""
    answers = json.loads(ANSWERS.read_text())
    return "\n".join([_HEAD, *(_line(kink, answers[kink.f.__name__]) for kink in KINKS)]) + "\n"


def _line(kink: Kink, others: dict[str, str]) -> str:
    body = inspect.getsource(kink.f).partition("return ")[2].strip()
    body = body.removeprefix("np.sum(").removesuffix(")") if _is_sum(body) else body
    code = re.sub(r"np\.array\((\[[^]]*\])\)", r"\1", body).replace("|", "\\|")
    ours = short(kink.gradient)
    theirs = ["same" if others[s] == ours else others[s] for s in SYSTEMS]
    cells = [f"`{code}`", f"`{short(kink.x)}`", f"`{ours}`", kink.why, *theirs]
    return f"| {' | '.join(cells)} |"


def _is_sum(body: str) -> bool:
    """Whether the outermost call is the sum that makes a scalar of it."""
    depth = 0
    for i, c in enumerate(body):
        depth += (c == "(") - (c == ")")
        if c == ")" and depth == 0:
            return body.startswith("np.sum(") and i == len(body) - 1
    return False
