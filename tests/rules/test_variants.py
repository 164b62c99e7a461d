"""Every rule at calls that nobody wrote down: all axes, few or no entries, random signatures."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from srcad.errors import SrcadError
from srcad.rules import Case, Rule
from srcad.rules.core.table import name_of
from tests.rules.calls import OURS, Call, call_id, make_call
from tests.rules.checks import (
    check_second,
    check_staged,
    check_tangent,
    check_transpose,
    slopes,
)
from tests.rules.variants import axis_forms, call_of, has_option, random_case, small_forms

# Helpers of emitted code are called as srcad calls them, not in all the ways that they would bear.
VARIED = [r for r in OURS if r.jvp is not None and not name_of(r.fn).startswith("srcad.runtime")]


def check(call: Call) -> None:
    """All that is checked of a call, or `SrcadError`."""
    check_staged(call, "symbolic")  # first: type functions refuse
    check_tangent(call)
    check_transpose(call)
    check_second(call)


def refused(rule: Rule, cases: list[Case]) -> list[Case]:
    """Checks the calls that the function takes; gives those that the rule refuses."""
    found = []
    for case in cases:
        call = call_of(rule, case)
        if call is None:
            continue
        try:
            check(call)
        except SrcadError:
            found.append(case)
        except AssertionError as wrong:
            if is_smooth(rule, case):
                raise AssertionError(f"{call_id(rule)} at {case}: {wrong}") from wrong
    return found


def is_smooth(rule: Rule, case: Case) -> bool:
    """Whether differences with different steps agree: no jump or kink is near."""
    call = make_call(rule, case)
    ts = call.tangents()
    found = [slopes(call, call.args, ts, 1e-7, 1e-11, step) for step in (1e-4, 1.7e-5, 3e-6)]
    return all(
        np.allclose(a[0], b[0], rtol=1e-4, atol=1e-4)
        for other in found[1:]
        for a, b in zip(found[0], other, strict=True)
        if a is not None and b is not None
    )


@pytest.mark.parametrize("rule", [r for r in VARIED if has_option(r, "axis")], ids=call_id)
def test_all_forms_of_axis(rule: Rule):
    assert refused(rule, axis_forms(rule)) == []


# A list of no rows has no shape, their sum is the integer 0; `np.take` finds entry 1 of no entries;
# products of 0-d arrays are no matrix products; a polynomial without coefficients is a 0-d array.
ODD = (list, sum, np.take, np.linalg.multi_dot, np.polyval)
# Their results without entries have shapes of their own; the derivative raises.
ODD_OF_SCIPY = tuple(
    f"scipy.signal.{name}" for name in ("convolve", "fftconvolve", "oaconvolve", "lfilter")
)
# A number is a matrix to them.
ODD_OF_SCIPY += tuple(
    f"scipy.linalg.{name}" for name in ("lu_factor", "solve_sylvester", "solve_discrete_lyapunov")
)


def is_odd(rule: Rule) -> bool:
    return rule.fn in ODD or name_of(rule.fn) in ODD_OF_SCIPY


@pytest.mark.parametrize("rule", [r for r in VARIED if not is_odd(r)], ids=call_id)
def test_few_or_no_entries(rule: Rule):
    assert refused(rule, small_forms(rule)) == []


@pytest.mark.parametrize("rule", VARIED, ids=call_id)
def test_random_signatures(rule: Rule):
    @settings(
        max_examples=6,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )
    @given(data=st.data())
    def check_one(data: st.DataObject) -> None:
        case = data.draw(random_case(rule))
        assume(call_of(rule, case) is not None)
        refused(rule, [case])

    # The shapes of some arguments follow from others: no random ones fit.
    with contextlib.suppress(Unsatisfiable):
        check_one()
