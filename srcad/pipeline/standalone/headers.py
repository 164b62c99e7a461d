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

import numpy as np

from srcad.emit.printing.unparse import unparse
from srcad.errors import error
from srcad.frontend.reading.signature import signature_for, signature_of
from srcad.pipeline.request import Request
from srcad.pipeline.standalone.frozen import frozen
from srcad.runtime.records import parts, zeros

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def header_of(
    name: str,
    names: Sequence[str],
    request: Request,
    args: Sequence[Any],
    used: set[str],
    constant: Mapping[str, str],
) -> tuple[list[str], str]:
    """`def loss_grad(w, *, rate=0.1):`, broken where it is long, and the constants ahead of it:
    defaults that fill pages.

    Args:
        names: of the parameters, as callers pass them.
        args: what the program is saved for, () for that of the last call.
        used: names of the module.
        constant: tangents that are no parameters (`zero_tangents`).

    Raises:
        CacheError: E503, a default that the program is saved for cannot be written.
    """
    texts, constants = _defaults(request, args), []
    parameters = []
    pairs = [*zip(signature_for(request).parameters.values(), names, strict=True)]
    if constant:
        left = _left_out(request, args)
        texts, by_name = {**texts, **left}, inspect.Parameter.KEYWORD_ONLY
        pairs = [(p, label) for p, label in pairs if label not in constant]
        pairs = [
            *(pair for pair in pairs if pair[0].name not in left),
            *((p.replace(kind=by_name), label) for p, label in pairs if p.name in left),
        ]
    for p, label in pairs:
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


class Passed(tuple[Any, ...]):
    """Arguments, one for each parameter, and the `names` of those that were passed."""

    names: frozenset[str]


def zero_tangents(request: Request, names: Sequence[str], args: Sequence[Any]) -> Mapping[str, str]:
    """The tangents that a saved pushforward does not take, as text: of what does not vary, and of
    what the example arguments leave out, which its callers may pass by name.

    powsum(x, n=2)      powsum_jvp(x, x_dot, *, n=2)
    """
    primal = list(signature_of(request.primal).parameters.values())
    if request.kind != "jvp" or not args or len(names) != 2 * len(primal):
        return {}
    left, found = _left_out(request, args), {}
    for p, label, dot, x in zip(primal, names, names[len(primal) :], args, strict=False):
        text = frozen(zeros(x))
        if text is None or (p.name not in left and _varies(x)):
            continue
        found[dot] = f"np.zeros_like({label})" if isinstance(x, np.ndarray) else text
    return found


def _left_out(request: Request, args: Sequence[Any]) -> dict[str, str]:
    """The defaults that stand in the example arguments, as text, by the parameters' names."""
    passed = args.names if isinstance(args, Passed) else frozenset()
    pairs = zip(signature_of(request.primal).parameters.values(), args, strict=False)
    texts = {
        p.name: frozen(x)
        for p, x in pairs
        if p.default is not p.empty and x is p.default and p.name not in passed
    }
    return {name: text for name, text in texts.items() if text is not None}


def _varies(x: Any, depth: int = 0) -> bool:
    """Whether there are floats in an argument, as far as can be seen."""
    if isinstance(x, np.ndarray | np.generic | float | complex):
        return np.asarray(x).dtype.kind in "fc"
    return depth > 8 or any(_varies(item, depth + 1) for item in parts(x))


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


__all__ = ["Passed", "header_of", "zero_tangents"]
