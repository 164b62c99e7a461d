"""Calls that a handler of the compiler or a rule answers: the arguments have to fit what is called.

sorted(x, by=key)       `sorted` has no such option, whatever its handler does with others
d.get("a", default=0)   `dict.get` takes it by position alone
np.linalg.trace(a, 1)   takes an offset by name alone, unlike `np.trace`
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import Args, Kwargs


def handled(
    handler: Callable[..., Abstract], fn: Any, name: str, args: Args, kwargs: Kwargs
) -> Abstract:
    """What the handler of `fn` gives for a call.

    Raises:
        UnsupportedSyntax: E131, the arguments do not fit.
    """
    try:
        _bind(_parameters_of_handler(handler), args, kwargs)
    except TypeError as reason:
        raise _misfit(name, reason) from None
    check_fits(fn, name, args, kwargs)
    return handler(*args, **kwargs)


def check_fits(fn: Any, name: str, args: Args, kwargs: Kwargs) -> None:
    """Check that the arguments fit the signature of `fn`, where Python tells it.

    Raises:
        UnsupportedSyntax: E131, they do not.
    """
    parameters = _parameters(fn)
    try:
        if parameters is not None:
            _bind(parameters, args, kwargs)
    except TypeError as reason:
        raise _misfit(name, reason) from None


def _misfit(name: str, reason: TypeError) -> SrcadError:
    return error("E131", None, what=f"`{name}` ({reason})")


class _Parameters(NamedTuple):
    """What a call has to fit; `unnamed`: those that cannot be given by name, if any name can."""

    signature: inspect.Signature
    unnamed: frozenset[str]


def _parameters_in(signature: inspect.Signature) -> _Parameters:
    parameters = signature.parameters.values()
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    unnamed = (p.name for p in parameters if takes_any and p.kind is p.POSITIONAL_ONLY)
    return _Parameters(signature, frozenset(unnamed))


def _bind(parameters: _Parameters, args: Args, kwargs: Kwargs) -> None:
    """Check that the arguments fit; TypeError if not.

    dict(x=1)     a key, though `dict` has a parameter without a name that may be called `x`, for
                  which `Signature.bind` takes it before Python 3.13
    """
    signature, unnamed = parameters
    if unnamed:
        kwargs = {key: x for key, x in kwargs.items() if key not in unnamed}
    signature.bind(*args, **kwargs)


def _parameters_of_handler(handler: Callable[..., Abstract]) -> _Parameters:
    """Those of a handler: a function that is given the frame, of one call, ahead."""
    if isinstance(handler, partial) and not handler.keywords:
        return _parameters_behind(handler.func, len(handler.args))
    return _parameters_in(inspect.signature(handler))


@lru_cache(1000)
def _parameters_behind(fn: Callable[..., Any], n: int) -> _Parameters:
    """Those that are left of `fn` when `n` arguments are given."""
    return _parameters_in(inspect.signature(partial(fn, *[None] * n)))


@lru_cache(None)
def _parameters(fn: Any) -> _Parameters | None:
    """Those of a function; None where Python tells none."""
    try:
        return _parameters_in(inspect.signature(fn))
    except (TypeError, ValueError):
        return None


__all__ = ["check_fits", "handled"]
