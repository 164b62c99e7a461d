"""What the body of a rule gives, held against what it must give.

(co)tangent of x: f64[n]       f64[n]     fits
                               f64        E605: 0 axes, not 1
                               None       E605
cotangents of [a, b]           [g]        E605: 1 result for 2 arguments
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from srcad.errors import RuleError, error
from srcad.ir.types import ArrayType, NumberType, Type, rank_of, shape_of
from srcad.ops import row_of
from srcad.rules.core.staged import Staged, type_of, unwrap
from srcad.rules.core.table import name_of
from srcad.rules.core.zero import ZERO

_NONE = "none is `srcad.rules.ZERO`"


def run_body(fn: Any, body: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """The atoms that a rule's body gives; its refusals say whose rule it is."""
    try:
        return unwrap(body(*args, **options))
    except RuleError as wrong:
        note = f"in the rule of `{name_of(fn)}`"
        if not wrong.notes:
            wrong.notes = (note,)
        raise


def require_fit(found: Any, primal: Type, fn: Any, role: str) -> None:
    """Refuse (E605) what cannot be the `role` ("tangent") of a value of type `primal`."""
    if found is ZERO or not isinstance(primal, ArrayType | NumberType):
        return
    if found is None:
        _refuse(fn, f"its {role} is a NoneType, not an array or a number ({_NONE})")
    if isinstance(found, tuple | list | dict | Staged):
        _refuse(fn, f"its {role} is a {type(found).__name__}, not an array or a number")
    have, want = type_of(found), primal
    ranks = rank_of(have), rank_of(want)
    if None not in ranks and ranks[0] != ranks[1]:
        _refuse(fn, f"its {role} has {_axes(ranks[0])}, not {ranks[1]}")
    for i, (a, b) in enumerate(zip(shape_of(have) or (), shape_of(want) or (), strict=False)):
        if isinstance(a, int) and isinstance(b, int) and a != b:
            _refuse(fn, f"its {role} has {a} entries along axis {i}, not {b}")


def must_cover_inputs(fn: Any) -> bool:
    """Whether an input without vjp cannot be varied, in either mode (E202): the order of a Bessel
    function, the width of a filter. What rules are made of themselves takes forms as inputs.
    """
    return not row_of(fn).of_condition and name_of(fn).startswith(("np.", "scipy."))


def require_count(found: Any, wanted: Sequence[Any], fn: Any, role: str) -> Sequence[Any]:
    """Refuse (E605) what is not one `role` for each of the values `wanted`; returns it."""
    if not isinstance(found, tuple | list):
        _refuse(fn, f"it gives one {role}, not a tuple of {len(wanted)}")
    if len(found) != len(wanted):
        _refuse(fn, f"it gives {len(found)} {role}s, not {len(wanted)}")
    items: Sequence[Any] = found
    return items


def _axes(rank: int | None) -> str:
    return "1 axis" if rank == 1 else f"{rank} axes"


def _refuse(fn: Any, note: str) -> NoReturn:
    raise error("E605", None, what=f"`{name_of(fn)}`", notes=(note,))
