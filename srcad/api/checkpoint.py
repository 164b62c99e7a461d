"""`checkpoint`: memory for time, function by function, or loop by loop."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, overload

from srcad.errors import error
from srcad.ir.marks import checkpointing_from

F = TypeVar("F")


@overload
def checkpoint(f: F, *, budget: int | str | None = ..., steps: int | str | None = ...) -> F: ...
@overload
def checkpoint(
    *, budget: int | str | None = ..., steps: int | str | None = ...
) -> Callable[[F], F]: ...
def checkpoint(
    f: Any = None, *, budget: int | str | None = None, steps: int | str | None = None
) -> Any:
    """`f`, of which less is saved for the reverse sweep, which runs more of it again.

    `checkpoint(f)`: nothing inside of `f` is saved. What a gradient keeps of a call are its
    arguments. A deep chain of checkpointed steps so needs the memory of its states, and of what is
    inside one step at a time, for one more evaluation of each. `f` must return the same when it is
    called again. Of what it prints nothing is printed twice.

    `checkpoint(f, budget="200 MB")` and `checkpoint(f, steps="binomial")`: `f` is one with long
    loops. Each saves some of its states, which are what it carries from one step to the next, and
    is run again from there, piece by piece. Which states: those of Griewank & Walther (2000,
    Algorithm 799), the best choice, where the number of steps is known when the loop starts: the
    last piece is run once, and of a loop that the budget holds as a whole no step is run again.
    Those of Wang, Moin & Iaccarino (2009) for a `while` and for loops that are left or make lists,
    which run the last piece again, too. The gradient has the same bits. In a nest of loops the
    outermost is meant, in and around calls. In place of `f` the two take what a loop runs over:
    `for i in srcad.checkpoint(range(n), budget="1 GB")`.

    Called outside of a derivative it is `f`. Use it as a decorator of functions and methods, or on
    a function inside a differentiated one. `f` may write its arguments. Checkpoints may be nested,
    and hold in derivatives of any order; for the loops of a gradient by reverse mode of a gradient
    by reverse mode, all is saved.

    Args:
        f: any function that can be differentiated.
        budget: bytes for the states and the tape of the steps that are reversed at once, of each
            loop: an int, or a text such as "200 MB" or "1.5 GiB". Inside of a pullback that
            `srcad.vjp` returns, up to twice as much is in use. If the tape of a step has a size
            that depends on the step, it is left out of the account.
        steps: how many states are kept: an int, or "binomial" for as many as each step is repeated,
            which grows as the logarithm of the number of steps.

    Returns:
        A function that does what `f` does; a decorator where `f` is left out; `f` itself where a
        loop runs over it.

    Raises:
        ArgumentTypeError: E313, no function.
        ArgumentValueError: E314, no budget or number of states. When it is differentiated:
        UnsupportedSyntax: E100, it calls what is called once only (`srcad.rules.nondiff`), enters a
            `with` of a manager other than np.errstate or warnings.catch_warnings, or is part of a
            function that calls itself; a loop carries what is no array or number, or is inside of
            another loop or branch that is not. E133, it changes names or containers around it.
        ValueError: in a call of the derivative, the budget is too small for two states and a step.

    >>> import numpy as np
    >>> import srcad
    >>> @srcad.checkpoint
    ... def step(x):
    ...     return np.sin(np.exp(x))
    >>> def loss(x):
    ...     return np.sum(step(step(x)))
    >>> srcad.grad(loss).saved(np.zeros(100)).total  # one state; 4,000 without
    800
    >>> @srcad.checkpoint(steps=10)
    ... def simulate(x):
    ...     for _ in range(1000):
    ...         x = x + 0.01 * np.sin(x)
    ...     return np.sum(x)
    >>> round(srcad.grad(simulate).saved(np.ones(100)).work, 1)  # a step is run so often
    3.2
    """
    how = checkpointing_from(budget, steps)
    if f is None:
        return functools.partial(checkpoint, budget=budget, steps=steps)
    if not callable(f):
        if how is not None and hasattr(f, "__iter__"):
            return f
        raise error("E313", None, what=f"{f!r}")

    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    functools.update_wrapper(checkpointed, f)
    # By itself: `functools.wraps` hands attributes on to functions that do something else.
    checkpointed.__srcad_checkpoint__ = checkpointed  # type: ignore[attr-defined]  # a mark
    checkpointed.__srcad_checkpointing__ = how  # type: ignore[attr-defined]  # a mark
    return checkpointed
