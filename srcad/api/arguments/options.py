"""The options that all transformations take."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from srcad.api.names import hint_for_option
from srcad.errors import error
from srcad.pipeline.targets import AUTO, backends, targets_of

Backend = Literal["auto", "numpy", "native", "cupy"]
Single = int | str
Several = tuple[int | str, ...]
Argnums = Single | Several


class Options(TypedDict, total=False):
    """What every transformation takes."""

    backend: Backend
    fast_math: bool
    cache: bool


_KNOWN = ("backend", "fast_math", "cache")
_NAMES = (*_KNOWN, "argnums", "has_aux", "holomorphic")


def check_options(options: dict[str, Any]) -> dict[str, Any]:
    """The common options, validated."""
    for name in sorted(set(options) - set(_KNOWN)):
        hint = hint_for_option(name, _NAMES) or ": expected backend, fast_math or cache"
        raise TypeError(f"unexpected option {name!r}{hint}")
    backend = options.get("backend", AUTO)
    if backend not in backends():
        raise error("E314", None, what=f"backend={backend!r}")
    if why := targets_of(backend)[0].why_not():
        reason, _, fix = why.partition(": ")
        fix = f'{fix}; or backend="auto", which does without'
        raise error("E314", None, what=f"backend={backend!r}", notes=(reason,), fix=fix)
    return options
