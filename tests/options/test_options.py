"""Each documented parameter of NumPy's functions has a known outcome, few are refused."""

from __future__ import annotations

import numpy as np
import pytest

from options.measure import kept, measure
from options.trials import WITHOUT, functions, parameters
from srcad.rules.core.table import name_of

KEPT = kept()
FUNCTIONS = {name_of(fn): (fn, rule) for fn, rule in functions().items()}
MOST_REFUSED = 0.05

same_numpy = pytest.mark.skipif(
    np.__version__ != KEPT["numpy"], reason=f"NumPy {KEPT['numpy']} was measured"
)


@same_numpy
def test_no_parameter_is_unknown():
    documented = {f"{name}.{p}" for name, (fn, _) in FUNCTIONS.items() for p in parameters(fn)}
    tried = {f"{name}.{p}" for name, found in KEPT["functions"].items() for p in found}
    assert documented == tried | (WITHOUT.keys() & documented)
    assert [p for found in KEPT["functions"].values() for p, by in found.items() if not by] == []


def test_few_parameters_are_refused_and_none_is_wrong():
    outcomes = [list(by.values()) for found in KEPT["functions"].values() for by in found.values()]
    assert not any(each.startswith("wrong") for by in outcomes for each in by)
    refused = sum(all(each.startswith("refused") for each in by) for by in outcomes)
    assert refused <= MOST_REFUSED * len(outcomes)


@same_numpy
@pytest.mark.parametrize("part", range(4))
def test_outcomes_are_what_was_kept(part):
    names = sorted(FUNCTIONS)[part::24]
    assert {name: measure(*FUNCTIONS[name]) for name in names} == {
        name: KEPT["functions"][name] for name in names
    }


@same_numpy
@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_each_function(name):
    assert measure(*FUNCTIONS[name]) == KEPT["functions"][name]
