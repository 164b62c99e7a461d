"""What threads of a team call (`srcad.native.functions.teams`), by name; called, they do what they
do in a team of one.

    SHARE(team, 0, n)       0             SUM_OF(team, k, t)      t
    SHARE(team, 1, n)       n             WAIT(team)              nothing
"""

from __future__ import annotations

from typing import Any

from srcad.native.scalarize.handlers.running_folds import Fold
from srcad.native.vectorised import Twin


def _nothing(*_: Any) -> None:
    """There is no other thread to be told."""


def _given(_team: Any, _k: int, given: Any, *_: Any) -> Any:
    return given


def _extent(_me: int, n: int) -> int:
    return n


SHARE = Twin("share", lambda _team, k, n: k * max(n, 0))
MINE = Twin("mine", _extent)
THEIRS = Twin("theirs", lambda _me, _n: 0)
CALL_ALL, LEND, WAIT, MERGE, KEEP, PUT = (
    Twin(name, _nothing) for name in ("call_all", "lend", "wait", "merge", "keep", "put")
)
GOT = Twin("got", _given)
SHARED = Twin("shared", lambda _team, _me, _k, array, _n: array)
OWN_PART = Twin("own_part", lambda _me, array, _own: array)
COMBINED: dict[Fold, Twin] = {
    "sum": Twin("sum_of", _given),
    "product": Twin("product_of", _given),
    "largest": Twin("largest_of", _given),
    "smallest": Twin("smallest_of", _given),
}
