"""The recipe "Add a rule" of docs/contributing.md, followed."""

import re
from pathlib import Path

import numpy as np
import pytest
from optional import NATIVE

import srcad
from srcad.ops.memory import memory_of_function
from srcad.ops.table import _ROWS, _STATED_BY, Row, row_of, state
from srcad.rules import RULES, elementwise
from tests.rules.calls import at_each_case
from tests.rules.checks import check_each_alone, check_tangent, check_transpose

PAGE = (Path(__file__).parents[2] / "docs" / "contributing.md").read_text(encoding="utf-8")


def bump(x, width):
    """A made-up function."""
    return np.exp(-((x / width) ** 2))


@pytest.fixture
def rule(monkeypatch):
    """The rule that the page states, and a row beside it."""
    text = re.search(r"^elementwise\(bump,.*\)$", PAGE, re.MULTILINE)[0]
    exec(text, {"elementwise": elementwise, "bump": bump})
    monkeypatch.setattr("srcad.ops.table._ROWS", dict(_ROWS))
    monkeypatch.setattr("srcad.ops.table._STATED_BY", dict(_STATED_BY))
    state(Row(memory="fresh", elementwise=True), bump)
    return RULES[bump]


def test_the_tests_find_the_cases_of_the_rule(rule):
    for check in (check_tangent, check_each_alone, check_transpose):
        at_each_case(rule, check)


def test_passes_know_what_the_row_says(rule):
    assert memory_of_function(bump) == "fresh"
    assert row_of(bump).elementwise


def bumps(x):
    return np.sum(bump(x, 2.0) * x)


@pytest.mark.parametrize("backend", ["numpy", NATIVE])
def test_programs_have_derivatives(rule, backend):
    x = np.linspace(-1.0, 2.0, 5)
    wanted = np.exp(-(x**2) / 4) * (1 - x**2 / 2)
    np.testing.assert_allclose(srcad.grad(bumps, backend=backend)(x), wanted)
