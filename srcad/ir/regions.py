"""Regions that are no branches: what an `If` may have for a condition besides an atom.

    If(Attempt((LinAlgError,)), ...)         try:
                                                 L = np.linalg.cholesky(a)
                                                 ok = True
                                             except LinAlgError:
                                                 ok = False

    If(Context(np.errstate, (), {"divide": "ignore"}), ...)
                                             with np.errstate(divide="ignore"):
                                                 y = 1 / x

They stand there, not in nodes of their own, so that what walks branches walks them too. What asks
for the *truth* of a condition asks `is_test` first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False, slots=True)
class Attempt:
    """Run `then`; if it raises one of `exceptions`, drop what it computed and run `orelse`.

    The first out of the `If` is a bool: True where `then` came to its end, False where it did not.
    """

    exceptions: tuple[type[BaseException], ...]


@dataclass(eq=False, slots=True)
class Context:
    """Run `then` inside `with manager(*args, **kwargs)`; `orelse` is empty, its results
    undefined.
    """

    manager: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


def is_test(cond: Any) -> bool:
    """Whether an `If` with this condition is a branch: one of its blocks is run, by a truth."""
    return not isinstance(cond, Attempt | Context)
