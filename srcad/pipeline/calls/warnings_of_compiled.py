"""NumPy's warnings for compiled programs, which have none: where a result is not finite.

    y, g = loss_grad(x)         compiled: g has an inf, without a warning
    loss_grad_by_numpy(x)       the same call by NumPy, which warns at the user's line

NumPy's result is dropped. It runs once for each compiled program, as Python shows a warning once
for each line; always where the filters or `np.errstate` want all of them, or an exception; never
where they want none. To look costs as much as a small call: after the first calls it is done in one
of sixteen, unless the first filter wants all. What acts on the world, draws or writes is not run
twice. An infinity of which the result shows nothing is not noticed, but under
`np.errstate(all="raise")` and the like, where each call is run by NumPy too.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from contextvars import Context, ContextVar
from typing import Any, Literal

import numpy as np
from numpy._core import _ufunc_config

from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.undone import generator_paths
from srcad.pipeline.request import Request

Program = Callable[..., Any]
_FIRST, _EVERY = 64, 16
_STRICT = ("always", "all", "error")
_NO_RESULTS = ("compile", "vjp", "linearize")
# The context variable behind `np.errstate`, and its value outside of any: a fast comparison.
_errstate: ContextVar[Any] = getattr(
    _ufunc_config, "_extobj_contextvar", ContextVar("errstate", default=None)
)
_USUAL = Context().run(_errstate.get)


def with_warnings(
    entry: Program, artifact: Artifact, request: Request, by_numpy: Callable[[Sequence[Any]], Any]
) -> Program:
    """A compiled program which has NumPy warn of what it makes; itself where it must not run twice.

    Args:
        by_numpy: runs NumPy's program for the same arguments.
    """
    runs_once = artifact.writes or artifact.acts or generator_paths(artifact.guards)
    if runs_once or request.kind in _NO_RESULTS:
        return entry
    is_told, n, errstate = False, 0, _errstate.get

    @functools.wraps(entry)
    def call(*args: Any) -> Any:
        nonlocal is_told, n
        result = entry(*args)
        n += 1
        if errstate() is not _USUAL and _handled() - {"ignore", "warn"}:
            by_numpy(args)
            return result
        if n > _FIRST and n % _EVERY and _first_action() not in _STRICT:
            return result
        if not is_finite(result):
            wanted = _wanted()
            if wanted == "all" or (wanted == "first" and not is_told):
                is_told = True
                by_numpy(args)
        return result

    return call


def is_finite(x: Any) -> bool:
    """Whether all floats are finite that a result holds; squares of large ones are not."""
    kind: Any = type(x)
    if kind is np.float64 or kind is float:
        return math.isfinite(x)
    if kind is tuple or kind is list:
        return all(map(is_finite, x))
    if kind is dict:
        return all(map(is_finite, x.values()))
    if isinstance(x, np.ndarray):
        return x.dtype.kind not in "fc" or math.isfinite(abs(np.vdot(x, x)))
    if isinstance(x, np.inexact | complex | float):
        return math.isfinite(abs(complex(x)))
    return True


def _first_action() -> str:
    return str(warnings.filters[0][0]) if warnings.filters else "default"


def _handled() -> set[str]:
    """What `np.errstate` asks to be done, of all that is more than an underflow."""
    return {str(how) for kind, how in np.geterr().items() if kind != "under"}


def _wanted() -> Literal["none", "first", "all"]:
    """Which of NumPy's warnings are shown here."""
    if _handled() == {"ignore"}:
        return "none"
    action = _action()
    if action == "ignore":
        return "none"
    return "all" if action in _STRICT else "first"


def _action() -> str:
    """What the filters do with a `RuntimeWarning` of any text from anywhere; some may say more."""
    for action, message, category, module, line in warnings.filters:
        if issubclass(RuntimeWarning, category):
            if message is not None or module is not None or line:
                return "always"  # it depends: NumPy's own warning finds out
            return str(action)
    return "default"


__all__ = ["is_finite", "with_warnings"]
