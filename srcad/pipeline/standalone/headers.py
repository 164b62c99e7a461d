"""The first line of a saved function: the primal's signature with its defaults as text.

def loss_grad(w, *, rate=0.1, low=np.array([0.0, 1.0])):

A default without a text is left out, and those before it: where the saved program was made for one
of these, it is refused.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from srcad.emit.printing.unparse import unparse
from srcad.errors import error
from srcad.frontend.reading.signature import signature_for, signature_of
from srcad.pipeline.request import Request
from srcad.pipeline.standalone.frozen import frozen

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def header_of(
    name: str, names: Sequence[str], request: Request, args: Sequence[Any], used: set[str]
) -> tuple[list[str], str]:
    """`def loss_grad(w, *, rate=0.1):`, broken where it is long, and the constants ahead of it:
    defaults that fill pages.

    Args:
        names: of the parameters, as callers pass them.
        args: what the program is saved for, () for that of the last call.
        used: names of the module.

    Raises:
        CacheError: E503, a default that the program is saved for cannot be written.
    """
    texts, constants = _defaults(request, args), []
    parameters = []
    for p, label in zip(signature_for(request).parameters.values(), names, strict=True):
        text = texts.get(p.name)
        if text is not None and "\n" in text:
            wish = f"_{label}_by_default"
            while wish in used:
                wish = f"_{wish}"
            used.add(wish)
            constants.append(f"{wish} = {text}")
            text = wish
        default = p.empty if text is None else _Text(text)
        parameters.append(p.replace(annotation=p.empty, name=label, default=default))
    text = f"def {name}{inspect.Signature(parameters)}:\n    pass"
    return constants, unparse(ast.parse(text).body[0]).rsplit("\n", 1)[0]


def _defaults(request: Request, args: Sequence[Any]) -> Mapping[str, str]:
    """The texts of the defaults, by the parameters' names."""
    primal = signature_of(request.primal).parameters
    given = dict(zip(primal, args, strict=False))
    found: dict[str, str] = {}
    missing = ""  # a positional parameter without one, before which none may have one
    for name, p in reversed(list(signature_for(request).parameters.items())):
        if p.default is p.empty:
            continue
        is_positional = p.kind in _POSITIONAL
        text = None if missing and is_positional else frozen(p.default)
        if text is not None:
            found[name] = text
            continue
        if name not in given or given[name] is p.default:
            what = f"the default of `{name}`, a {type(p.default).__name__},"
            what = f"{what} before `{missing}` without one," if missing else what
            fix = f"pass `{name}` in the example arguments: callers of the module have to, too"
            raise error("E503", None, what=what, fix=fix)
        missing = missing or (name if is_positional else "")
    return found


class _Text(str):
    """Prints as it is."""

    __slots__ = ()

    __repr__ = str.__str__


__all__ = ["header_of"]
