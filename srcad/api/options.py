"""The options that all transformations take."""

from __future__ import annotations

from typing import Any

from srcad.errors import error
from srcad.pipeline.targets import AUTO, backends, targets_of


def check_options(options: dict[str, Any]) -> dict[str, Any]:
    """The common options, validated."""
    unknown = set(options) - {"backend", "fast_math", "cache"}
    if unknown:
        raise TypeError(
            f"unexpected option {sorted(unknown)[0]!r}: expected backend, fast_math or cache"
        )
    backend = options.get("backend", AUTO)
    if backend not in backends():
        raise error("E314", None, what=f"backend={backend!r}")
    if why := targets_of(backend)[0].why_not():
        reason, _, fix = why.partition(": ")
        fix = f'{fix}; or backend="auto", which does without'
        raise error("E314", None, what=f"backend={backend!r}", notes=(reason,), fix=fix)
    return options
