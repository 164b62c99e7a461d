"""Arguments of a function by the names and places that its rule has for them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def named(
    fn: Callable[..., Any], takes: inspect.Signature | None, args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Arguments:  # fmt: skip
    """The arguments with the names that the function gives them, from the first one on that the
    rule has in another place: `nan_to_num(x, True, 1.0)` where it has no `copy`.

    A default of the function's that the rule does not know is left out.

    Args:
        takes: the parameters that the rule knows.
    """
    if takes is None:
        return args, kwargs
    theirs, defaults = positions(fn), _defaults(fn)
    if not any(p.kind is p.VAR_KEYWORD for p in takes.parameters.values()):
        kwargs = {
            name: x
            for name, x in kwargs.items()
            if name in takes.parameters
            or name not in defaults
            or not _is_default(defaults[name], x)
        }
    if len(args) > len(theirs):
        return args, kwargs
    mine = list(takes.parameters.values())
    for k, their in enumerate(theirs[: len(args)]):
        own = mine[k] if k < len(mine) else None
        if own is not None and own.kind is own.VAR_POSITIONAL:
            return args, kwargs
        is_input = own is not None and own.default is own.empty and not _is_keyword(own)
        if not is_input and (own is None or _is_keyword(own) or own.name != their.name):
            break
    else:
        return args, kwargs
    by_name = {
        p.name: x
        for p, x in zip(theirs[k:], args[k:], strict=False)
        if p.name in takes.parameters or not _is_default(p.default, x)
    }
    if not by_name.keys().isdisjoint(kwargs):
        raise TypeError("an argument is given twice")
    return args[:k], {**by_name, **kwargs}


def takes_inputs_alone(signature: inspect.Signature | None) -> bool:
    """Whether a rule has no option, and all its inputs may be given by position."""
    if signature is None:
        return False
    found = signature.parameters.values()
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return all(p.kind in by_position and p.default is p.empty for p in found)


def _is_keyword(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)


def _is_default(default: Any, x: Any) -> bool:
    """Whether an argument is the default surely; floats as they print: zeros differ in sign."""
    if default is x:
        return True
    if type(default) is not type(x):
        return False
    if type(x) is float:
        return repr(default) == repr(x)
    return isinstance(x, bool | int | str) and bool(default == x)


@functools.cache
def positions(fn: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """The parameters of a function that may be given by position; none where it does not tell."""
    try:
        found = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


@functools.cache
def _defaults(fn: Callable[..., Any]) -> dict[str, Any]:
    """The defaults of the parameters of a function by their names; none where it does not tell."""
    try:
        found = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return {}
    return {name: p.default for name, p in found.items() if p.default is not p.empty}


__all__ = ["Arguments", "named", "positions", "takes_inputs_alone"]
