"""Second derivatives of every rule: the tangent of what its vjp emits against the vjp itself."""

from __future__ import annotations

import pytest

from srcad.rules import Case, Rule
from tests.rules.calls import all_calls, call_id, make_call
from tests.rules.checks import check_second

VARIED = [(rule, case) for rule, case in all_calls() if rule.jvp is not None]


@pytest.mark.parametrize(("rule", "case"), VARIED, ids=call_id)
def test_the_tangent_of_the_vjp_agrees_with_the_vjp(rule: Rule, case: Case):
    check_second(make_call(rule, case))
