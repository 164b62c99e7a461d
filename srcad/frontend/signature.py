"""The signature of what is differentiated."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcad.errors import error
from srcad.rules import RULES, Rule


def request_of(fn: object) -> Any:
    """The request of a transformed function; None for others, wrappers of one included."""
    return None if inspect.isfunction(fn) else getattr(fn, "__srcad_request__", None)


def checkpointed(fn: object) -> Callable[..., Any] | None:
    """The function of which `srcad.checkpoint` made `fn`; None for others.

    Wrappers of one have its attributes too, by `functools.wraps`, but those of another function.
    """
    if not inspect.isfunction(fn) or getattr(fn, "__srcad_checkpoint__", None) is not fn:
        return None
    found: Callable[..., Any] = inspect.getattr_static(fn, "__wrapped__")
    return found


def signature_of(fn: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function; of a NumPy function or builtin, that of its rule."""
    request = request_of(fn)
    if request is not None:
        return signature_of(request.primal)
    wrapped = checkpointed(fn)
    if wrapped is not None:
        return signature_of(wrapped)
    rule: Rule | None = RULES.get(fn) if getattr(fn, "__hash__", None) else None
    if rule is not None and rule.signature is not None and not inspect.isfunction(fn):
        return rule.signature
    try:
        return inspect.signature(fn)
    except (ValueError, TypeError):
        raise error("E101", None, what=f"`{getattr(fn, '__name__', fn)}`") from None
