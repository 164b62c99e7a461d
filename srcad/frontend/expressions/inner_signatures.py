"""`inspect.signature(f)` of a function that is defined inside the program.

def model(x, a, b=2.0): ...        Signature (x, a, b=2.0)
"""

from __future__ import annotations

import inspect
from typing import Any

from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.objects import is_static


def signature_of_inner(fn: FunctionObj) -> inspect.Signature | None:
    """The signature of a function that is defined inside; None where its defaults are computed, or
    it has annotations.
    """
    given = fn.node.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    plain = [each for each in (*named, given.vararg, given.kwarg) if each is not None]
    if any(each.annotation is not None for each in plain) or getattr(fn.node, "returns", None):
        return None
    if not is_static((*fn.defaults, *fn.kw_defaults.values())):
        return None
    ends = [*given.posonlyargs, *given.args][::-1]
    defaults = {each.id: x for each, x in zip(ends, reversed(fn.defaults), strict=False)}
    defaults |= fn.kw_defaults

    def of_kind(names: list[Any], kind: Any) -> list[inspect.Parameter]:
        empty = inspect.Parameter.empty
        return [
            inspect.Parameter(each.id, kind, default=defaults.get(each.id, empty))
            for each in names
            if each is not None
        ]

    return inspect.Signature([
        *of_kind(given.posonlyargs, inspect.Parameter.POSITIONAL_ONLY),
        *of_kind(given.args, inspect.Parameter.POSITIONAL_OR_KEYWORD),
        *of_kind([given.vararg], inspect.Parameter.VAR_POSITIONAL),
        *of_kind(given.kwonlyargs, inspect.Parameter.KEYWORD_ONLY),
        *of_kind([given.kwarg], inspect.Parameter.VAR_KEYWORD),
    ])  # fmt: skip


__all__ = ["signature_of_inner"]
