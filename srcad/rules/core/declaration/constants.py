"""Functions whose result is constant where it is differentiated, and those that are like another.

nondiff(np.argmax)        zero(np.floor)        same(np.absolute, np.abs)
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from srcad.rules.core import facts
from srcad.rules.core.declaration.declared import check_function, default_type
from srcad.rules.core.declaration.registration import globals_of_caller, is_of_srcad, register
from srcad.rules.core.table import RULES, Case, Kind, Rule, no_rule

DOMAIN = (-2.0, 2.0)


def zero(
    *fns: Callable[..., Any],
    type_of: facts.TypeFunction | None = None,
    domain: tuple[float, float] = DOMAIN,
    cases: Sequence[Case] = (),
    override: bool = False,
) -> Any:
    """Declare functions with derivative zero (`np.floor`). Also a decorator.

    Args:
        fns: one function or several.
        type_of, domain, cases, override: as of `rule`.

    Returns:
        The function, or None for several.

    Raises:
        RuleError: as `rule`.

    >>> import srcad
    >>> @srcad.rules.zero
    ... def rounded(x):
    ...     return round(x, 1)
    >>> srcad.grad(lambda x: x * rounded(x))(2.04)
    2.0
    """
    return _without_derivative("zero", fns, type_of, domain, cases, override)


def nondiff(
    *fns: Callable[..., Any],
    type_of: facts.TypeFunction | None = None,
    domain: tuple[float, float] = DOMAIN,
    cases: Sequence[Case] = (),
    override: bool = False,
) -> Any:
    """Declare functions whose result cannot vary (`np.argmax`). Also a decorator.

    A call of a Python function stays in the program as it is, also for its effects. The type of its
    result is found by reading its source; where that is more than srcad reads, `type_of` tells it.
    It may change what the program does not read: a log, a counter; nothing that it is passed, but
    for an object that it is a method of.

    Args:
        fns: one function or several.
        type_of, domain, cases, override: as of `rule`.

    Returns:
        The function, or None for several.

    Raises:
        RuleError: as `rule`.

    >>> import srcad
    >>> @srcad.rules.nondiff
    ... def report(loss):
    ...     print(f"loss {loss:.1f}")
    >>> srcad.grad(lambda x: (report(x * x), x * x)[1])(3.0)
    loss 9.0
    6.0
    """
    return _without_derivative("nondiff", fns, type_of, domain, cases, override)


def same(fn: Callable[..., Any], as_fn: Callable[..., Any]) -> None:
    """Give `fn` the rule of another function with the same meaning (`np.abs`, `np.absolute`).

    Args:
        fn: the function without a rule.
        as_fn: that with the same meaning.

    Raises:
        MissingRule: E201, `as_fn` has no rule.
    """
    known = RULES.get(as_fn)
    if known is None:
        raise no_rule(as_fn)
    type_of = facts.ufunc_type(fn) if isinstance(fn, np.ufunc) else known.type_of
    register(dataclasses.replace(known, fn=fn, type_of=type_of), False)


def _without_derivative(
    kind: Kind,
    fns: tuple[Any, ...],
    type_of: facts.TypeFunction | None,
    domain: tuple[float, float],
    cases: Sequence[Case],
    override: bool,
) -> Any:
    if not fns:
        state = nondiff if kind == "nondiff" else zero
        return functools.partial(
            state, type_of=type_of, domain=domain, cases=cases, override=override
        )
    for fn in fns:
        check_function(fn)
        # A Python function may have effects, so it is not tried out while compiling.
        by_source = isinstance(fn, FunctionType) and not is_of_srcad(globals_of_caller())
        found = type_of or (facts.told_by_source if by_source else default_type(fn))
        register(
            Rule(fn, kind, None, None, {}, found, domain=domain, cases=cases),
            override,
        )
    return fns[0] if len(fns) == 1 else None


__all__ = ["DOMAIN", "nondiff", "same", "zero"]
