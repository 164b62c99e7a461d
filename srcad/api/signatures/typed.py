"""Public functions under the types of `srcad.api.signatures`; `help()` shows all their options."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_DEFAULTS = {"backend": "auto", "fast_math": False, "cache": True}


class TypedAs(Generic[T]):
    """`@TypedAs[Derivative]()`: for checkers the function is called as a `Derivative` is, and its
    signature names the common options. It is the function itself.
    """

    def __call__(self, fn: Callable[..., Any]) -> T:
        """The function, under its type."""
        return cast(T, with_options_named(fn))


def with_options_named(fn: F) -> F:
    """The function itself, whose signature has the common options in the place of `**options`."""
    found = inspect.signature(fn)
    own = [p for p in found.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    kind = inspect.Parameter.KEYWORD_ONLY
    common = [
        inspect.Parameter(name, kind, default=_DEFAULTS[name], annotation=annotation)
        for name, annotation in (("backend", "Backend"), ("fast_math", "bool"), ("cache", "bool"))
    ]
    fn.__signature__ = found.replace(parameters=[*own, *common])  # type: ignore[attr-defined]  # read by inspect
    return fn


__all__ = ["TypedAs", "with_options_named"]
