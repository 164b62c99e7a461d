"""Rows of a Series of pandas: chosen by position or label.

s.iloc[1:3]        the values of these rows, and their labels
s.loc["a"]         the value at the position of the label, which is known while compiling
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written.labelled import (
    Rowwise,
    chooses_rows,
    counts_rows,
    place_of_label,
)


class Positions:
    """`s.iloc`."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Any:
        owner = self._owner
        if isinstance(key, Rowwise):
            key = key._values
        if isinstance(key, list):
            key = np.asarray(key)
        if isinstance(key, slice) or np.ndim(key) == 1:
            return owner._only(key)
        return owner._values[key]


class Places:
    """`s.loc`."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Any:
        owner = self._owner
        if isinstance(key, Rowwise):
            chooses_rows(owner._rows, key._values)
            return owner._only(owner._beside(key))
        if isinstance(key, list):
            return owner._only(np.asarray([_position(owner, label) for label in key]))
        if np.ndim(key) == 1:
            chooses_rows(owner._rows, key)
            return owner._only(owner._beside(key))
        return owner._values[_position(owner, key)]


def _position(owner: Any, label: Any) -> Any:
    if not counts_rows(owner._rows, label):
        return place_of_label(owner._rows, label)
    if label < 0 or label >= len(owner):
        raise KeyError(label)
    return label
