"""Calls that nobody wrote down: changes of a rule's cases which the function itself accepts.

    axis_forms(rule)     every axis, counted from either end, pairs, all, None; with `keepdims`
    small_forms(rule)    0-d, one entry, no entry, along each axis
    random_case(rule)    extents, axes and options drawn at random, for Hypothesis

A call that NumPy refuses or warns of is none; one that srcad refuses is listed by its test.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from srcad.rules import Case, Rule
from tests.rules.calls import Call, cases_of, leaves, make_call


def is_shape(x: Any) -> bool:
    """Whether an argument of a case stands for an array of this shape."""
    return isinstance(x, tuple) and all(type(n) is int for n in x)


def shapes_of(case: Case) -> list[tuple[int, ...]]:
    """The shapes of the arrays that are drawn for a case."""
    found = []
    for arg in case.args:
        items = arg if isinstance(arg, list) else [arg]
        found += [item for item in items if is_shape(item)]
    return found


def has_option(rule: Rule, name: str) -> bool:
    """Whether calls of the function take this option by name."""
    parameters = rule.signature.parameters.values() if rule.signature else ()
    return any(p.name == name and p.default is not p.empty for p in parameters)


def call_of(rule: Rule, case: Case) -> Call | None:
    """The call of a case, if the function takes it without a warning and gives finite numbers."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call = make_call(rule, case)
            results = leaves(call.value())
    except Exception:  # each library has its own for arguments that do not fit
        return None
    finite = all(np.all(np.isfinite(y)) for y in results if np.asarray(y).dtype.kind in "fc")
    return call if finite else None


def axis_forms(rule: Rule) -> list[Case]:
    """Each base case (at most one of each rank) with all axes there are."""
    if not has_option(rule, "axis"):
        return []
    bases: dict[int, Case] = {}
    for case in cases_of(rule):
        rank = max(map(len, shapes_of(case)), default=0)
        if rank >= 2 and 0 not in [n for shape in shapes_of(case) for n in shape]:
            bases.setdefault(rank, case)
    keeps = (False, True) if has_option(rule, "keepdims") else (None,)
    forms = []
    for rank, case in bases.items():
        options = {k: v for k, v in case.kwargs.items() if k not in ("axis", "keepdims")}
        for axis in _axes(rank):
            for keep in keeps:
                more = {} if keep is None else {"keepdims": keep}
                forms.append(Case(*case.args, **options, axis=axis, **more))
    return forms


def _axes(rank: int) -> Iterator[Any]:
    yield from range(-rank, rank)
    for pair in combinations(range(rank), 2):
        yield pair
        yield (pair[1] - rank, pair[0])
    yield tuple(range(rank))
    yield from ((), None)


def _reshaped(case: Case, change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Case:
    """The case with other shapes."""

    def changed(arg: Any) -> Any:
        if isinstance(arg, list):
            return [changed(item) for item in arg]
        return change(arg) if is_shape(arg) else arg

    return Case(*map(changed, case.args), **case.kwargs)


def small_forms(rule: Rule) -> list[Case]:
    """The cases without axes, with one entry, and without entries."""
    forms: dict[str, Case] = {}
    for case in cases_of(rule):
        extents = sorted({n for shape in shapes_of(case) for n in shape})
        changes: list[dict[int, int]] = [dict.fromkeys(extents, 1), dict.fromkeys(extents, 0)]
        changes += [{n: 0} for n in extents] + [{n: 1} for n in extents]
        made = [_reshaped(case, lambda shape: ())] if extents else []
        made += [_reshaped(case, lambda s, to=to: tuple(to.get(n, n) for n in s)) for to in changes]
        forms |= {repr(form): form for form in made}
    return [form for name, form in forms.items() if name not in map(repr, cases_of(rule))]


@st.composite
def random_case(draw: st.DrawFn, rule: Rule) -> Case:
    """A case of the rule with other extents, sometimes more axes, and options from all cases."""
    cases = cases_of(rule)
    case = draw(st.sampled_from(cases))
    extents = sorted({n for shape in shapes_of(case) for n in shape if n > 1})
    to = {n: draw(st.integers(1, 5)) for n in extents}
    front = tuple(draw(st.lists(st.integers(1, 3), max_size=1)))
    form = _reshaped(case, lambda s: (*(front if s else ()), *(to.get(n, n) for n in s)))
    rank = max(map(len, shapes_of(form)), default=0)
    options = dict(form.kwargs)
    pools: dict[str, list[Any]] = {}
    for other in cases:
        for name, value in other.kwargs.items():
            pools.setdefault(name, []).append(value)
    for name, values in pools.items():
        if name == "axis" and rank:
            options[name] = draw(st.sampled_from([*_axes(rank)]))
        elif draw(st.booleans()):
            options[name] = draw(st.sampled_from(values))
    return Case(*form.args, **options)
