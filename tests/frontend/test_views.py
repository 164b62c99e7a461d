"""What the arrays that functions return share memory with: said of each rule, tried out here."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from srcad.frontend.views import made_by
from srcad.ir import Op, Value
from srcad.optimize.operations import is_fresh
from srcad.rules import Case, Rule
from srcad.rules.facts import type_of_constant
from tests.rules.calls import all_calls, call_id, leaves, make_call


def is_numeric(x: Any) -> bool:
    return isinstance(x, np.ndarray | np.generic) or type(x) is float


def as_values(x: Any) -> Any:
    """An IR value for each array or float."""
    if isinstance(x, list | tuple) and any(map(is_numeric, leaves(x))):
        return type(x)(map(as_values, x))
    return Value("x", type_of_constant(x)) if is_numeric(x) else x


def arrays_in(x: Any) -> list[np.ndarray]:
    return [a for a in leaves(x) if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("rule", "case"), all_calls(), ids=call_id)
def test_what_is_called_fresh_shares_no_memory(rule: Rule, case: Case, order: str):
    call = make_call(rule, case)
    args = tuple(np.array(a, order=order) if isinstance(a, np.ndarray) else a for a in call.args)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = call(*args)
    made = arrays_in(result)
    outs = tuple(Value("y", type_of_constant(a)) for a in leaves(result) if is_numeric(a))
    op = Op(rule.fn, tuple(map(as_values, args)), dict(call.kwargs), outs)
    others = [(k, b) for k, b in enumerate(made)] + [(None, b) for b in arrays_in(list(args))]
    shares = any(np.shares_memory(a, b) for i, a in enumerate(made) for k, b in others if k != i)
    assert not (shares and made_by(op) == "fresh")
    assert not (shares and is_fresh(op))
