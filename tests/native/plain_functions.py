"""NumPy's functions under the names that compiled loops know them by."""

from __future__ import annotations

from typing import Any

from native import plain_teams

from srcad.native.vectorised import (
    ADD,
    AT,
    AT_COMMON,
    LARGER,
    MATMUL_INTO,
    MULTIPLY,
    SMALLER,
    TWINS,
)

_OTHERS = (AT, AT_COMMON, ADD, LARGER, MATMUL_INTO, MULTIPLY, SMALLER)
_NAMED = {twin.__name__: twin.of for twin in (*TWINS.values(), *_OTHERS)}


def __getattr__(name: str) -> Any:
    if name in _NAMED:
        return _NAMED[name]
    return getattr(plain_teams, name)
