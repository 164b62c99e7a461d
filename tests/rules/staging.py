"""For tests of single rules: staged inputs with chosen types, and the IR that a body emits."""

from __future__ import annotations

from typing import Any

import numpy as np

import srcad.rules.core.library  # noqa: F401 - fills the table
from srcad.ir import ArrayType, Dim, Value, show
from srcad.ir.nodes import Block, Function
from srcad.rules import RULES
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import Builder, unwrap


class Stage:
    """A builder with named inputs; `text()` is what was emitted on them, and `result` last."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.params: list[Value] = []

    def array(self, name: str, *extents: Any, dtype: Any = float) -> Any:
        """An input; an extent is an int, or a name for one that is not 1."""
        shape = tuple(Dim(e, never_one=True) if isinstance(e, str) else e for e in extents)
        return self.value(name, ArrayType(np.dtype(dtype), shape))

    def value(self, name: str, t: Any) -> Any:
        """An input of any type."""
        value = Value(name, t)
        self.params.append(value)
        return self.builder.wrap(value)

    def text(self, *results: Any) -> str:
        """The emitted program, without its head."""
        body = Block(self.params, self.builder.body, list(unwrap(results)))
        return "\n".join(line.strip() for line in show(Function("f", body)).splitlines()[1:])


def vjp_text(fn: Any, at: int, stage: Stage, *xs: Any, **options: Any) -> str:
    """What the vjp of `fn` emits for the input `at`, with `g` and `y` of the result's type."""
    t = infer(fn, unwrap(xs), options)
    g, y = stage.value("g", t), stage.value("y", t)
    return stage.text(RULES[fn].vjps[at](g, y, *xs, **options))
