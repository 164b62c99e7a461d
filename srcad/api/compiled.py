"""`compile`: a function itself, as one program."""

from __future__ import annotations

from typing import Any

from srcad.api.arguments.options import check_options
from srcad.api.signatures.transformations import Compiled
from srcad.api.signatures.typed import TypedAs
from srcad.api.transformed import create
from srcad.errors import error
from srcad.pipeline.request import Request


@TypedAs[Compiled]()
def compile(f: Any = None, **options: Any) -> Any:
    """The function itself, specialised and optimised; `grad` and the others used inside it are part
    of one program.

    What the function changes in Python it changes here: the arrays that it is given, in place,
    views as well, and the items and attributes of its arguments. A call that raises changes
    nothing; what the handler of a signal raises comes out when nothing or all is changed. Arrays
    and containers that were passed are returned as themselves; what is made in the function is new,
    and a view of a new array is returned as a copy.

    Args:
        f: the function; what it may do is what a differentiated function may do.
        backend, fast_math, cache: as of `grad`.

    Returns:
        A function of the same arguments and with the same results, with `.source`, `.explain` and
        the other attributes of a derivative.

    Raises:
        UnsupportedSyntax: as of `grad`; E133 for a change of what is no argument, E136 for
            arguments that share memory and are written, E139 for results that share an object.

    >>> import numpy as np
    >>> import srcad
    >>> @srcad.compile
    ... def step(w, x):
    ...     loss, w_bar = srcad.value_and_grad(lambda w: np.sum((w - x) ** 2))(w)
    ...     w -= 0.25 * w_bar
    ...     return loss
    >>> w = np.zeros(2)
    >>> float(step(w, np.array([1.0, 2.0]))), w
    (5.0, array([0.5, 1. ]))
    """
    if f is None:
        check_options(options)
        return lambda fn: compile(fn, **options)
    if not callable(f):
        raise error("E313", None, what=f"{f!r}")
    return create(Request("compile", f, (), **check_options(options)))
