"""What is written in the place of another package's code stops where that does more.

beyond("a periodic spline")      refused (E120), with the way out for what it is of
"""

from __future__ import annotations

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.written import beyond

OF_FIELDS = 'compute with its fields, each of which is an array: `r["a"]`'
OF_MASKED = "use an array: `np.where(mask, 0.0, x)`, `np.sum(x, where=~mask)`, or `m.filled(...)`"
OF_LABELS = "compute it from the arrays that it holds: `x.values`"
# By the first words of the module's name.
_WAYS_OUT = {
    "structured": OF_FIELDS,
    "masked": OF_MASKED,
    "scipy.sparse": "compute with an array: `a.toarray()`",
    "scipy": "call it in a function marked with @srcad.nondiff, if the gradient does not need it",
    "": OF_LABELS,
}


def _beyond(frame: Frame, what: Abstract) -> None:
    while frame.fn is None and frame.outer is not None:
        frame = frame.outer
    home = "" if frame.fn is None else frame.fn.__module__.removeprefix(f"{beyond.__module__}.")
    fix = next(fix for start, fix in _WAYS_OUT.items() if home.startswith(start))
    raise error("E120", None, what=str(what), fix=fix)


BUILTINS[beyond] = _beyond

__all__ = ["OF_FIELDS", "OF_LABELS", "OF_MASKED"]
