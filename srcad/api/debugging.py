"""`debug_nans`: where the first NaN comes from."""

from __future__ import annotations

from contextlib import AbstractContextManager


def debug_nans() -> AbstractContextManager[None]:
    """Inside `with srcad.debug_nans():`, the first NaN or infinity raises at the line that made it.

    Each operation of a function that is differentiated or compiled is checked, and each tangent
    and cotangent of its derivative, in calls of any transformation. An operation made NaN if none
    was among its arguments, and infinity if all its arguments are finite; the message names the
    line, the operation, and how large its arguments are. Calls run on NumPy, whatever their
    `backend`, with programs of their own that are compiled at the first such call. It holds in the
    thread, or the task of asyncio, that enters it, and also decorates functions. Outside nothing is
    checked and nothing costs time.

    What `np.where` or a mask leaves out later is computed nevertheless, and so it is told. Two ways
    to go on: give the operation an argument that suits it, `np.log(np.where(x > 0, x, 1.0))`; or
    say in the function that it is expected there, `with np.errstate(divide="ignore"):`, which is
    heeded for its values ("divide" and "over" for infinity, "invalid" for NaN), but not for its
    derivative. Derivatives of what is left out are 0 in srcad, not NaN, and are not told.

    What is checked ends at functions with a rule: of these the results are looked at, and what the
    rule returns.

    Returns:
        A context manager, which is a decorator, too.

    Raises:
        NotFinite: E701, in the function itself; E702, in its derivative. It is a
            `FloatingPointError`.

    >>> import numpy as np
    >>> import srcad
    >>> def loss(x):
    ...     return np.sum(np.sqrt(x) * x)
    >>> with srcad.debug_nans():
    ...     srcad.grad(loss)(np.array([1.0, 4.0]))
    array([1.5, 3. ])
    """
    from srcad.pipeline.calls.checking import checking

    return checking()


__all__ = ["debug_nans"]
