"""`checkpoint`: memory for time, function by function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from srcad.errors import error

F = TypeVar("F", bound=Callable[..., Any])


def checkpoint(f: F) -> F:
    """`f`, of which nothing inside is saved for the reverse sweep, which runs it again.

    What a gradient keeps of a call of `f` are its arguments. A deep chain of checkpointed steps so
    needs the memory of its states, and of what is inside one step at a time, for one more
    evaluation of each. Called outside of a derivative it is `f`.

    Use it as a decorator of functions and methods, or on a function inside a differentiated one.
    `f` may write its arguments; it must return the same when it is called again. Of what it prints
    nothing is printed twice. Checkpoints may be nested, and hold in derivatives of any order.

    Args:
        f: any function that can be differentiated.

    Raises:
        ArgumentTypeError: E313, no function. When it is differentiated:
        UnsupportedSyntax: E100, it calls what is called once only (`srcad.rules.nondiff`), enters a
            `with` of a manager other than np.errstate or warnings.catch_warnings, or is part of a
            function that calls itself. E133, it changes names or containers around it.

    >>> import numpy as np
    >>> import srcad
    >>> @srcad.checkpoint
    ... def step(x):
    ...     return np.sin(np.exp(x))
    >>> def loss(x):
    ...     return np.sum(step(step(x)))
    >>> srcad.grad(loss).saved(np.zeros(100)).total  # one state; 4,000 without
    800
    """
    if not callable(f):
        raise error("E313", None, what=f"{f!r}")

    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    functools.update_wrapper(checkpointed, f)
    # By itself: `functools.wraps` hands attributes on to functions that do something else.
    checkpointed.__srcad_checkpoint__ = checkpointed  # type: ignore[attr-defined]
    return checkpointed  # type: ignore[return-value]
