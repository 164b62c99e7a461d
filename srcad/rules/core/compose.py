"""Functions that NumPy writes in terms of others, with the body put in place of the call.

y = np.trapezoid(f, dx=h)      mean = (f[1:] + f[:-1]) / 2.0
                               y = np.sum(h * mean, axis=-1)

The body of `composed(fn, body)` runs on staged arguments, wherever the function is met: in the
user's program and in the bodies of other rules. What it emits has rules, from which both modes of
every order follow. Options must be known while compiling; `known` asks for that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType, Type
from srcad.ir.walk import map_tree, values_in
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.sequences import refilled
from srcad.rules.core.table import RULES, Body, Rule, name_of

if TYPE_CHECKING:
    from srcad.rules.core.staged import Builder


# What finds the compositions that no table lists: `srcad.rules.pointwise.ufunc_methods`.
FORMS: list[Callable[[Any, Any], Rule | None]] = []


def rule_for(fn: Any, options: Any) -> Rule | None:
    """The rule of a function that is called with these options."""
    for form in FORMS:
        found = form(fn, options)
        if found is not None:
            return found
    stated: Rule | None = RULES.get(fn)
    return stated


def expand(rule: Rule, builder: Builder, args: Any, kwargs: Any) -> Any:
    """What the body makes of atoms or staged values; emitted ops go to `builder`."""
    assert rule.body is not None
    what = f"`{name_of(rule.fn)}`"
    args, kwargs = rule.bind(*builder.with_arrays(rule.fn, args, kwargs))
    try:
        return rule.body(*builder.wrap(args), **builder.wrap(kwargs))
    except SrcadError as refusal:
        if what not in refusal.title:
            refusal.notes = (*refusal.notes, f"in what {what} is made of")
        raise
    except UncoveredError as use:
        note = f"there is no rule for {use}"
        raise error("E203", None, what=what, notes=(note,)) from None
    except (TypeError, ValueError) as reason:
        raise error("E132", None, what=f"{what} ({reason})") from reason


def composed_type(body: Body) -> Any:
    """The type function of a composed function: its body runs on values of the given types."""

    def type_of(*args: object, **kwargs: object) -> Any:
        from srcad.rules.core.staged import Builder, type_of, unwrap

        builder = Builder()
        xs, options = map_tree(_as_value, (args, kwargs))
        result = unwrap(body(*builder.wrap(xs), **builder.wrap(options)))
        if isinstance(result, list | tuple):
            return refilled(result, tuple(map(type_of, result)))
        return type_of(result)

    return type_of


def _as_value(x: object) -> object:
    return Value("", x) if isinstance(x, Type) else x


def known(x: Any, what: str = "an option") -> Any:
    """`x`, an int or a tuple of them, as a constant: programs are specialised to it, or refused."""
    from srcad.rules.core.staged import Staged

    if isinstance(x, tuple | list):
        return type(x)(known(item, what) for item in x)
    if not isinstance(x, Staged):
        return x
    extent = x.type.extent if isinstance(x.type, NumberType) else None
    if isinstance(extent, int):
        return extent
    if isinstance(x.value, Value):
        return x.builder.constant(x.value, what)
    return x.value


def constant_array(x: Any) -> Any:
    """A list of constants as the array of it; one of values as it is: emitting makes its array.

    So is one of no numbers: what a function makes of it is not what it makes of its array.
    """
    if not isinstance(x, list | tuple) or values_in(x):
        return x
    made = np.asarray(x)
    return made if made.dtype.kind in "biufc" else x


__all__ = ["FORMS", "composed_type", "constant_array", "expand", "known", "rule_for"]
