"""The public names that the frontend reads itself, as Python and NumPy mean them.

With the rules and `srcad/rules/core/names.toml` this says what happens to each public name of
NumPy.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from srcad.frontend import lower  # noqa: F401 - fills BUILTINS
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.exceptions.contexts import KEPT
from srcad.frontend.expressions.array_methods import ARRAY_METHODS
from srcad.frontend.expressions.index_tricks import TRICKS
from srcad.frontend.library.in_place import WRITTEN
from srcad.frontend.objects.attributes import ARRAY_ATTRIBUTES
from srcad.rules.core.call_facts import INSTEAD
from srcad.rules.core.names import public_names

_CLASSES = (slice, super, np.datetime64, np.timedelta64)
_UFUNC_METHODS = ("accumulate", "at", "outer", "reduce", "reduceat")


@cache
def read_names() -> frozenset[str]:
    """Names of `public_names()` that have a meaning in the frontend."""
    dtypes = {np.dtype(code).type for code in np.typecodes["AllFloat"]}
    read = {id(obj) for obj in (*BUILTINS, *WRITTEN, *KEPT, *TRICKS, *INSTEAD, *dtypes, *_CLASSES)}
    found = {name for name, obj in public_names().items() if id(obj) in read}
    members = (*ARRAY_ATTRIBUTES, *ARRAY_METHODS)
    return frozenset(
        {*found, *(f"ndarray.{m}" for m in members), *(f"ufunc.{m}" for m in _UFUNC_METHODS)}
    )


__all__ = ["read_names"]
