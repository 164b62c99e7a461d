"""Functions that give their first argument, and raise where the others show that a derivative does
not exist.

    checks(runtime.regular, Case((3,), (5,), (3,)))         regular(x, data, b) is x
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcad.rules.core.facts import as_type
from srcad.rules.core.registry import rule
from srcad.rules.core.table import Body, Case
from srcad.rules.core.zero import ZERO


def checks(fn: Callable[..., Any], case: Case) -> None:
    """Declare such a function: tangents and cotangents pass through it unchecked."""
    first, *others = inspect.signature(fn).parameters

    def passing(passes: bool) -> Body:
        def cotangent(g: Any, y: Any, *inputs: Any) -> Any:
            return g if passes else ZERO

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = ("g", "y", first, *others)
        cotangent.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, kind) for name in names]
        )
        return cotangent

    vjps: Any = {first: passing(True), **dict.fromkeys(others, passing(False))}
    rule(
        fn, jvp=lambda ts, y, *inputs: ts[0], type_of=lambda x, *rest: as_type(x), cases=[case],
        **vjps,
    )  # fmt: skip


__all__ = ["checks"]
