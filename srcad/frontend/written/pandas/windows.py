"""Windows of a Series of pandas, read in place of them.

s.rolling(3).mean()      means over the places 0 1 2, 1 2 3, ...; NaN in the first two rows
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written.labelled import asked


class Rolling:
    """`s.rolling(window)`: windows that end at each row; NaN where one is not full."""

    def __init__(self, owner: Any, window: int) -> None:
        if window < 0:
            raise ValueError("window must be an integer 0 or greater")
        self._owner = owner
        self._window = window

    def _of_windows(self, fn: Any, **options: Any) -> Any:
        values = self._owner._values.astype(float)
        values = np.where(np.isinf(values), np.nan, values)
        n = self._window
        if n == 0:
            return self._owner._with(np.full(len(values), 0.0 if fn is np.sum else np.nan))
        if n > len(values):
            return self._owner._with(np.full(len(values), np.nan))
        places = np.arange(len(values) - n + 1)[:, None] + np.arange(n)
        found = fn(values[places], axis=1, **options)
        return self._owner._with(np.concatenate((np.full(n - 1, np.nan), found)))

    def mean(self) -> Any:
        return self._of_windows(np.mean)

    def sum(self) -> Any:
        return self._of_windows(np.sum)

    def std(self, ddof: int = 1) -> Any:
        return self._of_windows(np.std, ddof=ddof)

    def var(self, ddof: int = 1) -> Any:
        return self._of_windows(np.var, ddof=ddof)

    def max(self) -> Any:
        return self._of_windows(np.max)

    def min(self) -> Any:
        return self._of_windows(np.min)


class HeldRolling(Rolling):
    """Windows of a Series that the program is given: pandas may be asked for more of them."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asked(self._owner._outside, "rolling")(self._window), name)
