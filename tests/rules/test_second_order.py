"""Second derivatives of every rule: the tangent of what its vjp emits against the vjp itself."""

from __future__ import annotations

import pytest

from srcad.rules import Rule
from tests.rules.calls import OURS, at_each_case, call_id
from tests.rules.checks import check_second


@pytest.mark.parametrize("rule", [rule for rule in OURS if rule.jvp is not None], ids=call_id)
def test_the_tangent_of_the_vjp_agrees_with_the_vjp(rule: Rule):
    at_each_case(rule, check_second)
