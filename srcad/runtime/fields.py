"""Arrays with fields that derivatives come back as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def with_fields(dtype: np.dtype[Any], fields: Mapping[str, Any], is_record: bool) -> Any:
    """An array of this dtype with these fields; the others are zero.

    >>> with_fields(np.dtype([("a", float), ("n", int)]), {"a": np.ones(2)}, False)
    array([(1., 0), (1., 0)], dtype=[('a', '<f8'), ('n', '<i8')])
    """
    name, first = next(iter(fields.items()))
    inner = len(dtype[name].shape)
    made = np.zeros(np.shape(first)[: np.ndim(first) - inner], dtype)
    for key, x in fields.items():
        made[key] = x
    return made.view(np.recarray) if is_record else made


__all__ = ["with_fields"]
