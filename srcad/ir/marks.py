"""What srcad's own functions carry, by which they are known where a program calls them.

Apart from the compiler, which a process that finds its programs on disk never imports.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from srcad.errors import error


def request_of(fn: object) -> Any:
    """The request of a transformed function; None for others, wrappers of one included."""
    return None if inspect.isfunction(fn) else getattr(fn, "__srcad_request__", None)


def parts_of(fn: object) -> Any:
    """The request of which a gradient in parts computes each; None for others."""
    return None if inspect.isfunction(fn) else getattr(fn, "__srcad_parts__", None)


def checkpointed(fn: object) -> Callable[..., Any] | None:
    """The function of which `srcad.checkpoint` made `fn`; None for others.

    Wrappers of one have its attributes too, by `functools.wraps`, but those of another function.
    """
    if not inspect.isfunction(fn) or getattr(fn, "__srcad_checkpoint__", None) is not fn:
        return None
    found: Callable[..., Any] = inspect.getattr_static(fn, "__wrapped__")
    return found


def checkpointing_from(budget: object, steps: object) -> tuple[int | None, int | None] | None:
    """Bytes and number of states that options of `srcad.checkpoint` say; None for no option.

    Raises:
        ArgumentValueError: E314.
    """
    if budget is None and steps is None:
        return None
    if budget is not None and steps is not None:
        fix = "with a budget the number of states follows from their size: leave `steps` out"
        raise error("E314", None, what=f"steps={steps!r} beside a budget", fix=fix)
    if budget is not None:
        return _bytes(budget), None
    is_number = isinstance(steps, int) and not isinstance(steps, bool) and steps > 0
    if not is_number and steps != "binomial":
        fix = "steps is 'binomial' or the number of states, 1 or more"
        raise error("E314", None, what=f"steps={steps!r}", fix=fix)
    return None, steps if isinstance(steps, int) else None


_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def _bytes(budget: object) -> int:
    """The bytes that `200_000_000`, "200 MB" or "1.5 GiB" say."""
    if isinstance(budget, int) and not isinstance(budget, bool) and budget > 0:
        return budget
    text = budget.strip().lower() if isinstance(budget, str) else ""
    found = re.fullmatch(r"([0-9]*\.?[0-9]+)\s*([kmgt]?)(i?)b", text)
    if found is None or not float(found[1]):
        fix = "budget is a number of bytes, or a text such as '200 MB'"
        raise error("E314", None, what=f"budget={budget!r}", fix=fix)
    return int(float(found[1]) * (1024 if found[3] else 1000) ** _UNITS[found[2]])


def checkpointing_of(fn: object) -> Any:
    """How the loops of a function that `srcad.checkpoint` made are checkpointed: by a budget in
    bytes and a number of states; None where all of the function runs again.
    """
    return inspect.getattr_static(fn, "__srcad_checkpointing__", None)


__all__ = ["checkpointed", "checkpointing_from", "checkpointing_of", "parts_of", "request_of"]
