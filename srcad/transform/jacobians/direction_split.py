"""The part of a linear program that depends on its directions, and the part that does not.

t = np.cos(x)                   before   t = np.cos(x)
x_bar = y_bar * t               inside   x_bar = y_bar * t
"""

from __future__ import annotations

from collections.abc import Sequence

from srcad.ir.nodes import Stmt, Value
from srcad.ir.walk import outputs, reads


def split(body: Sequence[Stmt], seeds: Sequence[Value]) -> tuple[list[Stmt], list[Stmt]]:
    """The statements that do not depend on `seeds`, and those that do."""
    depends: set[Value] = set(seeds)
    before: list[Stmt] = []
    inside: list[Stmt] = []
    for stmt in body:
        if any(value in depends for value in reads(stmt)):
            depends.update(outputs(stmt))
            inside.append(stmt)
        else:
            before.append(stmt)
    return before, inside


__all__ = ["split"]
