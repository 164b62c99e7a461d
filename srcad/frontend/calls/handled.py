"""Calls that a handler of the compiler or a rule answers: the arguments have to fit what is called.

sorted(x, by=key)       `sorted` has no such option, whatever its handler does with others
d.get("a", default=0)   `dict.get` takes it by position alone
np.linalg.trace(a, 1)   takes an offset by name alone, unlike `np.trace`
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

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
        _bind(_signature_of_handler(handler), args, kwargs)
    except TypeError as reason:
        raise _misfit(name, reason) from None
    check_fits(fn, name, args, kwargs)
    return handler(*args, **kwargs)


def check_fits(fn: Any, name: str, args: Args, kwargs: Kwargs) -> None:
    """Check that the arguments fit the signature of `fn`, where Python tells it.

    Raises:
        UnsupportedSyntax: E131, they do not.
    """
    signature = _signature(fn)
    try:
        if signature is not None:
            _bind(signature, args, kwargs)
    except TypeError as reason:
        raise _misfit(name, reason) from None


def _misfit(name: str, reason: TypeError) -> SrcadError:
    return error("E131", None, what=f"`{name}` ({reason})")


def _bind(signature: inspect.Signature, args: Args, kwargs: Kwargs) -> None:
    """Check that the arguments fit; TypeError if not.

    dict(x=1)     a key, though `dict` has a parameter without a name that may be called `x`, for
                  which `Signature.bind` takes it before Python 3.13
    """
    parameters = signature.parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        unnamed = {p.name for p in parameters if p.kind is p.POSITIONAL_ONLY}
        kwargs = {key: x for key, x in kwargs.items() if key not in unnamed}
    signature.bind(*args, **kwargs)


def _signature_of_handler(handler: Callable[..., Abstract]) -> inspect.Signature:
    """The signature of a handler: a function that is given the frame, of one call, ahead."""
    if isinstance(handler, partial) and not handler.keywords:
        return _signature_behind(handler.func, len(handler.args))
    return inspect.signature(handler)


@lru_cache(1000)
def _signature_behind(fn: Callable[..., Any], n: int) -> inspect.Signature:
    """The signature of what is left of `fn` when `n` arguments are given."""
    return inspect.signature(partial(fn, *[None] * n))


@lru_cache(None)
def _signature(fn: Any) -> inspect.Signature | None:
    """The signature of a function; None where Python tells none."""
    try:
        return inspect.signature(fn)
    except (TypeError, ValueError):
        return None


__all__ = ["check_fits", "handled"]
