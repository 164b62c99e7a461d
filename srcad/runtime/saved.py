"""What the forward form of a called function saves for its reverse form: a tuple, passed whole.

y, saved = f_forward(x)              in f_forward:   return y, (h, inner_saved)
x_bar = f_reverse(saved, y_bar)      in f_reverse:   h, inner_saved = saved
"""

from __future__ import annotations

from typing import Any

import numpy as np


def pack(*items: Any) -> tuple[Any, ...]:
    """The items in one tuple."""
    return items


def unpack(saved: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items of a tuple of two or more."""
    return saved


def unpack_one(saved: tuple[Any, ...]) -> Any:
    """The item of a tuple of one."""
    return saved[0]


def tape_array(tape: Any, dtype: Any) -> Any:
    """The items that a loop has saved, in one array; those of loops inside loops too."""
    return np.array(tape, dtype)


def tape_items(array: Any, loops: int) -> Any:
    """What so many loops inside each other have saved, as lists of scalars or arrays."""
    if loops == 1:
        return list(array)
    return [tape_items(row, loops - 1) for row in array]


def tape_numbers(array: Any) -> Any:
    """What loops have saved, as lists of numbers of Python's."""
    return array.tolist()


def tape_column(tape: Any, k: int, loops: int) -> Any:
    """One integer of each tuple that `loops` have saved, in an array with an axis for each loop."""
    saved = np.array(tape, np.int64)
    if saved.ndim <= loops:  # there are no tuples
        return saved.reshape(saved.shape + (0,) * (loops - saved.ndim))
    return saved[..., k].copy()


def tape_tuples(loops: int, *columns: Any) -> Any:
    """What so many loops have saved, as lists of tuples of integers."""
    if loops == 1:
        return list(zip(*[column.tolist() for column in columns], strict=True))
    return [tape_tuples(loops - 1, *rows) for rows in zip(*columns, strict=True)]
