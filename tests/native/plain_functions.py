"""NumPy's functions under the names that compiled loops know them by."""

from __future__ import annotations

from typing import Any

from native import plain_teams

from srcad.native.called import CALLED
from srcad.native.decompositions import DECOMPOSITIONS
from srcad.native.vectorised import (
    ADD,
    AT,
    AT_COMMON,
    LARGER,
    MATMUL_INTO,
    MATMUL_ROWS,
    MULTIPLY,
    SMALLER,
    TWINS,
    WHERE,
)

_OTHERS = (
    AT,
    AT_COMMON,
    ADD,
    LARGER,
    MATMUL_INTO,
    MULTIPLY,
    SMALLER,
    WHERE,
    *DECOMPOSITIONS,
    *CALLED,
)
_NAMED = {twin.__name__: twin.of for twin in (*TWINS.values(), *_OTHERS)}


def _matmul_rows(
    first: int, last: int, out: Any, x: Any, x_at: Any, x_transposed: bool, y: Any, y_at: Any,
    y_transposed: bool, k: int,
) -> None:  # fmt: skip
    """Some rows of a product; what it reads and writes is told to the detector of races."""
    columns = out.shape[-1]
    plain_teams.touch_rows(out, (0,) * out.ndim, range(first, last), range(columns), True)
    rows, terms = range(first, last), range(k)
    plain_teams.touch_rows(x, x_at, *((terms, rows) if x_transposed else (rows, terms)), False)
    wide = range(columns)
    plain_teams.touch_rows(y, y_at, *((wide, terms) if y_transposed else (terms, wide)), False)
    MATMUL_ROWS.of(first, last, out, x, x_at, x_transposed, y, y_at, y_transposed, k)


_NAMED[MATMUL_ROWS.__name__] = _matmul_rows


def __getattr__(name: str) -> Any:
    if name in _NAMED:
        return _NAMED[name]
    return getattr(plain_teams, name)
