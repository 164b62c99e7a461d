"""Paths that end in an exception, and contexts that make exceptions of warnings."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np

from srcad.ir.nodes import Block, If, Op
from srcad.ir.regions import Context
from srcad.runtime.effects import raise_, reraise

# What `np.errstate` and filters of warnings may be told without making an exception.
SILENT: Final = ("ignore", "warn", "default")
FILTERS: Final = (warnings.simplefilter, warnings.filterwarnings)


def never_ends(block: Block) -> bool:
    """Whether every path through `block` raises."""
    last = block.body[-1] if block.body else None
    if isinstance(last, If):
        if isinstance(last.cond, Context):
            return never_ends(last.then)
        return never_ends(last.then) and never_ends(last.orelse)
    return isinstance(last, Op) and last.fn in (raise_, reraise)


def is_strict(stmt: If) -> bool:
    """Whether a `with` makes exceptions of floating-point errors or of warnings.

    The derivative does not run in it: it might raise there where the function does not.
    """
    cond = stmt.cond
    assert isinstance(cond, Context)
    if cond.manager is np.errstate:
        return any(mode not in SILENT for mode in cond.kwargs.values())
    filters = [op for op in stmt.then.body if isinstance(op, Op) and op.fn in FILTERS]
    return any(not op.args or op.args[0] not in SILENT for op in filters)
