"""The body of a function in place of a call: `y = f(a)` becomes the statements of `f`."""

from __future__ import annotations

from collections.abc import Sequence

from srcad.ir.nodes import Atom, Function, Value
from srcad.ir.walk import copy_statements, substitute
from srcad.rules.core.staged import Builder


def inline(builder: Builder, f: Function, args: Sequence[Atom]) -> Atom:
    """Append the statements of `f`, which has one result, for these arguments; returns it."""
    env: dict[Value, Atom] = dict(zip(f.params, args, strict=True))
    builder.body.extend(copy_statements(f.body.body, env))
    (result,) = substitute(f.body.results, env)
    return result


__all__ = ["inline"]
