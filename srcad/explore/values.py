"""What the values of a variable were, over all times that its line ran.

f64[100,10]   -1.2 to 3.4                 every value is finite
f64[3]        0 to 2, 1 nan, 12 times     the line ran twelve times
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

_Key = TypeVar("_Key")
# Seconds for looking at values; later ones are not looked at.
_BUDGET_S = 3.0
_NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "int64": "i64", "int32": "i32"}


@dataclass(slots=True)
class Seen:
    """The values of one name at one line."""

    name: str
    kind: str = ""
    low: float = np.inf
    high: float = -np.inf
    nans: int = 0
    infs: int = 0
    times: int = 0

    def add(self, value: Any) -> bool:
        """Take a value in; False where it is no number and no array of numbers."""
        if isinstance(value, float) and self.kind == describe(value):
            return self._add_float(value)
        is_number = isinstance(value, bool | int | float | complex | np.ndarray | np.generic)
        if not is_number or (kind := np.asarray(value).dtype.kind) not in "biufc":
            return False
        self.times += 1
        found = describe(value)
        self.kind = found if self.kind in ("", found) else _joined(self.kind, found)
        array = np.asarray(value)
        if kind == "c":
            array = np.abs(array)
        if kind in "fc":
            nans, infs = int(np.isnan(array).sum()), int(np.isinf(array).sum())
            self.nans, self.infs = self.nans + nans, self.infs + infs
            if nans or infs:
                array = array[np.isfinite(array)]
        if array.size:
            self.low = min(self.low, float(array.min()))
            self.high = max(self.high, float(array.max()))
        return True

    def _add_float(self, value: float) -> bool:
        """One more of a loop's: by Python alone, which is quicker."""
        self.times += 1
        if value != value:
            self.nans += 1
        elif value in (np.inf, -np.inf):
            self.infs += 1
        else:
            self.low, self.high = min(self.low, float(value)), max(self.high, float(value))
        return True

    @property
    def range(self) -> str:
        """`-1.2 to 3.4`; "" where nothing is finite."""
        if self.low > self.high:
            return ""
        low, high = f"{self.low:.4g}", f"{self.high:.4g}"
        return low if low == high else f"{low} to {high}"

    @property
    def odd(self) -> str:
        """`2 nan, 1 inf`; "" where all is finite."""
        counts = ((self.nans, "nan"), (self.infs, "inf"))
        return ", ".join(f"{n:,} {what}" for n, what in counts if n)


def describe(value: Any) -> str:
    """`f64[3,4]`, `float`."""
    if not isinstance(value, np.ndarray | np.generic):
        return type(value).__name__
    name = _NAMES.get(str(value.dtype), str(value.dtype))
    return f"{name}[{','.join(map(str, value.shape))}]" if isinstance(value, np.ndarray) else name


def _joined(before: str, now: str) -> str:
    """Of arrays whose shapes differ, or of values of several types."""
    dtypes = {kind.partition("[")[0] for kind in (before, now)}
    if "[" in before and "[" in now and len(dtypes) == 1:
        return f"{dtypes.pop()}[...]"
    return ", ".join(dict.fromkeys([*before.split(", "), now]))


@dataclass
class Observations(Generic[_Key]):
    """All values, by line and name, as long as looking at them takes no longer than the budget."""

    found: dict[_Key, dict[str, Seen]] = field(default_factory=dict)
    spent_s: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent: later values were not looked at."""
        return self.spent_s > _BUDGET_S

    def look(self, line: _Key, items: Iterable[tuple[str, Any]]) -> None:
        """Take in the values of some names at a line."""
        if self.is_over:
            return
        start = time.perf_counter()
        at = self.found.get(line, {})
        for name, value in items:
            seen = at.get(name) or Seen(name)
            if seen.add(value):
                at[name] = seen
        if at:
            self.found[line] = at
        self.spent_s += time.perf_counter() - start


__all__ = ["Observations", "Seen", "describe"]
