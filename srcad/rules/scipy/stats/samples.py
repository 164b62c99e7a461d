"""What the rules of summaries of samples in `scipy.stats` share."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array


def sample(x: Any, nan_policy: Any = "propagate") -> Any:
    """The sample as an array of floats or complex numbers."""
    if nan_policy != "propagate":
        raise UncoveredError(f"`nan_policy={nan_policy!r}`")
    x = as_array(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def real_sample(x: Any, nan_policy: Any = "propagate") -> Any:
    """The sample, which is not complex."""
    x = sample(x, nan_policy)
    if x.dtype.kind == "c":
        raise UncoveredError("complex samples")
    return x


def summary(fn: Any, body: Any, **declared: Any) -> None:
    """Declare a summary along axes. Of none SciPy makes something else than NumPy."""

    @functools.wraps(body)
    def along(*args: Any, **options: Any) -> Any:
        if any(type(x) is tuple and not x for x in (*args, *options.values())):
            raise UncoveredError("`axis=()`")
        return body(*args, **options)

    composed(fn, along, **declared)
